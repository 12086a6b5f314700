//! The head of an HTTP/2 message in the form of HTTP/1.1.

use super::{Malformed, hpack::HeaderDecoder};
use crate::capture::head::MAX_HEAD_BYTES;
use postern_api::headers::is_token_byte;
use postern_tunnel::request_note::RequestDigest;

/// The fields of one header block.
#[derive(Debug, Default)]
pub(super) struct HeaderList {
    method: Option<Vec<u8>>,
    path: Option<Vec<u8>>,
    authority: Option<Vec<u8>>,
    status: Option<Vec<u8>>,
    /// Other fields as lines of HTTP/1.1.
    lines: Vec<u8>,
    length: Option<DeclaredLength>,
    digest: RequestDigest,
}

/// What the `content-length` fields say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DeclaredLength {
    Bytes(u64),
    /// Not a number, or several that differ.
    Invalid,
}

impl HeaderList {
    /// Decodes a block; with `digested`, [`digest`](Self::digest) counts.
    pub(super) fn decode(decoder: &mut HeaderDecoder, block: &[u8], digested: bool) -> Result<Self, Malformed> {
        let mut list = HeaderList::default();
        decoder.decode(block, |name, value| {
            list.add(name, value);
            if digested {
                list.digest.add(name, value);
            }
        })?;
        Ok(list)
    }

    fn add(&mut self, name: &[u8], value: &[u8]) {
        match name {
            b":method" => self.method = Some(value.to_vec()),
            b":path" => self.path = Some(value.to_vec()),
            b":authority" => self.authority = Some(value.to_vec()),
            b":status" => self.status = Some(value.to_vec()),
            _ if name.is_empty() || !name.iter().all(|byte| is_token_byte(*byte)) => {}
            // HTTP/2 has none of them (RFC 9113 section 8.2.2), and here they would say where the body ends.
            b"transfer-encoding" | b"connection" | b"upgrade" => {}
            _ => {
                if name == b"content-length" {
                    self.declare(value);
                }
                self.line(name, value);
            }
        }
    }

    fn declare(&mut self, value: &[u8]) {
        let digits = value.iter().all(u8::is_ascii_digit).then(|| std::str::from_utf8(value).ok()).flatten();
        let declared =
            digits.and_then(|digits| digits.parse().ok()).map_or(DeclaredLength::Invalid, DeclaredLength::Bytes);
        let differs = self.length.is_some_and(|length| length != declared);
        self.length = Some(if differs { DeclaredLength::Invalid } else { declared });
    }

    fn line(&mut self, name: &[u8], value: &[u8]) {
        self.lines.extend_from_slice(name);
        self.lines.extend_from_slice(b": ");
        self.lines.extend(value.iter().map(|byte| printable(*byte)));
        self.lines.extend_from_slice(b"\r\n");
    }

    /// The digest of all fields.
    pub(super) fn digest(&self) -> RequestDigest {
        self.digest
    }

    /// Whether the fields begin a request.
    pub(super) fn is_request(&self) -> bool {
        self.method.is_some()
    }

    /// The status of a response.
    pub(super) fn status(&self) -> Option<u16> {
        std::str::from_utf8(self.status.as_deref()?).ok()?.parse().ok()
    }

    /// The length of the body, if the head declares it.
    pub(super) fn length(&self) -> Result<Option<u64>, Malformed> {
        match self.length.filter(|_| self.fits()) {
            None => Ok(None),
            Some(DeclaredLength::Bytes(length)) => Ok(Some(length)),
            Some(DeclaredLength::Invalid) => Err(Malformed),
        }
    }

    /// Whether a head with all fields is short enough to be followed; a longer one is given none of them.
    fn fits(&self) -> bool {
        let texts = [&self.method, &self.path, &self.authority].into_iter().flatten().map(Vec::len).sum::<usize>();
        self.lines.len() + texts + 128 <= MAX_HEAD_BYTES
    }

    /// The head of a request. `chunked` declares the coding that its body is given.
    pub(super) fn request_head(&self, chunked: bool) -> Vec<u8> {
        let method = self.method.as_deref().unwrap_or_default();
        let target = self.path.as_deref().or(self.authority.as_deref()).unwrap_or(b"/");
        let mut head = Vec::with_capacity(self.lines.len() + target.len() + 128);
        head.extend(method.iter().filter(|byte| is_token_byte(**byte)));
        head.push(b' ');
        head.extend(target.iter().filter(|byte| **byte > b' ' && **byte != 0x7f));
        head.extend_from_slice(b" HTTP/1.1\r\n");
        if let Some(authority) = &self.authority {
            head.extend_from_slice(b"host: ");
            head.extend(authority.iter().map(|byte| printable(*byte)));
            head.extend_from_slice(b"\r\n");
        }
        self.end_head(head, chunked)
    }

    /// The head of a response.
    pub(super) fn response_head(&self, status: u16, chunked: bool) -> Vec<u8> {
        self.end_head(format!("HTTP/1.1 {status:03} \r\n").into_bytes(), chunked)
    }

    /// The last chunk of a body with these fields as its trailers.
    pub(super) fn trailers(&self) -> Vec<u8> {
        let mut end = b"0\r\n".to_vec();
        end.extend_from_slice(&self.lines);
        end.extend_from_slice(b"\r\n");
        end
    }

    fn end_head(&self, mut head: Vec<u8>, chunked: bool) -> Vec<u8> {
        head.extend_from_slice(if self.fits() { &self.lines } else { b"" });
        if chunked {
            head.extend_from_slice(b"transfer-encoding: chunked\r\n");
        }
        head.extend_from_slice(b"\r\n");
        head
    }
}

/// A byte of a value; control characters, which no value may contain, become blanks.
fn printable(byte: u8) -> u8 {
    if byte == b'\t' || (byte >= b' ' && byte != 0x7f) { byte } else { b' ' }
}
