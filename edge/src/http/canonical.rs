//! The one canonical form of a request, made once before anything decides about it.

use super::{content_length, request_line};
use crate::refusal::{Fault, Refusal};
use bytes::Bytes;
use hyper::{
    HeaderMap, Method, Uri, Version,
    header::{self, HeaderValue},
    http::uri::PathAndQuery,
};
use postern_api::{Code, host::HostName};
use std::borrow::Cow;

/// Brings a request into origin form with exactly one `Host` that agrees with the target. Afterwards
/// [`host`] reads the one name the request is for.
pub(crate) fn reduce(method: &Method, uri: &mut Uri, version: Version, headers: &mut HeaderMap) -> Result<(), Refusal> {
    if method == Method::CONNECT {
        return Err(Refusal::new(Fault::Visitor, Code::ConnectRefused));
    }
    let mut hosts = headers.get_all(header::HOST).iter();
    let said = hosts.next();
    if hosts.next().is_some() {
        return Err(Refusal::invalid("The request has more than one Host header."));
    }
    check_framing(version, headers)?;
    // Only OPTIONS may be about the server as a whole (RFC 9110, section 7.1).
    if uri.path() == "*" && method != Method::OPTIONS {
        return Err(Refusal::invalid("Only OPTIONS may have the target `*`."));
    }
    let Some(authority) = uri.authority() else {
        if said.is_none() {
            return Err(Refusal::invalid("The request has no Host header."));
        }
        // A target that is not absolute must be a path, or the asterisk of OPTIONS (RFC 9112, section 3.2).
        return if uri.path().starts_with('/') || uri.path() == "*" {
            Ok(())
        } else {
            Err(Refusal::invalid("The target of the request is not a path."))
        };
    };
    if !matches!(uri.scheme_str(), Some("http" | "https")) {
        return Err(Refusal::invalid("The target of the request is neither a path nor an http address."));
    }
    if !uri.path().starts_with('/') && uri.path() != "*" {
        return Err(Refusal::invalid("The target of the request is not a path."));
    }
    if authority.as_str().contains('@') {
        return Err(Refusal::invalid("The target of the request holds a user name."));
    }
    if let Some(said) = said {
        let same = said.to_str().is_ok_and(|said| name_of(said).ok() == name_of(authority.as_str()).ok());
        if !same {
            return Err(Refusal::invalid("The Host header and the target of the request name different hosts."));
        }
    } else {
        let host = HeaderValue::from_str(authority.as_str()).map_err(|_| Refusal::invalid("The host is not valid."))?;
        headers.insert(header::HOST, host);
    }
    // Where only a fragment follows the host, the path is empty: fragments are not forwarded.
    let target = uri.path_and_query().filter(|target| target.as_str() != "/").cloned();
    *uri = Uri::from(encode(target.unwrap_or_else(|| PathAndQuery::from_static("/")))?);
    Ok(())
}

/// Percent-encodes characters that no target has, as the guard does on HTTP/1.1.
fn encode(target: PathAndQuery) -> Result<PathAndQuery, Refusal> {
    match request_line::encoded(target.as_str()) {
        None => Ok(target),
        Some(encoded) => PathAndQuery::from_maybe_shared(Bytes::from(encoded))
            .map_err(|_| Refusal::invalid("The target of the request is not a path.")),
    }
}

/// Refuses messages that two programs could frame differently (RFC 9112, section 6.3).
fn check_framing(version: Version, headers: &HeaderMap) -> Result<(), Refusal> {
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    if let Some(coding) = codings.next() {
        if version != Version::HTTP_11 || headers.contains_key(header::CONTENT_LENGTH) || codings.next().is_some() {
            return Err(Refusal::invalid("The request gives its length in two ways."));
        }
        if !coding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked") {
            return Err(Refusal::invalid("The only transfer coding offered here is chunked."));
        }
    }
    let mut lengths = headers.get_all(header::CONTENT_LENGTH).iter();
    let Some(length) = lengths.next() else { return Ok(()) };
    if lengths.next().is_some() {
        return Err(Refusal::invalid("The request has more than one Content-Length."));
    }
    if content_length::parse(length.as_bytes()).is_none() {
        return Err(Refusal::invalid("The Content-Length is not a number, or above 9223372036854775807."));
    }
    Ok(())
}

/// The canonical host of a reduced request: lower case, without port and trailing dot. Borrowed if the visitor sent
/// it in that form.
pub(crate) fn host(headers: &HeaderMap) -> Result<Cow<'_, str>, Refusal> {
    let said = headers.get(header::HOST).ok_or_else(|| Refusal::invalid("The request has no Host header."))?;
    let text = said.to_str().map_err(|_| Refusal::invalid("The Host header has characters that no host has."))?;
    name_of(text)
}

/// The canonical name in a `host[:port]`.
pub(crate) fn name_of(text: &str) -> Result<Cow<'_, str>, Refusal> {
    let wrong = || Refusal::invalid("The Host header is not a host with an optional port.");
    let plain = plain(text);
    if plain == text.len() && plain > 0 {
        return Ok(Cow::Borrowed(text));
    }
    if text.starts_with('[') {
        let end = text.find(']').ok_or_else(wrong)? + 1;
        check_port(&text[end..]).ok_or_else(wrong)?;
        let address = text[1..end - 1].parse::<std::net::Ipv6Addr>().map_err(|_| wrong())?;
        return Ok(Cow::Owned(address.to_canonical().to_string()));
    }
    let end = text.find(':').unwrap_or(text.len());
    check_port(&text[end..]).ok_or_else(wrong)?;
    let bare = &text[..end];
    let bare = bare.strip_suffix('.').unwrap_or(bare);
    if plain == bare.len() && plain > 0 {
        return Ok(Cow::Borrowed(bare));
    }
    let name = HostName::parse(bare).map_err(|_| wrong())?;
    if name.wildcard_parent().is_some() {
        return Err(wrong());
    }
    Ok(Cow::Owned(name.as_str().to_owned()))
}

/// Nothing, or a colon and a number (which may be missing).
fn check_port(rest: &str) -> Option<()> {
    match rest.strip_prefix(':') {
        None => rest.is_empty().then_some(()),
        Some("") => Some(()),
        Some(port) if port.len() <= 5 && port.bytes().all(|b| b.is_ascii_digit()) => {
            port.parse::<u16>().ok().map(|_| ())
        }
        Some(_) => None,
    }
}

/// The length of the leading part of a name that is canonical already, found without parsing. Two hyphens in a row
/// may be punycode and end it.
fn plain(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut label, mut plain) = (0, 0);
    for (index, byte) in bytes.iter().enumerate() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' => label += 1,
            b'-' if label > 0 && bytes.get(index + 1).is_some_and(u8::is_ascii_alphanumeric) => label += 1,
            b'.' if label > 0 => label = 0,
            _ => break,
        }
        if label > 63 {
            return 0;
        }
        if label > 0 {
            plain = index + 1;
        }
    }
    if plain <= 253 { plain } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reduced(target: &str, hosts: &[&str]) -> Result<(String, String), Code> {
        let mut headers = HeaderMap::new();
        for host in hosts {
            headers.append(header::HOST, HeaderValue::try_from(*host).expect("a value"));
        }
        let mut uri: Uri = target.parse().expect("a target");
        reduce(&Method::GET, &mut uri, Version::HTTP_11, &mut headers).map_err(|refusal| refusal.error.code)?;
        let host = host(&headers).map_err(|refusal| refusal.error.code)?.into_owned();
        Ok((uri.to_string(), host))
    }

    #[test]
    fn every_form_of_a_target_becomes_a_path_and_one_host() {
        let table: &[(&str, &[&str], (&str, &str))] = &[
            ("/a?b", &["shop.test"], ("/a?b", "shop.test")),
            ("/", &["Shop.TEST.:4443"], ("/", "shop.test")),
            ("http://shop.test/a", &["SHOP.test:80"], ("/a", "shop.test")),
            ("http://shop.test", &["shop.test"], ("/", "shop.test")),
            ("http://shop.test#a", &["shop.test"], ("/", "shop.test")),
            ("http://shop.test?y", &["shop.test"], ("/?y", "shop.test")),
            ("https://shop.test:4443/x?y", &[], ("/x?y", "shop.test")),
            ("/", &["bücher.test"], ("/", "xn--bcher-kva.test")),
            ("/", &["[::1]:4443"], ("/", "::1")),
            ("//evil.test/x", &["shop.test"], ("//evil.test/x", "shop.test")),
        ];
        for (target, hosts, expected) in table {
            let expected = Ok((expected.0.to_owned(), expected.1.to_owned()));
            // http reads header values as bytes; a name outside ASCII is refused there, not guessed.
            if hosts.iter().any(|host| !host.is_ascii()) {
                assert!(reduced(target, hosts).is_err());
            } else {
                assert_eq!(reduced(target, hosts), expected, "{target} {hosts:?}");
            }
        }
    }

    #[test]
    fn what_names_two_hosts_or_none_is_refused() {
        let table: &[(&str, &[&str])] = &[
            ("/", &[]),
            ("/", &["a.test", "a.test"]),
            ("http://a.test/", &["b.test"]),
            ("http://user@a.test/", &["a.test"]),
            ("ftp://a.test/", &["a.test"]),
            ("/", &["a.test:port"]),
            ("/", &["a.test:99999"]),
            ("/", &["a.test/x"]),
            ("/", &["a test"]),
            ("/", &[""]),
            ("/", &["*.test"]),
            ("*", &["a.test"]),
        ];
        for (target, hosts) in table {
            assert_eq!(reduced(target, hosts), Err(Code::RequestInvalid), "{target} {hosts:?}");
        }
    }

    #[test]
    fn connect_is_refused() {
        let mut uri: Uri = "a.test:443".parse().expect("an authority");
        let refusal = reduce(&Method::CONNECT, &mut uri, Version::HTTP_11, &mut HeaderMap::new()).expect_err("refused");
        assert_eq!(refusal.error.code, Code::ConnectRefused);
    }

    proptest! {
        #[test]
        fn the_short_way_agrees_with_the_long_one(text in "[a-zA-Z0-9.-]{1,40}(:[0-9a]{0,6})?") {
            let (name, port) = text.split_at(text.find(':').unwrap_or(text.len()));
            let name = name.strip_suffix('.').unwrap_or(name);
            let parsed = check_port(port).and_then(|()| HostName::parse(name).ok());
            let long = parsed.as_ref().map(HostName::as_str);
            let short = name_of(&text).ok();
            prop_assert_eq!(short.as_deref(), long);
        }

        #[test]
        fn any_text_is_read_without_panic(text in "\\PC{0,60}") {
            let _ = name_of(&text);
        }
    }
}
