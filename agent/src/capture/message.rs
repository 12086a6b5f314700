//! A snapshot of one captured message, whose bytes are shared with the store.

use super::{
    framing::BodyFraming,
    head::{MAX_HEADERS, framing},
};
use bytes::Bytes;
use std::borrow::Cow;

/// Most messages have no more headers.
const COMMON_HEADER_COUNT: usize = 32;

/// The name and value of a header.
pub(crate) type CapturedHeader = (String, Vec<u8>);

/// The bytes of a message that were kept at the time of the snapshot.
#[derive(Clone, Debug)]
pub(crate) struct CapturedMessage {
    pieces: Vec<Bytes>,
    head: usize,
    /// Some of the bytes that passed were not kept.
    pub(crate) cut: bool,
    /// The message has ended properly.
    pub(crate) complete: bool,
}

impl CapturedMessage {
    pub(crate) fn new(pieces: Vec<Bytes>, head: usize, cut: bool, complete: bool) -> Self {
        CapturedMessage { pieces, head, cut, complete }
    }

    /// The length of the head in bytes.
    pub(crate) fn head_length(&self) -> usize {
        self.head
    }

    /// The kept part of the head.
    pub(crate) fn head(&self) -> Cow<'_, [u8]> {
        match self.pieces.first() {
            Some(first) if first.len() >= self.head => Cow::Borrowed(&first[..self.head]),
            _ => {
                let all = self.pieces.iter().flat_map(|piece| piece.iter().copied());
                Cow::Owned(all.take(self.head).collect())
            }
        }
    }

    /// Head and body as they were on the wire.
    pub(crate) fn wire(&self) -> Vec<u8> {
        self.pieces.concat()
    }

    /// The number of kept bytes of the body, as they were on the wire.
    pub(crate) fn body_size(&self) -> usize {
        self.pieces.iter().map(Bytes::len).sum::<usize>().saturating_sub(self.head)
    }

    /// The body as it was on the wire, in chunks.
    pub(crate) fn body(&self) -> impl Iterator<Item = Bytes> + use<> {
        let mut skipped = self.head;
        self.pieces.clone().into_iter().filter_map(move |mut piece| {
            let head = skipped.min(piece.len());
            skipped -= head;
            let rest = piece.split_off(head);
            (!rest.is_empty()).then_some(rest)
        })
    }

    /// The body without its transfer coding, in chunks. Ends where the coding is malformed.
    pub(crate) fn content(&self) -> DecodedBody {
        let chunked = with_headers(&self.head(), framing).and_then(Result::ok).flatten();
        let framing = match chunked {
            Some(chunks @ BodyFraming::Chunked(_)) => chunks,
            _ => BodyFraming::UntilClose,
        };
        DecodedBody { pieces: Box::new(self.body()), framing, ready: Vec::new().into_iter(), over: false }
    }

    /// The body without its transfer coding.
    pub(crate) fn content_bytes(&self) -> Vec<u8> {
        let mut whole = Vec::new();
        self.content().for_each(|piece| whole.extend_from_slice(&piece));
        whole
    }

    /// Names and values in order.
    pub(crate) fn headers(&self) -> Vec<CapturedHeader> {
        let owned = |headers: &[httparse::Header<'_>]| {
            let named = headers.iter().filter(|header| !header.name.is_empty());
            named.map(|header| (header.name.to_owned(), header.value.to_vec())).collect()
        };
        with_headers(&self.head(), owned).unwrap_or_default()
    }
}

/// The body of one message, with and without its transfer coding.
pub struct CapturedBody(pub(super) CapturedMessage);

impl CapturedBody {
    /// The body as it was on the wire, in chunks.
    pub fn wire(&self) -> impl Iterator<Item = Bytes> + Send + use<> {
        self.0.body()
    }

    /// The body without its transfer coding, in chunks.
    pub fn content(&self) -> impl Iterator<Item = Bytes> + Send + use<> {
        self.0.content()
    }
}

/// Parses the headers of a request's or a response's head.
fn with_headers<T>(head: &[u8], read: impl FnOnce(&[httparse::Header<'_>]) -> T) -> Option<T> {
    let lines = head.iter().position(|byte| *byte == b'\n')? + 1;
    // Most heads are small: the large array is only made for the others.
    let mut few = [httparse::EMPTY_HEADER; COMMON_HEADER_COUNT];
    match httparse::parse_headers(&head[lines..], &mut few) {
        Ok(httparse::Status::Complete((_, headers))) => return Some(read(headers)),
        Err(httparse::Error::TooManyHeaders) => {}
        _ => return None,
    }
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    match httparse::parse_headers(&head[lines..], &mut headers) {
        Ok(httparse::Status::Complete((_, headers))) => Some(read(headers)),
        _ => None,
    }
}

/// Iterates over a body without its transfer coding.
pub(crate) struct DecodedBody {
    pieces: Box<dyn Iterator<Item = Bytes> + Send>,
    framing: BodyFraming,
    ready: std::vec::IntoIter<Bytes>,
    over: bool,
}

impl Iterator for DecodedBody {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(piece) = self.ready.next() {
                return Some(piece);
            }
            if self.over {
                return None;
            }
            let piece = self.pieces.next()?;
            let mut ready = Vec::new();
            let read = self.framing.feed_content(&piece, |place| {
                if !place.is_empty() {
                    ready.push(piece.slice(place));
                }
            });
            self.over = !matches!(read, Ok((_, false)));
            self.ready = ready.into_iter();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str, step: usize) -> CapturedMessage {
        let head = text.find("\r\n\r\n").map_or(text.len(), |end| end + 4);
        let pieces = text.as_bytes().chunks(step).map(Bytes::copy_from_slice).collect();
        CapturedMessage::new(pieces, head, false, true)
    }

    #[test]
    fn content_is_the_body_without_chunked_coding_in_any_split() {
        let text = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nX: 1\r\n\r\n3;e=1\r\nabc\r\n2\r\nde\r\n0\r\nSum: 1\r\n\r\n";
        for step in 1..text.len() {
            let message = message(text, step);
            assert_eq!(message.content_bytes(), b"abcde", "{step}");
            assert!(message.head().ends_with(b"X: 1\r\n\r\n"));
            assert_eq!(message.headers()[1], ("X".to_owned(), b"1".to_vec()));
            assert_eq!(message.body().map(|piece| piece.len()).sum::<usize>(), text.len() - message.head_length());
        }
    }

    #[test]
    fn a_body_without_coding_is_its_own_content_and_malformed_chunks_end_it() {
        assert_eq!(message("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 7).content_bytes(), b"ok");
        let broken = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nokX";
        assert_eq!(message(broken, 100).content_bytes(), b"ok");
        assert_eq!(message("", 1).headers(), []);
    }
}
