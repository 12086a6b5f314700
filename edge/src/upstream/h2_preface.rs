//! Watches the first reads of a stream until the peer's SETTINGS have arrived.

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

/// The state of the preface.
#[derive(Default)]
pub(crate) struct Preface {
    waker: AtomicWaker,
    received: AtomicBool,
    has_input: AtomicBool,
}

impl Preface {
    /// Registers a waker for the next read.
    pub(crate) fn watch(&self, waker: &Waker) {
        self.waker.register(waker);
    }

    /// The SETTINGS have arrived; reads are no longer watched.
    pub(crate) fn received(&self) {
        self.received.store(true, Ordering::Relaxed);
    }

    /// Whether the peer has sent any byte.
    pub(crate) fn has_input(&self) -> bool {
        self.has_input.load(Ordering::Relaxed)
    }
}

/// The stream.
pub(crate) struct PrefaceStream {
    pub(crate) stream: OriginStream,
    pub(crate) preface: Arc<Preface>,
}

impl AsyncRead for PrefaceStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let outcome = Pin::new(&mut this.stream).poll_read(cx, buffer);
        if !this.preface.received.load(Ordering::Relaxed) {
            this.preface.has_input.fetch_or(buffer.filled().len() > before, Ordering::Relaxed);
            // The next read means that the former input was processed.
            this.preface.waker.wake();
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
