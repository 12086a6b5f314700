//! The cookie of a console session (RFC 6265): its name, its attributes, and how it is found in a request.

use http::{HeaderValue, header, request::Parts, uri::Authority};
use postern_api::{Secret, token::Token};
use std::{net::IpAddr, time::Duration};

/// Over HTTPS. Browsers accept the prefix only with `Secure`, with `Path=/` and without `Domain`.
const SECURE_NAME: &str = "__Host-postern_console";
/// Over HTTP; the port of the server follows, because cookies of all ports of a host are one set.
const PLAIN_NAME: &str = "postern_console_";

/// A cookie of a request.
pub(super) struct SessionCookie {
    pub(super) token: Token,
    /// The cookie is one for HTTPS.
    pub(super) secure: bool,
}

/// Host and port that a request is sent to.
pub(super) fn authority(parts: &Parts) -> Option<&str> {
    let host = || parts.headers.get(header::HOST).and_then(|host| host.to_str().ok());
    parts.uri.authority().map(Authority::as_str).or_else(host)
}

/// The cookie of a session, if there is one with the form of a token.
pub(super) fn find(parts: &Parts) -> Option<SessionCookie> {
    let plain_name = plain_name(parts);
    let find = |name: &str, secure| Some(SessionCookie { token: Token::parse(value(parts, name)?)?, secure });
    find(SECURE_NAME, true).or_else(|| find(&plain_name, false))
}

/// Whether the browser reaches the server over HTTPS, perhaps through a proxy. A program that says nothing of its origin is
/// taken for one that does, unless it is on this machine.
pub(super) fn is_secure(parts: &Parts) -> bool {
    match parts.headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok()) {
        Some(origin) => origin.starts_with("https://"),
        None => !authority(parts).is_some_and(is_loopback),
    }
}

/// `Set-Cookie` of a session that begins.
pub(super) fn set(parts: &Parts, secure: bool, token: &Token, lifetime: Duration) -> Option<HeaderValue> {
    let text = Secret::new(cookie(parts, secure, token.secret().reveal(), lifetime.as_secs()));
    let mut value = HeaderValue::from_str(text.reveal()).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// `Set-Cookie` that removes a cookie.
pub(super) fn removed(parts: &Parts, secure: bool) -> Option<HeaderValue> {
    HeaderValue::from_str(&cookie(parts, secure, "", 0)).ok()
}

fn cookie(parts: &Parts, secure: bool, value: &str, max_age: u64) -> String {
    let name = if secure { SECURE_NAME.to_owned() } else { plain_name(parts) };
    let secure = if secure { "; Secure" } else { "" };
    format!("{name}={value}; Path=/; Max-Age={max_age}; HttpOnly; SameSite=Strict{secure}")
}

fn plain_name(parts: &Parts) -> String {
    format!("{PLAIN_NAME}{}", port(parts))
}

/// Port that a request over HTTP is sent to.
pub(super) fn port(parts: &Parts) -> u16 {
    authority(parts).and_then(|authority| authority.parse::<Authority>().ok()?.port_u16()).unwrap_or(80)
}

/// The value of the first cookie with a name.
pub(super) fn value<'a>(parts: &'a Parts, name: &str) -> Option<&'a str> {
    let headers = parts.headers.get_all(header::COOKIE).iter().filter_map(|header| header.to_str().ok());
    let pairs = headers.flat_map(|header| header.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(|(own, _)| *own == name).map(|(_, value)| value).next()
}

fn is_loopback(authority: &str) -> bool {
    let Ok(authority) = authority.parse::<Authority>() else { return false };
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Request;
    use postern_api::id::ksuid;

    fn parts(headers: &[(&str, &str)]) -> Parts {
        let request = headers.iter().fold(Request::get("/"), |request, (name, value)| request.header(*name, *value));
        request.body(()).expect("a request").into_parts().0
    }

    fn token() -> Token {
        Token::generate(&ksuid(1_700_000_000, [1; 16]))
    }

    #[test]
    fn https_gets_a_cookie_that_no_other_host_can_set() {
        let token = token();
        let set = |headers: &[(&str, &str)]| {
            let parts = parts(headers);
            let value = set(&parts, is_secure(&parts), &token, Duration::from_secs(60)).expect("a header");
            value.to_str().expect("text").replace(token.secret().reveal(), "T")
        };
        let attributes = "=T; Path=/; Max-Age=60; HttpOnly; SameSite=Strict";
        let secure = format!("__Host-postern_console{attributes}; Secure");
        let plain = |port: u16| format!("postern_console_{port}{attributes}");
        assert_eq!(set(&[("host", "api.example.test"), ("origin", "https://api.example.test")]), secure);
        assert_eq!(set(&[("host", "api.example.test")]), secure, "a program elsewhere");
        assert_eq!(set(&[("host", "127.0.0.1:4041"), ("origin", "https://api.example.test")]), secure, "a proxy");
        assert_eq!(set(&[("host", "127.0.0.1:4041"), ("origin", "http://127.0.0.1:4041")]), plain(4041));
        assert_eq!(set(&[("host", "[::1]:4041")]), plain(4041));
        assert_eq!(set(&[("host", "localhost")]), plain(80));
        assert_eq!(set(&[("host", "192.0.2.1:80"), ("origin", "http://192.0.2.1")]), plain(80));
    }

    #[test]
    fn the_cookie_is_found_among_others() {
        let token = token();
        let text = token.secret().reveal();
        let found = |cookies: &[String]| {
            let mut headers = vec![("host", "127.0.0.1:4041")];
            headers.extend(cookies.iter().map(|cookie| ("cookie", cookie.as_str())));
            find(&parts(&headers)).map(|cookie| (cookie.token.secret().reveal() == text, cookie.secure))
        };
        assert_eq!(found(&[format!("a=b; postern_console_4041={text}; c=d")]), Some((true, false)));
        assert_eq!(found(&["a=b".to_owned(), format!("__Host-postern_console={text}")]), Some((true, true)));
        assert_eq!(found(&[format!("postern_console_5041={text}")]), None, "of another server");
        assert_eq!(found(&[format!("Postern_Console_4041={text}")]), None);
        assert_eq!(found(&["postern_console_4041=".to_owned()]), None);
        assert_eq!(found(&["postern_console_4041".to_owned(), ";;=;".to_owned()]), None);
    }
}
