//! Lets in WebSocket connections only: what visitors send in binary messages reaches the backend as a plain stream of
//! bytes, and what the backend sends comes back in binary messages.

mod carry;

pub(crate) use carry::carry;

use super::Visit;
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
use std::time::Instant;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

const NAME: &str = "websocket_tcp_converter";
const VERSION: &[u8] = b"13";
/// The subprotocol that says what is done here anyway.
const BINARY: &str = "binary";

/// The answer to a handshake that was as it should be.
pub(crate) struct Handshake {
    accept: HeaderValue,
    protocol: Option<HeaderValue>,
}

/// Looks at a handshake. Whatever is none is refused.
pub(super) fn stage(set: bool, visit: &mut Visit<'_>) -> Result<Option<Handshake>, Refusal> {
    if !set {
        return Ok(None);
    }
    let began = Instant::now();
    let read = match (&visit.parts.method, visit.body.is_empty()) {
        (&Method::GET, true) => read(&visit.parts.headers),
        (&Method::GET, false) => Err("A WebSocket handshake has no body."),
        _ => Err("A WebSocket handshake is a GET request."),
    };
    visit.trace.record(NAME, None, read.is_ok(), began);
    read.map(Some).map_err(|reason| {
        let message = format!("Only WebSocket connections are served here. {reason}");
        Refusal::new(Fault::Visitor, Error::new(Code::WebsocketExpected, message))
    })
}

/// RFC 6455, section 4.2.1. That the connection is to be upgraded was seen when the request was cleaned: otherwise
/// there is no `Upgrade` any more.
fn read(headers: &HeaderMap) -> Result<Handshake, &'static str> {
    let upgrade = only(headers, &header::UPGRADE).ok_or("The request does not ask for an upgrade.")?;
    if !upgrade.as_bytes().eq_ignore_ascii_case(b"websocket") {
        return Err("The request asks for another protocol.");
    }
    if only(headers, &header::SEC_WEBSOCKET_VERSION).is_none_or(|version| version != VERSION) {
        return Err("The version of WebSocket must be 13.");
    }
    let key = only(headers, &header::SEC_WEBSOCKET_KEY).map(HeaderValue::as_bytes);
    let key = key.filter(|key| BASE64_STANDARD.decode(key).is_ok_and(|nonce| nonce.len() == 16));
    let key = key.ok_or("The `Sec-WebSocket-Key` is missing or is not one.")?;
    let accept = HeaderValue::try_from(derive_accept_key(key)).map_err(|_| "The `Sec-WebSocket-Key` is not one.")?;
    Ok(Handshake { accept, protocol: protocol(headers) })
}

/// A header that is there exactly once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

/// Browsers that offer subprotocols want one of them back. They are the backend's affair, so the first will do,
/// unless they offer to call it what it is.
fn protocol(headers: &HeaderMap) -> Option<HeaderValue> {
    let values = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter().filter_map(|value| value.to_str().ok());
    let mut offered = values.flat_map(|value| value.split(',')).map(str::trim).filter(|name| !name.is_empty());
    let first = offered.next()?;
    let chosen = if first == BINARY || offered.any(|name| name == BINARY) { BINARY } else { first };
    HeaderValue::from_str(chosen).ok()
}

impl Handshake {
    /// What the visitor hears once the backend has taken the connection.
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
