//! A stream whose first reads are noticed: until the other side's settings have come, somebody waits for them.

use crate::upstream::OriginStream;
use futures::task::AtomicWaker;
use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What was noticed.
#[derive(Default)]
pub(crate) struct Preface {
    waker: AtomicWaker,
    settled: AtomicBool,
    spoke: AtomicBool,
}

impl Preface {
    /// From now on this one is woken when what was read so far has been dealt with.
    pub(crate) fn watch(&self, waker: &Waker) {
        self.waker.register(waker);
    }

    /// Nobody waits any more.
    pub(crate) fn settled(&self) {
        self.settled.store(true, Ordering::Relaxed);
    }

    /// Whether the other side said anything at all.
    pub(crate) fn spoke(&self) -> bool {
        self.spoke.load(Ordering::Relaxed)
    }
}

/// The stream.
pub(crate) struct PrefaceStream {
    pub(crate) stream: OriginStream,
    pub(crate) settling: Arc<Preface>,
}

impl AsyncRead for PrefaceStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let outcome = Pin::new(&mut this.stream).poll_read(cx, buffer);
        if !this.settling.settled.load(Ordering::Relaxed) {
            this.settling.spoke.fetch_or(buffer.filled().len() > before, Ordering::Relaxed);
            // Whoever reads has dealt with what it read before.
            this.settling.waker.wake();
        }
        outcome
    }
}

impl AsyncWrite for PrefaceStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}
