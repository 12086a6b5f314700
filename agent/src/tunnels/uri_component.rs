//! Percent-encoding of URI components (RFC 3986, section 2).

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};

/// All characters except the unreserved ones.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Encodes a text as a single component, such as a path segment.
pub(super) fn encode(text: &str) -> PercentEncode<'_> {
    utf8_percent_encode(text, RESERVED)
}

#[cfg(test)]
mod tests {
    use super::encode;

    #[test]
    fn everything_but_unreserved_characters_is_encoded() {
        assert_eq!(encode("site (http)").to_string(), "site%20%28http%29");
        assert_eq!(encode("ä/?").to_string(), "%C3%A4%2F%3F");
    }
}
