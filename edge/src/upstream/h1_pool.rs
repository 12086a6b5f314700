//! A pool of idle HTTP/1.1 connections to one upstream, shared by all its visitors.
//!
//! A connection has no task of its own: the task that uses it drives it, so that a request wakes no other task. Idle
//! connections are not polled; a check before use finds out whether the peer has left.

use crate::{
    http::{ClientConnection, LazyTimer},
    telemetry::Trace,
    upstream::OriginStream,
};
use bytes::Bytes;
use postern_tunnel::StreamMetadata;
use std::{
    collections::{HashMap, hash_map::Entry},
    net::SocketAddr,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::time::Instant;

/// One HTTP/1.1 connection to a local service.
pub(crate) struct H1Connection {
    pub(super) http: ClientConnection<OriginStream>,
    /// Limits the wait for each response.
    pub(super) timer: LazyTimer,
    /// Receives the trace of each request, if the agent accepts notes.
    notes: Option<StreamMetadata>,
    idle_since: Instant,
    /// The visitor it is reserved for, where the local service is told the visitor's address.
    key: Option<SocketAddr>,
    /// Whether the session's control connection carries it, beside many others.
    is_overflow: bool,
}

impl H1Connection {
    /// Speaks HTTP on a fresh stream. Nothing is sent yet.
    pub(crate) fn new(mut stream: OriginStream, key: Option<SocketAddr>, accepts_notes: bool) -> Box<Self> {
        let notes = if accepts_notes { stream.notes() } else { None };
        let is_overflow = stream.is_overflow();
        let (http, idle_since) = (ClientConnection::new(stream), Instant::now());
        Box::new(H1Connection { http, timer: LazyTimer::default(), notes, idle_since, key, is_overflow })
    }

    /// Sends the trace of the next request as a note.
    pub(crate) fn send_note(&self, trace: &mut Trace) {
        if let Some(notes) = &self.notes
            && let Some(note) = trace.note_for_agent()
        {
            notes.put(note);
        }
    }

    /// Whether another request can be sent at once.
    fn is_ready(&mut self) -> bool {
        self.http.is_reusable() && self.http.is_quiet()
    }

    /// The stream and the bytes read from it already, after an upgrade.
    pub(crate) fn into_stream(self) -> (OriginStream, Bytes) {
        self.http.into_stream()
    }
}

/// The idle connections to one origin. As many are kept as were in use at the same time: the most recently used is taken
/// first, and those that were not needed for a while are dropped.
pub(crate) struct H1Pool {
    /// Most idle connections.
    limit: usize,
    closed: AtomicBool,
    idle: Mutex<IdleConnections>,
}

#[expect(clippy::vec_box, reason = "a connection is large and wanders between the pool and requests")]
#[derive(Default)]
struct IdleConnections {
    /// For any visitor, on streams with a connection of their own; the most recently used on top.
    own: Vec<Box<H1Connection>>,
    /// For any visitor, on streams that share a connection; the most recently used on top.
    sharing: Vec<Box<H1Connection>>,
    /// For any visitor, on streams of the control connection; the most recently used on top.
    overflow: Vec<Box<H1Connection>>,
    /// For one visitor each.
    per_visitor: HashMap<SocketAddr, Vec<Box<H1Connection>>>,
    /// Number of those for one visitor.
    reserved: usize,
}

impl H1Pool {
    pub(crate) fn new(limit: usize) -> Self {
        H1Pool { limit, closed: AtomicBool::new(false), idle: Mutex::default() }
    }

    fn idle(&self) -> MutexGuard<'_, IdleConnections> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection that was usable a moment ago. A stream of the control connection is given up if a new stream would
    /// have a connection of its own, which `has_better` tells.
    pub(crate) fn take(&self, key: Option<SocketAddr>, has_better: impl Fn() -> bool) -> Option<Box<H1Connection>> {
        loop {
            let mut upstream = self.idle().pop(key)?;
            if upstream.is_overflow && has_better() {
                return None;
            }
            if upstream.is_ready() {
                return Some(upstream);
            }
        }
    }

    /// Returns a connection after its exchange.
    pub(crate) fn put(&self, mut upstream: Box<H1Connection>) {
        if !upstream.http.is_reusable() || self.closed.load(Ordering::Acquire) {
            return;
        }
        upstream.idle_since = Instant::now();
        let mut idle = self.idle();
        let rejected = if idle.len() < self.limit {
            idle.push(upstream);
            None
        } else {
            Some(upstream)
        };
        drop(idle);
        drop(rejected);
    }

    /// Drops the connections that are reserved for a visitor.
    pub(crate) fn forget(&self, visitor: SocketAddr) {
        let mut idle = self.idle();
        let removed = idle.per_visitor.remove(&visitor).unwrap_or_default();
        idle.reserved -= removed.len();
        drop(idle);
        drop(removed);
    }

    /// Drops connections that idle for too long or were closed by the peer, and as many on streams of the control
    /// connection as there are `better` ones, which the next requests get.
    pub(crate) fn tidy(&self, max_idle: Duration, better: usize) {
        let now = Instant::now();
        let mut replaceable = better;
        let unusable = |upstream: &mut Box<H1Connection>| {
            let is_unusable = now - upstream.idle_since >= max_idle || !upstream.is_ready();
            let is_replaced = !is_unusable && upstream.is_overflow && replaceable > 0;
            replaceable -= usize::from(is_replaced);
            is_unusable || is_replaced
        };
        // Dropped outside the lock: closing a stream takes locks of its own.
        let removed = self.idle().extract_if(unusable);
        drop(removed);
    }

    /// Drops everything, and whatever comes back later.
    pub(crate) fn clear(&self) {
        self.closed.store(true, Ordering::Release);
        let removed = std::mem::take(&mut *self.idle());
        drop(removed);
    }
}

impl IdleConnections {
    fn len(&self) -> usize {
        self.own.len() + self.sharing.len() + self.overflow.len() + self.reserved
    }

    fn pop(&mut self, key: Option<SocketAddr>) -> Option<Box<H1Connection>> {
        let Some(visitor) = key else {
            // With few requests in flight, connections of their own are cheaper.
            return self.own.pop().or_else(|| self.sharing.pop()).or_else(|| self.overflow.pop());
        };
        let Entry::Occupied(mut entry) = self.per_visitor.entry(visitor) else { return None };
        let upstream = entry.get_mut().pop();
        self.reserved -= usize::from(upstream.is_some());
        if entry.get().is_empty() {
            entry.remove();
        }
        upstream
    }

    fn push(&mut self, upstream: Box<H1Connection>) {
        match upstream.key {
            Some(visitor) => {
                self.per_visitor.entry(visitor).or_default().push(upstream);
                self.reserved += 1;
            }
            None if upstream.is_overflow => self.overflow.push(upstream),
            None if upstream.http.stream().is_shared() => self.sharing.push(upstream),
            None => self.own.push(upstream),
        }
    }

    /// Removes the connections that `matches`.
    #[expect(clippy::vec_box, reason = "as above")]
    fn extract_if(&mut self, mut matches: impl FnMut(&mut Box<H1Connection>) -> bool) -> Vec<Box<H1Connection>> {
        let mut removed: Vec<_> = self.own.extract_if(.., &mut matches).collect();
        removed.extend(self.sharing.extract_if(.., &mut matches));
        removed.extend(self.overflow.extract_if(.., &mut matches));
        let before = removed.len();
        self.per_visitor.retain(|_, reserved| {
            removed.extend(reserved.extract_if(.., &mut matches));
            !reserved.is_empty()
        });
        self.reserved -= removed.len() - before;
        removed
    }
}
