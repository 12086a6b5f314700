//! The request line of HTTP/1.1 (RFC 9112, section 3), and the characters of a target.
//!
//! Characters that no target has are treated by one rule. Those that clients send by habit (quotes, angle brackets,
//! backticks and UTF-8 beyond ASCII) are percent-encoded, so that the local service reads what was meant.
//! Control characters, `#` and what is not UTF-8 are refused: programs disagree about where such a target ends. A minor version above
//! HTTP/1.1 is read as HTTP/1.1 (RFC 9110, section 2.5).

use super::framing::is_token;
use crate::refusal::{Fault, Refusal};
use percent_encoding::percent_encode_byte;
use postern_api::{Code, Error};

/// Position of the minor digit in `HTTP/1.1`.
const MINOR_DIGIT: usize = 7;

/// Follows a request line, however it is split.
#[derive(Debug, Default)]
pub(super) struct RequestLine {
    part: Part,
    /// Bytes of the version so far.
    length: usize,
    method_length: usize,
    /// Whether the version begins with `HTTP/1.`, so far as it was read.
    is_major_one: bool,
    /// The first byte of the target that is refused.
    forbidden: Option<u8>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Method,
    Target,
    Version,
}

/// A request line as it was understood.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Requested {
    pub(super) is_connect: bool,
    pub(super) is_http10: bool,
}

impl RequestLine {
    /// Takes a piece in, and reports the offsets of bytes that are passed on in another form: see [`rewritten`].
    pub(super) fn scan(&mut self, piece: &[u8], mut rewrite: impl FnMut(usize)) {
        let mut at = 0;
        while self.part != Part::Version && at < piece.len() {
            let end = memchr::memchr(b' ', &piece[at..]).map_or(piece.len(), |length| at + length);
            let next = match self.part {
                Part::Method => {
                    self.method_length += end - at;
                    Part::Target
                }
                Part::Target | Part::Version => {
                    self.scan_target(&piece[at..end], |offset| rewrite(at + offset));
                    Part::Version
                }
            };
            if end < piece.len() {
                self.begin(next);
            }
            at = end + 1;
        }
        for (at, byte) in piece.iter().enumerate().skip(at) {
            if self.length < MINOR_DIGIT {
                self.is_major_one &= b"HTTP/1."[self.length] == *byte;
            } else if self.length == MINOR_DIGIT && self.is_major_one && matches!(byte, b'2'..=b'9') {
                rewrite(at);
            }
            self.length += 1;
        }
    }

    fn scan_target(&mut self, target: &[u8], mut rewrite: impl FnMut(usize)) {
        // Nearly all targets are plain. Without a branch for each byte this takes vector instructions.
        let is_plain = target.iter().fold(true, |plain, byte| plain & !is_encoded(*byte) & !is_forbidden(*byte));
        if is_plain {
            return;
        }
        for (at, byte) in target.iter().enumerate() {
            if is_encoded(*byte) {
                rewrite(at);
            } else if is_forbidden(*byte) {
                self.forbidden.get_or_insert(*byte);
            }
        }
    }

    fn begin(&mut self, part: Part) {
        (self.part, self.length, self.is_major_one) = (part, 0, true);
    }

    /// The refusal of a line that is longer than header blocks may be.
    pub(super) fn too_long(&self, limit: usize) -> Refusal {
        let error = if self.part == Part::Method || self.method_length > limit / 2 {
            Error::new(Code::MethodTooLong, "The method of the request is longer than any that is known.")
        } else {
            Error::new(Code::TargetTooLong, format!("The target of a request may have about {limit} bytes."))
        };
        Refusal::new(Fault::Visitor, error)
    }

    /// Reads the whole line, which comes without its end.
    pub(super) fn read(self, line: &[u8]) -> Result<Requested, Refusal> {
        let wrong = || Refusal::invalid("The request line is not `METHOD target HTTP/1.1`.");
        let mut parts = line.split(|byte| *byte == b' ');
        let (Some(method), Some(target), Some(version), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(wrong());
        };
        if !is_token(method) || target.is_empty() {
            return Err(wrong());
        }
        let is_http10 = match version {
            [b'H', b'T', b'T', b'P', b'/', b'1', b'.', minor @ b'0'..=b'9'] => *minor == b'0',
            [b'H', b'T', b'T', b'P', b'/', b'0'..=b'9', b'.', b'0'..=b'9'] => {
                let message = "This version of HTTP is not spoken here. Send HTTP/1.1, or HTTP/2 over TLS.";
                return Err(Refusal::new(Fault::Visitor, Error::new(Code::HttpVersionUnsupported, message)));
            }
            _ => return Err(wrong()),
        };
        match self.forbidden {
            Some(byte) => Err(forbidden(byte)),
            None if std::str::from_utf8(target).is_err() => {
                Err(Refusal::invalid("The target of the request is not UTF-8. Percent-encode its bytes beyond ASCII."))
            }
            None => Ok(Requested { is_connect: method == b"CONNECT", is_http10 }),
        }
    }
}

fn forbidden(byte: u8) -> Refusal {
    let name = if byte.is_ascii_graphic() { format!("`{}`", char::from(byte)) } else { format!("0x{byte:02X}") };
    Refusal::invalid(format!("The target of the request has the character {name}, which is sent as %{byte:02X}."))
}

/// A fragment is never sent in a request, and readers disagree about its meaning there.
fn is_forbidden(byte: u8) -> bool {
    byte <= b' ' || byte == 0x7f || byte == b'#'
}

/// Whether a byte of a target is passed on percent-encoded.
pub(super) fn is_encoded(byte: u8) -> bool {
    matches!(byte, b'"' | b'<' | b'>' | b'`' | 0x80..)
}

/// The bytes with those at the given offsets rewritten: digits of a version become 1, others are percent-encoded.
pub(super) fn rewritten(bytes: &[u8], offsets: &[usize]) -> Vec<u8> {
    let mut written = Vec::with_capacity(bytes.len() + 2 * offsets.len());
    let mut from = 0;
    for at in offsets {
        written.extend_from_slice(&bytes[from..*at]);
        match bytes[*at] {
            b'0'..=b'9' => written.push(b'1'),
            byte => written.extend_from_slice(percent_encode_byte(byte).as_bytes()),
        }
        from = at + 1;
    }
    written.extend_from_slice(&bytes[from..]);
    written
}

/// A target with all characters percent-encoded that no target has; `None` if there are none.
pub(super) fn encoded(target: &str) -> Option<Vec<u8>> {
    if !target.bytes().any(is_encoded) {
        return None;
    }
    let mut written = Vec::with_capacity(target.len() * 3);
    for byte in target.bytes() {
        match byte {
            byte if is_encoded(byte) => written.extend_from_slice(percent_encode_byte(byte).as_bytes()),
            byte => written.push(byte),
        }
    }
    Some(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line as it is passed on, fed in two pieces split here.
    fn passed_on(line: &str, split: usize) -> Result<String, Code> {
        let mut request_line = RequestLine::default();
        let mut all = Vec::new();
        let (first, second) = line.as_bytes().split_at(split.min(line.len()));
        for piece in [first, second] {
            let mut offsets = Vec::new();
            request_line.scan(piece, |at| offsets.push(at));
            all.extend(rewritten(piece, &offsets));
        }
        request_line.read(line.as_bytes()).map_err(|refusal| refusal.error.code)?;
        Ok(String::from_utf8(all).expect("ASCII"))
    }

    #[test]
    fn characters_that_clients_send_by_habit_are_percent_encoded_wherever_the_line_is_split() {
        for (line, expected) in [
            ("GET /?q=\"a\" HTTP/1.1", "GET /?q=%22a%22 HTTP/1.1"),
            ("GET /?q=<b> HTTP/1.1", "GET /?q=%3Cb%3E HTTP/1.1"),
            ("GET /a`b HTTP/1.1", "GET /a%60b HTTP/1.1"),
            ("GET /caf\u{e9} HTTP/1.1", "GET /caf%C3%A9 HTTP/1.1"),
            ("GET /{a}|b\\c^ HTTP/1.1", "GET /{a}|b\\c^ HTTP/1.1"),
            ("GET / HTTP/1.2", "GET / HTTP/1.1"),
            ("GET /9 HTTP/1.9", "GET /9 HTTP/1.1"),
            ("GET /1.2 HTTP/1.0", "GET /1.2 HTTP/1.0"),
        ] {
            for split in 0..=line.len() {
                assert_eq!(passed_on(line, split).as_deref(), Ok(expected), "{line} at {split}");
            }
        }
    }

    #[test]
    fn a_line_that_is_not_one_is_refused() {
        for (line, code) in [
            ("GET / HTTP/9.9", Code::HttpVersionUnsupported),
            ("GET / HTTP/2.0", Code::HttpVersionUnsupported),
            ("GET / HTTP/0.9", Code::HttpVersionUnsupported),
            ("GET / HTTP/1.10", Code::RequestInvalid),
            ("GET / HTTP/11", Code::RequestInvalid),
            ("GET / http/1.1", Code::RequestInvalid),
            ("GET /a b HTTP/1.1", Code::RequestInvalid),
            ("GET  / HTTP/1.1", Code::RequestInvalid),
            ("GET /", Code::RequestInvalid),
            ("G@T / HTTP/1.1", Code::RequestInvalid),
            ("GET /a#b HTTP/1.1", Code::RequestInvalid),
            ("GET /a\u{1}b HTTP/1.1", Code::RequestInvalid),
            ("GET /a\tb HTTP/1.1", Code::RequestInvalid),
            ("", Code::RequestInvalid),
        ] {
            assert_eq!(passed_on(line, line.len()).unwrap_err(), code, "{line}");
        }
        let refusal = forbidden(b'#');
        assert!(refusal.error.message.contains("`#`") && refusal.error.message.contains("%23"), "{refusal:?}");
    }
}
