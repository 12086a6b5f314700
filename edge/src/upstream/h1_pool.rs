//! A pool of idle HTTP/1.1 connections to one upstream, shared by all its visitors.
//!
//! A connection has no task of its own: the task that uses it drives it, so that a request wakes no other task. Idle
//! connections are not polled; a check before use finds out whether the peer has left.

use crate::{http::RequestBody, telemetry::Trace, upstream::OriginStream};
use bytes::Bytes;
use futures::task::noop_waker_ref;
use hyper::client::conn::http1::{self, Connection, Parts, SendRequest};
use hyper_util::rt::TokioIo;
use postern_tunnel::StreamMetadata;
use std::{
    net::SocketAddr,
    pin::Pin,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::Instant;

/// Read buffer of a connection. The header block of a response must fit into it.
const MAX_BUFFER_BYTES: usize = 64 * 1024;

/// One HTTP/1.1 connection to a local service.
pub(crate) struct H1Connection {
    pub(crate) sender: SendRequest<RequestBody>,
    driver: Connection<TokioIo<OriginStream>, RequestBody>,
    ended: bool,
    /// Receives the trace of each request, if the agent accepts notes.
    notes: Option<StreamMetadata>,
    idle_since: Instant,
    /// The visitor it is reserved for, where the local service is told the visitor's address.
    key: Option<SocketAddr>,
}

impl H1Connection {
    /// Speaks HTTP on a fresh stream. Nothing is sent yet.
    pub(crate) async fn on(
        mut stream: OriginStream,
        key: Option<SocketAddr>,
        accepts_notes: bool,
    ) -> hyper::Result<Box<Self>> {
        let notes = if accepts_notes { stream.notes() } else { None };
        let (sender, driver) = http1::Builder::new()
            .preserve_header_case(true)
            .title_case_headers(true)
            .max_buf_size(MAX_BUFFER_BYTES)
            .handshake(TokioIo::new(stream))
            .await?;
        Ok(Box::new(H1Connection { sender, driver, ended: false, notes, idle_since: Instant::now(), key }))
    }

    /// Sends the trace of the next request as a note.
    pub(crate) fn send_note(&self, trace: &mut Trace) {
        if let Some(notes) = &self.notes
            && let Some(note) = trace.note_for_agent()
        {
            notes.put(note);
        }
    }

    /// Moves bytes in both directions as far as possible now. Ready once the connection has ended or was upgraded.
    pub(crate) fn drive(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if !self.ended {
            let outcome = std::task::ready!(Pin::new(&mut self.driver).poll(cx));
            self.ended = true;
            if let Err(error) = outcome {
                tracing::trace!(%error, "connection to a local service ended");
            }
        }
        Poll::Ready(())
    }

    /// Whether another request can be sent at once.
    pub(crate) fn is_ready(&mut self) -> bool {
        self.drive(&mut Context::from_waker(noop_waker_ref())).is_pending() && self.sender.is_ready()
    }

    /// The stream and the bytes read from it already, after an upgrade.
    pub(crate) fn into_stream(self) -> (OriginStream, Bytes) {
        let Parts { io, read_buf, .. } = self.driver.into_parts();
        (io.into_inner(), read_buf)
    }
}

/// The idle connections to one origin, the most recently used on top.
pub(crate) struct H1Pool {
    limit: usize,
    closed: AtomicBool,
    #[expect(clippy::vec_box, reason = "a connection is large and wanders between the pool and requests")]
    idle: Mutex<Vec<Box<H1Connection>>>,
}

impl H1Pool {
    pub(crate) fn new(limit: usize) -> Self {
        H1Pool { limit, closed: AtomicBool::new(false), idle: Mutex::default() }
    }

    #[expect(clippy::vec_box, reason = "as above")]
    fn idle(&self) -> MutexGuard<'_, Vec<Box<H1Connection>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection that was usable a moment ago.
    pub(crate) fn take(&self, key: Option<SocketAddr>) -> Option<Box<H1Connection>> {
        loop {
            let mut upstream = {
                let mut idle = self.idle();
                let newest = idle.iter().rposition(|upstream| upstream.key == key)?;
                idle.remove(newest)
            };
            if upstream.is_ready() {
                return Some(upstream);
            }
        }
    }

    /// Returns a connection after its exchange.
    pub(crate) fn put(&self, mut upstream: Box<H1Connection>) {
        if !upstream.is_ready() || self.closed.load(Ordering::Acquire) {
            return;
        }
        upstream.idle_since = Instant::now();
        let mut idle = self.idle();
        // A connection for one visitor is of use only while that visitor stays, so the oldest is evicted.
        let evicted = (idle.len() >= self.limit && upstream.key.is_some() && self.limit > 0).then(|| idle.remove(0));
        if idle.len() < self.limit {
            idle.push(upstream);
        }
        drop(idle);
        drop(evicted);
    }

    /// Drops connections that idle for too long or were closed by the peer.
    pub(crate) fn tidy(&self, max_idle: Duration) {
        let now = Instant::now();
        let usable = |upstream: &mut Box<H1Connection>| now - upstream.idle_since < max_idle && upstream.is_ready();
        // Dropped outside the lock: closing a stream takes locks of its own.
        let removed: Vec<_> = self.idle().extract_if(.., |upstream| !usable(upstream)).collect();
        drop(removed);
    }

    /// Drops everything, and whatever comes back later.
    pub(crate) fn clear(&self) {
        self.closed.store(true, Ordering::Release);
        let removed = std::mem::take(&mut *self.idle());
        drop(removed);
    }
}
