//! Accepts only WebSocket connections (RFC 6455): binary messages from visitors reach the backend as a plain byte
//! stream, and its bytes come back in binary messages.

mod carry;

pub(crate) use carry::carry;

use super::RequestContext;
use crate::{
    http::headers,
    refusal::{Fault, Refusal},
    upstream::ResponseBody,
};
use base64::{Engine, prelude::BASE64_STANDARD};
use bytes::Bytes;
use hyper::{
    HeaderMap, Method, Response, StatusCode,
    header::{self, HeaderName, HeaderValue},
};
use postern_api::{Code, Error};
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

const NAME: &str = "websocket_tcp_converter";
const VERSION: &[u8] = b"13";
/// The subprotocol that names exactly this conversion.
const BINARY: &str = "binary";

/// The response values of a valid handshake.
pub(crate) struct Handshake {
    accept: HeaderValue,
    protocol: Option<HeaderValue>,
}

/// Validates a handshake and refuses anything else.
pub(super) fn stage(set: bool, context: &mut RequestContext<'_>) -> Result<Option<Handshake>, Refusal> {
    if !set {
        return Ok(None);
    }
    let began = Instant::now();
    let read = match (&context.parts.method, context.body.is_empty()) {
        (&Method::GET, true) => read(&context.parts.headers),
        (&Method::GET, false) => Err("A WebSocket handshake has no body."),
        _ => Err("A WebSocket handshake is a GET request."),
    };
    context.trace.record(NAME, None, read.is_ok(), began);
    read.map(Some).map_err(|reason| {
        let message = format!("Only WebSocket connections are served here. {reason}");
        Refusal::new(Fault::Visitor, Error::new(Code::WebsocketExpected, message))
    })
}

/// Validates the headers (RFC 6455, section 4.2.1). The header cleaning has already checked `Connection`: without it,
/// `Upgrade` would be gone.
fn read(headers: &HeaderMap) -> Result<Handshake, &'static str> {
    let upgrade = only(headers, &header::UPGRADE).ok_or("The request has no single `Upgrade` header.")?;
    if !upgrade.as_bytes().eq_ignore_ascii_case(b"websocket") {
        return Err("The request upgrades to another protocol.");
    }
    if only(headers, &header::SEC_WEBSOCKET_VERSION).is_none_or(|version| version != VERSION) {
        return Err("The version of WebSocket must be 13.");
    }
    let key = only(headers, &header::SEC_WEBSOCKET_KEY).map(HeaderValue::as_bytes);
    let key = key.filter(|key| BASE64_STANDARD.decode(key).is_ok_and(|nonce| nonce.len() == 16));
    let key = key.ok_or("The `Sec-WebSocket-Key` is missing or invalid.")?;
    let accept = HeaderValue::try_from(derive_accept_key(key)).map_err(|_| "The `Sec-WebSocket-Key` is invalid.")?;
    Ok(Handshake { accept, protocol: protocol(headers) })
}

/// The value of a header that occurs exactly once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

/// Selects a subprotocol, because browsers that offer some require one in the response. They concern the backend only,
/// so the first one is chosen unless `binary` is offered.
fn protocol(headers: &HeaderMap) -> Option<HeaderValue> {
    let values = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter().filter_map(|value| value.to_str().ok());
    let mut offered = values.flat_map(|value| value.split(',')).map(str::trim).filter(|name| !name.is_empty());
    let first = offered.next()?;
    let chosen = if first == BINARY || offered.any(|name| name == BINARY) { BINARY } else { first };
    HeaderValue::from_str(chosen).ok()
}

impl Handshake {
    /// The response after the backend has accepted the connection.
    pub(crate) fn answer(self) -> Response<ResponseBody> {
        let mut response = Response::new(ResponseBody::full(Bytes::new()));
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let fields = response.headers_mut();
        headers::restore_upgrade(fields, HeaderValue::from_static("websocket"));
        fields.insert(header::SEC_WEBSOCKET_ACCEPT, self.accept);
        if let Some(protocol) = self.protocol {
            fields.insert(header::SEC_WEBSOCKET_PROTOCOL, protocol);
        }
        response
    }
}

#[cfg(test)]
mod tests;
