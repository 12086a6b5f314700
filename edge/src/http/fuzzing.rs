//! The checks of the fuzz target for HTTP/1.1 connections, up to routing.

use crate::{
    http::{
        AfterResponse, HttpGuard, RequestCounter, ServerConnection, ServerError, Visitor, VisitorBody, canonical,
        framing::Http1Framing, headers, normalised, too_many_fields,
    },
    limits::Limits,
    refusal::Refusal,
};
use bytes::Bytes;
use futures::{FutureExt, StreamExt, stream};
use http_body_util::{BodyExt, Empty};
use hyper::{
    HeaderMap, Request, Response, Uri, Version,
    body::Incoming,
    header::{self, HeaderValue},
    http::request::Parts,
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use postern_api::{Code, host::HostName};
use postern_tunnel::message::Scheme;
use std::{
    convert::Infallible,
    io,
    net::{Ipv6Addr, SocketAddr},
    pin::pin,
    sync::{
        Arc, LazyLock, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    runtime::{self, Runtime},
};
use tokio_util::{io::StreamReader, sync::CancellationToken};

/// The requests that were read from a connection.
#[derive(Debug, Default, PartialEq, Eq)]
struct ReadRequests {
    /// Header blocks that were understood.
    heads: usize,
    requests: Vec<ForwardedRequest>,
    /// A request that was refused once it had been read.
    refused: Option<Code>,
    /// Reading stopped because a request asked to leave HTTP, or to close the connection.
    closed: bool,
    /// The guard or the reader behind it refused the connection.
    broken: bool,
}

/// A complete request as it is forwarded.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ForwardedRequest {
    method: String,
    host: String,
    target: String,
    fields: HeaderMap,
    body: Bytes,
    /// The body has a length and no chunks.
    plain: bool,
}

/// Reads requests in pieces whose size the first byte chooses: the guard, the reader behind it, and hyper must find the
/// same requests, however the bytes are split; each accepted request has one host, one length and a path, and parses to the same
/// request when it is written again.
pub fn head(bytes: &[u8]) {
    let Some((&size, bytes)) = bytes.split_first() else { return };
    // Small enough to be reached.
    let limits = Limits { head_bytes: 400, headers: 12, ..Limits::default() };
    let result = serve(bytes, usize::from(size) + 1, &limits);
    let whole = serve(bytes, usize::MAX, &limits);
    let mut by_hyper = serve_by_hyper(bytes, &limits);
    if ends_in_a_message(bytes, &limits) {
        // hyper looks into lines before they are complete.
        (by_hyper.broken, by_hyper.closed) = (whole.broken, whole.closed);
    }
    assert_eq!(whole, by_hyper, "hyper reads something else");
    if whole.broken {
        // Requests before the mistake may or may not have been read; in pieces, a line is checked at its end.
        assert!(result.broken || result.closed || ends_in_a_head(bytes, &limits), "{result:?}");
        assert!(result.requests.starts_with(&whole.requests), "{result:?} {whole:?}");
    } else {
        assert_eq!(result, whole);
    }
    agrees_with_the_guard(bytes, &result, &limits);
    let large = Limits { head_bytes: limits.head_bytes * 4, headers: limits.headers * 2, ..limits };
    let again: Vec<u8> = result.requests.iter().flat_map(written).collect();
    let again = serve(&again, usize::MAX, &large);
    assert!(!again.broken && again.refused.is_none(), "{again:?}");
    let plain = |request: &ForwardedRequest| {
        let mut request = ForwardedRequest { plain: true, ..request.clone() };
        request.fields.remove(header::CONTENT_LENGTH);
        request
    };
    assert!(again.requests.iter().map(plain).eq(result.requests.iter().map(plain)), "{again:?} {result:?}");
}

/// A visitor that sends bytes in pieces of `size`, and then stays and waits.
fn guarded(
    bytes: &[u8],
    size: usize,
    limits: &Limits,
) -> HttpGuard<impl AsyncRead + AsyncWrite + Unpin + Send + use<>> {
    let pieces: Vec<io::Result<Bytes>> = bytes.chunks(size).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    let pieces = stream::iter(pieces).chain(stream::pending());
    let stream = tokio::io::join(StreamReader::new(pieces), tokio::io::sink());
    HttpGuard::new(stream, false, RequestCounter::default(), limits)
}

/// Reads the requests as the edge does, until they end or one of them is refused.
fn serve(bytes: &[u8], size: usize, limits: &Limits) -> ReadRequests {
    let result = Arc::new(Mutex::new(ReadRequests::default()));
    let outcome = run_while_woken(|| false, async {
        let stop = CancellationToken::new();
        let mut http = ServerConnection::new(Box::new(guarded(bytes, size, limits)), limits);
        while let Some(request) = http.request().await? {
            let service = answer(request, result.clone(), limits.clone());
            if http.respond(service.boxed(), &stop).await? != AfterResponse::Continue {
                break;
            }
        }
        Ok::<(), ServerError>(())
    });
    read(&result, outcome)
}

/// Reads the requests as hyper does behind the same guard.
fn serve_by_hyper(bytes: &[u8], limits: &Limits) -> ReadRequests {
    let guard = guarded(bytes, usize::MAX, limits);
    let refused = guard.refused();
    let result = Arc::new(Mutex::new(ReadRequests::default()));
    let service = {
        let (result, limits) = (result.clone(), limits.clone());
        service_fn(move |request: Request<Incoming>| {
            answer(request.map(VisitorBody::from), result.clone(), limits.clone()).map(Ok::<_, Infallible>)
        })
    };
    // The guard limits the lines of heads; hyper has the same limit for trailers.
    let mut builder = http1::Builder::new();
    let connection = builder.max_headers(100).serve_connection(TokioIo::new(guard), service).with_upgrades();
    let mut outcome = run_while_woken(|| refused.load(Ordering::Relaxed), connection);
    if refused.load(Ordering::Relaxed) {
        outcome = Some(false);
    }
    read(&result, outcome)
}

/// What was read when reading came to an end: with success or without, or by waiting for more.
fn read(result: &Mutex<ReadRequests>, outcome: Option<bool>) -> ReadRequests {
    let mut result = std::mem::take(&mut *locked(result));
    result.broken = outcome == Some(false);
    // A request with HTTP/1.0 or `Connection: close` is the last one of its connection.
    result.closed |= outcome == Some(true);
    result
}

/// Polls until nothing more happens. Returns whether it succeeded, if it ended.
fn run_while_woken<E>(is_stopped: impl Fn() -> bool, task: impl Future<Output = Result<(), E>>) -> Option<bool> {
    // Its timers are set and never fire.
    let _clock = CLOCK.enter();
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(woken.clone());
    let mut task = pin!(task);
    let mut outcome = None;
    while outcome.is_none() && woken.0.swap(false, Ordering::Relaxed) && !is_stopped() {
        outcome = match task.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(outcome) => Some(outcome.is_ok()),
            Poll::Pending => None,
        };
    }
    outcome
}

static CLOCK: LazyLock<Runtime> =
    LazyLock::new(|| runtime::Builder::new_current_thread().enable_time().build().expect("a runtime"));

/// Whether the connection wants to be polled.
struct Woken(AtomicBool);

impl Default for Woken {
    fn default() -> Self {
        Woken(AtomicBool::new(true))
    }
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn locked(result: &Mutex<ReadRequests>) -> MutexGuard<'_, ReadRequests> {
    result.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn answer(
    request: Request<VisitorBody>,
    result: Arc<Mutex<ReadRequests>>,
    limits: Limits,
) -> Response<Empty<Bytes>> {
    let last = headers::leaves_http(&request);
    locked(&result).heads += 1;
    let (mut parts, incoming) = request.into_parts();
    let plain = !parts.headers.contains_key(header::TRANSFER_ENCODING);
    let prepare = prepare(&mut parts, &limits);
    let body = match &prepare {
        Ok(_) => incoming.collect().await.ok().map(http_body_util::Collected::to_bytes),
        Err(_) => None,
    };
    let mut result = locked(&result);
    let refused = prepare.is_err();
    match (prepare, body) {
        (Ok(host), Some(body)) => {
            let (method, target) = (parts.method.to_string(), parts.uri.to_string());
            result.requests.push(ForwardedRequest { method, host, target, fields: parts.headers, body, plain });
        }
        (Ok(_), None) => {}
        (Err(refusal), _) => result.refused = Some(refusal.error.code),
    }
    let mut response = Response::new(Empty::new());
    if last || refused {
        result.closed = true;
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Applies the steps before routing to a request, and returns its host.
fn prepare(parts: &mut Parts, limits: &Limits) -> Result<String, Refusal> {
    if parts.headers.len() > limits.headers {
        return Err(too_many_fields(limits.headers));
    }
    let headers = &mut parts.headers;
    canonical::reduce(&parts.method, &mut parts.uri, parts.version, headers)?;
    assert!(parts.uri.authority().is_none() && parts.uri.scheme().is_none(), "{}", parts.uri);
    assert!(parts.uri.path().starts_with('/') || parts.uri.path() == "*", "{}", parts.uri);
    assert_eq!(headers.get_all(header::HOST).iter().count(), 1);
    let lengths = [header::CONTENT_LENGTH, header::TRANSFER_ENCODING].map(|name| headers.get_all(name).iter().count());
    assert!(lengths.iter().sum::<usize>() <= 1, "{headers:?}");
    let host = canonical::host(headers)?.into_owned();
    is_canonical(&host);
    let (mut uri, mut same) = (parts.uri.clone(), headers.clone());
    assert!(canonical::reduce(&parts.method, &mut uri, parts.version, &mut same).is_ok());
    assert_eq!((&uri, &same), (&parts.uri, &*headers), "what is canonical stays what it is");
    says_the_same_over_http2(parts, &host);
    if let Some(path) = normalised(parts.uri.path()) {
        is_normal(&path);
    }
    let host_header = parts.headers[header::HOST].clone();
    headers::clean_request(&mut parts.headers);
    is_clean(&parts.headers);
    let visitor = Visitor::new(SocketAddr::from(([192, 0, 2, 1], 1)), Scheme::Https);
    let mut introduced = parts.headers.clone();
    visitor.add_forwarding_headers(&mut introduced, &host_header);
    let forwarded = introduced[header::FORWARDED].to_str().expect("text");
    assert_eq!(forwarded.matches('"').count(), 2, "{forwarded}");
    assert!(!forwarded.contains(['\\', ',']) && forwarded.matches(';').count() == 2, "{forwarded}");
    Ok(host)
}

fn is_canonical(host: &str) {
    let name = HostName::parse(host).is_ok_and(|name| name.as_str() == host && name.wildcard_parent().is_none());
    let address = || host.parse::<Ipv6Addr>().is_ok_and(|address| address.to_string() == host);
    assert!(name || address(), "{host}");
}

fn is_normal(path: &str) {
    let segments: Vec<&str> = path.strip_prefix('/').expect("it begins at the root").split('/').collect();
    let (last, inner) = segments.split_last().expect("one at least");
    assert!(inner.iter().all(|segment| !segment.is_empty()), "{path}");
    assert!(segments.iter().all(|segment| !matches!(*segment, "." | "..")), "{path} {last}");
    assert!(!path.contains(['\0', '\\']), "{path}");
    if !path.contains('%') {
        assert_eq!(normalised(path).as_deref(), Some(path));
    }
}

/// Checks that no hop-by-hop header and no header reserved for the edge is left.
fn is_clean(headers: &HeaderMap) {
    for name in headers.keys() {
        assert_ne!(name, "content_length");
        let name = name.as_str().replace('_', "-");
        let hop = ["transfer-encoding", "upgrade", "keep-alive", "proxy-connection", "http2-settings"];
        let claim = ["forwarded", "x-real-ip", "proxy-authorization"];
        assert!(!hop.contains(&name.as_str()) && !claim.contains(&name.as_str()), "{name}");
        assert!(!name.starts_with("x-forwarded-") && !name.starts_with("postern-"), "{name}");
    }
    assert!(headers.get_all(header::TE).iter().all(|te| te == "trailers"), "{headers:?}");
    // It may only name what the edge sends itself.
    let options = headers.contains_key(header::TE).then_some("TE");
    assert_eq!(
        headers.get(header::CONNECTION).map(|options| options.to_str().expect("visible characters")),
        options,
        "{headers:?}"
    );
}

fn says_the_same_over_http2(parts: &Parts, host: &str) {
    let mut headers = parts.headers.clone();
    headers.remove(header::TRANSFER_ENCODING);
    let (host_header, Some(target)) = (headers.remove(header::HOST), parts.uri.path_and_query()) else { return };
    let host_header = host_header.as_ref().and_then(|host_header| host_header.to_str().ok()).unwrap_or_default();
    let Ok(mut uri) = format!("https://{host_header}{target}").parse::<Uri>() else { return };
    if !target.as_str().starts_with('/') {
        return;
    }
    assert!(canonical::reduce(&parts.method, &mut uri, Version::HTTP_2, &mut headers).is_ok(), "{uri}");
    assert_eq!(uri.path_and_query(), Some(target));
    assert_eq!(canonical::host(&headers).expect("a host"), host);
}

/// The framing behind the bytes, unless it refuses them.
fn framing_behind(bytes: &[u8], limits: &Limits) -> Option<Http1Framing> {
    let mut framing = Http1Framing::new(limits.head_bytes, limits.headers);
    framing.feed(bytes).ok().map(|()| framing)
}

/// Whether the bytes end before the header block they are in.
fn ends_in_a_head(bytes: &[u8], limits: &Limits) -> bool {
    framing_behind(bytes, limits).is_some_and(|framing| framing.in_head())
}

/// Whether the bytes end within a header block or a body.
fn ends_in_a_message(bytes: &[u8], limits: &Limits) -> bool {
    framing_behind(bytes, limits).is_some_and(|framing| framing.in_head() || framing.in_body())
}

/// Each request begins where the guard says that one begins, and none where it does not.
fn agrees_with_the_guard(bytes: &[u8], result: &ReadRequests, limits: &Limits) {
    let mut guard = Http1Framing::new(limits.head_bytes, limits.headers);
    let (mut heads, mut bodies) = (0, Vec::new());
    let mut body_from = None;
    for (at, byte) in bytes.iter().enumerate() {
        let was_open = guard.open_head();
        if guard.feed(std::slice::from_ref(byte)).is_err() {
            break;
        }
        if was_open.is_some() && guard.open_head().is_none() {
            heads += 1;
            body_from = Some(at + 1);
        }
        if !guard.in_head()
            && !guard.in_body()
            && let Some(from) = body_from.take()
        {
            bodies.push(&bytes[from..=at]);
        }
    }
    if result.broken || result.closed {
        assert!(result.heads <= heads, "{result:?}, but {heads} header blocks");
    } else {
        assert_eq!(result.heads, heads, "{result:?}");
    }
    for (request, body) in result.requests.iter().zip(bodies).filter(|(request, _)| request.plain) {
        assert_eq!(request.body, body, "{request:?}");
    }
}

/// The request in its one form.
fn written(request: &ForwardedRequest) -> Vec<u8> {
    let mut bytes = format!("{} {} HTTP/1.1\r\n", request.method, request.target).into_bytes();
    for (name, value) in request.fields.iter().filter(|(name, _)| *name != header::CONTENT_LENGTH) {
        bytes.extend_from_slice(&[name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    if !request.body.is_empty() {
        bytes.extend_from_slice(format!("Content-Length: {}\r\n", request.body.len()).as_bytes());
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(&request.body);
    bytes
}
