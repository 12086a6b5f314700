//! Turning a captured request into the bytes that are sent again.

use super::{
    exchange::Exchange,
    head::{MAX_HEAD, RequestHead},
    message::Header,
};
use postern_api::{Code, Error};

/// A request ready to be sent to a local service.
pub struct Repeat {
    /// The id of the captured request.
    pub id: u64,
    /// Head and body as they were on the wire, the target reduced to its origin form.
    pub bytes: Vec<u8>,
}

/// What is to be different in the repeat.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Another method.
    pub method: Option<String>,
    /// Another path, with its query.
    pub path: Option<String>,
    /// Other headers.
    pub headers: Headers,
    /// Another body.
    pub body: Option<Vec<u8>>,
}

/// What is to be different in the headers.
#[derive(Clone, Debug, Default)]
pub enum Headers {
    /// Nothing.
    #[default]
    Same,
    /// These names have these values instead of those they had; without values they are left out.
    Some(Vec<(String, Vec<String>)>),
    /// These and no others, in this order.
    All(Vec<(String, String)>),
}

/// Headers that say where the body ends: they follow from the body and are never taken from a caller.
const FRAMING: [&str; 3] = ["content-length", "transfer-encoding", "trailer"];

/// Makes a repeat of a captured request. `host` is the one that is visited, if that is to stand in the request.
///
/// # Errors
/// `CapturedCut` for a request that was not kept whole; `ReplayFailed` for one whose target names no path;
/// `FieldInvalid` for changes that no request could carry.
pub fn repeat(exchange: &Exchange, changes: &Changes, host: Option<&str>) -> Result<Repeat, Error> {
    let (request, _) = exchange.messages();
    let needs_body = changes.body.is_none();
    if request.cut && needs_body {
        return Err(Error::new(
            Code::CapturedCut,
            "The captured request was cut because it is too large, so it cannot be replayed. Raise inspect_body_size to keep larger bodies, or give another `body`.",
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
    let untouched = matches!(changes.headers, Headers::Same) && changes.body.is_none() && host.is_none();
    if untouched && changes.method.is_none() && target == parsed.target {
        return Ok(Repeat { id: exchange.id, bytes: request.wire() });
    }
    let version = if exchange.is_old() { "HTTP/1.0" } else { "HTTP/1.1" };
    let mut bytes = format!("{method} {target} {version}\r\n").into_bytes();
    for (name, value) in changes.headers(request.headers(), host, method) {
        bytes.extend([name.as_bytes(), b": ", &value, b"\r\n"].concat());
    }
    bytes.extend_from_slice(b"\r\n");
    match &changes.body {
        Some(body) => bytes.extend_from_slice(body),
        None => request.body().for_each(|piece| bytes.extend_from_slice(&piece)),
    }
    Ok(Repeat { id: exchange.id, bytes })
}

impl Changes {
    /// Refuses what would make two requests of one, or none.
    fn check(&self) -> Result<(), Error> {
        let wrong = |message: String| Err(Error::new(Code::FieldInvalid, message));
        let token = |text: &str| {
            !text.is_empty()
                && text.len() <= 256
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
        };
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
            Headers::Same => Vec::new(),
            Headers::Some(named) => named
                .iter()
                .flat_map(|(name, values)| {
                    let values = values.iter().map(String::as_str).chain(values.is_empty().then_some(""));
                    values.map(move |value| (name.as_str(), value))
                })
                .collect(),
            Headers::All(pairs) => pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
        };
        if pairs.iter().map(|(name, value)| name.len() + value.len() + 4).sum::<usize>() > MAX_HEAD {
            return wrong("`headers` are too large together.".into());
        }
        for (name, value) in pairs {
            let shown: String = name.chars().take(40).collect();
            if !token(name) {
                return wrong(format!("`headers` cannot have the name `{shown}`: names are letters, digits and `-`."));
            }
            if value.chars().any(|c| c.is_control() && c != '\t') {
                return wrong(format!("`headers` cannot have this value for `{shown}`: line ends cannot stand in it."));
            }
        }
        Ok(())
    }

    /// The headers that are sent.
    fn headers(&self, kept: Vec<Header>, host: Option<&str>, method: &str) -> Vec<Header> {
        let is = |name: &str, other: &str| name.eq_ignore_ascii_case(other);
        let framing = |name: &str| FRAMING.iter().any(|known| is(name, known));
        let (old_framing, mut headers): (Vec<Header>, Vec<Header>) =
            kept.into_iter().partition(|(name, _)| framing(name));
        if self.body.is_some() {
            // Another body is not encoded as the one before; who gives an encoded one says so.
            headers.retain(|(name, _)| !is(name, "content-encoding"));
        }
        match &self.headers {
            Headers::Same => {}
            Headers::All(pairs) => {
                headers = pairs.iter().map(|(name, value)| (name.clone(), value.clone().into_bytes())).collect();
            }
            Headers::Some(named) => {
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
            headers.retain(|(name, _)| {
                let name = name.to_ascii_lowercase();
                // What the edge writes anew for every visitor.
                name != "host"
                    && name != "forwarded"
                    && !name.starts_with("x-forwarded-")
                    && !name.starts_with("postern-")
            });
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
}
