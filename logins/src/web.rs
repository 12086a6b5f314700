//! Calls to identity providers: bounded, encrypted unless the provider is on this machine, and no redirect followed.

use bytes::Bytes;
use futures::StreamExt;
use http::{Method, StatusCode, header};
use serde::de::DeserializeOwned;
use std::{fmt, time::Duration};
use url::{Host, Url};

/// From the first packet to the last byte.
const PATIENCE: Duration = Duration::from_secs(10);
/// No answer of a provider that is needed here is larger.
const LARGEST: usize = 1 << 20;

/// The way to identity providers.
#[derive(Clone)]
pub struct Web {
    client: reqwest::Client,
}

/// Why a provider gave no answer. Never holds what was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure(pub(crate) String);

/// What a provider answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) body: Bytes,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
impl std::error::Error for Failure {}

impl Web {
    /// A way that trusts the authorities this machine trusts.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn new() -> Result<Self, String> {
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(PATIENCE)
            .timeout(PATIENCE)
            .user_agent(concat!("postern/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| format!("Identity providers cannot be reached: {error}."))?;
        Ok(Web { client })
    }

    /// Asks, and reads the whole answer.
    pub(crate) async fn ask(&self, request: http::Request<Vec<u8>>) -> Result<Answer, Failure> {
        let (parts, body) = request.into_parts();
        let url = address(&parts.uri.to_string())?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let failed = |error: &reqwest::Error| {
            let why = match error {
                error if error.is_timeout() => "it did not answer in time",
                error if error.is_connect() => "no connection could be made",
                _ => "the connection broke",
            };
            Failure(format!("{host}: {why}"))
        };
        let asked = self.client.request(parts.method, url).headers(parts.headers).body(body).send();
        let response = asked.await.map_err(|error| failed(&error))?;
        let status = response.status();
        let mut body = Vec::new();
        let mut pieces = response.bytes_stream();
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|error| failed(&error))?;
            if body.len() + piece.len() > LARGEST {
                return Err(Failure(format!("{host}: its answer is larger than {LARGEST} bytes")));
            }
            body.extend_from_slice(&piece);
        }
        Ok(Answer { status, body: body.into() })
    }

    /// Asks for JSON with a bearer token.
    pub(crate) async fn get<T: DeserializeOwned>(&self, url: &str, bearer: Option<&str>) -> Result<T, Failure> {
        let mut request =
            http::Request::builder().method(Method::GET).uri(url).header(header::ACCEPT, "application/json");
        if let Some(token) = bearer {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let request = request.body(Vec::new()).map_err(|_| Failure(format!("`{}` cannot be asked", shown(url))))?;
        self.ask(request).await?.json(url)
    }
}

impl Answer {
    /// The body of a good answer.
    pub(crate) fn json<T: DeserializeOwned>(&self, url: &str) -> Result<T, Failure> {
        if !self.status.is_success() {
            return Err(Failure(format!("`{}` answered {}", shown(url), self.status.as_u16())));
        }
        serde_json::from_slice(&self.body).map_err(|_| Failure(format!("`{}` answered something else", shown(url))))
    }
}

/// An address that may be asked: over HTTPS, or on this machine.
pub(crate) fn address(text: &str) -> Result<Url, Failure> {
    let refuse = |why: &str| Failure(format!("`{}` {why}", shown(text)));
    let url = Url::parse(text).map_err(|_| refuse("is not an address"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refuse("has a user name in it"));
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_here(&url) => Ok(url),
        _ => Err(refuse("is not HTTPS")),
    }
}

fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// An address without what may be secret in it.
fn shown(url: &str) -> String {
    url.split(['?', '#']).next().unwrap_or_default().chars().filter(|letter| !letter.is_control()).take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_are_asked_in_secret_or_not_at_all() {
        for fine in ["https://id.test/a", "http://127.0.0.1:9/a", "http://localhost/a", "http://[::1]:8/"] {
            assert!(address(fine).is_ok(), "{fine}");
        }
        for wrong in ["http://id.test/", "http://localhost.evil.test/", "ftp://id.test/", "x", "https://u:p@id.test/"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
        let failure = address("http://id.test/a?code=planted").expect_err("plain");
        assert!(!failure.to_string().contains("planted"), "{failure}");
    }
}
