//! Relays bytes between two streams in both directions.
//!
//! Buffers are borrowed only while bytes are in flight, so idle visitors hold none.

use super::buffers::RelayBuffer;
use crate::proto::frame::MAX_SENT_PAYLOAD;
use std::{
    future::poll_fn,
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes that one direction moves before it yields to other tasks.
const YIELD_AFTER_BYTES: usize = 256 * 1024;

/// Observer of the bytes of one direction. Called inline, so it must be fast.
pub trait Tap: Send {
    /// Called with bytes before they are written.
    fn observe(&mut self, bytes: &[u8]);
    /// Called when the direction has ended properly.
    fn finished(&mut self) {}
}

/// A tap that ignores the bytes.
impl Tap for () {
    fn observe(&mut self, _bytes: &[u8]) {}
}

/// One of the two streams of a relay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelayPeer {
    /// The first stream.
    A,
    /// The second stream.
    B,
}

/// Result of a relay.
#[derive(Debug)]
pub struct RelayEnd {
    /// The stream that ended or broke first; the first one if both did at the same time.
    pub ended_first: RelayPeer,
    /// Bytes moved from the first stream to the second.
    pub a_to_b: u64,
    /// Bytes moved from the second stream to the first.
    pub b_to_a: u64,
    /// First error, if the relay did not end properly.
    pub error: Option<io::Error>,
}

/// Relays bytes until both directions have ended or one breaks.
///
/// The end of one direction is passed on and leaves the other running. A write error ends one direction and lets the
/// other finish; a read error ends the relay at once. Both streams are dropped at the end.
pub async fn relay<A, B>(a: A, b: B) -> RelayEnd
where
    A: AsyncRead + AsyncWrite + Unpin,
    B: AsyncRead + AsyncWrite + Unpin,
{
    relay_tapped(a, b, (), ()).await
}

/// A [`relay`] with a [`Tap`] on each direction.
pub async fn relay_tapped<A, B>(mut a: A, mut b: B, a_to_b: impl Tap, b_to_a: impl Tap) -> RelayEnd
where
    A: AsyncRead + AsyncWrite + Unpin,
    B: AsyncRead + AsyncWrite + Unpin,
{
    let mut forward = RelayDirection::new(a_to_b);
    let mut backward = RelayDirection::new(b_to_a);
    let mut ended_first = None;
    let read_error = poll_fn(|cx| {
        let polled = forward.poll(cx, Pin::new(&mut a), Pin::new(&mut b));
        ended_first = ended_first.or(forward.ended_by(&polled, RelayPeer::A, RelayPeer::B));
        let forward = polled?;
        let polled = backward.poll(cx, Pin::new(&mut b), Pin::new(&mut a));
        ended_first = ended_first.or(backward.ended_by(&polled, RelayPeer::B, RelayPeer::A));
        let backward = polled?;
        if forward.is_ready() && backward.is_ready() { Poll::Ready(io::Result::Ok(())) } else { Poll::Pending }
    })
    .await
    .err();
    let error = read_error.or(forward.write_error).or(backward.write_error);
    let ended_first = ended_first.unwrap_or(RelayPeer::A);
    RelayEnd { ended_first, a_to_b: forward.moved, b_to_a: backward.moved, error }
}

/// One direction of a relay.
pub(crate) struct RelayDirection<T> {
    state: RelayState,
    /// Present only while it holds bytes that the writer has not taken.
    buffer: Option<RelayBuffer>,
    from: usize,
    to: usize,
    moved: u64,
    flushed: bool,
    tap: T,
    /// Error of the writer, which takes no more bytes.
    write_error: Option<io::Error>,
}

#[derive(Clone, Copy)]
enum RelayState {
    Copying,
    ShuttingDown,
    Done,
}

impl<T: Tap> RelayDirection<T> {
    pub(crate) fn new(tap: T) -> Self {
        RelayDirection {
            state: RelayState::Copying,
            buffer: None,
            from: 0,
            to: 0,
            moved: 0,
            flushed: true,
            tap,
            write_error: None,
        }
    }

    /// Fails only on read errors.
    pub(crate) fn poll(
        &mut self,
        cx: &mut Context<'_>,
        mut reader: Pin<&mut impl AsyncRead>,
        mut writer: Pin<&mut impl AsyncWrite>,
    ) -> Poll<io::Result<()>> {
        let mut budget = YIELD_AFTER_BYTES;
        loop {
            match self.state {
                RelayState::Done => return Poll::Ready(Ok(())),
                RelayState::ShuttingDown => {
                    match ready!(writer.as_mut().poll_shutdown(cx)) {
                        Ok(()) => self.tap.finished(),
                        Err(error) => self.write_error = Some(error),
                    }
                    self.state = RelayState::Done;
                }
                RelayState::Copying => {
                    if let Err(error) = ready!(self.poll_write(cx, writer.as_mut())) {
                        self.stop_writing(error);
                        continue;
                    }
                    if budget == 0 {
                        cx.waker().wake_by_ref();
                        return Poll::Pending;
                    }
                    match self.poll_read(cx, reader.as_mut())? {
                        Poll::Ready(0) => self.state = RelayState::ShuttingDown,
                        Poll::Ready(count) => budget = budget.saturating_sub(count),
                        Poll::Pending => match self.poll_flush(cx, writer.as_mut()) {
                            Poll::Ready(Err(error)) => self.stop_writing(error),
                            _ => return Poll::Pending,
                        },
                    }
                }
            }
        }
    }

    /// The stream that ended this direction: its reader, which came to an end or broke, or its writer, which broke.
    fn ended_by(&self, polled: &Poll<io::Result<()>>, reader: RelayPeer, writer: RelayPeer) -> Option<RelayPeer> {
        match (self.state, polled) {
            _ if self.write_error.is_some() => Some(writer),
            (RelayState::Copying, Poll::Ready(Err(_))) => Some(reader),
            (RelayState::Copying, _) => None,
            (RelayState::ShuttingDown | RelayState::Done, _) => Some(reader),
        }
    }

    fn stop_writing(&mut self, error: io::Error) {
        self.write_error = Some(error);
        self.buffer = None;
        self.state = RelayState::Done;
    }

    /// Flushes the writer, if it has unflushed bytes.
    fn poll_flush(&mut self, cx: &mut Context<'_>, writer: Pin<&mut impl AsyncWrite>) -> Poll<io::Result<()>> {
        if !self.flushed {
            ready!(writer.poll_flush(cx))?;
            self.flushed = true;
        }
        Poll::Ready(Ok(()))
    }

    /// Writes the content of the buffer and returns the buffer to the pool. While many buffers are held, the writer must have
    /// passed on what it took before: a TLS connection would queue records of 64 KiB.
    fn poll_write(&mut self, cx: &mut Context<'_>, mut writer: Pin<&mut impl AsyncWrite>) -> Poll<io::Result<()>> {
        if self.buffer.as_ref().is_some_and(RelayBuffer::is_smaller) {
            ready!(self.poll_flush(cx, writer.as_mut()))?;
        }
        if let Some(buffer) = &self.buffer {
            while self.from < self.to {
                let count = ready!(writer.as_mut().poll_write(cx, &buffer[self.from..self.to]))?;
                if count == 0 {
                    return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
                }
                self.from += count;
                self.moved += count as u64;
                self.flushed = false;
            }
            self.buffer = None;
        }
        Poll::Ready(Ok(()))
    }

    /// Reads into a borrowed buffer, which is kept only if bytes arrived.
    fn poll_read(&mut self, cx: &mut Context<'_>, reader: Pin<&mut impl AsyncRead>) -> Poll<io::Result<usize>> {
        let mut buffer = RelayBuffer::borrow();
        let length = buffer.len().min(MAX_SENT_PAYLOAD);
        let mut bytes = ReadBuf::new(&mut buffer[..length]);
        ready!(reader.poll_read(cx, &mut bytes))?;
        let count = bytes.filled().len();
        if count > 0 {
            self.tap.observe(bytes.filled());
            (self.from, self.to) = (0, count);
            self.buffer = Some(buffer);
        }
        Poll::Ready(Ok(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    /// Takes all bytes, and passes none on.
    #[derive(Default)]
    struct BlockedWriter {
        taken: usize,
    }

    impl AsyncWrite for BlockedWriter {
        fn poll_write(mut self: Pin<&mut Self>, _cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            self.taken += bytes.len();
            Poll::Ready(Ok(bytes.len()))
        }
        fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Pending
        }
        fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Pending
        }
    }

    fn taken_by_a_blocked_writer() -> usize {
        let mut writer = BlockedWriter::default();
        let mut direction = RelayDirection::new(());
        let mut reader: &[u8] = &[0; YIELD_AFTER_BYTES];
        let copied = poll_fn(|cx| direction.poll(cx, Pin::new(&mut reader), Pin::new(&mut writer))).now_or_never();
        assert!(copied.is_none(), "the writer has not passed anything on");
        writer.taken
    }

    #[test]
    fn a_writer_queues_one_buffer_while_many_are_held() {
        assert_eq!(taken_by_a_blocked_writer(), YIELD_AFTER_BYTES);
        let held: Vec<RelayBuffer> = (0..10_000).map(|_| RelayBuffer::borrow()).collect();
        let smallest = held.iter().map(|buffer| buffer.len()).min();
        assert_eq!(Some(taken_by_a_blocked_writer()), smallest);
    }
}
