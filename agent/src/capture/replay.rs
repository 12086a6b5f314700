//! Turning a captured request into the bytes that are sent again.

use super::{exchange::Exchange, head::RequestHead};
use postern_api::{Code, Error};

/// A request ready to be sent to a local service.
pub struct Repeat {
    /// The id of the captured request.
    pub id: u64,
    /// Head and body as they were on the wire, the target reduced to its origin form.
    pub bytes: Vec<u8>,
}

/// Makes a repeat of a captured request.
///
/// # Errors
/// `CapturedCut` for a request that was not kept whole; `ReplayFailed` for one whose target names no path.
pub fn repeat(exchange: &Exchange) -> Result<Repeat, Error> {
    let (request, _) = exchange.messages();
    let (head, cut, complete) = (request.head_length(), request.cut, request.complete);
    let bytes = request.wire();
    if cut {
        return Err(Error::new(
            Code::CapturedCut,
            "The captured request was cut because it is too large, so it cannot be replayed. Raise inspect_body_size to keep larger bodies.",
        ));
    }
    if !complete || head > bytes.len() {
        return Err(Error::new(
            Code::CapturedCut,
            "The request has not been received completely, so it cannot be replayed.",
        ));
    }
    let parsed = RequestHead::read(&bytes[..head]).map_err(|_| {
        Error::new(Code::CapturedCut, "The captured request is not well-formed, so it cannot be replayed.")
    })?;
    let target = origin_form(&parsed.method, &parsed.target)?;
    let bytes = if target == parsed.target { bytes } else { with_target(&bytes, &parsed.method, &target)? };
    Ok(Repeat { id: exchange.id, bytes })
}

/// The path and query of a target. The host never decides where a replay goes: it always goes to the configured
/// local address, so a host inside the target is left out.
fn origin_form(method: &str, target: &str) -> Result<String, Error> {
    let refuse = || {
        let shown: String = target.chars().take(80).collect();
        Err(Error::new(
            Code::ReplayFailed,
            format!("A request for `{shown}` names no path of a service, so it cannot be replayed."),
        ))
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

fn with_target(bytes: &[u8], method: &str, target: &str) -> Result<Vec<u8>, Error> {
    let broken =
        || Error::new(Code::ReplayFailed, "The captured request line cannot be rewritten, so it cannot be replayed.");
    let begin = bytes.windows(method.len()).position(|window| window == method.as_bytes()).ok_or_else(broken)?;
    let begin = begin + method.len() + 1;
    let old = bytes[begin..].iter().position(|byte| *byte == b' ').ok_or_else(broken)?;
    Ok([&bytes[..begin], target.as_bytes(), &bytes[begin + old..]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn only_the_target_of_the_request_line_changes() {
        let bytes = b"GET http://a/x?y HTTP/1.1\r\nHost: a\r\nReferer: http://a/x?y z\r\n\r\n";
        let changed = with_target(bytes, "GET", "/x?y").expect("changed");
        assert_eq!(changed, b"GET /x?y HTTP/1.1\r\nHost: a\r\nReferer: http://a/x?y z\r\n\r\n");
    }
}
