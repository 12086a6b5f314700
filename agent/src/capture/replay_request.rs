//! The bytes of a replay, made of a captured request and its changes.

use super::{
    exchange::Exchange,
    framing::BodyFraming,
    head::{MAX_HEAD_BYTES, MAX_HEADERS, RequestHead, framing},
    message::CapturedHeader,
};
use bytes::Bytes;
use http::Request;
use postern_api::{Code, Error, headers::is_token_byte};

/// A request that is ready to be sent.
pub struct PreparedReplay {
    /// The id of the captured request.
    pub id: u64,
    /// Head and body in wire form, with the target in origin form (RFC 9112 section 3.2.1).
    pub bytes: Vec<u8>,
}

impl PreparedReplay {
    /// The request with its body, without transfer coding and trailers; `None` if it is not well-formed.
    pub(crate) fn parsed(&self) -> Option<Request<Bytes>> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut head = httparse::Request::new(&mut headers);
        let Ok(httparse::Status::Complete(end)) = head.parse(&self.bytes) else { return None };
        let mut request = Request::builder().method(head.method?).uri(head.path?);
        for header in head.headers.iter() {
            request = request.header(header.name, header.value);
        }
        let mut framing = framing(head.headers).ok()?.unwrap_or(BodyFraming::Length(0));
        let (rest, mut body) = (&self.bytes[end..], Vec::new());
        framing.feed_content(rest, |range| body.extend_from_slice(&rest[range])).ok()?;
        request.body(body.into()).ok()
    }
}

/// Changes to the captured request.
#[derive(Clone, Debug, Default)]
pub struct ReplayChanges {
    /// Another method.
    pub method: Option<String>,
    /// Another path, with its query.
    pub path: Option<String>,
    /// Other headers.
    pub headers: ReplayHeaderChanges,
    /// Another body.
    pub body: Option<Vec<u8>>,
}

/// Changes to the headers.
#[derive(Clone, Debug, Default)]
pub enum ReplayHeaderChanges {
    /// No changes.
    #[default]
    Unchanged,
    /// Sets the values of these names; a name without values is removed.
    Named(Vec<(String, Vec<String>)>),
    /// Replaces all headers by these, in this order.
    Replaced(Vec<(String, String)>),
}

/// ReplayHeaderChanges that say where the body ends: they follow from the body and are never taken from a caller.
const FRAMING_HEADERS: [&str; 3] = ["content-length", "transfer-encoding", "trailer"];

/// Builds the replay of a captured request. `host` replaces the `Host` header for a replay through the edge.
///
/// # Errors
/// `CapturedCut` for a request that was not kept whole; `ReplayFailed` for one whose target has no path;
/// `FieldInvalid` for changes that no request can carry.
pub fn build(exchange: &Exchange, changes: &ReplayChanges, host: Option<&str>) -> Result<PreparedReplay, Error> {
    let (request, _) = exchange.messages();
    let needs_body = changes.body.is_none();
    if request.cut && needs_body {
        return Err(Error::new(
            Code::CapturedCut,
            "The captured request was cut because it is too large, so it cannot be replayed. Raise inspect_body_size to keep larger bodies, and inspect_db_size to four times that at least; or give another `body`.",
        ));
    }
    let head = request.head();
    if (!request.complete && needs_body) || request.head_length() > head.len() {
        return Err(Error::new(
            Code::CapturedCut,
            "The request has not been received completely, so it cannot be replayed.",
        ));
    }
    let parsed = RequestHead::read(&head).map_err(|_| {
        Error::new(Code::CapturedCut, "The captured request is not well-formed, so it cannot be replayed.")
    })?;
    changes.check()?;
    let method = changes.method.as_deref().unwrap_or(parsed.method);
    let target = match &changes.path {
        Some(path) => path.clone(),
        None => origin_form(method, parsed.target)?,
    };
    let untouched =
        matches!(changes.headers, ReplayHeaderChanges::Unchanged) && changes.body.is_none() && host.is_none();
    if untouched && changes.method.is_none() && target == parsed.target {
        return Ok(PreparedReplay { id: exchange.id, bytes: request.wire() });
    }
    let version = if exchange.is_http_1_0() { "HTTP/1.0" } else { "HTTP/1.1" };
    let mut bytes = format!("{method} {target} {version}\r\n").into_bytes();
    for (name, value) in changes.headers(request.headers(), host, method) {
        bytes.extend([name.as_bytes(), b": ", &value, b"\r\n"].concat());
    }
    bytes.extend_from_slice(b"\r\n");
    match &changes.body {
        Some(body) => bytes.extend_from_slice(body),
        None => request.body().for_each(|piece| bytes.extend_from_slice(&piece)),
    }
    Ok(PreparedReplay { id: exchange.id, bytes })
}

impl ReplayChanges {
    /// Rejects changes that would break the framing of the request.
    fn check(&self) -> Result<(), Error> {
        let wrong = |message: String| Err(Error::new(Code::FieldInvalid, message));
        let token = |text: &str| !text.is_empty() && text.len() <= 256 && text.bytes().all(is_token_byte);
        if self.method.as_deref().is_some_and(|method| !token(method) || method == "CONNECT") {
            return wrong("`method` must be the name of a method, such as POST; CONNECT cannot be sent.".into());
        }
        if let Some(path) = &self.path {
            let fine = (path.starts_with('/') || path == "*") && path.len() <= 16 * 1024;
            if !fine || path.chars().any(|c| c.is_whitespace() || c.is_control() || c == '#') {
                return wrong("`path` must begin with `/` and can have a query; spaces are written as %20.".into());
            }
        }
        let pairs: Vec<(&str, &str)> = match &self.headers {
            ReplayHeaderChanges::Unchanged => Vec::new(),
            ReplayHeaderChanges::Named(named) => named
                .iter()
                .flat_map(|(name, values)| {
                    let values = values.iter().map(String::as_str).chain(values.is_empty().then_some(""));
                    values.map(move |value| (name.as_str(), value))
                })
                .collect(),
            ReplayHeaderChanges::Replaced(pairs) => {
                pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
            }
        };
        if pairs.iter().map(|(name, value)| name.len() + value.len() + 4).sum::<usize>() > MAX_HEAD_BYTES {
            return wrong("`headers` are too large together.".into());
        }
        for (name, value) in pairs {
            let shown: String = name.chars().take(40).collect();
            if !token(name) {
                return wrong(format!("`headers` cannot have the name `{shown}`: names are letters, digits and `-`."));
            }
            if value.chars().any(|c| c.is_control() && c != '\t') {
                return wrong(format!(
                    "`headers` cannot have this value for `{shown}`: it contains line endings or control characters."
                ));
            }
        }
        Ok(())
    }

    /// The headers to send.
    fn headers(&self, kept: Vec<CapturedHeader>, host: Option<&str>, method: &str) -> Vec<CapturedHeader> {
        let is = |name: &str, other: &str| name.eq_ignore_ascii_case(other);
        let framing = |name: &str| FRAMING_HEADERS.iter().any(|known| is(name, known));
        let (old_framing, mut headers): (Vec<CapturedHeader>, Vec<CapturedHeader>) =
            kept.into_iter().partition(|(name, _)| framing(name));
        if self.body.is_some() {
            // The new body has another content coding: the caller names it if there is one.
            headers.retain(|(name, _)| !is(name, "content-encoding"));
        }
        match &self.headers {
            ReplayHeaderChanges::Unchanged => {}
            ReplayHeaderChanges::Replaced(pairs) => {
                headers = pairs.iter().map(|(name, value)| (name.clone(), value.clone().into_bytes())).collect();
            }
            ReplayHeaderChanges::Named(named) => {
                for (name, values) in named {
                    let place = headers.iter().position(|(known, _)| is(known, name)).unwrap_or(headers.len());
                    headers.retain(|(known, _)| !is(known, name));
                    let place = place.min(headers.len());
                    let values = values.iter().map(|value| (name.clone(), value.clone().into_bytes()));
                    headers.splice(place..place, values);
                }
            }
        }
        headers.retain(|(name, _)| !framing(name));
        if let Some(host) = host {
            headers.retain(|(name, value)| !is_added_by_edge(name, value));
            headers.insert(0, ("Host".into(), host.as_bytes().to_vec()));
        }
        match &self.body {
            None => headers.extend(old_framing),
            Some(body) if body.is_empty() && matches!(method, "GET" | "HEAD" | "DELETE" | "OPTIONS") => {}
            Some(body) => headers.push(("Content-Length".into(), body.len().to_string().into_bytes())),
        }
        headers
    }
}

/// Whether the edge adds this header to every request that passes it, so that a replay through the edge must not repeat it.
fn is_added_by_edge(name: &str, value: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    // The edge names itself in a line of its own; the lines of other gateways stay.
    let own_hop = || value.ends_with(b" postern") && !value.contains(&b',');
    matches!(name.as_str(), "host" | "forwarded")
        || name.starts_with("x-forwarded-")
        || name.starts_with("postern-")
        || name == "via" && own_hop()
}

/// The path and query of a target. A replay always goes to the configured local address, so a host inside the target is
/// left out.
fn origin_form(method: &str, target: &str) -> Result<String, Error> {
    let refuse = || {
        let shown: String = target.chars().take(80).collect();
        Err(Error::new(Code::ReplayFailed, format!("A request for `{shown}` has no path, so it cannot be replayed.")))
    };
    if method == "CONNECT" {
        return refuse();
    }
    if target.starts_with('/') || (target == "*" && method == "OPTIONS") {
        return Ok(target.to_owned());
    }
    let Some((scheme, rest)) = target.split_once("://") else { return refuse() };
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return refuse();
    }
    match rest.find(['/', '?']) {
        Some(at) if rest[at..].starts_with('/') => Ok(rest[at..].to_owned()),
        Some(at) => Ok(format!("/{}", &rest[at..])),
        None => Ok("/".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_edge_adds_is_not_repeated() {
        for (name, value) in [
            ("Host", "a"),
            ("Forwarded", "for=a"),
            ("X-Forwarded-For", "a"),
            ("Postern-Auth-User-Id", "7"),
            ("Via", "1.1 postern"),
            ("via", "2 postern"),
        ] {
            assert!(is_added_by_edge(name, value.as_bytes()), "{name}: {value}");
        }
        for (name, value) in [("Via", "1.1 cdn"), ("Via", "1.1 cdn, 1.1 postern"), ("Accept", "*/*")] {
            assert!(!is_added_by_edge(name, value.as_bytes()), "{name}: {value}");
        }
    }

    #[test]
    fn a_target_never_leads_to_another_host() {
        for (target, expected) in [
            ("/a?b=c", "/a?b=c"),
            ("http://169.254.169.254/latest/meta-data", "/latest/meta-data"),
            ("https://user@evil.example:1/x", "/x"),
            ("HTTP://evil.example?q=1", "/?q=1"),
            ("http://evil.example", "/"),
            ("//host/path", "//host/path"),
            ("/../x", "/../x"),
        ] {
            assert_eq!(origin_form("GET", target).expect(target), expected);
        }
        for target in ["evil.example:443", "@evil.example/", "*", "ftp://x/", "", "javascript:x"] {
            assert_eq!(origin_form("GET", target).expect_err(target).code, Code::ReplayFailed);
        }
        assert!(origin_form("CONNECT", "/x").is_err());
        assert_eq!(origin_form("OPTIONS", "*").expect("asterisk form"), "*");
    }
}
