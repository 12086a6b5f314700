//! A first visitor: one `GET /` at a tunnel's public address, the way of everybody else.

use super::{
    Tunnels,
    visit::{EdgeVisit, Place},
};
use postern_api::{Code, Error};
use postern_tunnel::BoxedTransport;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// The local service may be waking up.
const PATIENCE: Duration = Duration::from_secs(20);
/// A head that is longer is no answer to a plain question.
const LONGEST_HEAD: usize = 64 * 1024;

impl Tunnels {
    /// Asks for the front page of a tunnel and gives the status of the answer. What arrives is captured like any visit.
    ///
    /// # Errors
    /// `TunnelUnknown` if it does not run, `ReplayFailed` if it has no address of HTTP or nothing answers there.
    pub async fn sample(&self, name: &str, edge: &EdgeVisit) -> Result<u16, Error> {
        let url = self.locked().halves().find(|half| half.leg.tag.definition == name).and_then(|half| half.url.clone());
        let Some(url) = url else {
            let shown: String = name.chars().take(80).collect();
            return Err(Error::new(Code::TunnelUnknown, format!("No tunnel named `{shown}` runs. Start it first.")));
        };
        let place = Place::parse(&url).filter(|place| !place.authority.contains('*')).ok_or_else(|| {
            Error::new(Code::ReplayFailed, format!("`{url}` is no address of a page, so there is nothing to ask for."))
        })?;
        let (visited, _) = edge.visit(&place).await?;
        match tokio::time::timeout(PATIENCE, ask(visited, &place.authority)).await {
            Ok(Some(status)) => Ok(status),
            Ok(None) => Err(unanswered(&url, "the connection ended without an answer")),
            Err(_) => Err(unanswered(&url, "no answer came in time")),
        }
    }
}

async fn ask(mut stream: BoxedTransport, authority: &str) -> Option<u16> {
    let request = format!(
        "GET / HTTP/1.1\r\nHost: {authority}\r\nUser-Agent: Postern sample request\r\nAccept: text/html,*/*;q=0.8\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.ok()?;
    let (mut head, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let count = stream.read(&mut piece).await.ok().filter(|count| *count > 0)?;
        head.extend_from_slice(&piece[..count]);
        let mut headers = [httparse::EMPTY_HEADER; 128];
        let mut answer = httparse::Response::new(&mut headers);
        match answer.parse(&head) {
            Ok(httparse::Status::Complete(_)) => return answer.code,
            Ok(httparse::Status::Partial) if head.len() < LONGEST_HEAD => {}
            _ => return None,
        }
    }
}

fn unanswered(url: &str, why: &str) -> Error {
    Error::new(Code::ReplayFailed, format!("{url} was asked for its front page, and {why}."))
}
