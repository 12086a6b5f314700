//! HTTP/2 connections to one upstream, each shared by many requests.
//!
//! The agent declares that the local service speaks HTTP/2; a connection counts as open when the service's SETTINGS
//! have arrived (RFC 9113, section 3.4). HTTP/1.1 connections are exclusive instead: see `h1_pool`.

use crate::{
    http::RequestBody,
    refusal::{Fault, Refusal},
    telemetry::{Trace, metrics},
    upstream::{
        OriginServer, StreamSpec,
        h2_preface::{Preface, PrefaceStream},
    },
};
use futures::{FutureExt, future};
use hyper::{
    Request, Response, Uri, Version,
    body::Incoming,
    client::conn::{
        TrySendError,
        http2::{self, Connection, SendRequest},
    },
    header::{self, HeaderValue},
    http::uri::{Authority, PathAndQuery, Scheme},
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use postern_api::{Code, Error};
use postern_tunnel::{StreamMetadata, request_note::RequestDigest};
use std::{
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{oneshot, watch},
    time::Instant,
};

/// Requests at once on one connection, unless the local service allows fewer.
const MAX_STREAMS: usize = 64;
/// Flow-control windows: the windows of all streams together fit into that of the connection, so that visitors that
/// do not read never block others.
const STREAM_WINDOW_BYTES: u32 = 256 * 1024;
const CONNECTION_WINDOW_BYTES: u32 = MAX_STREAMS as u32 * STREAM_WINDOW_BYTES;
const SEND_BUFFER_BYTES: usize = 128 * 1024;
const MAX_HEAD_BYTES: u32 = 64 * 1024;
/// From the first byte sent to the peer's SETTINGS.
const PREFACE_TIMEOUT: Duration = Duration::from_secs(10);

/// The visitor a connection is reserved for; `None` if all visitors share it.
type VisitorKey = Option<SocketAddr>;
type PendingConnection = future::Shared<future::BoxFuture<'static, Result<Arc<H2Connection>, Refusal>>>;

/// All HTTP/2 connections to one upstream.
#[derive(Default)]
pub(crate) struct H2Connections(Mutex<ConnectionsState>);

#[derive(Default)]
struct ConnectionsState {
    closed: bool,
    open: Vec<Arc<H2Connection>>,
    /// Connections being opened; requests that arrive meanwhile wait for them.
    pending: Vec<(VisitorKey, PendingConnection)>,
}

/// One HTTP/2 connection.
struct H2Connection {
    key: VisitorKey,
    sender: SendRequest<RequestBody>,
    /// Concurrent streams that the local service allows.
    max_streams: watch::Receiver<usize>,
    open_streams: AtomicUsize,
    idle_since: Mutex<Instant>,
    /// Receives the trace of each request, if the agent accepts such notes. Locked while one is queued with its request:
    /// the notes are in the order of the requests.
    notes: Option<Mutex<StreamMetadata>>,
}

/// A stream on a connection, for one request and its response.
pub(crate) struct StreamPermit {
    connection: Arc<H2Connection>,
    sender: SendRequest<RequestBody>,
}

enum Acquired {
    Stream(StreamPermit),
    Pending(PendingConnection),
}

impl H2Connections {
    fn state(&self) -> MutexGuard<'_, ConnectionsState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops connections that idle for too long or were closed by the peer.
    pub(crate) fn tidy(&self, max_idle: Duration) {
        let now = Instant::now();
        let removed: Vec<_> =
            self.state().open.extract_if(.., |connection| connection.is_unused(now, max_idle)).collect();
        drop(removed);
    }

    /// Drops all connections, also those being opened.
    pub(crate) fn clear(&self) {
        let mut state = self.state();
        state.closed = true;
        let removed = (std::mem::take(&mut state.open), std::mem::take(&mut state.pending));
        drop(state);
        drop(removed);
    }

    fn finish_opening(&self, key: VisitorKey, opened: &Result<Arc<H2Connection>, Refusal>) {
        let mut state = self.state();
        state.pending.retain(|(other, _)| *other != key);
        if let (Ok(connection), false) = (opened, state.closed) {
            state.open.push(connection.clone());
        }
    }
}

impl H2Connection {
    fn acquire(self: &Arc<Self>) -> Option<StreamPermit> {
        let max_streams = (*self.max_streams.borrow()).max(1);
        let more = |open_streams: usize| (open_streams < max_streams).then_some(open_streams + 1);
        self.open_streams.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).ok()?;
        Some(StreamPermit { connection: self.clone(), sender: self.sender.clone() })
    }

    fn is_unused(&self, now: Instant, max_idle: Duration) -> bool {
        let idle_since = *self.idle_since.lock().unwrap_or_else(PoisonError::into_inner);
        self.sender.is_closed() || self.open_streams.load(Ordering::Acquire) == 0 && now - idle_since >= max_idle
    }
}

impl StreamPermit {
    /// Sends a request in the form of [`to_http2`], and its trace as a note. The result resolves with the response.
    pub(crate) fn send(
        &mut self,
        request: Request<RequestBody>,
        trace: &mut Trace,
    ) -> impl Future<Output = Result<Response<Incoming>, TrySendError<Request<RequestBody>>>> + use<> {
        let Some(notes) = &self.connection.notes else { return self.sender.try_send_request(request).left_future() };
        let note = trace.note_for_agent().map(|note| digest(&request).with_note(&note));
        let notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(note) = note {
            notes.push(note);
        }
        self.sender.try_send_request(request).right_future()
    }
}

/// The digest by which the agent finds the request that a note is about.
fn digest(request: &Request<RequestBody>) -> RequestDigest {
    let mut digest = RequestDigest::default();
    digest.add(b":method", request.method().as_str().as_bytes());
    digest.add(b":path", request.uri().path_and_query().map_or("/", PathAndQuery::as_str).as_bytes());
    if let Some(authority) = request.uri().authority() {
        digest.add(b":authority", authority.as_str().as_bytes());
    }
    request.headers().iter().for_each(|(name, value)| digest.add(name.as_str().as_bytes(), value.as_bytes()));
    digest
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        *self.connection.idle_since.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        self.connection.open_streams.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A stream on an open connection, or on a new one.
pub(crate) async fn acquire_stream(
    origin: &OriginServer,
    h2_connections: &H2Connections,
    spec: StreamSpec,
) -> Result<StreamPermit, Refusal> {
    let key = origin.key(spec);
    loop {
        let pending = match acquire_or_open(origin, h2_connections, spec, key) {
            Acquired::Stream(permit) => return Ok(permit),
            Acquired::Pending(pending) => pending,
        };
        // Taken from the new connection directly: if it has ended already, the caller gets the reason.
        if let Some(permit) = pending.await?.acquire() {
            return Ok(permit);
        }
    }
}

fn acquire_or_open(
    origin: &OriginServer,
    h2_connections: &H2Connections,
    spec: StreamSpec,
    key: VisitorKey,
) -> Acquired {
    let mut state = h2_connections.state();
    let usable = |connection: &&Arc<H2Connection>| connection.key == key && !connection.sender.is_closed();
    if let Some(permit) = state.open.iter().filter(usable).find_map(H2Connection::acquire) {
        metrics::upstream_reused();
        return Acquired::Stream(permit);
    }
    if let Some((_, pending)) = state.pending.iter().find(|(other, _)| *other == key) {
        return Acquired::Pending(pending.clone());
    }
    // In a task of its own: the first visitor may leave before it is done, while others wait for it too.
    let (sender, receiver) = oneshot::channel();
    let origin = origin.clone();
    tokio::spawn(async move {
        let opened = dial(&origin, spec, key).await;
        if let Some(h2_connections) = origin.h2_connections() {
            h2_connections.finish_opening(key, &opened);
        }
        let _ = sender.send(opened);
    });
    let broken = || Refusal::new(Fault::Us, Code::Internal);
    let pending = receiver.map(move |opened| opened.unwrap_or_else(|_| Err(broken()))).boxed().shared();
    state.pending.push((key, pending.clone()));
    Acquired::Pending(pending)
}

async fn dial(origin: &OriginServer, spec: StreamSpec, key: VisitorKey) -> Result<Arc<H2Connection>, Refusal> {
    let mut stream = origin.open(spec, true).await?;
    let notes = if origin.accepts_request_notes() { stream.notes().map(Mutex::new) } else { None };
    let preface = Arc::new(Preface::default());
    let (sender, connection) = http2::Builder::new(TokioExecutor::new())
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        // No request is sent before the peer's SETTINGS: raising this limit tells that they have arrived.
        .initial_max_send_streams(0)
        .max_send_buf_size(SEND_BUFFER_BYTES)
        .max_header_list_size(MAX_HEAD_BYTES)
        .handshake(TokioIo::new(PrefaceStream { stream, preface: preface.clone() }))
        .await
        .map_err(|_| preface_refusal(&preface))?;
    let (limit, mut max_streams) = watch::channel(0);
    let driver = tokio::spawn(drive(connection, preface.clone(), limit));
    let received = async { max_streams.wait_for(|max_streams| *max_streams > 0).await.is_ok() };
    match tokio::time::timeout(PREFACE_TIMEOUT, received).await {
        Ok(true) => {}
        Ok(false) => return Err(preface_refusal(&preface)),
        Err(_) => {
            driver.abort();
            let message = "The local service did not show within 10 seconds that it speaks HTTP/2, which its tunnel \
                           asks for with `app_protocol: http2`.";
            return Err(Refusal::new(Fault::Service, Error::new(Code::UpstreamTimeout, message)));
        }
    }
    let idle_since = Mutex::new(Instant::now());
    Ok(Arc::new(H2Connection { key, sender, max_streams, open_streams: AtomicUsize::new(0), idle_since, notes }))
}

/// Drives a connection until it ends, and publishes the number of streams that the peer allows.
async fn drive(
    mut connection: Connection<TokioIo<PrefaceStream>, RequestBody, TokioExecutor>,
    preface: Arc<Preface>,
    limit: watch::Sender<usize>,
) {
    let outcome = std::future::poll_fn(|cx| {
        preface.watch(cx.waker());
        let polled = Pin::new(&mut connection).poll(cx);
        let max_streams = connection.current_max_send_streams().min(MAX_STREAMS);
        if limit.send_if_modified(|current| std::mem::replace(current, max_streams) != max_streams) && max_streams > 0 {
            preface.received();
        }
        polled
    })
    .await;
    if let Err(error) = outcome {
        tracing::debug!(%error, "shared connection to a local service ended");
    }
}

/// The refusal when a connection could not be opened.
fn preface_refusal(preface: &Preface) -> Refusal {
    let error = if preface.has_input() {
        let message = "The local service does not speak HTTP/2, which its tunnel asks for with `app_protocol: \
                       http2`. Take that out, or let the tunnel lead to a service that does.";
        Error::new(Code::UpstreamInvalid, message)
    } else {
        let message = "The local service ended the connection without saying that it speaks HTTP/2, which its tunnel \
                       asks for with `app_protocol: http2`.";
        Error::new(Code::UpstreamClosed, message)
    };
    Refusal::new(Fault::Service, error)
}

/// Gives a request the form it has on HTTP/2.
pub(crate) fn to_http2(request: &mut Request<RequestBody>) -> Result<(), Refusal> {
    request.body_mut().release();
    let headers = request.headers_mut();
    // A shared connection cannot change its protocol, so the request is sent without the upgrade.
    headers.remove(header::CONNECTION);
    headers.remove(header::UPGRADE);
    headers.remove(header::TRANSFER_ENCODING);
    // hyper does not tell about interim responses of HTTP/2, so the body would wait in vain.
    headers.remove(header::EXPECT);
    let host = headers.remove(header::HOST);
    let authority = host.and_then(|host| Authority::try_from(host.as_bytes()).ok());
    let mut parts = std::mem::take(request.uri_mut()).into_parts();
    parts.scheme = Some(Scheme::HTTP);
    parts.authority = authority;
    let uri = Uri::from_parts(parts).map_err(|_| Refusal::invalid("The host or path of the request is not valid."))?;
    *request.uri_mut() = uri;
    *request.version_mut() = Version::HTTP_2;
    Ok(())
}

/// Undoes [`to_http2`].
pub(crate) fn to_http1(request: &mut Request<RequestBody>) {
    let parts = std::mem::take(request.uri_mut()).into_parts();
    if let Some(host) = parts.authority.and_then(|host| HeaderValue::try_from(host.as_str()).ok()) {
        request.headers_mut().insert(header::HOST, host);
    }
    *request.uri_mut() = parts.path_and_query.map(Uri::from).unwrap_or_default();
    *request.version_mut() = Version::HTTP_11;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(target: &str) -> Request<RequestBody> {
        let request = Request::builder().uri(target).header("host", "shop.test:4443").header("upgrade", "websocket");
        request.header("connection", "Upgrade").header("te", "trailers").body(RequestBody::empty()).expect("a request")
    }

    #[test]
    fn a_request_takes_the_form_of_http2_and_back() {
        for target in ["/", "/a/b?c=d", "//x", "/?"] {
            let mut request_sent = request(target);
            to_http2(&mut request_sent).expect("a form");
            assert_eq!(request_sent.uri().to_string(), format!("http://shop.test:4443{target}"));
            assert_eq!(request_sent.headers().keys().map(|name| name.as_str()).collect::<Vec<_>>(), ["te"]);
            to_http1(&mut request_sent);
            assert_eq!(
                (request_sent.uri().to_string().as_str(), &request_sent.headers()["host"]),
                (target, &HeaderValue::from_static("shop.test:4443"))
            );
        }
    }

    #[test]
    fn the_asterisk_of_options_stays_one() {
        let mut request_sent = request("*");
        to_http2(&mut request_sent).expect("a form");
        assert_eq!(request_sent.uri().path(), "*");
    }
}
