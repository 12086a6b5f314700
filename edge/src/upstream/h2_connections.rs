//! HTTP/2 connections to one origin, each shared by many requests at once.
//!
//! Nobody asks whether the local service speaks HTTP/2: its agent said so, and a connection counts as made when the
//! service has said what it allows. Connections of HTTP/1.1 are lent whole instead: see `pool`.

use crate::{
    http::RequestBody,
    refusal::{Fault, Refusal},
    telemetry::metrics,
    upstream::{
        OriginServer, StreamSpec,
        h2_preface::{Preface, PrefaceStream},
    },
};
use futures::{FutureExt, future};
use hyper::{
    Request, Uri, Version,
    client::conn::http2::{self, Connection, SendRequest},
    header::{self, HeaderValue},
    http::uri::{Authority, Scheme},
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use postern_api::{Code, Error};
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
const STREAMS: usize = 64;
/// What may wait here unread: together no more than the connection's window, so that visitors who do not read never
/// hold up the others.
const STREAM_WINDOW: u32 = 256 * 1024;
const CONNECTION_WINDOW: u32 = STREAMS as u32 * STREAM_WINDOW;
const SEND_BUFFER: usize = 128 * 1024;
const HEAD_BYTES: u32 = 64 * 1024;
/// From our first byte to the local service's settings.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whom a connection is for; `None` is for everybody.
type Key = Option<SocketAddr>;
type Dialling = future::Shared<future::BoxFuture<'static, Result<Arc<H2Connection>, Refusal>>>;

/// All connections to one origin.
#[derive(Default)]
pub(crate) struct H2Connections(Mutex<State>);

#[derive(Default)]
struct State {
    closed: bool,
    open: Vec<Arc<H2Connection>>,
    /// Requests that come while a connection is made wait for that one.
    dialling: Vec<(Key, Dialling)>,
}

/// One connection.
struct H2Connection {
    key: Key,
    sender: SendRequest<RequestBody>,
    /// How many requests the local service allows at once.
    allowed: watch::Receiver<usize>,
    busy: AtomicUsize,
    idle_since: Mutex<Instant>,
}

/// A place on a connection for one request and its answer.
pub(crate) struct StreamPermit {
    line: Arc<H2Connection>,
    pub(crate) sender: SendRequest<RequestBody>,
}

enum Next {
    Place(StreamPermit),
    Wait(Dialling),
}

impl H2Connections {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops what idles for too long or was left by the other side.
    pub(crate) fn tidy(&self, longest: Duration) {
        let now = Instant::now();
        let gone: Vec<_> = self.state().open.extract_if(.., |line| line.is_over(now, longest)).collect();
        drop(gone);
    }

    /// Drops everything, and whatever is still being made.
    pub(crate) fn clear(&self) {
        let mut state = self.state();
        state.closed = true;
        let gone = (std::mem::take(&mut state.open), std::mem::take(&mut state.dialling));
        drop(state);
        drop(gone);
    }

    fn arrived(&self, key: Key, dialled: &Result<Arc<H2Connection>, Refusal>) {
        let mut state = self.state();
        state.dialling.retain(|(other, _)| *other != key);
        if let (Ok(line), false) = (dialled, state.closed) {
            state.open.push(line.clone());
        }
    }
}

impl H2Connection {
    fn lease(self: &Arc<Self>) -> Option<StreamPermit> {
        let allowed = (*self.allowed.borrow()).max(1);
        let more = |busy: usize| (busy < allowed).then_some(busy + 1);
        self.busy.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).ok()?;
        Some(StreamPermit { line: self.clone(), sender: self.sender.clone() })
    }

    fn is_over(&self, now: Instant, longest: Duration) -> bool {
        let idle_since = *self.idle_since.lock().unwrap_or_else(PoisonError::into_inner);
        self.sender.is_closed() || self.busy.load(Ordering::Acquire) == 0 && now - idle_since >= longest
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        *self.line.idle_since.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        self.line.busy.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A place on a connection that stands, or on a new one.
pub(crate) async fn lend(
    origin: &OriginServer,
    h2_connections: &H2Connections,
    spec: StreamSpec,
) -> Result<StreamPermit, Refusal> {
    let key = origin.key(spec);
    loop {
        let dialling = match next(origin, h2_connections, spec, key) {
            Next::Place(lease) => return Ok(lease),
            Next::Wait(dialling) => dialling,
        };
        // Taken from the new connection itself: should it be over already, whoever uses it hears why.
        if let Some(lease) = dialling.await?.lease() {
            return Ok(lease);
        }
    }
}

fn next(origin: &OriginServer, h2_connections: &H2Connections, spec: StreamSpec, key: Key) -> Next {
    let mut state = h2_connections.state();
    let usable = |line: &&Arc<H2Connection>| line.key == key && !line.sender.is_closed();
    if let Some(lease) = state.open.iter().filter(usable).find_map(H2Connection::lease) {
        metrics::upstream_reused();
        return Next::Place(lease);
    }
    if let Some((_, dialling)) = state.dialling.iter().find(|(other, _)| *other == key) {
        return Next::Wait(dialling.clone());
    }
    // In a task of its own: the visitor who came first may leave before it is done, and others wait for it, too.
    let (tell, told) = oneshot::channel();
    let origin = origin.clone();
    tokio::spawn(async move {
        let dialled = dial(&origin, spec, key).await;
        if let Some(h2_connections) = origin.h2_connections() {
            h2_connections.arrived(key, &dialled);
        }
        let _ = tell.send(dialled);
    });
    let broken = || Refusal::new(Fault::Us, Code::Internal);
    let dialling = told.map(move |told| told.unwrap_or_else(|_| Err(broken()))).boxed().shared();
    state.dialling.push((key, dialling.clone()));
    Next::Wait(dialling)
}

async fn dial(origin: &OriginServer, spec: StreamSpec, key: Key) -> Result<Arc<H2Connection>, Refusal> {
    let stream = origin.open(spec, true).await?;
    let settling = Arc::new(Preface::default());
    let (sender, connection) = http2::Builder::new(TokioExecutor::new())
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        // Nothing is sent before the settings have come: that is how we hear of them.
        .initial_max_send_streams(0)
        .max_send_buf_size(SEND_BUFFER)
        .max_header_list_size(HEAD_BYTES)
        .handshake(TokioIo::new(PrefaceStream { stream, settling: settling.clone() }))
        .await
        .map_err(|_| not_spoken(&settling))?;
    let (say, mut allowed) = watch::channel(0);
    let driver = tokio::spawn(drive(connection, settling.clone(), say));
    let settled = async { allowed.wait_for(|allowed| *allowed > 0).await.is_ok() };
    match tokio::time::timeout(PATIENCE, settled).await {
        Ok(true) => {}
        Ok(false) => return Err(not_spoken(&settling)),
        Err(_) => {
            driver.abort();
            let message = "The local service did not say within 10 seconds that it speaks HTTP/2, which its tunnel \
                           asks for with `app_protocol: http2`.";
            return Err(Refusal::new(Fault::Service, Error::new(Code::UpstreamTimeout, message)));
        }
    }
    let idle_since = Mutex::new(Instant::now());
    Ok(Arc::new(H2Connection { key, sender, allowed, busy: AtomicUsize::new(0), idle_since }))
}

/// Hands requests over until the connection ends, and says how many the other side allows at once.
async fn drive(
    mut connection: Connection<TokioIo<PrefaceStream>, RequestBody, TokioExecutor>,
    settling: Arc<Preface>,
    say: watch::Sender<usize>,
) {
    let outcome = std::future::poll_fn(|cx| {
        settling.watch(cx.waker());
        let polled = Pin::new(&mut connection).poll(cx);
        let allowed = connection.current_max_send_streams().min(STREAMS);
        if say.send_if_modified(|said| std::mem::replace(said, allowed) != allowed) && allowed > 0 {
            settling.settled();
        }
        polled
    })
    .await;
    if let Err(error) = outcome {
        tracing::debug!(%error, "shared connection to a local service ended");
    }
}

/// Why nothing came of a connection.
fn not_spoken(settling: &Preface) -> Refusal {
    let error = if settling.spoke() {
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
    let headers = request.headers_mut();
    // Changing the protocol of a connection that others share is not possible: the request goes without the wish.
    headers.remove(header::CONNECTION);
    headers.remove(header::UPGRADE);
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
            let mut asked = request(target);
            to_http2(&mut asked).expect("a form");
            assert_eq!(asked.uri().to_string(), format!("http://shop.test:4443{target}"));
            assert_eq!(asked.headers().keys().map(|name| name.as_str()).collect::<Vec<_>>(), ["te"]);
            to_http1(&mut asked);
            assert_eq!(
                (asked.uri().to_string().as_str(), &asked.headers()["host"]),
                (target, &HeaderValue::from_static("shop.test:4443"))
            );
        }
    }

    #[test]
    fn the_asterisk_of_options_stays_one() {
        let mut asked = request("*");
        to_http2(&mut asked).expect("a form");
        assert_eq!(asked.uri().path(), "*");
    }
}
