//! Coalesces the small writes of yamux.
//!
//! Yamux writes header and body of every frame separately, and flushes after each. Below TLS that would be two records
//! and two system calls per frame. The cork buffers the pieces until yamux has nothing more to write.

use super::{
    buffers::{Buffer, SIZE},
    last_received::LastReceived,
    transport::BoxedTransport,
};
use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
};
use tokio::io::{AsyncRead as _, AsyncWrite as _, ReadBuf};

/// Connection below yamux; clones share it.
#[derive(Clone)]
pub(crate) struct Cork(Arc<Mutex<Corked>>);

struct Corked {
    transport: BoxedTransport,
    last_received: Arc<LastReceived>,
    buffer: Option<Buffer>,
    from: usize,
    to: usize,
}

impl Cork {
    pub(crate) fn new(transport: BoxedTransport, last_received: Arc<LastReceived>) -> Self {
        Cork(Arc::new(Mutex::new(Corked { transport, last_received, buffer: None, from: 0, to: 0 })))
    }

    /// Writes the buffered bytes and flushes the connection.
    pub(crate) fn poll_release(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut corked = self.corked();
        ready!(corked.poll_empty(cx))?;
        Pin::new(&mut corked.transport).poll_flush(cx)
    }

    fn corked(&self) -> MutexGuard<'_, Corked> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Corked {
    fn poll_empty(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Some(buffer) = &self.buffer {
            while self.from < self.to {
                let count = ready!(Pin::new(&mut self.transport).poll_write(cx, &buffer[self.from..self.to]))?;
                if count == 0 {
                    return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
                }
                self.from += count;
            }
        }
        self.buffer = None;
        (self.from, self.to) = (0, 0);
        Poll::Ready(Ok(()))
    }
}

impl futures::io::AsyncRead for Cork {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut corked = self.corked();
        let mut buf = ReadBuf::new(bytes);
        ready!(Pin::new(&mut corked.transport).poll_read(cx, &mut buf))?;
        corked.last_received.record();
        Poll::Ready(Ok(buf.filled().len()))
    }
}

impl futures::io::AsyncWrite for Cork {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let mut corked = self.corked();
        if corked.to == SIZE {
            ready!(corked.poll_empty(cx))?;
        }
        let corked = &mut *corked;
        let buffer = corked.buffer.get_or_insert_with(Buffer::borrow);
        let count = bytes.len().min(SIZE - corked.to);
        buffer[corked.to..corked.to + count].copy_from_slice(&bytes[..count]);
        corked.to += count;
        Poll::Ready(Ok(count))
    }

    /// Does nothing; [`Cork::poll_release`] is called when yamux is idle.
    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut corked = self.corked();
        ready!(corked.poll_empty(cx))?;
        Pin::new(&mut corked.transport).poll_shutdown(cx)
    }
}
