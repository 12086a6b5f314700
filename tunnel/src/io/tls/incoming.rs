//! Received bytes: records that are not decrypted yet, and plaintext that is not read yet.

use super::{
    super::buffers::{Buffer, SIZE},
    HEADER_LENGTH, MAX_EXPANSION, MAX_PLAINTEXT, record_length,
};
use rustls::{ContentType, Error};
use std::{
    io,
    ops::Range,
    pin::Pin,
    task::{Context, Poll},
};
use tokio::io::{AsyncRead, ReadBuf};

/// Bytes read at a time while many buffers are lent.
const SMALL_SIZE: usize = 4096;

/// A buffer only while there is something in it.
#[derive(Default)]
pub(super) struct Incoming {
    storage: Storage,
    /// Decrypted bytes.
    plaintext: Range<u32>,
    /// Records that are not decrypted, the last of them perhaps in part.
    records: Range<u32>,
}

#[derive(Default)]
enum Storage {
    #[default]
    None,
    Lent(Buffer),
    /// While many buffers are lent, or a part of a record waits for the rest.
    Own(Vec<u8>),
}

/// A record that was received as a whole.
pub(super) struct Record<'a> {
    pub(super) content: ContentType,
    pub(super) fragment: &'a mut [u8],
    /// The position of `fragment` in the buffer.
    pub(super) fragment_start: usize,
}

impl Storage {
    fn bytes(&mut self) -> &mut [u8] {
        match self {
            Storage::None => &mut [],
            Storage::Lent(buffer) => buffer,
            Storage::Own(bytes) => bytes,
        }
    }
}

impl Incoming {
    /// What was received with the end of the handshake.
    pub(super) fn new(records: Vec<u8>) -> Self {
        let mut incoming =
            Incoming { plaintext: 0..0, records: 0..records.len() as u32, storage: Storage::Own(records) };
        incoming.release_if_empty();
        incoming
    }

    /// Moves plaintext to the reader as far as it fits.
    pub(super) fn read(&mut self, buf: &mut ReadBuf<'_>) {
        let count = self.plaintext.len().min(buf.remaining());
        let from = self.plaintext.start as usize;
        buf.put_slice(&self.storage.bytes()[from..from + count]);
        self.plaintext.start += count as u32;
        self.release_if_empty();
    }

    pub(super) fn has_plaintext(&self) -> bool {
        !self.plaintext.is_empty()
    }

    /// Plaintext of the record that was taken last.
    pub(super) fn set_plaintext(&mut self, range: Range<usize>) {
        self.plaintext = range.start as u32..range.end as u32;
        self.release_if_empty();
    }

    fn release_if_empty(&mut self) {
        if self.plaintext.is_empty() && self.records.is_empty() {
            *self = Incoming::default();
        }
    }

    /// The length of the record that comes next, with its header; `None` until the header is there.
    fn next_length(&mut self) -> Result<Option<usize>, Error> {
        record_length(&self.storage.bytes()[self.records.start as usize..self.records.end as usize])
    }

    /// Takes the next record if it is there as a whole. Must be called when there is no plaintext.
    pub(super) fn next_record(&mut self) -> Result<Option<Record<'_>>, Error> {
        debug_assert!(!self.has_plaintext());
        let Some(length) = self.next_length()?.filter(|length| *length <= self.records.len()) else { return Ok(None) };
        let from = self.records.start as usize;
        self.records.start += length as u32;
        let record = &mut self.storage.bytes()[from..from + length];
        let (header, fragment) = record.split_at_mut(HEADER_LENGTH);
        Ok(Some(Record { content: ContentType::from(header[0]), fragment, fragment_start: from + HEADER_LENGTH }))
    }

    /// Receives more. Must be called when neither plaintext nor a whole record is there.
    pub(super) fn poll_receive(
        &mut self,
        io: &mut (impl AsyncRead + Unpin),
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        let expected = self.next_length().ok().flatten().unwrap_or(HEADER_LENGTH);
        self.make_room(expected);
        let end = self.records.end as usize;
        let mut buf = ReadBuf::new(&mut self.storage.bytes()[end..]);
        let poll = Pin::new(io).poll_read(cx, &mut buf);
        let count = buf.filled().len();
        self.records.end += count as u32;
        if count == 0 {
            self.wait();
        }
        poll.map_ok(|()| count)
    }

    /// Makes room for the record that has begun.
    fn make_room(&mut self, expected: usize) {
        match &self.storage {
            Storage::None => {
                self.storage = Buffer::borrow_if_few().map_or_else(|| Storage::Own(vec![0; SMALL_SIZE]), Storage::Lent);
                self.records = 0..0;
                return;
            }
            Storage::Own(part) => {
                if let Some(mut buffer) = Buffer::borrow_if_few() {
                    let part = &part[self.records.start as usize..self.records.end as usize];
                    buffer[..part.len()].copy_from_slice(part);
                    self.records = 0..part.len() as u32;
                    self.storage = Storage::Lent(buffer);
                    return;
                }
            }
            Storage::Lent(_) => {}
        }
        let Range { start, end } = self.records;
        let (start, end) = (start as usize, end as usize);
        let bytes = self.storage.bytes();
        if start + expected > bytes.len() || end == bytes.len() {
            bytes.copy_within(start..end, 0);
            self.records = 0..(end - start) as u32;
            if let Storage::Own(bytes) = &mut self.storage
                && bytes.len() < expected
            {
                bytes.resize(expected, 0);
            }
        }
    }

    /// Keeps no more than the part of a record until more arrives: a peer that stops amid a record must not hold what others
    /// could use.
    fn wait(&mut self) {
        self.release_if_empty();
        if let Storage::Lent(buffer) = &self.storage {
            let part = buffer[self.records.start as usize..self.records.end as usize].to_vec();
            self.records = 0..part.len() as u32;
            self.storage = Storage::Own(part);
        }
    }
}

#[cfg(test)]
impl Incoming {
    /// Bytes that are held.
    pub(super) fn held(&mut self) -> usize {
        self.storage.bytes().len()
    }
}

const _: () = assert!(SIZE > MAX_PLAINTEXT + MAX_EXPANSION + HEADER_LENGTH, "a buffer holds any record");
