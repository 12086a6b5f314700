//! HTTP client for identity providers: bounded in time and size, HTTPS only except to loopback addresses, without
//! redirects.

use bytes::Bytes;
use futures::StreamExt;
use http::{Method, StatusCode, header};
use serde::de::DeserializeOwned;
use std::{
    fmt,
    sync::{Arc, LazyLock},
    time::Duration,
};
use url::{Host, Url};

/// Time from connecting to the last byte of the response.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum size of a response body.
const MAX_BODY_BYTES: usize = 1 << 20;

/// HTTP client for identity providers. It reads the certificate authorities of this machine with the first request, because most
/// servers never send one.
#[derive(Clone)]
pub struct ProviderClient {
    client: Arc<LazyLock<Result<reqwest::Client, String>>>,
}

/// Reason why a provider sent no usable response. Never contains request data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProviderError(pub(crate) String);

/// A complete response of a provider.
#[derive(Debug)]
pub(crate) struct ProviderResponse {
    pub(crate) status: StatusCode,
    pub(crate) body: Bytes,
}

impl fmt::Display for ProviderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
impl std::error::Error for ProviderError {}

impl ProviderClient {
    /// A client that trusts the certificate authorities of this machine.
    pub fn new() -> Self {
        ProviderClient { client: Arc::new(LazyLock::new(build)) }
    }

    /// Sends a request and reads the whole response.
    pub(crate) async fn send(&self, request: http::Request<Vec<u8>>) -> Result<ProviderResponse, ProviderError> {
        let (parts, body) = request.into_parts();
        let url = parse_url(&parts.uri.to_string())?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let failed = |error: &reqwest::Error| {
            let reason = match error {
                error if error.is_timeout() => "the request timed out",
                error if error.is_connect() => "the connection failed",
                _ => "the connection broke",
            };
            ProviderError(format!("{host}: {reason}"))
        };
        let client = self.client.as_ref().as_ref().map_err(|reason| ProviderError(format!("{host}: {reason}")))?;
        let sent = client.request(parts.method, url).headers(parts.headers).body(body).send();
        let response = sent.await.map_err(|error| failed(&error))?;
        let status = response.status();
        let mut body = Vec::new();
        let mut chunks = response.bytes_stream();
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(|error| failed(&error))?;
            if body.len() + chunk.len() > MAX_BODY_BYTES {
                return Err(ProviderError(format!("{host}: the response is larger than {MAX_BODY_BYTES} bytes")));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(ProviderResponse { status, body: body.into() })
    }

    /// Requests JSON, optionally with a bearer token (RFC 6750).
    pub(crate) async fn get<T: DeserializeOwned>(&self, url: &str, bearer: Option<&str>) -> Result<T, ProviderError> {
        let mut request =
            http::Request::builder().method(Method::GET).uri(url).header(header::ACCEPT, "application/json");
        if let Some(token) = bearer {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let request =
            request.body(Vec::new()).map_err(|_| ProviderError(format!("`{}` cannot be response", redacted(url))))?;
        self.send(request).await?.json(url)
    }
}

impl Default for ProviderClient {
    fn default() -> Self {
        ProviderClient::new()
    }
}

fn build() -> Result<reqwest::Client, String> {
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(REQUEST_TIMEOUT)
        .timeout(REQUEST_TIMEOUT)
        .user_agent(concat!("postern/", env!("CARGO_PKG_VERSION")));
    client.build().map_err(|error| format!("the HTTP client cannot be created: {error}"))
}

impl ProviderResponse {
    /// The JSON body of a successful response.
    pub(crate) fn json<T: DeserializeOwned>(&self, url: &str) -> Result<T, ProviderError> {
        if !self.status.is_success() {
            return Err(ProviderError(format!("`{}` responded with status {}", redacted(url), self.status.as_u16())));
        }
        serde_json::from_slice(&self.body)
            .map_err(|_| ProviderError(format!("the response of `{}` does not have the expected form", redacted(url))))
    }
}

/// Parses a URL that requests may go to: HTTPS, or plain HTTP to a loopback address.
pub(crate) fn parse_url(text: &str) -> Result<Url, ProviderError> {
    let refuse = |reason: &str| ProviderError(format!("`{}` {reason}", redacted(text)));
    let url = Url::parse(text).map_err(|_| refuse("is not a URL"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refuse("contains a user name"));
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_loopback_host(&url) => Ok(url),
        _ => Err(refuse("is not HTTPS")),
    }
}

fn is_loopback_host(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(parse_url)) => parse_url.is_loopback(),
        Some(Host::Ipv6(parse_url)) => parse_url.is_loopback(),
        None => false,
    }
}

/// A URL without its query and fragment, which may contain secrets.
fn redacted(url: &str) -> String {
    url.split(['?', '#']).next().unwrap_or_default().chars().filter(|letter| !letter.is_control()).take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_and_loopback_urls_are_accepted() {
        for valid in ["https://id.test/a", "http://127.0.0.1:9/a", "http://localhost/a", "http://[::1]:8/"] {
            assert!(parse_url(valid).is_ok(), "{valid}");
        }
        for wrong in ["http://id.test/", "http://localhost.evil.test/", "ftp://id.test/", "x", "https://u:p@id.test/"] {
            assert!(parse_url(wrong).is_err(), "{wrong}");
        }
        let failure = parse_url("http://id.test/a?code=planted").expect_err("plain");
        assert!(!failure.to_string().contains("planted"), "{failure}");
    }
}
