//! Redaction of secrets. Equal secrets get equal placeholders while the agent runs, so that two requests with the same
//! secret can be recognized; a placeholder does not reveal its secret.

use super::head::MAX_HEADERS;
use crate::config::redaction::RedactionRules;
use aws_lc_rs::hmac;
use std::{borrow::Cow, fmt::Write, ops::Range};

/// The start of every placeholder, valid in headers, cookies and URLs.
const PLACEHOLDER_PREFIX: &str = "redacted-";
const PLACEHOLDER_DIGITS: usize = 12;

/// Headers whose values are URLs with parameters.
const URL_HEADERS: [&str; 3] = ["referer", "location", "content-location"];

/// Makes placeholders with a random key.
pub struct Redactor {
    key: hmac::Key,
}

impl Default for Redactor {
    fn default() -> Self {
        Redactor { key: hmac::Key::new(hmac::HMAC_SHA256, &rand::random::<[u8; 32]>()) }
    }
}

impl Redactor {
    /// The placeholder for a secret.
    pub fn placeholder(&self, secret: &str) -> String {
        let is_placeholder = secret.strip_prefix(PLACEHOLDER_PREFIX).is_some_and(|rest| {
            rest.len() == PLACEHOLDER_DIGITS
                && rest.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
        });
        // A value that was redacted when it was captured stays as it is.
        if secret.is_empty() || is_placeholder {
            return secret.to_owned();
        }
        let mut text = PLACEHOLDER_PREFIX.to_owned();
        for byte in &hmac::sign(&self.key, secret.as_bytes()).as_ref()[..PLACEHOLDER_DIGITS / 2] {
            let _ = write!(text, "{byte:02x}");
        }
        text
    }

    /// The redacted value of a header.
    pub fn header<'a>(&self, rules: &RedactionRules, name: &str, value: &'a str) -> Cow<'a, str> {
        let name = name.to_ascii_lowercase();
        if URL_HEADERS.contains(&name.as_str()) {
            return self.address(rules, value);
        }
        if !rules.is_secret_header(&name) {
            return Cow::Borrowed(value);
        }
        Cow::Owned(match name.as_str() {
            "cookie" => {
                let cookies: Vec<String> = value.split(';').map(|cookie| self.redact_pair(cookie)).collect();
                cookies.join(";")
            }
            "set-cookie" => match value.split_once(';') {
                Some((cookie, attributes)) => format!("{};{attributes}", self.redact_pair(cookie)),
                None => self.redact_pair(value),
            },
            // The scheme is not secret.
            "authorization" | "proxy-authorization" => match value.split_once(' ') {
                Some((scheme, secret)) => format!("{scheme} {}", self.placeholder(secret.trim())),
                None => self.placeholder(value),
            },
            _ => self.placeholder(value),
        })
    }

    /// Redacts the value of `name=value`.
    fn redact_pair(&self, pair: &str) -> String {
        match pair.split_once('=') {
            Some((name, secret)) => format!("{name}={}", self.placeholder(secret)),
            None if pair.trim().is_empty() => pair.to_owned(),
            None => self.placeholder(pair),
        }
    }

    /// A request target or URL with the secrets of its query and fragment redacted.
    pub fn address<'a>(&self, rules: &RedactionRules, address: &'a str) -> Cow<'a, str> {
        let Some(begin) = address.find(['?', '#']) else { return Cow::Borrowed(address) };
        let mut text = address[..begin].to_owned();
        for pair in address[begin..].split_inclusive(['&', '?', '#', ';']) {
            let (pair, end) = match pair.char_indices().next_back() {
                Some((at, '&' | '?' | '#' | ';')) => pair.split_at(at),
                _ => (pair, ""),
            };
            match pair.split_once('=') {
                Some((name, secret)) if self.is_secret(rules, name) => {
                    let _ = write!(text, "{name}={}", self.placeholder(secret));
                }
                _ => text.push_str(pair),
            }
            text.push_str(end);
        }
        if text == address { Cow::Borrowed(address) } else { Cow::Owned(text) }
    }

    fn is_secret(&self, rules: &RedactionRules, name: &str) -> bool {
        let decoded = url::form_urlencoded::parse(name.as_bytes()).next().map(|(name, _)| name.to_ascii_lowercase());
        decoded.is_some_and(|name| rules.is_secret_parameter(&name))
    }

    /// The redacted head of a message; `None` if there is no secret in it.
    pub(crate) fn head(&self, rules: &RedactionRules, head: &[u8]) -> Option<Vec<u8>> {
        let mut changes: Vec<(Range<usize>, String)> = Vec::new();
        let mut change = |part: &[u8], text: &str, changed: Cow<'_, str>| {
            if changed != text {
                // Parts are slices of the head, so the difference of the pointers is their offset.
                let begin = part.as_ptr() as usize - head.as_ptr() as usize;
                changes.push((begin..begin + part.len(), changed.into_owned()));
            }
        };
        let lines = head.iter().position(|byte| *byte == b'\n')? + 1;
        let line = std::str::from_utf8(&head[..lines]).ok();
        if let Some(target) = line.filter(|line| !line.starts_with("HTTP/")).and_then(|line| line.split(' ').nth(1)) {
            change(target.as_bytes(), target, self.address(rules, target));
        }
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        if let Ok(httparse::Status::Complete((_, headers))) = httparse::parse_headers(&head[lines..], &mut headers) {
            for header in headers {
                let text = super::head::decode_value(header.value);
                change(header.value, &text, self.header(rules, header.name, &text));
            }
        }
        if changes.is_empty() {
            return None;
        }
        let mut redacted = Vec::with_capacity(head.len());
        let mut at = 0;
        for (place, text) in changes {
            redacted.extend_from_slice(&head[at..place.start]);
            redacted.extend_from_slice(text.as_bytes());
            at = place.end;
        }
        redacted.extend_from_slice(&head[at..]);
        Some(redacted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_secrets_stay_equal_and_differ_in_other_runs() {
        let (redactor, other) = (Redactor::default(), Redactor::default());
        let one = redactor.placeholder("hunter2");
        assert_eq!(one, redactor.placeholder("hunter2"));
        assert_ne!(one, redactor.placeholder("hunter3"));
        assert_ne!(one, other.placeholder("hunter2"));
        assert_eq!(redactor.placeholder(&one), one, "once is enough");
        assert!(one.len() == PLACEHOLDER_PREFIX.len() + PLACEHOLDER_DIGITS && !one.contains("hunter2"));
        assert_eq!(redactor.placeholder(""), "");
    }

    #[test]
    fn only_the_secret_is_redacted() {
        let (redactor, rules) = (Redactor::default(), RedactionRules::default());
        let mark = |text: &str| redactor.placeholder(text);
        for (name, value, expected) in [
            ("Authorization", "Bearer abc", format!("Bearer {}", mark("abc"))),
            ("authorization", "abc", mark("abc")),
            ("Cookie", "a=1; theme=dark", format!("a={}; theme={}", mark("1"), mark("dark"))),
            ("Set-Cookie", "sid=x=y; Path=/; HttpOnly", format!("sid={}; Path=/; HttpOnly", mark("x=y"))),
            ("X-API-Key", "k", mark("k")),
            (
                "Referer",
                "https://a/b?token=t&q=1#access_token=z",
                format!("https://a/b?token={}&q=1#access_token={}", mark("t"), mark("z")),
            ),
            ("Accept", "token=1", "token=1".to_owned()),
        ] {
            assert_eq!(redactor.header(&rules, name, value), expected);
        }
        for (target, expected) in [
            ("/a?q=token", "/a?q=token".to_owned()),
            ("/a?Access%5FToken=s&x", format!("/a?Access%5FToken={}&x", mark("s"))),
            ("/token=1", "/token=1".to_owned()),
            ("/?key=&key=a", format!("/?key=&key={}", mark("a"))),
        ] {
            assert_eq!(redactor.address(&rules, target), expected);
        }
    }

    #[test]
    fn the_rest_of_a_head_stays_byte_for_byte() {
        let (redactor, mut rules) = (Redactor::default(), RedactionRules::default());
        assert!(rules.add("header.X-Mine") && rules.add("query.code") && !rules.add("mine") && !rules.add("query."));
        let head = b"GET /a?code=c HTTP/1.1\r\nHost:h\r\nX-Mine:  m \r\nX-Latin: \xe9\r\nCookie: a=b\r\n\r\n";
        let redacted = redactor.head(&rules, head).expect("there are secrets");
        let expected = [
            format!(
                "GET /a?code={} HTTP/1.1\r\nHost:h\r\nX-Mine:  {} \r\nX-Latin: ",
                redactor.placeholder("c"),
                redactor.placeholder("m")
            )
            .as_bytes(),
            b"\xe9\r\nCookie: a=",
            format!("{}\r\n\r\n", redactor.placeholder("b")).as_bytes(),
        ]
        .concat();
        assert_eq!(redacted, expected);
        assert!(redactor.head(&rules, &redacted).is_none());
        assert!(redactor.head(&rules, b"HTTP/1.1 200 OK\r\nServer: x\r\n\r\n").is_none());
        assert!(redactor.head(&rules, b"").is_none());
    }
}
