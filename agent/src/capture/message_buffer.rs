//! The raw bytes of one captured message, kept up to a limit, with an exact count of the memory they take.

use super::{framing::BodyFraming, message::CapturedMessage};
use bytes::Bytes;

/// Chunks are never larger than this, and growing never copies the bytes that are there.
pub(super) const MAX_CHUNK_BYTES: usize = 64 * 1024;
const MIN_CHUNK_BYTES: usize = 512;
/// Bytes that are allocated at once for a declared Content-Length; a sender may declare more than it sends.
const MAX_PREALLOCATED_BYTES: usize = 4 * 1024;

/// A buffer with its first bytes, whose memory the budget already counts.
pub(crate) struct ChargedBuffer {
    pub(crate) buffer: MessageBuffer,
    /// Bytes of memory it takes.
    pub(crate) charged: usize,
}

/// Bytes as they were on the wire.
#[derive(Debug, Default)]
pub(crate) struct MessageBuffer {
    /// The first full chunk; most messages have no more. Chunks are shared with readers, so reading copies nothing.
    first: Bytes,
    rest: Vec<Bytes>,
    /// The chunk that is being filled.
    filling: Vec<u8>,
    kept: usize,
    limit: usize,
    /// Bytes of head and body together, or 0 while unknown.
    expected: usize,
    /// Bytes that have passed, kept or not.
    pub(crate) passed: u64,
    /// Bytes of the head.
    pub(crate) head: usize,
    /// Some of the bytes that passed were not kept.
    pub(crate) cut: bool,
    /// The message has ended properly.
    pub(crate) complete: bool,
    /// The body has no transfer coding.
    pub(crate) plain: bool,
}

impl MessageBuffer {
    /// A buffer for a head of `head` bytes and at most `body_limit` bytes of body.
    pub(crate) fn new(head: usize, body_limit: usize) -> Self {
        MessageBuffer { head, limit: head.saturating_add(body_limit), ..MessageBuffer::default() }
    }

    /// Takes the body's length from its framing.
    pub(crate) fn with_framing(mut self, framing: &BodyFraming) -> Self {
        if let BodyFraming::Length(body) = framing {
            self.plain = true;
            self.expected = self.head.saturating_add(usize::try_from(*body).unwrap_or(usize::MAX));
        }
        self
    }

    /// Copies as much as fits into the memory that is there and returns the rest.
    pub(crate) fn fill<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let room = self.limit.saturating_sub(self.kept);
        let spare = self.filling.capacity() - self.filling.len();
        let copied = bytes.len().min(room).min(spare);
        self.filling.extend_from_slice(&bytes[..copied]);
        self.kept += copied;
        &bytes[copied..]
    }

    /// Bytes of memory to add before `bytes` more can be kept; 0 once the limit is reached.
    pub(crate) fn needed(&self, bytes: usize) -> usize {
        let room = self.limit.saturating_sub(self.kept);
        let expected = self.expected.saturating_sub(self.kept).min(MAX_PREALLOCATED_BYTES);
        if expected >= bytes {
            return expected.min(room);
        }
        // Chunks double: many small writes make few chunks, and one small message makes a small one.
        bytes.max(self.kept).clamp(MIN_CHUNK_BYTES, MAX_CHUNK_BYTES).min(room).max(bytes.min(room).min(MAX_CHUNK_BYTES))
    }

    /// Adds an empty chunk. Returns the bytes that were really allocated.
    pub(crate) fn grow(&mut self, chunk: Vec<u8>) -> usize {
        let capacity = chunk.capacity();
        let full = std::mem::replace(&mut self.filling, chunk);
        self.push(full);
        capacity
    }

    fn push(&mut self, full: Vec<u8>) {
        match full {
            empty if empty.is_empty() => {}
            first if self.first.is_empty() => self.first = first.into(),
            other => self.rest.push(other.into()),
        }
    }

    /// Keeps no more than is there.
    pub(crate) fn stop_keeping(&mut self) {
        self.limit = self.kept;
        self.cut = true;
    }

    /// Frees memory that is not used. Returns how many bytes.
    pub(crate) fn trim(&mut self) -> usize {
        let mut last = std::mem::take(&mut self.filling);
        let before = last.capacity();
        last.shrink_to_fit();
        let freed = before - last.capacity();
        self.push(last);
        self.rest.shrink_to_fit();
        freed
    }

    /// All kept bytes, if they lie in one chunk.
    pub(crate) fn contiguous(&self) -> Option<&[u8]> {
        match (&self.first[..], self.rest.as_slice(), self.filling.as_slice()) {
            ([], _, filling) => Some(filling),
            (one, [], []) => Some(one),
            _ => None,
        }
    }

    /// Calls `read` with the kept part of the head, without copying it where it lies in one chunk.
    pub(crate) fn with_head<T>(&self, read: impl FnOnce(&[u8]) -> T) -> T {
        let first = if self.first.is_empty() { self.filling.as_slice() } else { &self.first[..] };
        match first.get(..self.head) {
            Some(head) => read(head),
            None => read(&self.message().head()),
        }
    }

    /// A snapshot of the bytes that are kept at this moment.
    pub(crate) fn message(&self) -> CapturedMessage {
        let first = (!self.first.is_empty()).then_some(&self.first);
        let mut chunks: Vec<Bytes> = first.into_iter().chain(&self.rest).cloned().collect();
        if !self.filling.is_empty() {
            chunks.push(Bytes::copy_from_slice(&self.filling));
        }
        CapturedMessage::new(chunks, self.head, self.cut, self.complete)
    }

    /// Drops the bytes and keeps the counters. Adds the largest chunks to `freed`, unless a reader has them.
    pub(crate) fn clear(&mut self, freed: &mut Vec<Vec<u8>>) {
        let first = std::mem::take(&mut self.first);
        let full = std::iter::once(first).chain(std::mem::take(&mut self.rest));
        let full = full.filter_map(|chunk| chunk.try_into_mut().ok()).map(Vec::from);
        let all = full.chain([std::mem::take(&mut self.filling)]);
        freed.extend(all.filter(|chunk| chunk.capacity() == MAX_CHUNK_BYTES).map(|mut chunk| {
            chunk.clear();
            chunk
        }));
        self.kept = 0;
        self.limit = 0;
        self.cut = true;
    }
}
