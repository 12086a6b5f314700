//! The sample request: one `GET /` at a tunnel's public address.

use super::{
    Tunnels,
    edge_client::{EdgeClient, PublicAddress},
};
use postern_api::{Code, Error};
use postern_tunnel::BoxedTransport;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Timeout of the response; the local service may have to wake up.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(20);
/// Maximum size of the response head.
const MAX_HEAD_BYTES: usize = 64 * 1024;

impl Tunnels {
    /// Requests the front page of a tunnel and returns the status of the response. The request is captured like any
    /// visitor's.
    ///
    /// # Errors
    /// `TunnelUnknown` if the tunnel does not run; `ReplayFailed` if it has no HTTP address or does not respond.
    pub async fn sample(&self, name: &str, edge: &EdgeClient) -> Result<u16, Error> {
        let url = self
            .lock_table()
            .endpoints()
            .find(|state| state.endpoint.tag.definition == name)
            .and_then(|state| state.url.clone());
        let Some(url) = url else {
            let shown: String = name.chars().take(80).collect();
            return Err(Error::new(Code::TunnelUnknown, format!("No tunnel named `{shown}` runs. Start it first.")));
        };
        let address =
            PublicAddress::parse(&url).filter(|address| !address.authority.contains('*')).ok_or_else(|| {
                Error::new(
                    Code::ReplayFailed,
                    format!("`{url}` is not an HTTP address, so there is no page to request."),
                )
            })?;
        let (stream, _) = edge.connect_to(&address).await?;
        match tokio::time::timeout(RESPONSE_TIMEOUT, request_front_page(stream, &address.authority)).await {
            Ok(Some(status)) => Ok(status),
            Ok(None) => Err(no_response(&url, "the connection ended without a response")),
            Err(_) => Err(no_response(&url, "no response came in time")),
        }
    }
}

async fn request_front_page(mut stream: BoxedTransport, authority: &str) -> Option<u16> {
    let request = format!(
        "GET / HTTP/1.1\r\nHost: {authority}\r\nUser-Agent: Postern sample request\r\nAccept: text/html,*/*;q=0.8\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.ok()?;
    let (mut head, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let count = stream.read(&mut piece).await.ok().filter(|count| *count > 0)?;
        head.extend_from_slice(&piece[..count]);
        let mut headers = [httparse::EMPTY_HEADER; 128];
        let mut response = httparse::Response::new(&mut headers);
        match response.parse(&head) {
            Ok(httparse::Status::Complete(_)) => return response.code,
            Ok(httparse::Status::Partial) if head.len() < MAX_HEAD_BYTES => {}
            _ => return None,
        }
    }
}

fn no_response(url: &str, why: &str) -> Error {
    Error::new(Code::ReplayFailed, format!("The front page of {url} was requested, but {why}."))
}
