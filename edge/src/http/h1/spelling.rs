//! The spelling of header names. Names are compared in lower case and written in `Title-Case`; a name that its sender
//! writes in another way is passed on in that way, because some programs compare names byte by byte.

use bytes::Bytes;
use hyper::header::{HeaderName, HeaderValue};
use smallvec::SmallVec;

/// The names of one message that are not written in `Title-Case`. Most messages have few.
#[derive(Clone, Debug, Default)]
pub(super) struct Spelling(SmallVec<[Bytes; 4]>);

impl Spelling {
    pub(super) fn push(&mut self, name: Bytes) {
        self.0.push(name);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn of(&self, name: &str) -> Option<&[u8]> {
        self.0.iter().map(Bytes::as_ref).find(|spelling| spelling.eq_ignore_ascii_case(name.as_bytes()))
    }
}

/// Whether a name is written in `Title-Case`.
pub(super) fn is_title_case(name: &[u8]) -> bool {
    // Without a branch for each byte this takes vector instructions.
    let is_other = |byte: u8, before: u8| byte.wrapping_sub(if before == b'-' { b'a' } else { b'A' }) < 26;
    let Some((first, rest)) = name.split_first() else { return true };
    !rest.iter().zip(name).fold(is_other(*first, b'-'), |other, (byte, before)| other | is_other(*byte, *before))
}

/// Writes a name, which is in lower case, as its sender spelled it.
fn write_name(head: &mut Vec<u8>, name: &str, spelling: Option<&Spelling>) {
    if let Some(spelled) = spelling.and_then(|spelling| spelling.of(name)) {
        return head.extend_from_slice(spelled);
    }
    let start = head.len();
    head.extend_from_slice(name.as_bytes());
    let name = &mut head[start..];
    let mut word = 0;
    while let Some(first) = name.get_mut(word) {
        first.make_ascii_uppercase();
        match memchr::memchr(b'-', &name[word..]) {
            Some(length) => word += length + 1,
            None => break,
        }
    }
}

/// Writes a header line.
pub(super) fn write_field(head: &mut Vec<u8>, name: &HeaderName, value: &HeaderValue, spelling: Option<&Spelling>) {
    write_name(head, name.as_str(), spelling);
    head.extend_from_slice(b": ");
    head.extend_from_slice(value.as_bytes());
    head.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(name: &str, spellings: &[&'static str]) -> String {
        let mut spelling = Spelling::default();
        for name in spellings {
            spelling.push(Bytes::from_static(name.as_bytes()));
        }
        let mut head = Vec::new();
        write_name(&mut head, name, Some(&spelling));
        String::from_utf8(head).expect("ASCII")
    }

    #[test]
    fn names_are_written_in_title_case_or_as_they_came() {
        assert_eq!(written("content-type", &[]), "Content-Type");
        assert_eq!(written("x--y-", &[]), "X--Y-");
        assert_eq!(written("etag", &["sec-ch-ua", "ETag"]), "ETag");
        assert_eq!(written("accept", &["sec-ch-ua", "ETag"]), "Accept");
    }

    #[test]
    fn only_other_spellings_are_remembered() {
        for name in ["Accept", "Content-Type", "X-1a", "-", "X--Y"] {
            assert!(is_title_case(name.as_bytes()), "{name}");
        }
        for name in ["accept", "ETag", "WWW-Authenticate", "Content-type", "x-y"] {
            assert!(!is_title_case(name.as_bytes()), "{name}");
        }
    }
}
