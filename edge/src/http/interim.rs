//! Interim responses of a local service (RFC 9110, section 15.2) on their way to an HTTP/1.1 visitor.
//!
//! The guard writes them, at a moment when everything before them is written and the final response has not begun.

use super::{expectation::ContinueSignal, headers};
use bytes::{Buf, Bytes};
use hyper::{HeaderMap, StatusCode};
use std::{
    io,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};
use tokio::io::AsyncWrite;

/// Interim responses that may wait to be written; beyond it they are dropped.
const MAX_WAITING_BYTES: usize = 32 * 1024;

/// The interim responses of one visitor connection that wait to be written.
#[derive(Clone, Debug, Default)]
pub(crate) struct InterimResponses(Arc<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    any: AtomicBool,
    bytes: Mutex<Vec<u8>>,
}

impl InterimResponses {
    /// Has a response written before the final one. Hop-by-hop headers stay here, as those of any response do.
    pub(crate) fn put(&self, status: StatusCode, headers: &HeaderMap) {
        let mut headers = headers.clone();
        headers::clean_response(&mut headers);
        let mut bytes = self.0.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let before = bytes.len();
        let reason = status.canonical_reason().unwrap_or("Interim");
        bytes.extend_from_slice(format!("HTTP/1.1 {} {reason}\r\n", status.as_u16()).as_bytes());
        for (name, value) in &headers {
            bytes.extend_from_slice(&[name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
        }
        bytes.extend_from_slice(b"\r\n");
        if bytes.len() > MAX_WAITING_BYTES {
            bytes.truncate(before);
        }
        self.0.any.store(!bytes.is_empty(), Ordering::Release);
    }

    fn is_empty(&self) -> bool {
        !self.0.any.load(Ordering::Acquire)
    }

    fn take(&self) -> Option<Bytes> {
        if self.is_empty() {
            return None;
        }
        let mut bytes = self.0.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        self.0.any.store(false, Ordering::Release);
        Some(std::mem::take(&mut *bytes).into())
    }
}

/// Where the interim responses to one request go.
#[derive(Clone, Debug)]
pub(crate) struct InterimReceiver {
    visitor: InterimResponses,
    /// Lets the body of the request through.
    signal: Option<Arc<ContinueSignal>>,
}

impl InterimReceiver {
    pub(crate) fn new(visitor: InterimResponses, signal: Option<Arc<ContinueSignal>>) -> Self {
        InterimReceiver { visitor, signal }
    }

    pub(super) fn receive(&self, status: StatusCode, headers: &HeaderMap) {
        match (status, &self.signal) {
            // The visitor is told as soon as the body is read.
            (StatusCode::CONTINUE, Some(signal)) => signal.give(),
            (StatusCode::CONTINUE, None) => {}
            (status, _) => self.visitor.put(status, headers),
        }
    }
}

/// Writes interim responses between the messages of one connection.
#[derive(Debug, Default)]
pub(super) struct InterimWriter {
    waiting: InterimResponses,
    /// Whether everything handed over was flushed, and nothing was written since.
    is_flushed: bool,
    /// The rest of interim responses that have begun.
    rest: Option<Box<Bytes>>,
}

impl InterimWriter {
    pub(super) fn new(waiting: InterimResponses) -> Self {
        InterimWriter { waiting, is_flushed: true, rest: None }
    }

    /// Whether something waits to be written.
    pub(super) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty() || self.rest.is_some()
    }

    /// Whether no message is written in part.
    pub(super) fn is_flushed(&self) -> bool {
        self.is_flushed && self.rest.is_none()
    }

    /// Writes what waits before other bytes are written. In the middle of another message it is dropped.
    pub(super) fn poll_before_write<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        std::task::ready!(self.poll_waiting(stream, cx))?;
        self.is_flushed = false;
        Poll::Ready(Ok(()))
    }

    /// Writes what waits. A flush comes only when all bytes of a message are written, so no message is split.
    pub(super) fn poll_before_flush<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        self.is_flushed = true;
        self.poll_waiting(stream, cx)
    }

    fn poll_waiting<S: AsyncWrite + Unpin>(&mut self, stream: &mut S, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            if self.rest.is_none() {
                self.rest = self.waiting.take().filter(|_| self.is_flushed).map(Box::new);
            }
            let Some(rest) = &mut self.rest else { return Poll::Ready(Ok(())) };
            let written = std::task::ready!(Pin::new(&mut *stream).poll_write(cx, rest))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            rest.advance(written);
            if rest.is_empty() {
                self.rest = None;
            }
        }
    }
}
