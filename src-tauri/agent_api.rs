//! The client of the agent's local API. Windows reach only paths below `/api/`.

use crate::{
    app_state::AppState,
    error::{DesktopError, Result},
};
use futures::StreamExt;
use postern_api::{Code, Error, local::LocalApiError};
use reqwest::Method;
use schemars::JsonSchema;
use serde::Serialize;
use std::{net::SocketAddr, sync::Arc, time::Duration};
use url::Url;

/// The largest request body a window may send: tunnel definitions and edited replays.
const MAX_REQUEST_BYTES: usize = 8 * 1024 * 1024;
/// The largest response body that is passed on: a page of captured requests with their bodies.
const MAX_RESPONSE_BYTES: usize = 128 * 1024 * 1024;
/// The largest range of a captured body that is passed on at once.
const MAX_RANGE_BYTES: u64 = 16 * 1024 * 1024;
/// Long enough for a replay, which waits for the local service.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(90);

/// A response of an API, whatever its status.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ApiResponse {
    pub(crate) status: u16,
    pub(crate) body: String,
    /// The `Location` header: the resource that was created.
    pub(crate) location: Option<String>,
}

/// Sends requests to the agent that is running.
pub(crate) struct AgentClient {
    state: Arc<AppState>,
    http: reqwest::Client,
}

impl AgentClient {
    /// A client with a `http` client for loopback addresses.
    pub(crate) fn new(state: Arc<AppState>, http: reqwest::Client) -> AgentClient {
        AgentClient { state, http }
    }

    /// Sends one request. A response with an error status is not an error.
    ///
    /// # Errors
    ///
    /// Fails for a path outside `/api/`, a method other than GET, POST, PUT, PATCH and DELETE, a body beyond its limit,
    /// and if the agent does not respond.
    pub(crate) async fn request(&self, method: &str, path: &str, body: Option<String>) -> Result<ApiResponse> {
        let method = allowed_method(method)?;
        let (address, url) = self.resolve(path)?;
        let mut request = self.http.request(method, url).timeout(REQUEST_TIMEOUT);
        if let Some(body) = body {
            if body.len() > MAX_REQUEST_BYTES {
                let limit = MAX_REQUEST_BYTES / (1024 * 1024);
                return Err(DesktopError::new(Code::BodyTooLarge, format!("The body is larger than {limit} MiB.")));
            }
            request = request.header("content-type", "application/json").body(body);
        }
        let response = request.send().await.map_err(|_| unreachable(address))?;
        read_response(response, || unreachable(address)).await
    }

    /// Reads the bytes `from..to` of a captured body.
    ///
    /// The result begins with the status (four bytes) and the total length (eight bytes, all ones if the agent did not
    /// send it), both big-endian, so that the bytes reach the window without becoming text.
    ///
    /// # Errors
    ///
    /// Fails for a path outside `/api/`, an empty range, a range beyond 16 MiB, and if the agent does not respond.
    pub(crate) async fn read_range(&self, path: &str, from: u64, to: u64) -> Result<Vec<u8>> {
        let (address, url) = self.resolve(path)?;
        let Some(last) = to.checked_sub(1).filter(|last| from <= *last && to - from <= MAX_RANGE_BYTES) else {
            let limit = MAX_RANGE_BYTES / (1024 * 1024);
            let message = format!("A range has at least one byte and at most {limit} MiB.");
            return Err(DesktopError::new(Code::BodyTooLarge, message));
        };
        let request = self.http.get(url).timeout(REQUEST_TIMEOUT).header("range", format!("bytes={from}-{last}"));
        let response = request.send().await.map_err(|_| unreachable(address))?;
        let status = response.status().as_u16();
        let content_range = response.headers().get("content-range").and_then(|range| range.to_str().ok());
        let total = content_range.and_then(total_length);
        let mut bytes = range_prefix(status, total);
        let limit = usize::try_from(MAX_RANGE_BYTES).unwrap_or(usize::MAX) + bytes.len();
        read_body(&mut bytes, response, || unreachable(address), limit).await?;
        Ok(bytes)
    }

    /// The running agent's address and the URL of a path of its API.
    fn resolve(&self, path: &str) -> Result<(SocketAddr, Url)> {
        let agent = self.state.desktop().agent;
        let Some(address) = agent.web_addr else {
            let reason = agent.error.map_or_else(|| "It is starting.".to_owned(), |error| error.message);
            return Err(DesktopError::new(Code::Unavailable, format!("The agent is not running. {reason}")));
        };
        Ok((address, api_url(address, path)?))
    }
}

/// Reads the error in a response body of the agent's local API.
pub(crate) fn read_error(body: &str) -> Error {
    serde_json::from_str::<LocalApiError>(body)
        .map_or_else(|_| Error::new(Code::Internal, "The agent refused the request without a reason."), Error::from)
}

/// Reads a response of an API up to the limit for windows.
///
/// # Errors
///
/// Fails with `broken` if the connection breaks, and for a body beyond 128 MiB.
pub(crate) async fn read_response(
    response: reqwest::Response,
    broken: impl Fn() -> DesktopError,
) -> Result<ApiResponse> {
    let status = response.status().as_u16();
    let location = response.headers().get("location").and_then(|location| location.to_str().ok()).map(str::to_owned);
    let mut body = Vec::new();
    read_body(&mut body, response, broken, MAX_RESPONSE_BYTES).await?;
    Ok(ApiResponse { status, body: String::from_utf8_lossy(&body).into_owned(), location })
}

fn range_prefix(status: u16, total: Option<u64>) -> Vec<u8> {
    let mut prefix = u32::from(status).to_be_bytes().to_vec();
    prefix.extend_from_slice(&total.unwrap_or(u64::MAX).to_be_bytes());
    prefix
}

/// The complete length in a `Content-Range` such as `bytes 0-9/100` (RFC 9110, section 14.4).
fn total_length(content_range: &str) -> Option<u64> {
    content_range.rsplit_once('/')?.1.parse().ok()
}

async fn read_body(
    bytes: &mut Vec<u8>,
    response: reqwest::Response,
    broken: impl Fn() -> DesktopError,
    limit: usize,
) -> Result<()> {
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| broken())?;
        if bytes.len() + chunk.len() > limit {
            return Err(DesktopError::new(
                Code::BodyTooLarge,
                "The response is too large to show. Request a smaller part.",
            ));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(())
}

fn unreachable(address: SocketAddr) -> DesktopError {
    DesktopError::new(
        Code::Unavailable,
        format!("The agent at {address} does not respond. It is restarted automatically."),
    )
}

fn allowed_method(method: &str) -> Result<Method> {
    match method {
        "GET" => Ok(Method::GET),
        "POST" => Ok(Method::POST),
        "PUT" => Ok(Method::PUT),
        "PATCH" => Ok(Method::PATCH),
        "DELETE" => Ok(Method::DELETE),
        other => Err(DesktopError::new(
            Code::MethodNotAllowed,
            format!("The agent's API has no method {other:?}. Use GET, POST, PUT, PATCH or DELETE."),
        )),
    }
}

/// The URL of a path below `/api/`, checked after the parser resolved all dots and escapes.
fn api_url(address: SocketAddr, path: &str) -> Result<Url> {
    let refused = || DesktopError::new(Code::HostRefused, "A window can only request paths below /api/ of the agent.");
    if !path.starts_with("/api/") || path.contains(['\\', '#']) || path.chars().any(char::is_control) {
        return Err(refused());
    }
    let url = Url::parse(&format!("http://{address}{path}")).map_err(|_| refused())?;
    let same_host = url.host_str() == Some(address.ip().to_string().as_str()) || address.is_ipv6();
    let same_port = url.port_or_known_default() == Some(address.port());
    let no_userinfo = url.username().is_empty() && url.password().is_none();
    if same_host && same_port && no_userinfo && url.path().starts_with("/api/") { Ok(url) } else { Err(refused()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent() -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], 4040))
    }

    #[test]
    fn a_path_below_api_reaches_the_agent() {
        let url = api_url(agent(), "/api/requests/http?limit=5&tunnel_name=a%2Fb").unwrap();
        assert_eq!(url.as_str(), "http://127.0.0.1:4040/api/requests/http?limit=5&tunnel_name=a%2Fb");
    }

    #[test]
    fn no_other_path_can_be_requested() {
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
            assert!(api_url(agent(), path).is_err(), "{path:?} was allowed");
        }
    }

    #[test]
    fn a_range_begins_with_status_and_total_length() {
        assert_eq!(range_prefix(206, total_length("bytes 0-9/100")), [0, 0, 0, 206, 0, 0, 0, 0, 0, 0, 0, 100]);
        for unknown in ["", "bytes 0-9/*", "bytes", "bytes 0-9/-1"] {
            assert_eq!(range_prefix(200, total_length(unknown))[4..], [255; 8], "{unknown:?}");
        }
    }

    #[test]
    fn an_error_of_the_agent_keeps_its_code_and_its_sentence() {
        let body = r#"{"error_code": 103, "status_code": 502, "msg": "failed to start tunnel",
            "details": {"err": "The name is taken.", "code": "ERR_POSTERN_8114", "tunnel": "site"}}"#;
        assert_eq!(read_error(body), Error::new(Code::ListenFailed, "The name is taken."));
        let newer = body.replace("ERR_POSTERN_8114", "ERR_POSTERN_99999");
        assert_eq!(read_error(&newer), Error::new(Code::Internal, "The name is taken."));
        assert_eq!(read_error("<html>").code, Code::Internal);
    }

    #[test]
    fn only_methods_of_the_api_are_sent() {
        assert!(allowed_method("PUT").is_ok());
        for method in ["CONNECT", "TRACE", "get", "", "GET /api/ HTTP/1.1\r\n"] {
            assert!(allowed_method(method).is_err(), "{method:?} was allowed");
        }
    }
}
