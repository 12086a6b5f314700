//! Idle HTTP connections to one origin, shared by all its visitors.
//!
//! A connection has no task of its own: whoever uses it drives it, so that a request wakes nobody but its own
//! task. While it idles nobody reads from it; a look before it is used finds out whether the other side left.

use crate::{http::RequestBody, telemetry::Trace, upstream::OriginStream};
use bytes::Bytes;
use futures::task::noop_waker_ref;
use hyper::client::conn::http1::{self, Connection, Parts, SendRequest};
use hyper_util::rt::TokioIo;
use postern_tunnel::Notes;
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

/// Buffer of a connection: answers' header blocks must fit, bodies pass through in pieces of it.
const BUFFER: usize = 64 * 1024;

/// One HTTP/1.1 connection to a local service.
pub(crate) struct H1Connection {
    pub(crate) sender: SendRequest<RequestBody>,
    driver: Connection<TokioIo<OriginStream>, RequestBody>,
    over: bool,
    /// Where the other side is told why a request came through, if it wants to know.
    notes: Option<Notes>,
    idle_since: Instant,
    /// The one visitor it is for, where the local service was told spec.
    key: Option<SocketAddr>,
}

impl H1Connection {
    /// Speaks HTTP on a fresh stream. Nothing is sent yet.
    pub(crate) async fn on(
        mut stream: OriginStream,
        key: Option<SocketAddr>,
        told_why: bool,
    ) -> hyper::Result<Box<Self>> {
        let notes = if told_why { stream.notes() } else { None };
        let (sender, driver) = http1::Builder::new()
            .preserve_header_case(true)
            .title_case_headers(true)
            .max_buf_size(BUFFER)
            .handshake(TokioIo::new(stream))
            .await?;
        Ok(Box::new(H1Connection { sender, driver, over: false, notes, idle_since: Instant::now(), key }))
    }

    /// Tells the other side why the next request came through.
    pub(crate) fn explain(&self, trace: &mut Trace) {
        if let Some(notes) = &self.notes
            && let Some(note) = trace.note_for_agent()
        {
            notes.put(note);
        }
    }

    /// Moves bytes in both directions as far as they go now. Ready once the connection has come to its end,
    /// which an upgrade is, too.
    pub(crate) fn drive(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if !self.over {
            let outcome = std::task::ready!(Pin::new(&mut self.driver).poll(cx));
            self.over = true;
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

    /// The stream itself and what was read from it already, after an upgrade.
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

    /// Puts a connection back whose exchange is over.
    pub(crate) fn put(&self, mut upstream: Box<H1Connection>) {
        if !upstream.is_ready() || self.closed.load(Ordering::Acquire) {
            return;
        }
        upstream.idle_since = Instant::now();
        let mut idle = self.idle();
        // A connection for one visitor is of use while that one stays: the oldest make room.
        let oldest = (idle.len() >= self.limit && upstream.key.is_some() && self.limit > 0).then(|| idle.remove(0));
        if idle.len() < self.limit {
            idle.push(upstream);
        }
        drop(idle);
        drop(oldest);
    }

    /// Drops what idles for too long or was left by the other side.
    pub(crate) fn tidy(&self, longest: Duration) {
        let now = Instant::now();
        let kept = |upstream: &mut Box<H1Connection>| now - upstream.idle_since < longest && upstream.is_ready();
        // Dropped outside the lock: closing a stream takes locks of its own.
        let gone: Vec<_> = self.idle().extract_if(.., |upstream| !kept(upstream)).collect();
        drop(gone);
    }

    /// Drops everything, and whatever comes back later.
    pub(crate) fn clear(&self) {
        self.closed.store(true, Ordering::Release);
        let gone = std::mem::take(&mut *self.idle());
        drop(gone);
    }
}
