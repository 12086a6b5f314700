//! Encrypted records that the socket has not taken yet.

use std::{
    collections::VecDeque,
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
};
use tokio::io::AsyncWrite;

/// Records that one system call takes.
const MAX_SLICES: usize = 16;

/// A queue of records. The first is kept apart, because it is the only one most of the time.
#[derive(Default)]
pub(super) struct Outgoing {
    first: Vec<u8>,
    /// Bytes of `first` that are written.
    written: usize,
    more: VecDeque<Vec<u8>>,
    /// Bytes of all records that are not written.
    length: usize,
}

impl Outgoing {
    pub(super) fn push(&mut self, record: Vec<u8>) {
        self.length += record.len();
        match self.first.is_empty() {
            true => self.first = record,
            false => self.more.push_back(record),
        }
    }

    /// Bytes that wait.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// Writes all records.
    pub(super) fn poll_write(
        &mut self,
        io: &mut (impl AsyncWrite + Unpin),
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        while self.length > 0 {
            let io = Pin::new(&mut *io);
            let count = if self.more.is_empty() || !io.is_write_vectored() {
                ready!(io.poll_write(cx, &self.first[self.written..]))?
            } else {
                let mut slices = [IoSlice::new(&[]); MAX_SLICES];
                let rest = self.more.iter().map(Vec::as_slice);
                let records = std::iter::once(&self.first[self.written..]).chain(rest);
                let filled =
                    slices.iter_mut().zip(records).map(|(slice, record)| *slice = IoSlice::new(record)).count();
                ready!(io.poll_write_vectored(cx, &slices[..filled]))?
            };
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.remove(count);
        }
        Poll::Ready(Ok(()))
    }

    fn remove(&mut self, count: usize) {
        self.length -= count;
        self.written += count;
        while self.written >= self.first.len() && !self.first.is_empty() {
            self.written -= self.first.len();
            self.first = self.more.pop_front().unwrap_or_default();
        }
        if self.length == 0 {
            self.more = VecDeque::new();
        }
    }
}
