//! One exchange: a request and its response, with the first upstream that can be dialed.

use crate::{
    http::{BodyProgress, BodyTooSlow, RequestBody, VisitorDisconnected},
    refusal::{Fault, Refusal},
    telemetry::{Trace, metrics},
    upstream::{
        Candidates, FixedResponse, H1Connection, H2Connections, OriginServer, ReachedTunnels, StreamSpec,
        UpstreamCandidate,
        h2_connections::{self as h2_connections, StreamPermit},
        unsent_request,
    },
};
use http_body::Body as _;
use hyper::{
    Method, Request, Response,
    body::Incoming,
    client::conn::TrySendError,
    header::{self, HeaderValue},
};
use postern_api::{Code, Error};
use postern_tunnel::StreamRefused;
use std::{error::Error as _, io, pin::pin, sync::Arc, task::Poll, time::Duration};
use tokio::time::Instant;

/// A response and its source.
pub(crate) enum UpstreamResponse {
    /// From an upstream, over a connection that its body still needs.
    Origin { response: Response<Incoming>, connection: ResponseConnection, origin: OriginServer },
    /// A fixed response of the edge.
    Fixed(Arc<FixedResponse>),
}

/// The connection that a response arrives on.
pub(crate) enum ResponseConnection {
    /// An HTTP/1.1 connection, for one exchange.
    Exclusive(Box<H1Connection>),
    /// One of many requests on an HTTP/2 connection; dropping it releases the stream.
    Shared(#[expect(dead_code, reason = "held until dropped")] StreamPermit),
}

/// Sends a request to the first candidate that can be dialed, and waits for the head of its response. Once one is
/// dialed no other is tried: the request may have been acted on.
pub(crate) async fn exchange(
    candidates: Candidates,
    (spec, reached): (StreamSpec, &ReachedTunnels),
    request: Request<RequestBody>,
    progress: Option<Arc<BodyProgress>>,
    timeout: Duration,
    trace: &mut Trace,
) -> Result<UpstreamResponse, Refusal> {
    let mut request = request;
    let mut remaining = candidates.len();
    let mut last = None;
    for candidate in candidates {
        remaining -= 1;
        let origin = match candidate {
            UpstreamCandidate::Respond(fixed) => return Ok(UpstreamResponse::Fixed(fixed)),
            UpstreamCandidate::Dial(origin) => origin,
        };
        origin.mark_tried(trace);
        reached.add(&origin, spec.visitor);
        let result = match origin.h2_connections() {
            None => attempt(&origin, spec, request, &progress, timeout, (remaining > 0, trace)).await,
            Some(h2_connections) => {
                attempt_shared((&origin, h2_connections), spec, request, &progress, timeout, trace).await
            }
        };
        match result {
            Ok((response, connection)) => return Ok(UpstreamResponse::Origin { response, connection, origin }),
            Err(AttemptError::NotReached(refusal, unsent)) => {
                tracing::debug!(origin = %origin.id(), code = %refusal.error.code, remaining, "cannot be dialed");
                (last, request) = (Some(refusal), *unsent);
            }
            Err(AttemptError::Failed(refusal)) => return Err(refusal),
        }
    }
    Err(last.unwrap_or_else(|| Refusal::new(Fault::Route, Code::BackendMissing)))
}

/// The reason why an attempt failed.
enum AttemptError {
    /// Nothing was sent; the request is unchanged.
    NotReached(Refusal, Box<Request<RequestBody>>),
    Failed(Refusal),
}

/// Attempts the request at one upstream over HTTP/1.1.
///
/// An idle connection may have become stale. Then the request is sent once more on a fresh stream, if the local
/// service cannot have acted on it: nothing was sent, or it is idempotent and has no body (RFC 9110, section 9.2.2).
async fn attempt(
    origin: &OriginServer,
    spec: StreamSpec,
    request: Request<RequestBody>,
    progress: &Option<Arc<BodyProgress>>,
    timeout: Duration,
    (more_candidates, trace): (bool, &mut Trace),
) -> Result<(Response<Incoming>, ResponseConnection), AttemptError> {
    let mut request = request;
    declare_chunks(&mut request);
    let key = origin.key(spec);
    if let Some(upstream) = origin.pool().take(key, || origin.idle_connections() > 0) {
        metrics::upstream_reused();
        upstream.send_note(trace);
        let retry = can_repeat(&request).then(|| head_of(&request));
        match send(upstream, request, progress.clone(), timeout).await {
            Ok(response) => return Ok(response),
            Err(failure) => match (failure.unsent, retry) {
                (Some(unsent), _) => request = unsent,
                (None, Some(retry)) if failure.stale => request = retry,
                _ => return Err(AttemptError::Failed(failure.refusal)),
            },
        }
        tracing::debug!(origin = %origin.id(), "idle connection was stale; trying a fresh one");
    }
    let opening = Instant::now();
    let stream = match origin.open(spec, more_candidates).await {
        Ok(stream) => stream,
        Err(refusal) => return Err(AttemptError::NotReached(refusal, Box::new(request))),
    };
    trace.queued(opening.elapsed());
    let upstream = H1Connection::on(stream, key, origin.accepts_notes()).await.map_err(|error| {
        let error = Error::new(Code::Internal, format!("The request cannot be sent: {error}."));
        AttemptError::Failed(Refusal::new(Fault::Us, error))
    })?;
    upstream.send_note(trace);
    send(upstream, request, progress.clone(), timeout).await.map_err(|failure| AttemptError::Failed(failure.refusal))
}

/// Attempts the request at one upstream over a shared HTTP/2 connection. Retries like [`attempt`], and also when the
/// local service reports that it did not process the request.
async fn attempt_shared(
    (origin, h2_connections): (&OriginServer, &H2Connections),
    spec: StreamSpec,
    request: Request<RequestBody>,
    progress: &Option<Arc<BodyProgress>>,
    timeout: Duration,
    trace: &mut Trace,
) -> Result<(Response<Incoming>, ResponseConnection), AttemptError> {
    let mut request = request;
    let mut tries = 2;
    loop {
        tries -= 1;
        let permit = match h2_connections::acquire_stream(origin, h2_connections, spec).await {
            Ok(permit) => permit,
            Err(refusal) => {
                unsent_request::report(origin, spec, &request, &refusal, trace);
                return Err(AttemptError::NotReached(refusal, Box::new(request)));
            }
        };
        let retry = can_repeat(&request).then(|| head_of(&request));
        h2_connections::to_http2(&mut request).map_err(AttemptError::Failed)?;
        match send_shared(permit, request, progress.clone(), timeout, trace).await {
            Ok(response) => return Ok(response),
            Err(failure) => match (failure.unsent, retry) {
                (Some(mut unsent), _) if tries > 0 => {
                    h2_connections::to_http1(&mut unsent);
                    request = unsent;
                }
                (None, Some(retry)) if tries > 0 && failure.stale => request = retry,
                _ => return Err(AttemptError::Failed(failure.refusal)),
            },
        }
        tracing::debug!(origin = %origin.id(), "shared connection was stale; trying another one");
    }
}

/// Says that a body of unknown length follows. hyper assumes that GET and HEAD have none unless they say so.
fn declare_chunks(request: &mut Request<RequestBody>) {
    let rarely_has_body = matches!(*request.method(), Method::GET | Method::HEAD);
    if rarely_has_body && !request.body().is_end_stream() && request.body().size_hint().exact().is_none() {
        let headers = request.headers_mut();
        headers.entry(header::TRANSFER_ENCODING).or_insert(HeaderValue::from_static("chunked"));
    }
}

struct SendError {
    refusal: Refusal,
    /// The request, if not a byte of it was sent.
    unsent: Option<Request<RequestBody>>,
    /// Whether the connection ended before the first byte of a response.
    stale: bool,
}

async fn send(
    mut upstream: Box<H1Connection>,
    request: Request<RequestBody>,
    progress: Option<Arc<BodyProgress>>,
    timeout: Duration,
) -> Result<(Response<Incoming>, ResponseConnection), SendError> {
    let response_future = upstream.sender.try_send_request(request);
    let mut response_future = pin!(response_future);
    let response_future = std::future::poll_fn(|cx| {
        // The end of the connection is reported through the response.
        let _ = upstream.drive(cx);
        response_future.as_mut().poll(cx)
    });
    let response = await_response(response_future, progress, timeout).await?;
    Ok((response, ResponseConnection::Exclusive(upstream)))
}

async fn send_shared(
    mut permit: StreamPermit,
    request: Request<RequestBody>,
    progress: Option<Arc<BodyProgress>>,
    timeout: Duration,
    trace: &mut Trace,
) -> Result<(Response<Incoming>, ResponseConnection), SendError> {
    let response_future = permit.send(request, trace);
    let response = await_response(response_future, progress, timeout).await?;
    Ok((response, ResponseConnection::Shared(permit)))
}

/// Waits for the head of a response.
async fn await_response(
    response_future: impl Future<Output = Result<Response<Incoming>, TrySendError<Request<RequestBody>>>>,
    progress: Option<Arc<BodyProgress>>,
    timeout: Duration,
) -> Result<Response<Incoming>, SendError> {
    let mut response_future = pin!(response_future);
    let mut deadline = pin!(tokio::time::sleep(timeout));
    let mut seen_frames = 0;
    let outcome = std::future::poll_fn(|cx| {
        if let Poll::Ready(outcome) = response_future.as_mut().poll(cx) {
            return Poll::Ready(Some(outcome));
        }
        while deadline.as_mut().poll(cx).is_ready() {
            // As long as the visitor is still sending, it is not the local service that is slow.
            let sent = progress.as_ref().map_or(0, |progress| progress.frames());
            if sent == seen_frames {
                return Poll::Ready(None);
            }
            seen_frames = sent;
            deadline.as_mut().reset(tokio::time::Instant::now() + timeout);
        }
        Poll::Pending
    })
    .await;
    match outcome {
        Some(Ok(response)) => {
            if let Some(progress) = &progress {
                progress.mark_responded();
            }
            Ok(response)
        }
        Some(Err(mut error)) => {
            let unsent = error.take_message();
            let error = error.into_error();
            let stale = error.is_incomplete_message()
                || error.is_canceled()
                || error.is_closed()
                || is_broken(&error)
                || is_untouched(&error);
            Err(SendError { refusal: refusal_of(&error), unsent, stale })
        }
        None => {
            let message = format!("The local service did not begin to respond within {} seconds.", timeout.as_secs());
            let refusal = Refusal::new(Fault::Service, Error::new(Code::UpstreamTimeout, message));
            Err(SendError { refusal, unsent: None, stale: false })
        }
    }
}

/// Whether the request is idempotent and has no body, so that it can be sent twice.
fn can_repeat(request: &Request<RequestBody>) -> bool {
    request.body().is_empty()
        && matches!(
            *request.method(),
            Method::GET | Method::HEAD | Method::OPTIONS | Method::TRACE | Method::DELETE | Method::PUT
        )
}

fn head_of(request: &Request<RequestBody>) -> Request<RequestBody> {
    let mut copy = Request::new(RequestBody::empty());
    copy.method_mut().clone_from(request.method());
    copy.uri_mut().clone_from(request.uri());
    *copy.version_mut() = request.version();
    copy.headers_mut().clone_from(request.headers());
    copy.extensions_mut().clone_from(request.extensions());
    copy
}

/// The agent's own words, if it refused the stream.
pub(crate) fn refused_by_agent(error: &io::Error) -> Option<&Error> {
    error.get_ref().and_then(|inner| inner.downcast_ref::<StreamRefused>()).map(|refused| &refused.0)
}

/// Finds a cause in the chain of an error.
fn find_cause<'a, T>(
    error: &'a hyper::Error,
    matches: impl Fn(&'a (dyn std::error::Error + 'static)) -> Option<T>,
) -> Option<T> {
    let mut next = error.source();
    while let Some(find_cause) = next {
        if let Some(matches) = matches(find_cause) {
            return Some(matches);
        }
        next = find_cause.source();
    }
    None
}

fn is_broken(error: &hyper::Error) -> bool {
    find_cause(error, |find_cause| find_cause.downcast_ref::<io::Error>())
        .is_some_and(|error| refused_by_agent(error).is_none())
}

/// Whether the HTTP/2 peer reports that it did not process the request, or is gone (RFC 9113, section 8.7).
fn is_untouched(error: &hyper::Error) -> bool {
    find_cause(error, |find_cause| find_cause.downcast_ref::<h2::Error>()).is_some_and(|h2| {
        let remaining = h2.is_go_away() && h2.is_remote() && h2.reason() == Some(h2::Reason::NO_ERROR);
        h2.is_io() || remaining || h2.reason() == Some(h2::Reason::REFUSED_STREAM)
    })
}

fn refusal_of(error: &hyper::Error) -> Refusal {
    if let Some(refused) =
        find_cause(error, |find_cause| find_cause.downcast_ref::<io::Error>().and_then(refused_by_agent))
    {
        return Refusal::from_agent(refused);
    }
    if find_cause(error, |find_cause| find_cause.downcast_ref::<BodyTooSlow>()).is_some() {
        return BodyTooSlow::refusal();
    }
    if error.is_user() || find_cause(error, |find_cause| find_cause.downcast_ref::<VisitorDisconnected>()).is_some() {
        return Refusal::invalid("The body of the request ended early.");
    }
    if let Some(h2) = find_cause(error, |find_cause| find_cause.downcast_ref::<h2::Error>()).filter(|h2| !h2.is_io()) {
        let reason = h2.reason().unwrap_or(h2::Reason::PROTOCOL_ERROR);
        let (code, message) = if h2.is_remote() {
            (Code::UpstreamClosed, format!("The local service gave the request up before it responded: {reason}."))
        } else {
            (Code::UpstreamInvalid, format!("The local service responded with something that is not HTTP/2: {reason}."))
        };
        return Refusal::new(Fault::Service, Error::new(code, message));
    }
    if error.is_parse() || error.is_parse_too_large() {
        let message = "The local service responded with something that is not HTTP.";
        return Refusal::new(Fault::Service, Error::new(Code::UpstreamInvalid, message));
    }
    let message = "The connection to the local service ended before it responded.";
    Refusal::new(Fault::Service, Error::new(Code::UpstreamClosed, message))
}
