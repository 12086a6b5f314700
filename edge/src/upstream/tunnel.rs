//! A tunnel as an upstream: opens streams to the agent's local service, and ends them when the tunnel stops.

use super::{H1Pool, H2Connections, StreamSpec, refused_by_agent};
use crate::telemetry::{ServingAgent, Trace, metrics, traffic::TrafficCounter};
use arc_swap::ArcSwapOption;
use futures::task::AtomicWaker;
use postern_api::{Code, Error};
use postern_tunnel::{
    CountedVisitor, IncomingStream, ServerSession, StreamMetadata, StreamStart, TunnelStream,
    message::{AppProtocol, UnsentRequest, VisitorChanges},
};
use std::{
    collections::{BTreeMap, HashMap},
    io,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Time that another node has for taking a stream, where the tunnel can be reached in another way.
const HOP_TIMEOUT: Duration = Duration::from_millis(300);

/// The local service behind one tunnel, with its open connections.
pub(crate) struct TunnelUpstream {
    counter: Arc<TrafficCounter>,
    link: ServerSession,
    /// The tunnel's number in its session.
    number: u32,
    settings: TunnelOptions,
    /// Idle connections of HTTP/1.1 to the local service.
    pub(crate) pool: H1Pool,
    /// Connections of HTTP/2 to the local service.
    pub(crate) h2_connections: H2Connections,
    streams: Arc<OpenStreams>,
    /// Further ways to the same tunnel, in the order to try them; only where nodes are linked.
    other_ways: ArcSwapOption<Vec<Arc<TunnelUpstream>>>,
    is_retired: AtomicBool,
}

/// Properties of a tunnel that matter when a stream is opened.
pub(crate) struct TunnelOptions {
    /// The HTTP version that the local service speaks.
    pub(crate) app_protocol: AppProtocol,
    /// Whether the local service is told the visitor's address, so that no stream serves two visitors.
    pub(crate) per_visitor: bool,
    /// Whether the agent captures requests and accepts notes about them.
    pub(crate) notes: bool,
    /// Whether the agent captures requests and accepts notes about those that share a stream.
    pub(crate) request_notes: bool,
    /// Whether the tunnel is at another node, so that `link` leads there.
    pub(crate) is_hop: bool,
    /// The labels that tunnel groups select by; empty unless it is a labelled tunnel.
    pub(crate) labels: BTreeMap<String, String>,
    /// The agent behind it.
    pub(crate) agent: Arc<ServingAgent>,
}

impl TunnelUpstream {
    /// `max_idle` limits the idle HTTP/1.1 connections that are kept.
    pub(crate) fn new(
        counter: Arc<TrafficCounter>,
        link: ServerSession,
        number: u32,
        settings: TunnelOptions,
        max_idle: usize,
    ) -> Self {
        let (pool, h2_connections, streams) = (H1Pool::new(max_idle), H2Connections::default(), Arc::default());
        let (other_ways, is_retired) = (ArcSwapOption::empty(), AtomicBool::new(false));
        TunnelUpstream { counter, link, number, settings, pool, h2_connections, streams, other_ways, is_retired }
    }

    /// The tunnel's id, `tn_…`.
    pub(crate) fn id(&self) -> &Arc<str> {
        self.counter.id()
    }

    pub(crate) fn counter(&self) -> &Arc<TrafficCounter> {
        &self.counter
    }

    pub(crate) fn agent(&self) -> &Arc<ServingAgent> {
        &self.settings.agent
    }

    pub(crate) fn labels(&self) -> &BTreeMap<String, String> {
        &self.settings.labels
    }

    pub(crate) fn app_protocol(&self) -> AppProtocol {
        self.settings.app_protocol
    }

    pub(crate) fn is_per_visitor(&self) -> bool {
        self.settings.per_visitor
    }

    pub(crate) fn open_streams(&self) -> usize {
        self.streams.count()
    }

    /// Opens a stream to the local service for this visitor, in the first way that works.
    pub(crate) async fn open(&self, spec: StreamSpec) -> io::Result<TunnelIo> {
        match self.other_ways.load_full() {
            None => self.open_here(spec).await,
            Some(others) => self.open_first(&others, spec).await,
        }
    }

    /// Opens a stream in another way than this one, after this one has broken.
    pub(crate) async fn open_elsewhere(&self, spec: StreamSpec) -> io::Result<TunnelIo> {
        match self.other_ways.load_full().as_deref().map(Vec::as_slice) {
            Some([first, others @ ..]) => first.open_first(others, spec).await,
            None | Some([]) => self.open_here(spec).await,
        }
    }

    /// Whether the tunnel can be reached in another way.
    pub(crate) fn has_other_ways(&self) -> bool {
        self.other_ways.load().is_some()
    }

    /// Opens a stream in this way or another. A way through another node counts only when that node has taken the
    /// stream, unless it is the last one. What an agent refuses is refused in all ways.
    async fn open_first(&self, others: &[Arc<TunnelUpstream>], spec: StreamSpec) -> io::Result<TunnelIo> {
        let mut left = others.len();
        let mut way = self;
        loop {
            let opened =
                if left > 0 && way.settings.is_hop { way.open_taken(spec).await } else { way.open_here(spec).await };
            let error = match opened {
                Ok(stream) => return Ok(stream),
                Err(error) => error,
            };
            if left == 0 || refused_by_agent(&error).is_some_and(|refused| refused.code != Code::AgentOffline) {
                return Err(error);
            }
            tracing::debug!(tunnel = %way.id(), %error, "this way to the tunnel is closed; trying the next one");
            way = &others[others.len() - left];
            left -= 1;
        }
    }

    async fn open_taken(&self, spec: StreamSpec) -> io::Result<TunnelIo> {
        let taken = async {
            let mut stream = self.open_here(spec).await?;
            stream.stream.taken().await?;
            Ok(stream)
        };
        tokio::time::timeout(HOP_TIMEOUT, taken).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    async fn open_here(&self, spec: StreamSpec) -> io::Result<TunnelIo> {
        let StreamSpec { kind, visitor, tls, reached } = spec;
        // The public address takes a few bytes of each stream, so it is sent only where it is used.
        let reached = reached.filter(|_| self.settings.per_visitor);
        let start = StreamStart { tunnel: self.number, visitor, destination: reached, kind, tls };
        let stream = self.link.open_stream(start).await.map_err(io::Error::other)?;
        metrics::stream_opened();
        self.streams.admit(stream)
    }

    /// Carries a stream that another node has opened for its visitor to the agent, until it ends.
    pub(crate) async fn carry(&self, incoming: IncomingStream) {
        let start = StreamStart { tunnel: self.number, ..incoming.start };
        // It counts as open while it is being opened: a session that is let go does not end meanwhile.
        let carried = self.streams.register();
        let stream = match self.link.open_stream(start).await {
            Ok(stream) if !self.streams.stopped.load(Ordering::SeqCst) => stream,
            // The other node takes another way, if there is one.
            Ok(_) | Err(_) => return incoming.refuse(Code::AgentOffline.into()).await,
        };
        metrics::stream_opened();
        tokio::select! {
            forwarded = postern_tunnel::forward(incoming, stream) => {
                if let Err(error) = forwarded {
                    tracing::debug!(tunnel = %self.id(), %error, "a stream of another node broke");
                }
            }
            () = carried.stopped() => {}
        }
    }

    /// Sets the further ways to this tunnel, in the order to try them.
    pub(crate) fn set_other_ways(&self, others: Vec<Arc<TunnelUpstream>>) {
        if !others.is_empty() || self.other_ways.load().is_some() {
            self.other_ways.store((!others.is_empty()).then(|| Arc::new(others)));
        }
    }

    /// Whether the agent captures requests and accepts notes about them.
    pub(crate) fn accepts_notes(&self) -> bool {
        self.settings.notes
    }

    /// Number of idle data connections of the session.
    pub(crate) fn idle_connections(&self) -> usize {
        self.link.pool().idle
    }

    /// Drops idle connections to the local service that are not needed.
    pub(crate) fn tidy(&self, max_idle: Duration) {
        self.pool.tidy(max_idle, self.idle_connections());
        self.h2_connections.tidy(max_idle);
    }

    /// Whether the agent captures requests and accepts notes about those that share a stream.
    pub(crate) fn accepts_request_notes(&self) -> bool {
        self.settings.request_notes
    }

    /// Has the agent show a request that could not be sent to the local service, if it captures requests.
    pub(crate) fn report_unsent(&self, spec: StreamSpec, head: String, trace: &mut Trace, error: &Error) {
        let request = UnsentRequest {
            number: self.number,
            visitor: spec.visitor,
            tls: spec.tls,
            head,
            trace: trace.note_for_agent().and_then(|note| String::from_utf8(note).ok()),
            error: error.clone(),
        };
        self.link.unsent(request);
    }

    /// Passes on to the agent a request that another node could not send.
    pub(crate) fn pass_unsent(&self, request: UnsentRequest) {
        self.link.unsent(UnsentRequest { number: self.number, ..request });
    }

    /// Passes on to the agent visitors' connections that another node has counted.
    pub(crate) fn pass_visitors(&self, changes: VisitorChanges) {
        self.link.pass_visitors(VisitorChanges { number: self.number, ..changes });
    }

    /// Keeps no idle stream any more; open ones continue.
    pub(crate) fn retire(&self) {
        self.is_retired.store(true, Ordering::Release);
        self.pool.clear();
        self.h2_connections.clear();
    }

    /// Whether the tunnel is unpublished, or a newer session of its agent has taken its place.
    pub(crate) fn is_retired(&self) -> bool {
        self.is_retired.load(Ordering::Acquire)
    }

    /// Counts a visitor's connection for the agent, until the result is dropped.
    pub(crate) fn count_visitor(&self) -> Option<CountedVisitor> {
        self.link.count_visitor(self.number)
    }

    /// Ends every open stream now, and refuses new ones.
    pub(crate) fn stop(&self) {
        self.streams.stop();
        self.retire();
    }

    /// Whether the tunnel has every label of a selector.
    pub(crate) fn carries(&self, selector: &BTreeMap<String, String>) -> bool {
        selector.iter().all(|(key, value)| self.settings.labels.get(key) == Some(value))
    }
}

/// The open streams of one tunnel.
#[derive(Default)]
pub(crate) struct OpenStreams {
    stopped: AtomicBool,
    next: AtomicU64,
    open: Mutex<HashMap<u64, Arc<StopSignal>>>,
}

#[derive(Default)]
struct StopSignal {
    requested: AtomicBool,
    waker: AtomicWaker,
}

impl OpenStreams {
    fn admit(self: &Arc<Self>, stream: TunnelStream) -> io::Result<TunnelIo> {
        let io = TunnelIo { stream, open: self.register() };
        if self.stopped.load(Ordering::SeqCst) { Err(stopped()) } else { Ok(io) }
    }

    /// Adds a stream until the result is dropped. Stopped from the start if the tunnel is.
    fn register(self: &Arc<Self>) -> OpenStream {
        let key = self.next.fetch_add(1, Ordering::Relaxed);
        let stop = Arc::new(StopSignal::default());
        self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(key, stop.clone());
        // Checked after the insertion: a concurrent stop has either seen the stream or is seen here.
        if self.stopped.load(Ordering::SeqCst) {
            stop.requested.store(true, Ordering::SeqCst);
        }
        OpenStream { stop, key, streams: self.clone() }
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        for stop in self.open.lock().unwrap_or_else(PoisonError::into_inner).values() {
            stop.requested.store(true, Ordering::SeqCst);
            stop.waker.wake();
        }
    }

    fn count(&self) -> usize {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// One of the open streams of a tunnel, until it is dropped.
struct OpenStream {
    stop: Arc<StopSignal>,
    key: u64,
    streams: Arc<OpenStreams>,
}

impl OpenStream {
    /// Resolves when the tunnel is stopped.
    async fn stopped(&self) {
        std::future::poll_fn(|cx| {
            self.stop.waker.register(cx.waker());
            if self.stop.requested.load(Ordering::SeqCst) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.streams.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

/// A stream to a local service that ends when its tunnel is stopped.
pub(crate) struct TunnelIo {
    stream: TunnelStream,
    open: OpenStream,
}

impl TunnelIo {
    /// Waits until the agent has a connection to its local service.
    pub(crate) async fn accepted(&mut self) -> io::Result<()> {
        self.stream.accepted().await
    }

    /// Returns an error if the tunnel was stopped; otherwise registers the polling task.
    fn check<T>(&self, cx: &Context<'_>, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if outcome.is_pending() {
            self.open.stop.waker.register(cx.waker());
            if self.open.stop.requested.load(Ordering::SeqCst) {
                return Poll::Ready(Err(stopped()));
            }
        }
        outcome
    }

    fn refuse_if_stopped(&self) -> io::Result<()> {
        if self.open.stop.requested.load(Ordering::Relaxed) { Err(stopped()) } else { Ok(()) }
    }
}

fn stopped() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, "the tunnel was stopped")
}

impl TunnelIo {
    pub(crate) fn is_overflow(&self) -> bool {
        self.stream.is_overflow()
    }

    pub(crate) fn is_shared(&self) -> bool {
        self.stream.is_shared()
    }

    pub(crate) fn notes(&mut self) -> StreamMetadata {
        self.stream.metadata()
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
