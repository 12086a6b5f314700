//! Strict framing of the messages on an HTTP/1.1 connection (RFC 9112): input that two programs could understand in
//! two ways is refused before anything else reads it.

use super::{
    chunk_line, content_length,
    request_line::{self, RequestLine},
};
use crate::refusal::{Fault, Refusal};
use postern_api::{Code, Error, headers::is_token_byte};

/// Bytes of a chunk's size line, extensions included.
const MAX_CHUNK_LINE_BYTES: usize = 4096;

/// Follows the bytes a visitor sends, however they are split.
#[derive(Debug)]
pub(crate) struct Http1Framing {
    state: FramingState,
    request_line: RequestLine,
    /// Offsets of bytes in the last input that are passed on in another form.
    rewrites: Vec<usize>,
    /// The part of a line that arrived in earlier pieces.
    line: Vec<u8>,
    head_bytes: usize,
    /// The longest header block in bytes, and in lines.
    limit: usize,
    fields: usize,
    /// Header blocks that were begun.
    begun: usize,
    head: HeaderBlock,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FramingState {
    /// Before the first byte of a request.
    Between,
    Head,
    Body(u64),
    ChunkSize,
    Chunk(u64),
    /// The line end behind a chunk's data: how many of its two bytes were seen.
    ChunkEnd(u8),
    Trailers,
    /// The connection speaks, or is about to speak, something else.
    Opaque,
}

/// The state of the header block that is being read.
#[derive(Debug, Default)]
struct HeaderBlock {
    /// The request line was read.
    asked: bool,
    length: Option<u64>,
    chunked: bool,
    opaque: bool,
    old: bool,
    fields: usize,
}

impl Http1Framing {
    pub(crate) fn new(limit: usize, fields: usize) -> Self {
        let head = HeaderBlock::default();
        Http1Framing {
            state: FramingState::Between,
            request_line: RequestLine::default(),
            rewrites: Vec::new(),
            line: Vec::new(),
            head_bytes: 0,
            limit,
            fields,
            begun: 0,
            head,
        }
    }

    /// How many header blocks have begun.
    pub(crate) fn begun(&self) -> usize {
        self.begun
    }

    /// The number of the header block that has begun and not ended.
    pub(crate) fn open_head(&self) -> Option<usize> {
        self.in_head().then_some(self.begun)
    }

    /// Whether a header block has begun and not ended.
    pub(crate) fn in_head(&self) -> bool {
        self.state == FramingState::Head
    }

    /// Whether a body has begun and not ended.
    pub(crate) fn in_body(&self) -> bool {
        !matches!(self.state, FramingState::Between | FramingState::Head | FramingState::Opaque)
    }

    /// Whether the connection no longer speaks HTTP.
    pub(crate) fn is_opaque(&self) -> bool {
        self.state == FramingState::Opaque
    }

    /// The bytes of the last input as they are passed on; `None` if they are unchanged.
    pub(crate) fn rewritten(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        (!self.rewrites.is_empty()).then(|| request_line::rewritten(bytes, &self.rewrites))
    }

    /// Takes the next bytes in.
    pub(crate) fn feed(&mut self, mut bytes: &[u8]) -> Result<(), Refusal> {
        let size = bytes.len();
        self.rewrites.clear();
        while let Some(first) = bytes.first() {
            match self.state {
                FramingState::Opaque => return Ok(()),
                FramingState::Between | FramingState::Head | FramingState::ChunkSize | FramingState::Trailers => {
                    let offset = size - bytes.len();
                    let Some(end) = memchr::memchr(b'\n', bytes) else {
                        self.scan_request_line(bytes, offset);
                        self.count(bytes.len())?;
                        self.line.extend_from_slice(bytes);
                        // A lone CR may be that of an empty line.
                        if self.state == FramingState::Between && self.line != b"\r" {
                            self.state = FramingState::Head;
                            self.begun += 1;
                        }
                        return Ok(());
                    };
                    let (piece, rest) = bytes.split_at(end + 1);
                    bytes = rest;
                    self.scan_request_line(piece, offset);
                    self.count(piece.len())?;
                    if self.line.is_empty() {
                        self.take_line(piece)?;
                    } else {
                        self.line.extend_from_slice(piece);
                        let line = std::mem::take(&mut self.line);
                        self.take_line(&line)?;
                    }
                }
                FramingState::Body(left) => {
                    let taken = left.min(bytes.len() as u64);
                    bytes = &bytes[taken as usize..];
                    self.state = if taken == left { FramingState::Between } else { FramingState::Body(left - taken) };
                }
                FramingState::Chunk(left) => {
                    let taken = left.min(bytes.len() as u64);
                    bytes = &bytes[taken as usize..];
                    self.state =
                        if taken == left { FramingState::ChunkEnd(0) } else { FramingState::Chunk(left - taken) };
                }
                FramingState::ChunkEnd(seen) => {
                    if *first != b"\r\n"[usize::from(seen)] {
                        return Err(Refusal::invalid("A chunk of the body does not end where its size says."));
                    }
                    bytes = &bytes[1..];
                    self.state = if seen == 0 { FramingState::ChunkEnd(1) } else { FramingState::ChunkSize };
                }
            }
        }
        Ok(())
    }

    fn in_request_line(&self) -> bool {
        self.state == FramingState::Between || self.state == FramingState::Head && !self.head.asked
    }

    /// Follows the request line, if this piece of the input at `offset` belongs to one.
    fn scan_request_line(&mut self, piece: &[u8], offset: usize) {
        if self.in_request_line() {
            let rewrites = &mut self.rewrites;
            let before = rewrites.len();
            self.request_line.scan(piece, |at| rewrites.push(offset + at));
            // An encoded character is longer than it was.
            self.head_bytes += 2 * (rewrites.len() - before);
        }
    }

    fn count(&mut self, bytes: usize) -> Result<(), Refusal> {
        self.head_bytes += bytes;
        if self.state == FramingState::ChunkSize {
            return if self.head_bytes > MAX_CHUNK_LINE_BYTES {
                Err(Refusal::invalid("A chunk's size line is too long."))
            } else {
                Ok(())
            };
        }
        if self.head_bytes > self.limit && self.in_request_line() {
            return Err(self.request_line.too_long(self.limit));
        }
        if self.head_bytes > self.limit {
            let message = format!("The header block of a request may have {} bytes.", self.limit);
            return Err(Refusal::new(Fault::Visitor, Error::new(Code::HeadersTooLarge, message)));
        }
        Ok(())
    }

    fn take_line(&mut self, line: &[u8]) -> Result<(), Refusal> {
        let Some(line) = line.strip_suffix(b"\r\n") else {
            return Err(Refusal::invalid("A line of the request does not end with CR LF."));
        };
        match self.state {
            // Empty lines in front of a request are skipped, as RFC 9112 advises.
            FramingState::Between if line.is_empty() => self.request_line = RequestLine::default(),
            FramingState::Between => self.request_line(line)?,
            FramingState::Head if !self.head.asked => self.request_line(line)?,
            FramingState::Head if line.is_empty() => self.end_head()?,
            FramingState::Head => self.header(line)?,
            FramingState::ChunkSize => self.chunk_size(line)?,
            FramingState::Trailers if line.is_empty() => self.between(),
            FramingState::Trailers => {
                field(line)?;
            }
            FramingState::Body(_) | FramingState::Chunk(_) | FramingState::ChunkEnd(_) | FramingState::Opaque => {}
        }
        Ok(())
    }

    fn request_line(&mut self, line: &[u8]) -> Result<(), Refusal> {
        let requested = std::mem::take(&mut self.request_line).read(line)?;
        if self.state == FramingState::Between {
            self.begun += 1;
        }
        self.state = FramingState::Head;
        let (opaque, old) = (requested.is_connect, requested.is_http10);
        self.head = HeaderBlock { asked: true, opaque, old, ..HeaderBlock::default() };
        Ok(())
    }

    fn header(&mut self, line: &[u8]) -> Result<(), Refusal> {
        let (name, value) = field(line)?;
        self.head.fields += 1;
        if self.head.fields > self.fields {
            return Err(too_many_fields(self.fields));
        }
        if name.eq_ignore_ascii_case(b"content-length") {
            let message = "The Content-Length is not a number, or above 9223372036854775807.";
            let length = content_length::parse(value).ok_or_else(|| Refusal::invalid(message))?;
            if self.head.length.replace(length).is_some() {
                return Err(Refusal::invalid("The request has more than one Content-Length."));
            }
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            if self.head.old || self.head.chunked || !value.eq_ignore_ascii_case(b"chunked") {
                return Err(Refusal::invalid("The only transfer coding offered here is chunked, once, in HTTP/1.1."));
            }
            self.head.chunked = true;
        } else if name.eq_ignore_ascii_case(b"upgrade") {
            self.head.opaque = true;
        }
        Ok(())
    }

    fn end_head(&mut self) -> Result<(), Refusal> {
        let head = std::mem::take(&mut self.head);
        self.between();
        match (head.length, head.chunked) {
            (Some(_), true) => {
                return Err(Refusal::invalid("The request has both Content-Length and Transfer-Encoding."));
            }
            (None, true) => self.state = FramingState::ChunkSize,
            (Some(length), false) if length > 0 => self.state = FramingState::Body(length),
            // The following bytes may belong to another protocol. If the upgrade is not granted, the connection is
            // closed with the response: no byte on it is ever read unchecked.
            _ if head.opaque => self.state = FramingState::Opaque,
            _ => {}
        }
        Ok(())
    }

    fn chunk_size(&mut self, line: &[u8]) -> Result<(), Refusal> {
        self.head_bytes = 0;
        self.state = match chunk_line::size(line) {
            None => {
                let message = "The line of a chunk is not a hexadecimal number with extensions like `;name=value`.";
                return Err(Refusal::invalid(message));
            }
            Some(0) => FramingState::Trailers,
            Some(size) => FramingState::Chunk(size),
        };
        Ok(())
    }

    fn between(&mut self) {
        self.state = FramingState::Between;
        self.head_bytes = 0;
        // Requests in one piece never need the buffer; others release it, so that an idle connection holds no memory.
        self.line = Vec::new();
    }
}

/// The refusal of a request with more header lines than are taken.
pub(crate) fn too_many_fields(limit: usize) -> Refusal {
    let message = format!("A request may have {limit} header lines.");
    Refusal::new(Fault::Visitor, Error::new(Code::HeadersTooLarge, message))
}

/// Splits a header line; the value comes without the blanks around it.
fn field(line: &[u8]) -> Result<(&[u8], &[u8]), Refusal> {
    let wrong = || Refusal::invalid("A header line of the request is not `Name: value`.");
    let colon = memchr::memchr(b':', line).ok_or_else(wrong)?;
    let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
    if is_token(name) && no_control(value) { Ok((name, value)) } else { Err(wrong()) }
}

pub(super) fn is_token(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().copied().all(is_token_byte)
}

/// Looks at all bytes without a branch for each, which the compiler turns into vector instructions.
fn no_control(bytes: &[u8]) -> bool {
    bytes.iter().fold(true, |none, byte| none & ((*byte >= b' ' && *byte != 0x7f) || *byte == b'\t'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> Result<FramingState, Code> {
        let mut framing = Http1Framing::new(1024, 100);
        framing.feed(bytes).map_err(|refusal| refusal.error.code)?;
        Ok(framing.state)
    }

    #[test]
    fn messages_end_where_they_say() {
        let table: &[(&str, FramingState)] = &[
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", FramingState::Between),
            ("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HT", FramingState::Head),
            ("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nab", FramingState::Body(1)),
            ("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\n\r\n", FramingState::Between),
            (
                "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nX: y\r\n\r\n",
                FramingState::Between,
            ),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nA\r\nabc", FramingState::Chunk(7)),
            ("GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n\x01\x02", FramingState::Opaque),
            ("GET / HTTP/1.1\r\nContent-Length: 0\r\n\r\n", FramingState::Between),
        ];
        for (text, expected) in table {
            assert_eq!(read(text.as_bytes()), Ok(*expected), "{text:?}");
        }
    }

    #[test]
    fn what_can_be_understood_in_two_ways_is_refused() {
        let heads = [
            "Content-Length: 3\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nContent-Length: 3",
            "Content-Length: 3\r\nContent-Length: 3",
            "Content-Length: 3\r\nContent-Length: 4",
            "Content-Length: +3",
            "Content-Length: 3, 3",
            "Content-Length: 0x3",
            "Content-Length:",
            "Content-Length: 99999999999999999999",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: gzip, chunked",
            "Transfer-Encoding: xchunked",
            "Transfer-Encoding: identity",
            "Transfer-Encoding : chunked",
            "Transfer-Encoding\t: chunked",
            " folded: yes",
            "A: b\r\n c",
            "A: b\rc",
            "A: b\nC: d",
            "A: b\0c",
            "A b",
            ": b",
            "A\u{7f}: b",
        ];
        for head in heads {
            let text = format!("POST / HTTP/1.1\r\nHost: a\r\n{head}\r\n\r\n");
            assert_eq!(read(text.as_bytes()), Err(Code::RequestInvalid), "{head:?}");
        }
        for line in
            ["GET /", "GET  / HTTP/1.1", "GET / HTTP/1.22", "GET / http/1.1", "GET /a b HTTP/1.1", "G@T / HTTP/1.1"]
        {
            assert_eq!(read(format!("{line}\r\n\r\n").as_bytes()), Err(Code::RequestInvalid), "{line:?}");
        }
        for chunk in [
            "\r\n",
            "g\r\n",
            "-1\r\n",
            "0x3\r\n",
            "3 \r\n",
            "3\nabc",
            "3\r\nabcd\r\n",
            "3\r\nabc\n",
            "fffffffffffffffff\r\n",
        ] {
            let text = format!("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{chunk}");
            assert_eq!(read(text.as_bytes()), Err(Code::RequestInvalid), "{chunk:?}");
        }
        assert_eq!(read(b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), Err(Code::RequestInvalid));
    }

    #[test]
    fn a_target_with_a_fragment_is_refused() {
        for line in ["GET /a#b HTTP/1.1", "GET http://a#b/c HTTP/1.1", "GET # HTTP/1.1"] {
            assert!(read(format!("{line}\r\nHost: a\r\n\r\n").as_bytes()).is_err(), "{line}");
        }
    }

    #[test]
    fn empty_lines_in_front_of_a_request_are_skipped_wherever_it_is_split() {
        let text = b"\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n";
        for cut in 0..text.len() {
            let mut framing = Http1Framing::new(1024, 100);
            let fed = framing.feed(&text[..cut]).and_then(|()| framing.feed(&text[cut..]));
            assert!(fed.is_ok() && framing.state == FramingState::Between, "cut at {cut}");
        }
    }

    #[test]
    fn a_header_block_has_a_limit() {
        let long = format!("GET / HTTP/1.1\r\nA: {}", "x".repeat(1100));
        assert_eq!(read(long.as_bytes()), Err(Code::HeadersTooLarge));
        let many = format!("GET / HTTP/1.1\r\n{}", "A: b\r\n".repeat(200));
        assert_eq!(read(many.as_bytes()), Err(Code::HeadersTooLarge));
    }

    proptest! {
        #[test]
        fn it_does_not_matter_where_the_bytes_are_split(cut in 0usize..120) {
            let text = b"POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n";
            let cut = cut.min(text.len());
            let mut framing = Http1Framing::new(1024, 100);
            prop_assert!(framing.feed(&text[..cut]).is_ok());
            prop_assert!(framing.feed(&text[cut..]).is_ok());
            prop_assert_eq!(framing.state, FramingState::Between);
        }

        #[test]
        fn any_bytes_are_read_without_panic(pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..8)) {
            let mut framing = Http1Framing::new(256, 100);
            for piece in pieces {
                if framing.feed(&piece).is_err() {
                    break;
                }
            }
        }
    }
}
