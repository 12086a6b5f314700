//! The line in front of a chunk's data (RFC 9112, section 7.1): its size, and extensions that are checked and dropped.

use postern_api::headers::is_token_byte;

/// The size of a chunk, or `None` if the line is not formed by the grammar.
pub(super) fn size(line: &[u8]) -> Option<u64> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let (size, rest) = line.split_at(digits);
    if size.is_empty() || size.len() > 15 || !Extensions(rest).are_valid() {
        return None;
    }
    u64::from_str_radix(std::str::from_utf8(size).ok()?, 16).ok()
}

/// What follows the size: `*( BWS ";" BWS token [ BWS "=" BWS ( token / quoted-string ) ] )`.
struct Extensions<'a>(&'a [u8]);

impl Extensions<'_> {
    fn are_valid(mut self) -> bool {
        while !self.0.is_empty() {
            self.skip_blanks();
            if !self.skip(b';') {
                return false;
            }
            self.skip_blanks();
            if !self.skip_token() {
                return false;
            }
            let behind_name = self.0;
            self.skip_blanks();
            if !self.skip(b'=') {
                // Blanks belong to the next extension; without one they are not part of the grammar.
                self.0 = behind_name;
                continue;
            }
            self.skip_blanks();
            if !self.skip_token() && !self.skip_quoted_string() {
                return false;
            }
        }
        true
    }

    fn skip_blanks(&mut self) {
        self.skip_while(|byte| matches!(byte, b' ' | b'\t'));
    }

    fn skip_token(&mut self) -> bool {
        self.skip_while(is_token_byte) > 0
    }

    fn skip_quoted_string(&mut self) -> bool {
        if !self.skip(b'"') {
            return false;
        }
        loop {
            self.skip_while(|byte| is_text(byte) && !matches!(byte, b'"' | b'\\'));
            if self.skip(b'"') {
                return true;
            }
            let is_pair = self.skip(b'\\') && self.0.first().is_some_and(|byte| is_text(*byte));
            if !is_pair {
                return false;
            }
            self.0 = &self.0[1..];
        }
    }

    fn skip(&mut self, wanted: u8) -> bool {
        let rest = self.0.strip_prefix(&[wanted]);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) -> usize {
        let length = self.0.iter().take_while(|byte| wanted(**byte)).count();
        self.0 = &self.0[length..];
        length
    }
}

fn is_text(byte: u8) -> bool {
    byte == b'\t' || (byte >= b' ' && byte != 0x7f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_may_have_extensions_of_the_grammar_only() {
        for (line, expected) in [
            ("5", Some(5)),
            ("fF", Some(255)),
            ("000", Some(0)),
            ("5;name", Some(5)),
            ("5;name=value;other", Some(5)),
            ("4 ;ext=1", Some(4)),
            ("4\t; ext = 1 ; b", Some(4)),
            (r#"4;a="quoted; \" text";b"#, Some(4)),
            ("4;a=\"\u{fc}\"", Some(4)),
            ("", None),
            (" 5", None),
            ("5 ", None),
            ("5;", None),
            ("5; ", None),
            ("5;;a", None),
            ("5;a ", None),
            ("5;a=", None),
            ("5;bad[=x", None),
            ("5;a=b[", None),
            ("5;a=\"open", None),
            ("5;a=\"open\\", None),
            ("5;a=\"b\"c", None),
            ("5;a=\rb", None),
            ("0x5", None),
            ("-1", None),
            ("fffffffffffffffff", None),
        ] {
            assert_eq!(size(line.as_bytes()), expected, "{line:?}");
        }
    }
}
