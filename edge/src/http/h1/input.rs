//! Bytes that were received and are not used yet.

use super::head::{self, HeadError};
use bytes::{Bytes, BytesMut};
use std::{
    io,
    mem::MaybeUninit,
    pin::Pin,
    task::{Context, Poll, ready},
};
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::io::poll_read_buf;

/// Bytes that are read at once.
const READ_BYTES: usize = 16 * 1024;

/// Bytes that were received and are not used yet. It has no memory while there are none.
#[derive(Debug, Default)]
pub(super) struct Input {
    bytes: BytesMut,
    /// Bytes of an incomplete header block in which no end was found.
    searched: usize,
}

impl Input {
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn bytes(&mut self) -> &mut BytesMut {
        &mut self.bytes
    }

    /// Takes all bytes out.
    pub(super) fn take(&mut self) -> Bytes {
        std::mem::take(&mut self.bytes).freeze()
    }

    /// Reads from `stream` without holding memory while nothing comes. Ready with the number of bytes, which is 0 at the end
    /// of the stream.
    pub(super) fn poll_read<S: AsyncRead + Unpin>(
        &mut self,
        stream: &mut S,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        let mut piece = [MaybeUninit::uninit(); READ_BYTES];
        let mut piece = ReadBuf::uninit(&mut piece);
        ready!(Pin::new(stream).poll_read(cx, &mut piece))?;
        self.bytes.extend_from_slice(piece.filled());
        Poll::Ready(Ok(piece.filled().len()))
    }

    /// Like [`Input::poll_read`], for bodies: what comes is not copied.
    pub(super) fn poll_read_body<S: AsyncRead + Unpin>(
        &mut self,
        stream: &mut S,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        self.bytes.reserve(READ_BYTES);
        let polled = poll_read_buf(Pin::new(stream), cx, &mut self.bytes);
        if polled.is_pending() {
            self.release();
        }
        polled
    }

    /// Frees the memory if there is nothing in it.
    pub(super) fn release(&mut self) {
        if self.bytes.is_empty() {
            self.bytes = BytesMut::new();
        }
    }

    fn skip_empty_lines(&mut self) {
        loop {
            let blank = match self.bytes[..] {
                [b'\n', ..] => 1,
                [b'\r', b'\n', ..] => 2,
                _ => return,
            };
            let _ = self.bytes.split_to(blank);
        }
    }

    /// Takes a complete header block out; empty lines in front of it are dropped (RFC 9112, section 2.2).
    ///
    /// # Errors
    /// If it has more than `limit` bytes.
    pub(super) fn take_head(&mut self, limit: usize) -> Result<Option<Bytes>, HeadError> {
        if self.searched == 0 {
            self.skip_empty_lines();
            if self.bytes[..] == b"\r"[..] {
                return Ok(None);
            }
        }
        let Some(end) = head::end(&self.bytes, self.searched) else {
            self.searched = self.bytes.len();
            self.release();
            return if self.searched > limit { Err(HeadError::TooLarge) } else { Ok(None) };
        };
        self.searched = 0;
        let head = self.bytes.split_to(end).freeze();
        self.release();
        if end > limit { Err(HeadError::TooLarge) } else { Ok(Some(head)) }
    }
}
