//! One captured message as somebody looks at it: its kept bytes, shared with the store.

use super::{
    framing::Framing,
    head::{MAX_HEADERS, framing},
};
use bytes::Bytes;
use std::borrow::Cow;

/// Most messages have no more.
const USUAL_HEADERS: usize = 32;

/// The name of a header and its value.
pub(crate) type Header = (String, Vec<u8>);

/// The bytes of a message that were kept when it was looked at.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pieces: Vec<Bytes>,
    head: usize,
    /// Not all that passed was kept.
    pub(crate) cut: bool,
    /// It has ended as it should.
    pub(crate) complete: bool,
}

impl Message {
    pub(crate) fn new(pieces: Vec<Bytes>, head: usize, cut: bool, complete: bool) -> Self {
        Message { pieces, head, cut, complete }
    }

    /// Bytes of the head.
    pub(crate) fn head_length(&self) -> usize {
        self.head
    }

    /// The head, as far as it was kept.
    pub(crate) fn head(&self) -> Cow<'_, [u8]> {
        match self.pieces.first() {
            Some(first) if first.len() >= self.head => Cow::Borrowed(&first[..self.head]),
            _ => {
                let all = self.pieces.iter().flat_map(|piece| piece.iter().copied());
                Cow::Owned(all.take(self.head).collect())
            }
        }
    }

    /// Head and body in one, as they were on the wire.
    pub(crate) fn wire(&self) -> Vec<u8> {
        self.pieces.concat()
    }

    /// Bytes of the body that were kept, as they were on the wire.
    pub(crate) fn body_size(&self) -> usize {
        self.pieces.iter().map(Bytes::len).sum::<usize>().saturating_sub(self.head)
    }

    /// The body as it was on the wire, piece after piece.
    pub(crate) fn body(&self) -> impl Iterator<Item = Bytes> + use<> {
        let mut skipped = self.head;
        self.pieces.clone().into_iter().filter_map(move |mut piece| {
            let here = skipped.min(piece.len());
            skipped -= here;
            let rest = piece.split_off(here);
            (!rest.is_empty()).then_some(rest)
        })
    }

    /// The body without its transfer coding, piece after piece. What cannot be followed ends it.
    pub(crate) fn content(&self) -> Content {
        let chunked = with_headers(&self.head(), framing).and_then(Result::ok).flatten();
        let framing = match chunked {
            Some(chunks @ Framing::Chunked(_)) => chunks,
            _ => Framing::UntilClose,
        };
        Content { pieces: Box::new(self.body()), framing, ready: Vec::new().into_iter(), over: false }
    }

    /// All of the content in one.
    pub(crate) fn whole_content(&self) -> Vec<u8> {
        let mut whole = Vec::new();
        self.content().for_each(|piece| whole.extend_from_slice(&piece));
        whole
    }

    /// Names and values in their order.
    pub(crate) fn headers(&self) -> Vec<Header> {
        let owned = |headers: &[httparse::Header<'_>]| {
            let named = headers.iter().filter(|header| !header.name.is_empty());
            named.map(|header| (header.name.to_owned(), header.value.to_vec())).collect()
        };
        with_headers(&self.head(), owned).unwrap_or_default()
    }
}

/// The body of one message, in both forms.
pub struct Bodies(pub(super) Message);

impl Bodies {
    /// As it was on the wire, piece after piece.
    pub fn wire(&self) -> impl Iterator<Item = Bytes> + Send + use<> {
        self.0.body()
    }

    /// Without its transfer coding, piece after piece.
    pub fn content(&self) -> impl Iterator<Item = Bytes> + Send + use<> {
        self.0.content()
    }
}

/// Reads the headers of a request or a response, whichever the head is of.
fn with_headers<T>(head: &[u8], read: impl FnOnce(&[httparse::Header<'_>]) -> T) -> Option<T> {
    let lines = head.iter().position(|byte| *byte == b'\n')? + 1;
    // Most heads are small, and room for the others need not be made for each of a hundred thousand.
    let mut few = [httparse::EMPTY_HEADER; USUAL_HEADERS];
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

/// The content of a body, piece after piece.
pub(crate) struct Content {
    pieces: Box<dyn Iterator<Item = Bytes> + Send>,
    framing: Framing,
    ready: std::vec::IntoIter<Bytes>,
    over: bool,
}

impl Iterator for Content {
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

    fn message(text: &str, step: usize) -> Message {
        let head = text.find("\r\n\r\n").map_or(text.len(), |end| end + 4);
        let pieces = text.as_bytes().chunks(step).map(Bytes::copy_from_slice).collect();
        Message::new(pieces, head, false, true)
    }

    #[test]
    fn content_is_the_body_without_its_chunks_in_any_division() {
        let text = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nX: 1\r\n\r\n3;e=1\r\nabc\r\n2\r\nde\r\n0\r\nSum: 1\r\n\r\n";
        for step in 1..text.len() {
            let message = message(text, step);
            assert_eq!(message.whole_content(), b"abcde", "{step}");
            assert!(message.head().ends_with(b"X: 1\r\n\r\n"));
            assert_eq!(message.headers()[1], ("X".to_owned(), b"1".to_vec()));
            assert_eq!(message.body().map(|piece| piece.len()).sum::<usize>(), text.len() - message.head_length());
        }
    }

    #[test]
    fn a_plain_body_is_its_own_content_and_broken_chunks_end_it() {
        assert_eq!(message("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 7).whole_content(), b"ok");
        let broken = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nokX";
        assert_eq!(message(broken, 100).whole_content(), b"ok");
        assert_eq!(message("", 1).headers(), []);
    }
}
