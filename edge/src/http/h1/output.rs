//! Bytes that wait to be written.

use bytes::{Buf, Bytes};
use http_body::SizeHint;
use postern_tunnel::proto::frame::MAX_SENT_PAYLOAD;
use std::{
    collections::VecDeque,
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
};
use tokio::io::AsyncWrite;

/// Pieces of a body up to this size are copied behind the bytes in front of them, so that they leave in one write.
const MAX_COPIED_BYTES: usize = 4 * 1024;
/// The same for streams that take one slice at a time.
const MAX_COPIED_BYTES_UNVECTORED: usize = 64 * 1024;
/// No more of a body is taken while so many bytes wait. The bytes of one frame of a tunnel are more than that, so that nothing of
/// the next is taken, and less than the 64 KiB that a TLS connection takes at once.
const MAX_WAITING_BYTES: usize = MAX_SENT_PAYLOAD - 1024;
/// Slices of one write.
const MAX_SLICES: usize = 16;

/// Bytes of a body that will be copied behind its head: all of a small one.
pub(super) fn copied_bytes(body: Option<SizeHint>) -> usize {
    let length = body.and_then(|size| size.exact()).and_then(|length| usize::try_from(length).ok());
    length.filter(|length| *length <= MAX_COPIED_BYTES).unwrap_or(0)
}

/// Bytes that wait to be written. It has no memory while there are none.
#[derive(Debug, Default)]
pub(super) struct Output {
    /// What comes first.
    pieces: VecDeque<Bytes>,
    /// Bytes of `pieces`.
    piece_bytes: usize,
    /// What comes behind the pieces.
    last: Vec<u8>,
    /// How many bytes of `last` are written.
    written: usize,
    max_copied: usize,
}

impl Output {
    /// For a stream that takes several slices at once, or one.
    pub(super) fn new(is_vectored: bool) -> Self {
        let max_copied = if is_vectored { MAX_COPIED_BYTES } else { MAX_COPIED_BYTES_UNVECTORED };
        Output { max_copied, ..Output::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty() && self.last.is_empty()
    }

    /// Bytes that wait.
    pub(super) fn len(&self) -> usize {
        self.piece_bytes + self.last.len() - self.written
    }

    /// Whether more of a body may be pushed.
    pub(super) fn has_room(&self) -> bool {
        self.len() < MAX_WAITING_BYTES
    }

    /// For heads and lines: what is appended is written behind everything that waits.
    pub(super) fn head(&mut self) -> &mut Vec<u8> {
        &mut self.last
    }

    /// Appends a piece of a body.
    pub(super) fn push(&mut self, data: Bytes) {
        if data.len() <= self.max_copied {
            if data.len() > MAX_COPIED_BYTES {
                // More pieces of this size are likely to follow.
                self.last.reserve_exact((MAX_WAITING_BYTES + data.len()).saturating_sub(self.last.len()));
            }
            return self.last.extend_from_slice(&data);
        }
        if !self.last.is_empty() {
            let mut before = Bytes::from(std::mem::take(&mut self.last));
            before.advance(std::mem::take(&mut self.written));
            self.push_piece(before);
        }
        self.push_piece(data);
    }

    fn push_piece(&mut self, piece: Bytes) {
        self.piece_bytes += piece.len();
        self.pieces.push_back(piece);
    }

    /// Writes everything.
    pub(super) fn poll_write<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        while !self.is_empty() {
            let last = &self.last[self.written..];
            let polled = match self.pieces.front() {
                None => Pin::new(&mut *stream).poll_write(cx, last),
                Some(piece) if !stream.is_write_vectored() => Pin::new(&mut *stream).poll_write(cx, piece),
                Some(_) => {
                    let mut slices = [IoSlice::new(&[]); MAX_SLICES];
                    let waiting = self.pieces.iter().map(Bytes::as_ref).chain([last]);
                    let count =
                        slices.iter_mut().zip(waiting).map(|(slice, bytes)| *slice = IoSlice::new(bytes)).count();
                    Pin::new(&mut *stream).poll_write_vectored(cx, &slices[..count])
                }
            };
            match ready!(polled)? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                count => self.advance(count),
            }
        }
        Poll::Ready(Ok(()))
    }

    fn advance(&mut self, mut count: usize) {
        while let Some(piece) = self.pieces.front_mut() {
            let taken = count.min(piece.len());
            piece.advance(taken);
            self.piece_bytes -= taken;
            count -= taken;
            if !piece.is_empty() {
                return;
            }
            self.pieces.pop_front();
        }
        self.written += count;
        if self.written == self.last.len() {
            (self.last, self.pieces, self.written) = (Vec::new(), VecDeque::new(), 0);
        } else if self.written > self.last.len() / 2 {
            // The stream may never take everything before more is pushed.
            self.last.drain(..self.written);
            self.written = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::future::poll_fn;
    use tokio::io::AsyncReadExt;

    /// Takes a thousand bytes at a time.
    struct SlowWriter {
        taken: usize,
        is_ready: bool,
    }

    impl AsyncWrite for SlowWriter {
        fn poll_write(mut self: Pin<&mut Self>, _cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            let size = bytes.len().min(1000);
            if !std::mem::replace(&mut self.is_ready, false) {
                return Poll::Pending;
            }
            self.taken += size;
            Poll::Ready(Ok(size))
        }

        fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    #[test]
    fn what_is_written_is_freed_though_something_always_waits() {
        let (mut output, mut writer) = (Output::new(false), SlowWriter { taken: 0, is_ready: true });
        let mut cx = Context::from_waker(std::task::Waker::noop());
        for _ in 0..1000 {
            while output.has_room() {
                output.push(vec![0; 4000].into());
            }
            assert!(output.poll_write(&mut writer, &mut cx).is_pending());
            writer.is_ready = true;
        }
        assert_eq!(writer.taken, 1_000_000);
        assert!(output.last.capacity() < 4 * MAX_WAITING_BYTES, "{} bytes", output.last.capacity());
    }

    proptest! {
        #[test]
        fn bytes_are_written_in_order_however_little_the_stream_takes(
            pieces in prop::collection::vec((any::<bool>(), 0_usize..9000), 1..20),
            room in 1_usize..3000,
            is_vectored in any::<bool>(),
        ) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
            let (mut output, mut expected) = (Output::new(is_vectored), Vec::new());
            for (number, (is_head, size)) in pieces.into_iter().enumerate() {
                let bytes = vec![number as u8; size];
                expected.extend_from_slice(&bytes);
                if is_head {
                    output.head().extend_from_slice(&bytes);
                } else {
                    output.push(bytes.into());
                }
            }
            let (mut near, mut far) = tokio::io::duplex(room);
            let mut received = Vec::new();
            runtime.block_on(async {
                let writing = async move {
                    poll_fn(|cx| output.poll_write(&mut near, cx)).await.expect("written");
                    assert!(output.is_empty() && output.last.capacity() == 0);
                };
                let (_, outcome) = tokio::join!(writing, far.read_to_end(&mut received));
                outcome.expect("an end");
            });
            prop_assert_eq!(received, expected);
        }
    }
}
