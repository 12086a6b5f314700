//! Requests to the agent's local API: the only requests a window can cause, and only below `/api/`.

use crate::desk::Desk;
use crate::failure::{Failure, Result};
use futures::StreamExt;
use postern_api::Code;
use reqwest::Method;
use serde::Serialize;
use std::net::SocketAddr;
use std::time::Duration;
use url::Url;

/// The largest body a window may send: tunnel definitions and edited replays.
const LARGEST_REQUEST: usize = 8 * 1024 * 1024;
/// The largest answer passed on: a page of captured requests with their bodies.
const LARGEST_ANSWER: usize = 128 * 1024 * 1024;
/// The largest part of a body passed on at once.
const LARGEST_RANGE: u64 = 16 * 1024 * 1024;
/// A replay waits for the local service.
const PATIENCE: Duration = Duration::from_secs(90);

/// What the agent said, whatever its status.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
    /// What was made, where the answer names it.
    pub(crate) location: Option<String>,
}

/// Sends one request to the agent that runs now.
///
/// Fails for a path outside `/api/`, another method than GET, POST, PUT, PATCH and DELETE, a body or an answer
/// beyond its limit, and when no agent answers. An answer with an error status is an answer.
pub(crate) async fn request(desk: &Desk, method: &str, path: &str, body: Option<String>) -> Result<Answer> {
    let method = allowed_method(method)?;
    let (address, url) = place(desk, path)?;
    let mut request = desk.http.request(method, url).timeout(PATIENCE);
    if let Some(body) = body {
        if body.len() > LARGEST_REQUEST {
            let limit = LARGEST_REQUEST / (1024 * 1024);
            return Err(Failure::new(Code::BodyTooLarge, format!("The body is larger than {limit} MiB.")));
        }
        request = request.header("content-type", "application/json").body(body);
    }
    let answer = request.send().await.map_err(|_| unreachable(address))?;
    read_answer(answer, || unreachable(address)).await
}

/// Reads an answer as far as it may be passed on.
pub(crate) async fn read_answer(answer: reqwest::Response, broken: impl Fn() -> Failure) -> Result<Answer> {
    let status = answer.status().as_u16();
    let location = answer.headers().get("location").and_then(|place| place.to_str().ok()).map(str::to_owned);
    let mut read = Vec::new();
    read_into(&mut read, answer, broken, LARGEST_ANSWER).await?;
    Ok(Answer { status, body: String::from_utf8_lossy(&read).into_owned(), location })
}

/// Reads bytes of a captured body from one place up to another, that one excluded.
///
/// In front of them stand the status (four bytes) and the length of the whole (eight bytes, all ones where the agent did
/// not say), most significant byte first: so nothing has to become text on its way into the window.
pub(crate) async fn bytes(desk: &Desk, path: &str, from: u64, to: u64) -> Result<Vec<u8>> {
    let (address, url) = place(desk, path)?;
    let Some(last) = to.checked_sub(1).filter(|last| from <= *last && to - from <= LARGEST_RANGE) else {
        let limit = LARGEST_RANGE / (1024 * 1024);
        return Err(Failure::new(Code::BodyTooLarge, format!("Ask for at least one byte and at most {limit} MiB.")));
    };
    let request = desk.http.get(url).timeout(PATIENCE).header("range", format!("bytes={from}-{last}"));
    let answer = request.send().await.map_err(|_| unreachable(address))?;
    let status = answer.status().as_u16();
    let total = answer.headers().get("content-range").and_then(|range| range.to_str().ok()).and_then(total_of);
    let mut read = facts(status, total);
    let largest = usize::try_from(LARGEST_RANGE).unwrap_or(usize::MAX) + read.len();
    read_into(&mut read, answer, || unreachable(address), largest).await?;
    Ok(read)
}

fn facts(status: u16, total: Option<u64>) -> Vec<u8> {
    let mut facts = u32::from(status).to_be_bytes().to_vec();
    facts.extend_from_slice(&total.unwrap_or(u64::MAX).to_be_bytes());
    facts
}

/// The length behind the slash of `bytes 0-9/100`.
fn total_of(content_range: &str) -> Option<u64> {
    content_range.rsplit_once('/')?.1.parse().ok()
}

async fn read_into(
    read: &mut Vec<u8>,
    answer: reqwest::Response,
    broken: impl Fn() -> Failure,
    largest: usize,
) -> Result<()> {
    let mut pieces = answer.bytes_stream();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|_| broken())?;
        if read.len() + piece.len() > largest {
            return Err(Failure::new(Code::BodyTooLarge, "The answer is too large to show; ask for less."));
        }
        read.extend_from_slice(&piece);
    }
    Ok(())
}

/// Where the agent that runs now can be asked for a path.
fn place(desk: &Desk, path: &str) -> Result<(SocketAddr, Url)> {
    let agent = desk.state.now().agent;
    let Some(address) = agent.web_addr else {
        let why = agent.error.map_or_else(|| "It is being started.".to_owned(), |error| error.message);
        return Err(Failure::new(Code::Unavailable, format!("The agent does not run at the moment. {why}")));
    };
    Ok((address, address_of(address, path)?))
}

fn unreachable(address: SocketAddr) -> Failure {
    Failure::new(Code::Unavailable, format!("The agent at {address} does not answer. It is started again by itself."))
}

fn allowed_method(method: &str) -> Result<Method> {
    match method {
        "GET" => Ok(Method::GET),
        "POST" => Ok(Method::POST),
        "PUT" => Ok(Method::PUT),
        "PATCH" => Ok(Method::PATCH),
        "DELETE" => Ok(Method::DELETE),
        other => {
            Err(Failure::new(Code::MethodNotAllowed, format!("The method {other:?} is not one of the agent's API.")))
        }
    }
}

/// The address of a path below `/api/`: what the path says after all dots and escapes are resolved counts.
fn address_of(address: SocketAddr, path: &str) -> Result<Url> {
    let refused = || Failure::new(Code::HostRefused, "Only paths below /api/ of the agent can be asked from here.");
    if !path.starts_with("/api/") || path.contains(['\\', '#']) || path.chars().any(char::is_control) {
        return Err(refused());
    }
    let url = Url::parse(&format!("http://{address}{path}")).map_err(|_| refused())?;
    let same_place = url.host_str() == Some(address.ip().to_string().as_str()) || address.is_ipv6();
    let port = url.port_or_known_default() == Some(address.port());
    let plain = url.username().is_empty() && url.password().is_none();
    if same_place && port && plain && url.path().starts_with("/api/") { Ok(url) } else { Err(refused()) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn agent() -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], 4040))
    }

    #[test]
    fn a_path_below_api_reaches_the_agent() {
        let url = address_of(agent(), "/api/requests/http?limit=5&tunnel_name=a%2Fb").unwrap();
        assert_eq!(url.as_str(), "http://127.0.0.1:4040/api/requests/http?limit=5&tunnel_name=a%2Fb");
    }

    #[test]
    fn nothing_else_can_be_asked() {
        for path in [
            "",
            "/",
            "/inspector.html",
            "/apix/",
            "api/status",
            "//evil.example/api/",
            "@evil.example/api/",
            "/api/../inspector.html",
            "/api/%2e%2e/inspector.html",
            "/api\\..\\x",
            "/api/x\r\nHost: evil",
            "/api/x#y",
            "http://evil.example/api/",
        ] {
            assert!(address_of(agent(), path).is_err(), "{path:?} was let through");
        }
    }

    #[test]
    fn status_and_length_stand_in_front_of_bytes() {
        assert_eq!(facts(206, total_of("bytes 0-9/100")), [0, 0, 0, 206, 0, 0, 0, 0, 0, 0, 0, 100]);
        for untold in ["", "bytes 0-9/*", "bytes", "bytes 0-9/-1"] {
            assert_eq!(facts(200, total_of(untold))[4..], [255; 8], "{untold:?}");
        }
    }

    #[test]
    fn only_the_methods_of_the_api_are_sent() {
        assert!(allowed_method("PUT").is_ok());
        for method in ["CONNECT", "TRACE", "get", "", "GET /api/ HTTP/1.1\r\n"] {
            assert!(allowed_method(method).is_err(), "{method:?} was let through");
        }
    }
}
