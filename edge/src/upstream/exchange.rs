//! One request and its answer: from whoever can be dialled first.

use crate::{
    http::{BodyProgress, BodyTooSlow, RequestBody, VisitorDisconnected},
    refusal::{Fault, Refusal},
    telemetry::{Trace, metrics},
    upstream::{
        Candidate, Candidates, FixedResponse, H1Connection, H2Connections, OriginServer, StreamSpec,
        h2_connections::{self as shared, StreamPermit},
    },
};
use hyper::{Method, Request, Response, body::Incoming, client::conn::TrySendError};
use postern_api::{Code, Error};
use postern_tunnel::Refused;
use std::{
    error::Error as _,
    io,
    pin::pin,
    sync::Arc,
    task::Poll,
    time::{Duration, Instant},
};

/// Where an answer came from.
pub(crate) enum UpstreamResponse {
    /// From an origin, over a connection that is still needed for the body.
    Origin { response: Response<Incoming>, connection: ResponseConnection, origin: OriginServer },
    /// It stood ready here.
    Fixed(Arc<FixedResponse>),
}

/// What a request and its answer travel on.
pub(crate) enum ResponseConnection {
    /// A connection of HTTP/1.1, for the time of one exchange.
    Exclusive(Box<H1Connection>),
    /// One of many requests on a connection of HTTP/2; the place is free again when dropped.
    Shared(#[expect(dead_code, reason = "held, not looked at")] StreamPermit),
}

/// Sends a request to the first candidate that can be dialled, and waits for the head of its answer. Once one is
/// dialled the others are out: the request may have been acted on.
pub(crate) async fn exchange(
    candidates: Candidates,
    spec: StreamSpec,
    request: Request<RequestBody>,
    progress: Option<Arc<BodyProgress>>,
    patience: Duration,
    trace: &mut Trace,
) -> Result<UpstreamResponse, Refusal> {
    let mut request = request;
    let mut left = candidates.len();
    let mut last = None;
    for candidate in candidates {
        left -= 1;
        let origin = match candidate {
            Candidate::Answer(fixed) => return Ok(UpstreamResponse::Fixed(fixed)),
            Candidate::Dial(origin) => origin,
        };
        origin.mark_tried(trace);
        let asked = match origin.h2_connections() {
            None => ask(&origin, spec, request, &progress, patience, (left > 0, trace)).await,
            Some(h2_connections) => ask_shared(&origin, h2_connections, spec, request, &progress, patience).await,
        };
        match asked {
            Ok((response, connection)) => return Ok(UpstreamResponse::Origin { response, connection, origin }),
            Err(AttemptError::NotReached(refusal, unsent)) => {
                tracing::debug!(origin = %origin.id(), code = %refusal.error.code, left, "cannot be dialled");
                (last, request) = (Some(refusal), *unsent);
            }
            Err(AttemptError::Failed(refusal)) => return Err(refusal),
        }
    }
    Err(last.unwrap_or_else(|| Refusal::new(Fault::Route, Code::BackendMissing)))
}

/// Why there is no answer.
enum AttemptError {
    /// Nothing was sent; the request is as it was.
    NotReached(Refusal, Box<Request<RequestBody>>),
    Failed(Refusal),
}

/// Asks one origin.
///
/// An idle connection may turn out to be stale just now. Then the request is sent once more on a fresh stream,
/// if the local service cannot have acted on it: nothing was sent, or it has no body and is idempotent.
async fn ask(
    origin: &OriginServer,
    spec: StreamSpec,
    request: Request<RequestBody>,
    progress: &Option<Arc<BodyProgress>>,
    patience: Duration,
    (others, trace): (bool, &mut Trace),
) -> Result<(Response<Incoming>, ResponseConnection), AttemptError> {
    let mut request = request;
    let key = origin.key(spec);
    if let Some(upstream) = origin.pool().take(key) {
        metrics::upstream_reused();
        upstream.explain(trace);
        let again = can_repeat(&request).then(|| head_of(&request));
        match send(upstream, request, progress.clone(), patience).await {
            Ok(answered) => return Ok(answered),
            Err(failure) => match (failure.unsent, again) {
                (Some(unsent), _) => request = unsent,
                (None, Some(again)) if failure.stale => request = again,
                _ => return Err(AttemptError::Failed(failure.refusal)),
            },
        }
        tracing::debug!(origin = %origin.id(), "idle connection was stale; trying a fresh one");
    }
    let looking = Instant::now();
    let stream = match origin.open(spec, others).await {
        Ok(stream) => stream,
        Err(refusal) => return Err(AttemptError::NotReached(refusal, Box::new(request))),
    };
    trace.queued(looking.elapsed());
    let upstream = H1Connection::on(stream, key, origin.accepts_notes()).await.map_err(|error| {
        let error = Error::new(Code::Internal, format!("The request cannot be sent: {error}."));
        AttemptError::Failed(Refusal::new(Fault::Us, error))
    })?;
    upstream.explain(trace);
    send(upstream, request, progress.clone(), patience).await.map_err(|failure| AttemptError::Failed(failure.refusal))
}

/// Asks one origin over a connection that others use, too. Sent once more as above, and where the local service said
/// that it has not looked at it.
async fn ask_shared(
    origin: &OriginServer,
    h2_connections: &H2Connections,
    spec: StreamSpec,
    request: Request<RequestBody>,
    progress: &Option<Arc<BodyProgress>>,
    patience: Duration,
) -> Result<(Response<Incoming>, ResponseConnection), AttemptError> {
    let mut request = request;
    let mut tries = 2;
    loop {
        tries -= 1;
        let lease = match shared::lend(origin, h2_connections, spec).await {
            Ok(lease) => lease,
            Err(refusal) => return Err(AttemptError::NotReached(refusal, Box::new(request))),
        };
        let again = can_repeat(&request).then(|| head_of(&request));
        shared::to_http2(&mut request).map_err(AttemptError::Failed)?;
        match send_shared(lease, request, progress.clone(), patience).await {
            Ok(answered) => return Ok(answered),
            Err(failure) => match (failure.unsent, again) {
                (Some(mut unsent), _) if tries > 0 => {
                    shared::to_http1(&mut unsent);
                    request = unsent;
                }
                (None, Some(again)) if tries > 0 && failure.stale => request = again,
                _ => return Err(AttemptError::Failed(failure.refusal)),
            },
        }
        tracing::debug!(origin = %origin.id(), "shared connection was stale; trying another one");
    }
}

struct SendError {
    refusal: Refusal,
    /// The request, if not a byte of it was sent.
    unsent: Option<Request<RequestBody>>,
    /// Whether the connection ended before the first byte of an answer.
    stale: bool,
}

async fn send(
    mut upstream: Box<H1Connection>,
    request: Request<RequestBody>,
    progress: Option<Arc<BodyProgress>>,
    patience: Duration,
) -> Result<(Response<Incoming>, ResponseConnection), SendError> {
    let answer = upstream.sender.try_send_request(request);
    let mut answer = pin!(answer);
    let answer = std::future::poll_fn(|cx| {
        // Its end, too, is told through the answer.
        let _ = upstream.drive(cx);
        answer.as_mut().poll(cx)
    });
    let response = in_time(answer, progress, patience).await?;
    Ok((response, ResponseConnection::Exclusive(upstream)))
}

async fn send_shared(
    mut lease: StreamPermit,
    request: Request<RequestBody>,
    progress: Option<Arc<BodyProgress>>,
    patience: Duration,
) -> Result<(Response<Incoming>, ResponseConnection), SendError> {
    let answer = lease.sender.try_send_request(request);
    let response = in_time(answer, progress, patience).await?;
    Ok((response, ResponseConnection::Shared(lease)))
}

/// Waits for the head of an answer.
async fn in_time(
    answer: impl Future<Output = Result<Response<Incoming>, TrySendError<Request<RequestBody>>>>,
    progress: Option<Arc<BodyProgress>>,
    patience: Duration,
) -> Result<Response<Incoming>, SendError> {
    let mut answer = pin!(answer);
    let mut deadline = pin!(tokio::time::sleep(patience));
    let mut seen = 0;
    let outcome = std::future::poll_fn(|cx| {
        if let Poll::Ready(outcome) = answer.as_mut().poll(cx) {
            return Poll::Ready(Some(outcome));
        }
        while deadline.as_mut().poll(cx).is_ready() {
            // As long as the visitor is still sending, it is not the local service that is slow.
            let sent = progress.as_ref().map_or(0, |progress| progress.frames());
            if sent == seen {
                return Poll::Ready(None);
            }
            seen = sent;
            deadline.as_mut().reset(tokio::time::Instant::now() + patience);
        }
        Poll::Pending
    })
    .await;
    match outcome {
        Some(Ok(response)) => {
            if let Some(progress) = &progress {
                progress.answered();
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
            let message = format!("The local service did not begin to answer within {} seconds.", patience.as_secs());
            let refusal = Refusal::new(Fault::Service, Error::new(Code::UpstreamTimeout, message));
            Err(SendError { refusal, unsent: None, stale: false })
        }
    }
}

/// Whether sending twice is the same as sending once.
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
    error.get_ref().and_then(|inner| inner.downcast_ref::<Refused>()).map(|refused| &refused.0)
}

/// The cause of an error somewhere down its chain.
fn cause<'a, T>(
    error: &'a hyper::Error,
    found: impl Fn(&'a (dyn std::error::Error + 'static)) -> Option<T>,
) -> Option<T> {
    let mut next = error.source();
    while let Some(cause) = next {
        if let Some(found) = found(cause) {
            return Some(found);
        }
        next = cause.source();
    }
    None
}

fn is_broken(error: &hyper::Error) -> bool {
    cause(error, |cause| cause.downcast_ref::<io::Error>()).is_some_and(|error| refused_by_agent(error).is_none())
}

/// Whether the other side of HTTP/2 says that it did not look at the request, or is gone.
fn is_untouched(error: &hyper::Error) -> bool {
    cause(error, |cause| cause.downcast_ref::<h2::Error>()).is_some_and(|h2| {
        let left = h2.is_go_away() && h2.is_remote() && h2.reason() == Some(h2::Reason::NO_ERROR);
        h2.is_io() || left || h2.reason() == Some(h2::Reason::REFUSED_STREAM)
    })
}

fn refusal_of(error: &hyper::Error) -> Refusal {
    if let Some(refused) = cause(error, |cause| cause.downcast_ref::<io::Error>().and_then(refused_by_agent)) {
        return Refusal::from_agent(refused);
    }
    if cause(error, |cause| cause.downcast_ref::<BodyTooSlow>()).is_some() {
        return BodyTooSlow::refusal();
    }
    if error.is_user() || cause(error, |cause| cause.downcast_ref::<VisitorDisconnected>()).is_some() {
        return Refusal::invalid("The body of the request ended early.");
    }
    if let Some(h2) = cause(error, |cause| cause.downcast_ref::<h2::Error>()).filter(|h2| !h2.is_io()) {
        let why = h2.reason().unwrap_or(h2::Reason::PROTOCOL_ERROR);
        let (code, message) = if h2.is_remote() {
            (Code::UpstreamClosed, format!("The local service gave the request up before it answered: {why}."))
        } else {
            (Code::UpstreamInvalid, format!("The local service answered with something that is not HTTP/2: {why}."))
        };
        return Refusal::new(Fault::Service, Error::new(code, message));
    }
    if error.is_parse() || error.is_parse_too_large() {
        let message = "The local service answered with something that is not HTTP.";
        return Refusal::new(Fault::Service, Error::new(Code::UpstreamInvalid, message));
    }
    let message = "The connection to the local service ended before it answered.";
    Refusal::new(Fault::Service, Error::new(Code::UpstreamClosed, message))
}
