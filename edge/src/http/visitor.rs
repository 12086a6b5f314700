//! The visitor of one connection, and the forwarding headers that describe it to local services.

use super::headers;
use hyper::{HeaderMap, header::HeaderValue};
use postern_tunnel::{message::Scheme, tls::Negotiated};
use rustls::ProtocolVersion;
use std::{
    net::{IpAddr, SocketAddr},
    sync::{Mutex, PoisonError},
};

/// TLS of one connection.
pub(crate) struct TlsParameters {
    /// Such as `1.3`.
    pub(crate) version: &'static str,
    pub(crate) cipher_suite: Option<&'static str>,
    pub(crate) server_name: Option<Box<str>>,
}

impl TlsParameters {
    pub(crate) fn new(negotiated: &Negotiated, server_name: Option<String>) -> Self {
        let version = match negotiated.version {
            ProtocolVersion::TLSv1_3 => "1.3",
            ProtocolVersion::TLSv1_2 => "1.2",
            _ => "",
        };
        let cipher_suite = negotiated.suite.suite().as_str();
        TlsParameters { version, cipher_suite, server_name: server_name.map(Into::into) }
    }
}

/// The visitor of one connection.
pub(crate) struct Visitor {
    pub(crate) address: SocketAddr,
    /// The public address that was reached.
    pub(crate) reached: Option<SocketAddr>,
    pub(crate) scheme: Scheme,
    /// Parameters of the TLS handshake; `None` without TLS.
    pub(crate) tls: Option<TlsParameters>,
    forwarded_for: HeaderValue,
    /// The `Forwarded` header of the last request and the `Host` it was made for: most connections ask for one.
    last: Mutex<Option<(Box<[u8]>, HeaderValue)>>,
}

impl Visitor {
    pub(crate) fn new(address: SocketAddr, scheme: Scheme) -> Self {
        let text = address.ip().to_canonical().to_string();
        let forwarded_for = HeaderValue::try_from(text).expect("an address has visible characters only");
        Visitor { address, reached: None, scheme, tls: None, forwarded_for, last: Mutex::default() }
    }

    pub(crate) fn is_tls(&self) -> bool {
        self.scheme == Scheme::Https
    }

    /// Sets the forwarding headers (RFC 7239 and `X-Forwarded-*`). The visitor's own must have been removed.
    pub(crate) fn add_forwarding_headers(&self, headers: &mut HeaderMap, host: &HeaderValue) {
        let proto = if self.is_tls() { "https" } else { "http" };
        headers.insert(headers::X_FORWARDED_FOR, self.forwarded_for.clone());
        headers.insert(headers::X_FORWARDED_PROTO, HeaderValue::from_static(proto));
        headers.insert(headers::X_FORWARDED_HOST, host.clone());
        if let Some(value) = self.forwarded(host, proto) {
            headers.insert(headers::FORWARDED, value);
        }
    }

    fn forwarded(&self, host: &HeaderValue, proto: &str) -> Option<HeaderValue> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((for_host, value)) = &*last
            && **for_host == *host.as_bytes()
        {
            return Some(value.clone());
        }
        let node = match self.address.ip().to_canonical() {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("\"[{address}]\""),
        };
        // The host was checked: it has no quotes or backslashes.
        let text = format!("for={node};host=\"{}\";proto={proto}", host.to_str().ok()?);
        let value = HeaderValue::try_from(text).ok()?;
        // Copied: the header value is a part of the buffer that the request was read into, and would keep all of it.
        *last = Some((host.as_bytes().into(), value.clone()));
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forwarding_headers_describe_the_visitor() {
        let visitor = Visitor::new(SocketAddr::from(([203, 0, 113, 9], 5000)), Scheme::Https);
        for host in ["a.test:4443", "b.test", "b.test"] {
            let mut headers = HeaderMap::new();
            visitor.add_forwarding_headers(&mut headers, &HeaderValue::from_static(host));
            assert_eq!(headers["x-forwarded-for"], "203.0.113.9");
            assert_eq!(headers["x-forwarded-proto"], "https");
            assert_eq!(headers["x-forwarded-host"], host);
            assert_eq!(headers["forwarded"], format!("for=203.0.113.9;host=\"{host}\";proto=https"));
        }
        let visitor = Visitor::new(SocketAddr::from(([0, 0, 0, 0, 0, 0, 0, 1], 5000)), Scheme::Http);
        let mut headers = HeaderMap::new();
        visitor.add_forwarding_headers(&mut headers, &HeaderValue::from_static("a.test"));
        assert_eq!(headers["forwarded"], "for=\"[::1]\";host=\"a.test\";proto=http");
    }
}
