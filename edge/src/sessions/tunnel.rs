//! A session and its tunnels as the edge sees them, and the streams that can be ended from outside.

use super::Stages;
use crate::{
    backends::For,
    counters,
    http::{Lines, Pool},
    live::{TunnelKind, TunnelView},
    traffic::Tally,
};
use futures::task::AtomicWaker;
use postern_api::{Timestamp, host::HostName};
use postern_tunnel::{Notes, ServerSession, StreamStart, TunnelStream, message::AppProtocol};
use std::{
    collections::{BTreeMap, HashMap},
    io,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// An agent that is connected.
pub(crate) struct Session {
    pub(crate) id: String,
    /// The KSUID of its credential, as it stands in tokens.
    pub(crate) credential_key: String,
    /// The whole id of its credential.
    pub(crate) credential: String,
    /// The user or bot user the credential belongs to.
    pub(crate) owner: String,
    pub(crate) instance: String,
    pub(crate) agent_version: String,
    pub(crate) os: String,
    pub(crate) metadata: String,
    pub(crate) remote_management: bool,
    pub(crate) peer: SocketAddr,
    pub(crate) started_at: Timestamp,
    pub(crate) link: ServerSession,
}

impl Session {
    /// Whether both sessions are of the same agent instance. An instance names itself, so its credential counts too.
    pub(crate) fn same_agent(&self, other: &Session) -> bool {
        self.credential_key == other.credential_key && self.instance == other.instance && !self.instance.is_empty()
    }
}

/// One tunnel that is up.
pub(crate) struct Tunnel {
    pub(crate) id: String,
    pub(crate) number: u32,
    pub(crate) name: String,
    pub(crate) kind: TunnelKind,
    pub(crate) url: Option<String>,
    pub(crate) host: Option<HostName>,
    pub(crate) port: Option<u16>,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) forwards_to: String,
    pub(crate) metadata: String,
    /// Whether the agent captures what passes.
    pub(crate) inspect: bool,
    pub(crate) started_at: Timestamp,
    pub(crate) session: Arc<Session>,
    /// The HTTP that the local service speaks.
    pub(crate) app_protocol: AppProtocol,
    /// Whether the local service is told who the visitor is, so that every stream carries one only.
    pub(crate) per_visitor: bool,
    /// What stands between visitors and the agent; most tunnels have nothing.
    pub(crate) stages: Option<Box<Stages>>,
    /// Idle connections of HTTP/1.1 to the local service.
    pub(crate) pool: Pool,
    /// Connections of HTTP/2 to the local service.
    pub(crate) lines: Lines,
    pub(crate) streams: Arc<Streams>,
    pub(crate) tally: Arc<Tally>,
}

impl Tunnel {
    /// Opens a stream to the local service for this visitor.
    pub(crate) async fn open(&self, whom: For) -> io::Result<TunnelIo> {
        let For { kind, visitor, tls, reached } = whom;
        // A few bytes more for each stream, where somebody has use for them.
        let reached = reached.filter(|_| self.per_visitor);
        let start = StreamStart { tunnel: self.number, visitor, reached, kind, tls };
        let stream = self.session.link.open_stream(start).await.map_err(io::Error::other)?;
        counters::stream_opened();
        self.streams.admit(stream)
    }

    /// Whether the agent wants to know, and can be told, why a request came through.
    pub(crate) fn is_told_why(&self) -> bool {
        self.inspect && self.session.link.has_notes()
    }

    /// Ends every open stream now, and refuses new ones.
    pub(crate) fn stop(&self) {
        self.streams.stop();
        self.pool.clear();
        self.lines.clear();
    }

    /// Whether the tunnel has every label of a selector.
    pub(crate) fn carries(&self, selector: &BTreeMap<String, String>) -> bool {
        self.kind == TunnelKind::Labels && selector.iter().all(|(key, value)| self.labels.get(key) == Some(value))
    }

    pub(crate) fn view(&self) -> TunnelView {
        TunnelView {
            id: self.id.clone(),
            session: self.session.id.clone(),
            credential: self.session.credential.clone(),
            name: self.name.clone(),
            kind: self.kind,
            url: self.url.clone(),
            host: self.host.clone(),
            port: self.port,
            labels: self.labels.clone(),
            forwards_to: self.forwards_to.clone(),
            metadata: self.metadata.clone(),
            started_at: self.started_at,
            streams: self.streams.count(),
        }
    }
}

/// The open streams of one tunnel.
#[derive(Default)]
pub(crate) struct Streams {
    stopped: AtomicBool,
    next: AtomicU64,
    open: Mutex<HashMap<u64, Arc<Stop>>>,
}

#[derive(Default)]
struct Stop {
    told: AtomicBool,
    waker: AtomicWaker,
}

impl Streams {
    fn admit(self: &Arc<Self>, stream: TunnelStream) -> io::Result<TunnelIo> {
        let key = self.next.fetch_add(1, Ordering::Relaxed);
        let stop = Arc::new(Stop::default());
        self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(key, stop.clone());
        // Looked at after the insertion: a stop in between has either seen the stream or is seen here.
        let io = TunnelIo { stream, stop, key, streams: self.clone() };
        if self.stopped.load(Ordering::SeqCst) { Err(stopped()) } else { Ok(io) }
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        for stop in self.open.lock().unwrap_or_else(PoisonError::into_inner).values() {
            stop.told.store(true, Ordering::SeqCst);
            stop.waker.wake();
        }
    }

    fn count(&self) -> usize {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// A stream to a local service that ends when its tunnel is stopped.
pub(crate) struct TunnelIo {
    stream: TunnelStream,
    stop: Arc<Stop>,
    key: u64,
    streams: Arc<Streams>,
}

impl TunnelIo {
    /// Waits until the agent has a connection to its local service.
    pub(crate) async fn accepted(&mut self) -> io::Result<()> {
        self.stream.accepted().await
    }

    /// An error if the tunnel was stopped; otherwise whoever is polling hears of it.
    fn check<T>(&self, cx: &Context<'_>, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if outcome.is_pending() {
            self.stop.waker.register(cx.waker());
            if self.stop.told.load(Ordering::SeqCst) {
                return Poll::Ready(Err(stopped()));
            }
        }
        outcome
    }

    fn refuse_if_stopped(&self) -> io::Result<()> {
        if self.stop.told.load(Ordering::Relaxed) { Err(stopped()) } else { Ok(()) }
    }
}

fn stopped() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, "the tunnel was stopped")
}

impl TunnelIo {
    pub(crate) fn notes(&mut self) -> Notes {
        self.stream.notes()
    }
}

impl AsyncRead for TunnelIo {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.refuse_if_stopped()?;
        let outcome = Pin::new(&mut this.stream).poll_read(cx, buffer);
        this.check(cx, outcome)
    }
}

impl AsyncWrite for TunnelIo {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.refuse_if_stopped()?;
        let outcome = Pin::new(&mut this.stream).poll_write(cx, bytes);
        this.check(cx, outcome)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.refuse_if_stopped()?;
        let outcome = Pin::new(&mut this.stream).poll_write_vectored(cx, slices);
        this.check(cx, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_flush(cx);
        this.check(cx, outcome)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_shutdown(cx);
        this.check(cx, outcome)
    }
}

impl Drop for TunnelIo {
    fn drop(&mut self) {
        self.streams.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}
