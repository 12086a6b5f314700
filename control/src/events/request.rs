//! One request to a receiver: signed by the Standard Webhooks specification, and bounded in time and size. Redirects are not
//! followed, and link-local addresses are not connected to.

use crate::resources::event_destination::{SigningSecrets, receiver_url};
use aws_lc_rs::hmac;
use base64::{Engine, prelude::BASE64_STANDARD};
use postern_api::Secret;
use reqwest::{
    Client,
    dns::{Addrs, Name, Resolve, Resolving},
    redirect,
};
use std::{
    error::Error as StdError,
    fmt, io,
    net::SocketAddr,
    sync::{Arc, OnceLock},
    time::Duration,
};

/// From the first packet to the response.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes of a response that are read, so that its connection can be used again.
const MAX_RESPONSE_BYTES: usize = 1 << 10;
/// Bytes of an error that is shown.
const MAX_ERROR_BYTES: usize = 200;

/// Sends requests to receivers.
#[derive(Default)]
pub(super) struct Sender {
    /// For URLs with `https`, and with `http`; made when the first destination needs them.
    clients: [OnceLock<Result<Client, String>>; 2],
}

/// A request for one event.
pub(super) struct EventRequest<'a> {
    pub(super) url: &'a str,
    /// Id of the event.
    pub(super) id: &'a str,
    /// Time of the attempt, in seconds since 1970.
    pub(super) timestamp: i64,
    pub(super) body: String,
    /// Value of the header `webhook-signature`.
    pub(super) signature: String,
}

/// What a receiver responded, or why it did not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Responded(u16),
    Failed(String),
}

impl Outcome {
    /// Status of the response, if there is one.
    pub(super) fn status_code(&self) -> Option<u16> {
        match self {
            Outcome::Responded(status) => Some(*status),
            Outcome::Failed(_) => None,
        }
    }

    /// Why the event was not accepted; empty if it was.
    pub(super) fn error(&self) -> String {
        match self {
            Outcome::Responded(200..300) => String::new(),
            Outcome::Responded(status @ 300..400) => format!("status {status}: redirects are not followed"),
            Outcome::Responded(status) => format!("status {status}"),
            Outcome::Failed(reason) => reason.clone(),
        }
    }
}

/// Value of the header `webhook-signature`: a signature by each secret.
pub(super) fn signature<'a>(secrets: impl Iterator<Item = &'a Secret>, id: &str, timestamp: i64, body: &str) -> String {
    let content = format!("{id}.{timestamp}.{body}");
    let sign = |secret: &Secret| {
        let text = secret.reveal();
        let key = BASE64_STANDARD.decode(text.strip_prefix(SigningSecrets::PREFIX).unwrap_or(text)).unwrap_or_default();
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &key), content.as_bytes());
        format!("v1,{}", BASE64_STANDARD.encode(tag))
    };
    secrets.map(sign).collect::<Vec<_>>().join(" ")
}

impl Sender {
    /// Sends a request. Never fails: a failure is an outcome.
    pub(super) async fn send(&self, request: EventRequest<'_>) -> Outcome {
        let url = match receiver_url::parse(request.url) {
            Ok(url) => url,
            Err(error) => return Outcome::Failed(error.message),
        };
        let is_plain = receiver_url::is_plain(&url);
        let client = match self.clients[usize::from(is_plain)].get_or_init(|| client(is_plain)) {
            Ok(client) => client,
            Err(reason) => return Outcome::Failed(reason.clone()),
        };
        let sent = client
            .post(url)
            .header("content-type", "application/json")
            .header("webhook-id", request.id)
            .header("webhook-timestamp", request.timestamp)
            .header("webhook-signature", request.signature)
            .body(request.body)
            .send();
        match sent.await {
            Ok(mut response) => {
                let status = response.status().as_u16();
                let mut read = 0;
                while read < MAX_RESPONSE_BYTES
                    && let Ok(Some(chunk)) = response.chunk().await
                {
                    read += chunk.len();
                }
                Outcome::Responded(status)
            }
            Err(error) => Outcome::Failed(reason(&error)),
        }
    }
}

fn client(is_plain: bool) -> Result<Client, String> {
    let client = Client::builder()
        .redirect(redirect::Policy::none())
        .connect_timeout(REQUEST_TIMEOUT)
        .timeout(REQUEST_TIMEOUT)
        .dns_resolver(Arc::new(GuardedResolver { is_plain }))
        .user_agent(concat!("postern-server/", env!("CARGO_PKG_VERSION")));
    client.build().map_err(|error| format!("the HTTP client cannot be created: {error}"))
}

/// Why there was no response, in one short line without the URL, which may contain a secret.
fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return format!("no response within {} s", REQUEST_TIMEOUT.as_secs());
    }
    let mut root: &dyn StdError = error;
    while let Some(source) = root.source() {
        root = source;
    }
    if let Some(io) = root.downcast_ref::<io::Error>()
        && io.kind() == io::ErrorKind::ConnectionRefused
    {
        return "the connection was refused".to_owned();
    }
    let text = if std::ptr::addr_eq(root, error) { "the request failed".to_owned() } else { root.to_string() };
    let text = match text.strip_prefix("invalid peer certificate: ") {
        Some(reason) => format!("the certificate of the receiver is not trusted: {reason}"),
        None => text,
    };
    let end = (0..=MAX_ERROR_BYTES.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text[..end].to_owned()
}

/// Resolves names to addresses that may be connected to.
struct GuardedResolver {
    is_plain: bool,
}

/// No address of a name may be connected to.
#[derive(Debug)]
struct NoAddress(String);

impl fmt::Display for NoAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
impl StdError for NoAddress {}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let is_plain = self.is_plain;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await;
            let found = found.map_err(|error| NoAddress(format!("the name cannot be resolved: {error}")))?;
            let (mut admitted, mut refused) = (Vec::<SocketAddr>::new(), None);
            for address in found {
                match receiver_url::check_address(address.ip(), is_plain) {
                    Ok(()) => admitted.push(address),
                    Err(reason) => refused = Some(reason),
                }
            }
            if admitted.is_empty() {
                let reason = refused.unwrap_or("the name has no address");
                return Err(NoAddress(format!("the address is not connected to: {reason}")).into());
            }
            Ok(Box::new(admitted.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_those_of_the_specification() {
        // The example of the specification's reference libraries.
        let secret = Secret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        let (id, body) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", r#"{"test": 2432232314}"#);
        let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(signature([&secret].into_iter(), id, 1_614_265_330, body), expected);
        let both = signature([&secret, &secret].into_iter(), id, 1_614_265_330, body);
        assert_eq!(both, format!("{expected} {expected}"));
    }

    #[tokio::test]
    async fn names_resolve_to_addresses_that_may_be_connected_to() {
        let loopback = Sender::default();
        let request = |url: &'static str| EventRequest {
            url,
            id: "ev_1",
            timestamp: 0,
            body: String::new(),
            signature: String::new(),
        };
        let failed = loopback.send(request("http://169.254.169.254/latest")).await;
        assert!(failed.error().contains("link-local"), "{failed:?}");
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        drop(listener);
        let url: &'static str = format!("http://localhost:{port}/?token=planted").leak();
        let refused = loopback.send(request(url)).await;
        assert_eq!(refused, Outcome::Failed("the connection was refused".to_owned()));
    }

    #[test]
    fn only_success_accepts_an_event() {
        assert_eq!(Outcome::Responded(204).error(), "");
        assert_eq!(Outcome::Responded(500).error(), "status 500");
        assert!(Outcome::Responded(301).error().contains("redirects"));
        assert_eq!(Outcome::Failed("x".to_owned()).status_code(), None);
    }
}
