//! The raw bytes of one message, kept up to a limit, with exact knowledge of the memory they take.

use super::{framing::Framing, message::Message};
use bytes::Bytes;

/// A piece is never larger than this, so that growing never copies what is there.
const MAX_PIECE: usize = 64 * 1024;
const MIN_PIECE: usize = 512;
/// So much room is made at once for what a message says of its length; whoever announces more need not send it.
const MOST_EXPECTED: usize = 4 * 1024;

/// A recording with its first bytes, which nobody has seen yet.
pub(crate) struct Begun {
    pub(crate) recording: Recording,
    /// The memory it takes, which is on the store's account already.
    pub(crate) taken: usize,
}

/// Bytes as they were on the wire.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    /// The first full piece, and the others: most messages have one. They are shared with whoever looks, so that
    /// looking copies nothing.
    first: Bytes,
    others: Vec<Bytes>,
    /// The piece that is being filled.
    filling: Vec<u8>,
    kept: usize,
    limit: usize,
    /// Bytes of head and body in all, where that is known.
    expected: usize,
    /// Bytes that passed, kept or not.
    pub(crate) passed: u64,
    /// Bytes of the head at the front.
    pub(crate) head: usize,
    /// Whether not all that passed was kept.
    pub(crate) cut: bool,
    /// Whether the message has ended as it should.
    pub(crate) complete: bool,
    /// The body stands as it is: no transfer coding is around it.
    pub(crate) plain: bool,
}

impl Recording {
    /// A message with a head of so many bytes and at most so many kept bytes of body.
    pub(crate) fn new(head: usize, body_limit: usize) -> Self {
        Recording { head, limit: head.saturating_add(body_limit), ..Recording::default() }
    }

    /// Knows how long the body will be.
    pub(crate) fn expecting(mut self, framing: &Framing) -> Self {
        if let Framing::Length(body) = framing {
            self.plain = true;
            self.expected = self.head.saturating_add(usize::try_from(*body).unwrap_or(usize::MAX));
        }
        self
    }

    /// Keeps as much as fits into memory that is there already; the rest is returned.
    pub(crate) fn fill<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let room = self.limit.saturating_sub(self.kept);
        let spare = self.filling.capacity() - self.filling.len();
        let taken = bytes.len().min(room).min(spare);
        self.filling.extend_from_slice(&bytes[..taken]);
        self.kept += taken;
        &bytes[taken..]
    }

    /// How much memory is needed for more bytes; 0 once the limit is reached.
    pub(crate) fn wanted(&self, bytes: usize) -> usize {
        let room = self.limit.saturating_sub(self.kept);
        let expected = self.expected.saturating_sub(self.kept).min(MOST_EXPECTED);
        if expected >= bytes {
            return expected.min(room);
        }
        // Pieces double, so that many small writes make few pieces and one small message makes a small one.
        bytes.max(self.kept).clamp(MIN_PIECE, MAX_PIECE).min(room).max(bytes.min(room).min(MAX_PIECE))
    }

    /// Adds memory. Returns what it really takes.
    pub(crate) fn grow(&mut self, wanted: usize) -> usize {
        let piece: Vec<u8> = Vec::with_capacity(wanted);
        let capacity = piece.capacity();
        let full = std::mem::replace(&mut self.filling, piece);
        self.push(full);
        capacity
    }

    fn push(&mut self, full: Vec<u8>) {
        match full {
            nothing if nothing.is_empty() => {}
            first if self.first.is_empty() => self.first = first.into(),
            other => self.others.push(other.into()),
        }
    }

    /// Gives back memory that is not used. Returns how much.
    pub(crate) fn trim(&mut self) -> usize {
        let mut last = std::mem::take(&mut self.filling);
        let before = last.capacity();
        last.shrink_to_fit();
        let given_back = before - last.capacity();
        self.push(last);
        self.others.shrink_to_fit();
        given_back
    }

    /// Everything that is kept, if it lies in one piece.
    pub(crate) fn in_one_piece(&self) -> Option<&[u8]> {
        match (&self.first[..], self.others.as_slice(), self.filling.as_slice()) {
            ([], _, filling) => Some(filling),
            (one, [], []) => Some(one),
            _ => None,
        }
    }

    /// Looks at the head as far as it is kept, without copying it where it lies in one piece.
    pub(crate) fn look_at_head<T>(&self, look: impl FnOnce(&[u8]) -> T) -> T {
        let first = if self.first.is_empty() { self.filling.as_slice() } else { &self.first[..] };
        match first.get(..self.head) {
            Some(head) => look(head),
            None => look(&self.message().head()),
        }
    }

    /// What is kept at this moment.
    pub(crate) fn message(&self) -> Message {
        let first = (!self.first.is_empty()).then_some(&self.first);
        let mut pieces: Vec<Bytes> = first.into_iter().chain(&self.others).cloned().collect();
        if !self.filling.is_empty() {
            pieces.push(Bytes::copy_from_slice(&self.filling));
        }
        Message::new(pieces, self.head, self.cut, self.complete)
    }

    /// Forgets the bytes, not the facts.
    pub(crate) fn clear(&mut self) {
        self.first = Bytes::new();
        self.others = Vec::new();
        self.filling = Vec::new();
        self.kept = 0;
        self.limit = 0;
        self.cut = true;
    }
}
