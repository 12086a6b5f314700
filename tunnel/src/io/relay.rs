//! Joins two streams and moves bytes both ways.
//!
//! A buffer is borrowed only while bytes are in flight: thousands of idle visitors hold none.

use super::buffers::Buffer;
use crate::proto::frame::FULL_PAYLOAD;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// So many bytes of one direction move before others get their turn.
const TURN: usize = 256 * 1024;

/// Watches the bytes of one direction as they pass. It must be quick: the relay waits for it.
pub trait Tap: Send {
    /// These bytes pass now.
    fn observe(&mut self, bytes: &[u8]);
    /// The direction has ended properly.
    fn finished(&mut self) {}
}

/// A tap that watches nothing.
impl Tap for () {
    fn observe(&mut self, _bytes: &[u8]) {}
}

/// What a relay did.
#[derive(Debug)]
pub struct RelayEnd {
    /// Bytes moved from the first stream to the second.
    pub a_to_b: u64,
    /// Bytes moved from the second stream to the first.
    pub b_to_a: u64,
    /// What broke it off, if it did not end properly.
    pub error: Option<io::Error>,
}

/// Moves bytes both ways until both directions have ended or one is broken.
///
/// The end of one direction is passed on and leaves the other running. A stream that no longer takes bytes may
/// still say its last ones; a stream that breaks off while being read ends the relay at once. Both streams are
/// dropped at the end.
pub async fn relay<A, B>(a: A, b: B) -> RelayEnd
where
    A: AsyncRead + AsyncWrite + Unpin,
    B: AsyncRead + AsyncWrite + Unpin,
{
    relay_tapped(a, b, (), ()).await
}

/// A [`relay`] with somebody watching each direction.
pub async fn relay_tapped<A, B>(mut a: A, mut b: B, a_to_b: impl Tap, b_to_a: impl Tap) -> RelayEnd
where
    A: AsyncRead + AsyncWrite + Unpin,
    B: AsyncRead + AsyncWrite + Unpin,
{
    let mut there = Direction::new(a_to_b);
    let mut back = Direction::new(b_to_a);
    let broken = poll_fn(|cx| {
        let there = there.poll(cx, Pin::new(&mut a), Pin::new(&mut b))?;
        let back = back.poll(cx, Pin::new(&mut b), Pin::new(&mut a))?;
        if there.is_ready() && back.is_ready() { Poll::Ready(io::Result::Ok(())) } else { Poll::Pending }
    })
    .await
    .err();
    RelayEnd { a_to_b: there.moved, b_to_a: back.moved, error: broken.or(there.deaf).or(back.deaf) }
}

/// One direction of a relay.
struct Direction<T> {
    stage: Stage,
    /// Held only while it has bytes that the writer has not taken.
    buffer: Option<Buffer>,
    from: usize,
    to: usize,
    moved: u64,
    flushed: bool,
    tap: T,
    /// Why the writer takes no more.
    deaf: Option<io::Error>,
}

#[derive(Clone, Copy)]
enum Stage {
    Moving,
    Ending,
    Over,
}

impl<T: Tap> Direction<T> {
    fn new(tap: T) -> Self {
        Direction { stage: Stage::Moving, buffer: None, from: 0, to: 0, moved: 0, flushed: true, tap, deaf: None }
    }

    /// Fails only if the reader breaks off.
    fn poll(
        &mut self,
        cx: &mut Context<'_>,
        mut reader: Pin<&mut impl AsyncRead>,
        mut writer: Pin<&mut impl AsyncWrite>,
    ) -> Poll<io::Result<()>> {
        let mut turn = TURN;
        loop {
            match self.stage {
                Stage::Over => return Poll::Ready(Ok(())),
                Stage::Ending => {
                    match ready!(writer.as_mut().poll_shutdown(cx)) {
                        Ok(()) => self.tap.finished(),
                        Err(error) => self.deaf = Some(error),
                    }
                    self.stage = Stage::Over;
                }
                Stage::Moving => {
                    let written = ready!(self.poll_write(cx, writer.as_mut()));
                    if let Err(error) = written {
                        self.deaf = Some(error);
                        self.buffer = None;
                        self.stage = Stage::Over;
                        continue;
                    }
                    if turn == 0 {
                        cx.waker().wake_by_ref();
                        return Poll::Pending;
                    }
                    match self.poll_read(cx, reader.as_mut())? {
                        Poll::Ready(0) => self.stage = Stage::Ending,
                        Poll::Ready(count) => turn = turn.saturating_sub(count),
                        Poll::Pending => {
                            if !self.flushed {
                                match writer.as_mut().poll_flush(cx) {
                                    Poll::Ready(Ok(())) => self.flushed = true,
                                    Poll::Pending => {}
                                    Poll::Ready(Err(error)) => {
                                        self.deaf = Some(error);
                                        self.stage = Stage::Over;
                                        continue;
                                    }
                                }
                            }
                            return Poll::Pending;
                        }
                    }
                }
            }
        }
    }

    /// Writes what the buffer holds and gives it back.
    fn poll_write(&mut self, cx: &mut Context<'_>, mut writer: Pin<&mut impl AsyncWrite>) -> Poll<io::Result<()>> {
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

    /// Reads into a borrowed buffer, which is kept only if something arrived.
    fn poll_read(&mut self, cx: &mut Context<'_>, reader: Pin<&mut impl AsyncRead>) -> Poll<io::Result<usize>> {
        let mut buffer = Buffer::borrow();
        let mut bytes = ReadBuf::new(&mut buffer[..FULL_PAYLOAD]);
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
