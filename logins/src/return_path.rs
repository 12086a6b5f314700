//! The path to which a visitor returns after a login: always a path of the same host.

use serde::{Deserialize, Serialize};

/// Maximum length in bytes; with a longer path the visitor returns to `/`.
const MAX_BYTES: usize = 2048;

/// A path, optionally with a query, that no browser can interpret as another host or scheme.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String")]
pub(crate) struct ReturnPath(Box<str>);

impl From<String> for ReturnPath {
    fn from(text: String) -> Self {
        ReturnPath::from_request(&text)
    }
}

impl ReturnPath {
    /// The path `/`.
    pub(crate) fn root() -> Self {
        ReturnPath("/".into())
    }

    /// The target of a request, or `/` if it is not safe to return to.
    pub(crate) fn from_request(path_and_query: &str) -> Self {
        ReturnPath::parse(path_and_query).unwrap_or_else(ReturnPath::root)
    }

    /// Accepts an untrusted path; `None` if a browser could find another host, a scheme or a line break in it. Nothing
    /// is repaired: ambiguous text is refused.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix('/')?;
        let plain = text.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'\\' | b'"' | b'<' | b'>'));
        if !plain || text.len() > MAX_BYTES {
            return None;
        }
        let path = rest.split(['?', '#']).next().unwrap_or_default();
        if is_ambiguous(path) {
            return None;
        }
        // The final check is a parser that works like a browser's (WHATWG URL).
        let base = url::Url::parse("https://host.invalid/").ok()?;
        let read = base.join(text).ok()?;
        let same = read.scheme() == "https" && read.host_str() == Some("host.invalid") && read.port().is_none();
        (same && read.username().is_empty() && read.password().is_none()).then(|| ReturnPath(text.into()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether the path, raw or percent-decoded any number of times, begins with a second slash or a backslash, contains
/// control characters, or has dot segments.
fn is_ambiguous(path: &str) -> bool {
    let mut text = path.as_bytes().to_vec();
    for _ in 0..4 {
        if text.first().is_some_and(|byte| matches!(byte, b'/' | b'\\' | b'@')) {
            return true;
        }
        if text.iter().any(|byte| byte.is_ascii_control() || *byte == b'\\') {
            return true;
        }
        if text.split(|byte| *byte == b'/').any(|segment| matches!(segment, b"." | b"..")) {
            return true;
        }
        let decoded = decode_once(&text);
        if decoded == text {
            return false;
        }
        text = decoded;
    }
    // Paths that are encoded this often are not written in good faith.
    true
}

fn decode_once(text: &[u8]) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        match (first, tail) {
            (b'%', [high, low, after @ ..]) if digit(*high).is_some() && digit(*low).is_some() => {
                plain.push(digit(*high).unwrap_or(0) << 4 | digit(*low).unwrap_or(0));
                rest = after;
            }
            _ => {
                plain.push(*first);
                rest = tail;
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn paths_of_the_host_are_accepted_unchanged() {
        for valid in [
            "/",
            "/a",
            "/a/b/",
            "/a?b=c",
            "/a?next=https://other.test/",
            "/a?x=//other.test",
            "/a#b",
            "/a%20b",
            "/caf%C3%A9",
            "/a/b//c",
            "/a@b",
            "/a:80",
            "/~me/;x=1",
            "/a%2Fb",
            "/?q=%5C",
        ] {
            assert_eq!(ReturnPath::parse(valid).map(|path| path.as_str().to_owned()).as_deref(), Some(valid));
        }
    }

    #[test]
    fn no_spelling_leads_to_another_host() {
        let spellings = [
            "",
            "a",
            "other.test",
            "//other.test",
            "///other.test",
            "////other.test",
            "/\\other.test",
            "\\\\other.test",
            "\\/other.test",
            "/\\/other.test",
            "//\\other.test",
            "http://other.test",
            "https://other.test",
            "HTTPS://other.test",
            "https:other.test",
            "https:/other.test",
            "https:///other.test",
            "//other.test:443",
            "//user@other.test",
            "/@other.test",
            "@other.test",
            "//host.test@other.test",
            "//host.test:x@other.test",
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            "java\tscript:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc/passwd",
            "blob:x",
            "ftp://other.test",
            "/\t/other.test",
            "/\n/other.test",
            "/\r/other.test",
            "\t//other.test",
            " //other.test",
            "/ /other.test",
            "//other.test/%2e%2e",
            "/..//other.test",
            "/../../other.test",
            "/.//other.test",
            "/./other",
            "/a/../..//other.test",
            "/%2e%2e//other.test",
            "/%2E%2E/x",
            "/%2f/other.test",
            "/%2f%2fother.test",
            "/%2Fother.test",
            "/%5cother.test",
            "/%5C%5Cother.test",
            "/%252fother.test",
            "/%25252fother.test",
            "/%2525252fother.test",
            "/%09/other.test",
            "/%0d%0aLocation:x",
            "/a%0d%0aSet-Cookie:x",
            "/a\r\nSet-Cookie:x",
            "/%00",
            "/a\0b",
            "/a b",
            "/\u{2028}other.test",
            "/\u{ff0f}other.test",
            "//\u{3002}other.test",
            "/é",
            "?next=//other.test",
            "#//other.test",
            "//[::1]",
            "//0x7f000001",
            "//2130706433",
            "/\"onclick=x",
            "/<script>",
            "/a\\b",
            "https://host.invalid@other.test/",
            "/%40other.test",
        ];
        assert!(spellings.len() >= 60, "{}", spellings.len());
        for wrong in spellings {
            assert_eq!(ReturnPath::parse(wrong), None, "{wrong:?}");
            assert_eq!(ReturnPath::from_request(wrong).as_str(), "/");
        }
        let long = format!("/{}", "a".repeat(MAX_BYTES));
        assert_eq!(ReturnPath::parse(&long), None);
    }

    proptest! {
        #[test]
        fn accepted_paths_stay_on_their_host(text in "[/\\\\@:.%?#a-z0-9\t ]{0,12}") {
            if let Some(path) = ReturnPath::parse(&text) {
                let host = url::Url::parse("https://host.test:4443/x/y").expect("a URL");
                let there = host.join(path.as_str()).expect("a URL");
                prop_assert_eq!(there.origin(), host.origin());
                let whole = url::Url::parse(&format!("https://host.test:4443{}", path.as_str())).expect("a URL");
                prop_assert_eq!(whole.origin(), host.origin());
            }
        }
    }
}
