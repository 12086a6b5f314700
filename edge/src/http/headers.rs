//! Header rules: hop-by-hop headers are removed, forwarding headers are rebuilt (RFC 9110, section 7.6.1).

use hyper::{
    HeaderMap, Method, Request, Version,
    header::{self, HeaderName, HeaderValue},
};

pub(crate) const FORWARDED: HeaderName = header::FORWARDED;
pub(crate) const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
pub(crate) const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
pub(crate) const X_FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");
const PROXY_CONNECTION: HeaderName = HeaderName::from_static("proxy-connection");
const HTTP2_SETTINGS: HeaderName = HeaderName::from_static("http2-settings");

/// Hop-by-hop and framing headers. Names written with `_` are removed too: many local services treat them as the same
/// name.
static HOP_BY_HOP: [HeaderName; 6] = [
    header::CONTENT_LENGTH,
    header::PROXY_AUTHORIZATION,
    header::TRANSFER_ENCODING,
    KEEP_ALIVE,
    PROXY_CONNECTION,
    HTTP2_SETTINGS,
];

/// Headers of the connection that a message came over, in both directions.
static OF_CONNECTION: [HeaderName; 5] =
    [header::CONNECTION, header::TRANSFER_ENCODING, header::UPGRADE, KEEP_ALIVE, PROXY_CONNECTION];
/// What only requests say about their connection. `Expect` is set again for local services that decide about the body: see
/// `expectation`.
static OF_REQUEST_CONNECTION: [HeaderName; 4] =
    [header::TE, header::PROXY_AUTHORIZATION, HTTP2_SETTINGS, header::EXPECT];

/// The name of this server in `Via` (RFC 9110, section 7.6.3): a pseudonym, so that local services learn no host name.
const VIA_NAME: &str = "postern";
/// How often a request may have passed an edge before it is taken for a loop. Services that call each other through their
/// public addresses, and pass on what they got, stay below it.
pub(crate) const MAX_HOPS: usize = 3;

/// Headers of this prefix are ours alone, in both directions.
const OWN_PREFIX: &str = "postern-";

/// The protocol a request wants to change to, if it does so properly. `h2c` is never offered.
pub(crate) fn requested_upgrade(version: Version, headers: &HeaderMap) -> Option<HeaderValue> {
    if version != Version::HTTP_11 {
        return None;
    }
    let mut upgrades = headers.get_all(header::UPGRADE).iter();
    let upgrade = upgrades.next()?;
    let names_upgrade = connection_names(headers, "upgrade");
    let h2c = upgrade.as_bytes().split(|b| *b == b',').any(|name| name.trim_ascii().eq_ignore_ascii_case(b"h2c"));
    (names_upgrade && !h2c && upgrades.next().is_none()).then(|| upgrade.clone())
}

/// Whether an HTTP/1.1 request asks for another protocol or a tunnel: the guard reads nothing after it, see
/// `framing`.
pub(crate) fn leaves_http<B>(request: &Request<B>) -> bool {
    let leaves = request.method() == Method::CONNECT || request.headers().contains_key(header::UPGRADE);
    leaves && request.version() < Version::HTTP_2
}

/// Whether a `Connection` header names this token.
fn connection_names(headers: &HeaderMap, token: &str) -> bool {
    headers.get_all(header::CONNECTION).iter().any(|value| has_token(value, token))
}

/// Whether a list of tokens has this one, whatever its case.
pub(super) fn has_token(value: &HeaderValue, token: &str) -> bool {
    tokens(value).any(|other| other.eq_ignore_ascii_case(token))
}

fn tokens(value: &HeaderValue) -> impl Iterator<Item = &str> {
    value.to_str().unwrap_or("").split(',').map(str::trim).filter(|token| !token.is_empty())
}

/// Removes hop-by-hop headers, forwarding headers of earlier proxies, and headers reserved for this server from a
/// request.
pub(crate) fn clean_request(headers: &mut HeaderMap) {
    let trailers = headers.get_all(header::TE).iter().any(|te| has_token(te, "trailers"));
    strip_named_by_connection(headers);
    remove_all(headers, |name| OF_CONNECTION.contains(name) || OF_REQUEST_CONNECTION.contains(name) || is_claim(name));
    if trailers {
        headers.insert(header::TE, HeaderValue::from_static("trailers"));
        // It concerns this connection only, which must be said (RFC 9110, section 10.1.4).
        headers.insert(header::CONNECTION, HeaderValue::from_static("TE"));
    }
}

/// How often a request has passed an edge, by its `Via`.
pub(crate) fn hops(headers: &HeaderMap) -> usize {
    let is_own = |entry: &&str| entry.split_ascii_whitespace().nth(1) == Some(VIA_NAME);
    headers.get_all(header::VIA).iter().map(|value| tokens(value).filter(is_own).count()).sum()
}

/// Adds this hop to a request that came with this version of HTTP and had passed `hops` edges before. Those that the
/// modules have removed are added again, because they end a loop.
pub(crate) fn add_hop(headers: &mut HeaderMap, version: Version, hops: usize) {
    let entry = match version {
        Version::HTTP_10 => "1.0 postern",
        Version::HTTP_2 => "2 postern",
        _ => "1.1 postern",
    };
    let missing = if hops == 0 { 0 } else { hops.saturating_sub(self::hops(headers)) };
    for _ in 0..=missing {
        headers.append(header::VIA, HeaderValue::from_static(entry));
    }
}

/// Removes hop-by-hop headers and headers reserved for this server from a response.
pub(crate) fn clean_response(headers: &mut HeaderMap) {
    if headers.contains_key(header::TRANSFER_ENCODING) {
        headers.remove(header::CONTENT_LENGTH);
    }
    strip_named_by_connection(headers);
    remove_all(headers, |name| {
        OF_CONNECTION.contains(name) || *name == header::PROXY_AUTHENTICATE || begins(name.as_str(), OWN_PREFIX)
    });
}

/// Removes from trailers what a visitor or a local service may not say there.
pub(crate) fn strip_trailers(trailers: &mut HeaderMap) {
    super::trailers::strip(trailers);
    remove_all(trailers, is_claim);
}

/// Removes what a `Connection` header names.
fn strip_named_by_connection(headers: &mut HeaderMap) {
    // The first is no header, the second is removed with the others.
    let is_option = |token: &&str| ["close", "keep-alive"].iter().any(|option| token.eq_ignore_ascii_case(option));
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .flat_map(tokens)
        .filter(|token| !is_option(token))
        .filter_map(|token| HeaderName::from_bytes(token.as_bytes()).ok())
        // A sender cannot have these removed through `Connection`: they define the message.
        .filter(|name| ![header::HOST, header::CONTENT_LENGTH, header::COOKIE, header::TE].contains(name))
        .collect();
    for name in named {
        headers.remove(name);
    }
}

/// Whether a header says what only this server may say to a local service.
fn is_claim(name: &HeaderName) -> bool {
    let name = name.as_str();
    begins(name, "x-forwarded-")
        || name == "forwarded"
        || is(name, "x-real-ip")
        || begins(name, OWN_PREFIX)
        || (HOP_BY_HOP.iter().any(|one| is(name, one.as_str())) && name.contains('_'))
}

/// Whether [`clean_request`] takes headers of this prefix out in any case.
pub(crate) fn is_own(prefix: &str) -> bool {
    begins(prefix, OWN_PREFIX)
}

/// Compares `-` and `_` as equal, because many local services do.
fn begins(name: &str, prefix: &str) -> bool {
    name.len() >= prefix.len() && is(&name[..prefix.len()], prefix)
}

fn is(name: &str, wanted: &str) -> bool {
    let same = |(a, b): (u8, u8)| a == b || (a == b'_' && b == b'-');
    name.len() == wanted.len() && name.bytes().zip(wanted.bytes()).all(same)
}

/// One pass over the names that are there costs less than a search for each unwanted one, and most messages have none of them.
pub(super) fn remove_all(headers: &mut HeaderMap, unwanted: impl Fn(&HeaderName) -> bool) {
    if headers.keys().any(&unwanted) {
        let names: Vec<HeaderName> = headers.keys().filter(|name| unwanted(name)).cloned().collect();
        for name in names {
            headers.remove(name);
        }
    }
}

/// Says again that this connection is to change its protocol, after the hop-by-hop headers went.
pub(crate) fn restore_upgrade(headers: &mut HeaderMap, protocol: HeaderValue) {
    let options = if headers.contains_key(header::TE) { "Upgrade, TE" } else { "Upgrade" };
    headers.insert(header::CONNECTION, HeaderValue::from_static(options));
    headers.insert(header::UPGRADE, protocol);
}

/// Whether a visitor's `Accept` names HTML, as that of browsers does.
pub(crate) fn wants_html(headers: &HeaderMap) -> bool {
    let names_html = |accept: &[u8]| {
        accept.split(|byte| *byte == b',').any(|range| {
            let kind = range.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
            kind.eq_ignore_ascii_case(b"text/html") || kind.eq_ignore_ascii_case(b"application/xhtml+xml")
        })
    };
    headers.get_all(header::ACCEPT).iter().any(|accept| names_html(accept.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(list: &[(&str, &str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in list {
            map.append(HeaderName::try_from(*name).expect("a name"), HeaderValue::try_from(*value).expect("a value"));
        }
        map
    }

    #[test]
    fn nothing_a_visitor_claims_about_itself_passes() {
        let mut request = headers(&[
            ("x-forwarded-for", "1.2.3.4"),
            ("x-forwarded-proto", "https"),
            ("X-Forwarded-Uri", "/admin"),
            ("forwarded", "for=1.2.3.4"),
            ("x-real-ip", "1.2.3.4"),
            ("postern-request-id", "op_1"),
            ("Postern-Mtls-Subject-Cn", "admin"),
            ("postern_mtls_subject_cn", "admin"),
            ("x_forwarded_for", "1.2.3.4"),
            ("x-real_ip", "1.2.3.4"),
            ("x-kept", "yes"),
        ]);
        clean_request(&mut request);
        assert_eq!(request, headers(&[("x-kept", "yes")]));
    }

    #[test]
    fn hop_by_hop_headers_and_those_they_name_end_here() {
        let mut request = headers(&[
            ("connection", "close, X-Hop, host, content-length"),
            ("x-hop", "1"),
            ("keep-alive", "timeout=5"),
            ("te", "trailers, deflate"),
            ("transfer-encoding", "chunked"),
            ("proxy-authorization", "Basic x"),
            ("host", "a.test"),
            ("content-length", "3"),
        ]);
        clean_request(&mut request);
        let expected = [("te", "trailers"), ("connection", "TE"), ("host", "a.test"), ("content-length", "3")];
        assert_eq!(request, headers(&expected));
    }

    #[test]
    fn options_of_a_connection_that_are_no_headers_remove_none() {
        let mut response = headers(&[
            ("connection", "Keep-Alive, close"),
            ("keep-alive", "timeout=5"),
            ("proxy-authenticate", "Basic"),
            ("etag", "x"),
        ]);
        clean_response(&mut response);
        assert_eq!(response, headers(&[("etag", "x")]));
    }

    #[test]
    fn another_spelling_of_what_ends_here_does_not_pass_either() {
        let mut request = headers(&[
            ("Transfer_Encoding", "chunked"),
            ("content_length", "3"),
            ("proxy_authorization", "Basic x"),
            ("x_kept", "1"),
        ]);
        clean_request(&mut request);
        assert_eq!(request, headers(&[("x_kept", "1")]));
    }

    #[test]
    fn a_local_service_cannot_speak_as_the_edge() {
        let mut response = headers(&[
            ("postern-error-code", "ERR_POSTERN_1"),
            ("transfer-encoding", "chunked"),
            ("content-length", "5"),
            ("etag", "x"),
        ]);
        clean_response(&mut response);
        assert_eq!(response, headers(&[("etag", "x")]));
    }

    #[test]
    fn hops_are_counted_whatever_the_modules_remove() {
        let mut request = headers(&[("via", "1.1 nginx, 2 postern"), ("via", "1.0 postern (x),1.1 other")]);
        assert_eq!(hops(&request), 2);
        add_hop(&mut request, Version::HTTP_11, 2);
        assert_eq!(hops(&request), 3);
        request.remove(header::VIA);
        add_hop(&mut request, Version::HTTP_2, 3);
        assert_eq!(request.get_all(header::VIA).iter().collect::<Vec<_>>(), ["2 postern"; 4]);
    }

    #[test]
    fn only_a_proper_upgrade_is_one() {
        let table: &[(&[(&str, &str)], bool)] = &[
            (&[("connection", "keep-alive, Upgrade"), ("upgrade", "websocket")], true),
            (&[("connection", "keep-alive"), ("upgrade", "websocket")], false),
            (&[("connection", "upgrade")], false),
            (&[("connection", "upgrade, http2-settings"), ("upgrade", "h2c")], false),
            (&[("connection", "upgrade"), ("upgrade", "websocket"), ("upgrade", "h2c")], false),
        ];
        for (list, expected) in table {
            assert_eq!(requested_upgrade(Version::HTTP_11, &headers(list)).is_some(), *expected, "{list:?}");
            assert!(requested_upgrade(Version::HTTP_2, &headers(list)).is_none());
        }
    }
}
