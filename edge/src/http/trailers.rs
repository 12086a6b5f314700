//! Trailers: fields that must come in front of a body, because they say how it is framed, routed, authenticated or
//! understood, are not passed on behind it (RFC 9110, section 6.5.1).

use hyper::{HeaderMap, header::HeaderName};

/// Names that no trailer may have, in both directions. Prefixes end in `-`.
static REFUSED: &[&str] = &[
    // Framing and connection
    "connection",
    "content-length",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    // Routing
    "host",
    "max-forwards",
    "via",
    // Authentication
    "authorization",
    "authentication-info",
    "cookie",
    "proxy-authenticate",
    "proxy-authentication-info",
    "proxy-authorization",
    "set-cookie",
    "www-authenticate",
    // Request modifiers
    "cache-control",
    "expect",
    "if-",
    "pragma",
    "prefer",
    "range",
    "origin",
    "sec-",
    "access-control-",
    // How a response is treated
    "age",
    "alt-svc",
    "clear-site-data",
    "date",
    "expires",
    "location",
    "refresh",
    "retry-after",
    "strict-transport-security",
    "vary",
    "warning",
    // How content is processed
    "content-disposition",
    "content-encoding",
    "content-language",
    "content-location",
    "content-range",
    "content-security-policy",
    "content-type",
];

/// Whether a field of this name is removed from trailers. `_` counts as `-`, as it does for many local services.
fn is_refused(name: &HeaderName) -> bool {
    let same = |name: &str, refused: &str| {
        let equal = |(a, b): (u8, u8)| a == b || (a == b'_' && b == b'-');
        name.len() == refused.len() && name.bytes().zip(refused.bytes()).all(equal)
    };
    let name = name.as_str();
    REFUSED.iter().any(|refused| {
        let length = if refused.ends_with('-') { refused.len().min(name.len()) } else { name.len() };
        same(&name[..length], refused)
    })
}

/// Removes the fields that no trailer may have.
pub(super) fn strip(trailers: &mut HeaderMap) {
    super::headers::remove_all(trailers, is_refused);
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    #[test]
    fn trailers_say_nothing_that_belongs_in_front_of_a_body() {
        let mut trailers = HeaderMap::new();
        let kept = ["grpc-status", "grpc-message", "etag", "server-timing", "content-digest", "x-sum", "secret", "i"];
        let refused = [
            "cookie",
            "expect",
            "range",
            "proxy-authorization",
            "proxy_authorization",
            "if-match",
            "if_none_match",
            "host",
            "set-cookie",
            "content-type",
            "access-control-allow-origin",
            "sec-websocket-key",
        ];
        for name in kept.iter().chain(&refused) {
            trailers.insert(HeaderName::from_static(name), HeaderValue::from_static("1"));
        }
        strip(&mut trailers);
        let mut left: Vec<&str> = trailers.keys().map(HeaderName::as_str).collect();
        left.sort_unstable();
        let mut kept = kept.to_vec();
        kept.sort_unstable();
        assert_eq!(left, kept);
    }
}
