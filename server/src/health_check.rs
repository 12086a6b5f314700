//! `healthcheck`: asks the running server for its health, for containers and supervisors without an HTTP client.

use crate::{addresses::Addresses, configuration::default_data_dir, io_error::reason};
use http_body_util::{BodyExt, Empty, Limited};
use hyper::{Request, StatusCode, body::Bytes, header};
use hyper_util::rt::TokioIo;
use postern_api::{Code, Error, Result};
use std::{net::SocketAddr, path::PathBuf, time::Duration};
use tokio::net::TcpStream;

/// Time limit of the whole check.
const HEALTH_TIMEOUT: Duration = Duration::from_secs(5);
/// Largest response that is read.
const MAX_RESPONSE_BYTES: usize = 64 << 10;

/// Prints what `GET /healthz` says.
///
/// # Errors
/// [`Code::Unavailable`] if no server runs, if it does not respond in time, or if it is about to end.
pub(crate) async fn run(data_dir: Option<PathBuf>) -> Result<()> {
    let folder = data_dir.map_or_else(default_data_dir, Ok)?;
    let address = Addresses::api_of(&folder).ok_or_else(|| {
        let message =
            format!("No server runs with the data folder {}. Name another with --data-dir DIR.", folder.display());
        Error::new(Code::Unavailable, message)
    })?;
    let failed = |why: String| Error::new(Code::Unavailable, format!("The server at {address} is not healthy: {why}."));
    let asked = tokio::time::timeout(HEALTH_TIMEOUT, ask(address)).await;
    let (status, body) = asked.map_err(|_| failed("it does not respond in time".into()))?.map_err(failed)?;
    if !status.is_success() {
        return Err(failed(format!("it responds with {status}")));
    }
    crate::service::say(body.trim())
}

async fn ask(address: SocketAddr) -> Result<(StatusCode, String), String> {
    let stream = TcpStream::connect(address).await.map_err(|error| reason(&error))?;
    let wrong = |error: hyper::Error| error.to_string();
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(wrong)?;
    tokio::spawn(connection);
    let request = Request::get("/healthz").header(header::HOST, address.to_string());
    let request = request.body(Empty::<Bytes>::new()).map_err(|error| error.to_string())?;
    let response = sender.send_request(request).await.map_err(wrong)?;
    let status = response.status();
    let body =
        Limited::new(response.into_body(), MAX_RESPONSE_BYTES).collect().await.map_err(|error| error.to_string())?;
    Ok((status, String::from_utf8_lossy(&body.to_bytes()).into_owned()))
}
