//! The header block of a message, as it is read (RFC 9112, sections 2 to 5).

use super::spelling::{Spelling, is_title_case};
use crate::http::{content_length::InvalidLength, headers::has_token};
use bytes::Bytes;
use hyper::{
    HeaderMap, Version,
    header::{self, HeaderName, HeaderValue},
};
use std::mem::MaybeUninit;

/// Header lines that are read without asking for memory.
pub(super) const MAX_INLINE_FIELDS: usize = 100;

/// Why a header block is not one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum HeadError {
    #[error("the header block is malformed")]
    Malformed,
    #[error("the header block is too large")]
    TooLarge,
}

impl From<InvalidLength> for HeadError {
    fn from(_: InvalidLength) -> Self {
        HeadError::Malformed
    }
}

/// Room for header lines on the stack.
pub(super) type InlineFields<'b> = [MaybeUninit<httparse::Header<'b>>; MAX_INLINE_FIELDS];

/// Where the header block at the start of `bytes` ends, if it is complete. Bytes before `seen` are known to hold no end.
pub(super) fn end(bytes: &[u8], seen: usize) -> Option<usize> {
    let from = seen.saturating_sub(3);
    memchr::memchr_iter(b'\n', &bytes[from..]).map(|at| from + at + 1).find_map(|next| match &bytes[next..] {
        [b'\n', ..] => Some(next + 1),
        [b'\r', b'\n', ..] => Some(next + 2),
        _ => None,
    })
}

/// The header lines as a map with room for `added` further ones, and the spelling of their names.
pub(super) fn header_map(
    head: &Bytes,
    fields: &[httparse::Header<'_>],
    added: usize,
) -> Result<(HeaderMap, Spelling), HeadError> {
    let (mut headers, mut spelling) = (HeaderMap::with_capacity(fields.len() + added), Spelling::default());
    for field in fields {
        let name = field.name.as_bytes();
        if !is_title_case(name) {
            spelling.push(head.slice_ref(name));
        }
        let name = HeaderName::from_bytes(name).map_err(|_| HeadError::Malformed)?;
        let value = HeaderValue::from_maybe_shared(head.slice_ref(field.value)).map_err(|_| HeadError::Malformed)?;
        headers.try_append(name, value).map_err(|_| HeadError::TooLarge)?;
    }
    Ok((headers, spelling))
}

/// Whether the connection stays open behind a message with these headers (RFC 9112, section 9.3).
pub(super) fn is_persistent(version: Version, headers: &HeaderMap) -> bool {
    let mut is_persistent = version == Version::HTTP_11;
    for value in headers.get_all(header::CONNECTION) {
        if has_token(value, "close") {
            return false;
        }
        is_persistent |= has_token(value, "keep-alive");
    }
    is_persistent
}

/// Whether the last transfer coding is `chunked`.
pub(super) fn is_chunked(headers: &HeaderMap) -> bool {
    let last = headers.get_all(header::TRANSFER_ENCODING).iter().next_back();
    last.and_then(|value| value.to_str().ok()?.rsplit(',').next())
        .is_some_and(|coding| coding.trim().eq_ignore_ascii_case("chunked"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_block_ends_with_an_empty_line() {
        for (bytes, expected) in [
            ("GET / HTTP/1.1\r\n\r\nrest", Some(18)),
            ("GET / HTTP/1.1\n\nrest", Some(16)),
            ("GET / HTTP/1.1\r\nA: b\r\n\r", None),
            ("GET / HTTP/1.1\r\nA: b\r\n", None),
            ("", None),
        ] {
            assert_eq!(end(bytes.as_bytes(), 0), expected, "{bytes:?}");
            for seen in 0..expected.unwrap_or(bytes.len()) {
                assert_eq!(end(bytes.as_bytes(), seen), expected, "{bytes:?} after {seen}");
            }
        }
    }

    #[test]
    fn a_connection_persists_unless_one_value_says_close() {
        let persists = |version, values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::CONNECTION, HeaderValue::from_static(value));
            }
            is_persistent(version, &headers)
        };
        assert!(persists(Version::HTTP_11, &[]) && !persists(Version::HTTP_10, &[]));
        assert!(persists(Version::HTTP_10, &["Keep-Alive"]) && persists(Version::HTTP_11, &["TE"]));
        assert!(!persists(Version::HTTP_11, &["te, Close", "keep-alive"]));
        assert!(!persists(Version::HTTP_10, &["keep-alive", "close"]));
    }
}
