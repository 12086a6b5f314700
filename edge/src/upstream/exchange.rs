//! One exchange: a request and its response, with the first upstream that can be dialed.

use crate::{
    http::{
        BodyError, BodyProgress, BodyTooSlow, ClientError, InterimReceiver, LazyTimer, RequestBody, VisitorDisconnected,
    },
    refusal::{Fault, Refusal},
    telemetry::{Trace, metrics},
    upstream::{
        Candidates, FixedResponse, H1Connection, H2Connections, OriginServer, ReachedTunnels, StreamSpec,
        UpstreamCandidate,
        h2_connections::{self as h2_connections, StreamPermit},
        response_wait::{ResponseTimeout, ResponseWait},
        unsent_request,
    },
};
use hyper::{Method, Request, Response, body::Incoming, client::conn::TrySendError};
use postern_api::{Code, Error};
use postern_tunnel::StreamRefused;
use std::{error::Error as _, io, pin::pin, sync::Arc, time::Duration};
use tokio::time::Instant;

/// A request on its way to an upstream. It stays in one place from here on: each function that took it would keep a copy of its own
/// while it waits.
pub(crate) struct SentRequest {
    pub(crate) request: Request<RequestBody>,
    /// How far the body has come; `None` if there is none.
    pub(crate) progress: Option<Arc<BodyProgress>>,
    /// Where interim responses go.
    pub(crate) interim: Option<InterimReceiver>,
}

impl SentRequest {
    /// Begins the exchange on a connection, which takes the body.
    fn start(&mut self, upstream: &mut H1Connection) {
        let body = std::mem::take(self.request.body_mut());
        upstream.http.start(&mut self.request, body, self.interim.clone());
    }
}

/// A response and its source.
pub(crate) enum UpstreamResponse {
    /// From an upstream, with what its body arrives on.
    Origin { response: Response<ResponseCarrier>, origin: OriginServer },
    /// A fixed response of the edge.
    Fixed(Arc<FixedResponse>),
}

/// What the body of a response arrives on.
pub(crate) enum ResponseCarrier {
    /// An HTTP/1.1 connection, for one exchange.
    Http1(Box<H1Connection>),
    /// One of many streams on an HTTP/2 connection; dropping the permit releases it.
    Http2(Incoming, #[expect(dead_code, reason = "held until dropped")] StreamPermit),
}

/// Sends a request to the first candidate that can be dialed, and waits for the head of its response. Once one is
/// dialed no other is tried: the request may have been acted on. Its body is taken when it is sent.
pub(crate) async fn exchange(
    candidates: Candidates,
    (spec, reached): (StreamSpec, &ReachedTunnels),
    sent: &mut SentRequest,
    timeout: Duration,
    trace: &mut Trace,
) -> Result<UpstreamResponse, Refusal> {
    let wait = ResponseWait::new(sent.progress.take(), timeout);
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
            None => attempt(&origin, spec, sent, &wait, (remaining > 0, trace)).await,
            Some(h2_connections) => {
                // Boxed: requests over HTTP/1.1 must not hold room for it.
                Box::pin(attempt_shared((&origin, h2_connections), spec, &mut sent.request, &wait, trace)).await
            }
        };
        match result {
            Ok(response) => return Ok(UpstreamResponse::Origin { response, origin }),
            Err(AttemptError::NotReached(refusal)) => {
                tracing::debug!(origin = %origin.id(), code = %refusal.error.code, remaining, "cannot be dialed");
                last = Some(refusal);
            }
            Err(AttemptError::Failed(refusal)) => return Err(refusal),
        }
    }
    Err(last.unwrap_or_else(|| Refusal::new(Fault::Route, Code::BackendMissing)))
}

/// The reason why an attempt failed.
enum AttemptError {
    /// Nothing was sent; the request is unchanged.
    NotReached(Refusal),
    Failed(Refusal),
}

/// Attempts the request at one upstream over HTTP/1.1.
///
/// An idle connection may have become stale. Then the request is sent once more on a fresh stream, if the local
/// service cannot have acted on it: nothing was sent, or it is idempotent and has no body (RFC 9110, section 9.2.2). The
/// same holds when a fresh stream breaks and the tunnel can be reached in another way.
async fn attempt(
    origin: &OriginServer,
    spec: StreamSpec,
    sent: &mut SentRequest,
    wait: &ResponseWait,
    (more_candidates, trace): (bool, &mut Trace),
) -> Result<Response<ResponseCarrier>, AttemptError> {
    let can_repeat = can_repeat(&sent.request);
    let key = origin.key(spec);
    if let Some(mut upstream) = origin.pool().take(key, || origin.idle_connections() > 0) {
        metrics::upstream_reused();
        upstream.send_note(trace);
        sent.start(&mut upstream);
        match await_response(upstream, wait).await {
            Ok(response) => return Ok(response),
            Err((error, mut upstream)) => match upstream.http.take_unsent().filter(|_| error.is_stale()) {
                Some(unsent) => *sent.request.body_mut() = unsent,
                None if can_repeat && error.is_stale() => {}
                None => return Err(AttemptError::Failed(error.refusal())),
            },
        }
        tracing::debug!(origin = %origin.id(), "idle connection was stale; trying a fresh one");
    }
    let mut elsewhere = false;
    loop {
        let opening = Instant::now();
        // Boxed: a request that waits for its response must not hold room for it.
        let opened = if elsewhere {
            Box::pin(origin.open_elsewhere(spec)).await
        } else {
            Box::pin(origin.open(spec, more_candidates)).await
        };
        let stream = match opened {
            Ok(stream) => stream,
            Err(refusal) => return Err(AttemptError::NotReached(refusal)),
        };
        trace.queued(opening.elapsed());
        let mut upstream = H1Connection::new(stream, key, origin.accepts_notes());
        upstream.send_note(trace);
        sent.start(&mut upstream);
        let (error, mut upstream) = match await_response(upstream, wait).await {
            Ok(response) => return Ok(response),
            Err(failed) => failed,
        };
        // This way to the tunnel has broken, and there is another one.
        let repeats = !elsewhere && error.is_stale() && origin.has_other_ways();
        match upstream.http.take_unsent().filter(|_| repeats) {
            Some(unsent) => *sent.request.body_mut() = unsent,
            None if repeats && can_repeat => {}
            None => return Err(AttemptError::Failed(error.refusal())),
        }
        elsewhere = true;
    }
}

/// Attempts the request at one upstream over a shared HTTP/2 connection. Retries like [`attempt`], and also when the
/// local service reports that it did not process the request.
async fn attempt_shared(
    (origin, h2_connections): (&OriginServer, &H2Connections),
    spec: StreamSpec,
    request: &mut Request<RequestBody>,
    wait: &ResponseWait,
    trace: &mut Trace,
) -> Result<Response<ResponseCarrier>, AttemptError> {
    let mut tries = 2;
    loop {
        tries -= 1;
        let permit = match h2_connections::acquire_stream(origin, h2_connections, spec).await {
            Ok(permit) => permit,
            Err(refusal) => {
                unsent_request::report(origin, spec, request, &refusal, trace);
                return Err(AttemptError::NotReached(refusal));
            }
        };
        let retry = can_repeat(request).then(|| head_of(request));
        h2_connections::to_http2(request).map_err(AttemptError::Failed)?;
        match await_shared_response(permit, std::mem::take(request), wait, trace).await {
            Ok(response) => return Ok(response),
            Err(SharedError { error, unsent }) => match (unsent, retry) {
                (Some(mut unsent), _) if tries > 0 => {
                    h2_connections::to_http1(&mut unsent);
                    *request = unsent;
                }
                (None, Some(retry)) if tries > 0 && error.is_stale() => *request = retry,
                _ => return Err(AttemptError::Failed(error.refusal())),
            },
        }
        tracing::debug!(origin = %origin.id(), "shared connection was stale; trying another one");
    }
}

/// Why a request got no response.
enum SendError {
    Timeout(ResponseTimeout),
    Http1(ClientError),
    Http2(hyper::Error),
}

struct SharedError {
    error: SendError,
    /// The request, if not a byte of it was sent.
    unsent: Option<Request<RequestBody>>,
}

async fn await_response(
    mut upstream: Box<H1Connection>,
    wait: &ResponseWait,
) -> Result<Response<ResponseCarrier>, (SendError, Box<H1Connection>)> {
    let H1Connection { http, timer, .. } = &mut *upstream;
    let outcome = wait.head(timer, |cx| http.poll_response(cx)).await;
    match outcome {
        Ok(Ok(response)) => Ok(response.map(|()| ResponseCarrier::Http1(upstream))),
        Ok(Err(error)) => Err((SendError::Http1(error), upstream)),
        Err(timeout) => Err((SendError::Timeout(timeout), upstream)),
    }
}

async fn await_shared_response(
    mut permit: StreamPermit,
    request: Request<RequestBody>,
    wait: &ResponseWait,
    trace: &mut Trace,
) -> Result<Response<ResponseCarrier>, SharedError> {
    let outcome = {
        let (mut head, mut timer) = (pin!(permit.send(request, trace)), LazyTimer::default());
        wait.head(&mut timer, |cx| head.as_mut().poll(cx)).await
    };
    match outcome {
        Ok(Ok(response)) => Ok(response.map(|incoming| ResponseCarrier::Http2(incoming, permit))),
        Ok(Err(mut error)) => {
            let unsent = TrySendError::take_message(&mut error);
            Err(SharedError { error: SendError::Http2(error.into_error()), unsent })
        }
        Err(timeout) => Err(SharedError { error: SendError::Timeout(timeout), unsent: None }),
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

impl SendError {
    /// Whether the connection ended before the first byte of a response, or the service reports that it did not process
    /// the request.
    fn is_stale(&self) -> bool {
        match self {
            SendError::Timeout(_) => false,
            SendError::Http1(ClientError::Unanswered(error)) => refused_by_agent(error).is_none(),
            SendError::Http1(_) => false,
            SendError::Http2(error) => {
                let is_broken = find_cause::<io::Error>(error).is_some_and(|error| refused_by_agent(error).is_none());
                error.is_canceled() || error.is_closed() || is_broken || is_untouched(error)
            }
        }
    }

    fn refusal(&self) -> Refusal {
        match self {
            SendError::Timeout(ResponseTimeout(timeout)) => {
                let seconds = timeout.as_secs();
                let message = format!("The local service did not begin to respond within {seconds} seconds.");
                Refusal::new(Fault::Service, Error::new(Code::UpstreamTimeout, message))
            }
            SendError::Http1(error) => refusal_of(error),
            SendError::Http2(error) => refusal_of_shared(error),
        }
    }
}

fn refusal_of(error: &ClientError) -> Refusal {
    if let Some(refused) = error.io_error().and_then(refused_by_agent) {
        return Refusal::from_agent(refused);
    }
    match error {
        ClientError::Request(error) => refusal_of_body(error),
        ClientError::Malformed => {
            let message = "The local service responded with something that is not HTTP.";
            Refusal::new(Fault::Service, Error::new(Code::UpstreamInvalid, message))
        }
        ClientError::Unanswered(_) | ClientError::Broken(_) => closed(),
    }
}

fn refusal_of_body(error: &BodyError) -> Refusal {
    if error.is::<BodyTooSlow>() {
        BodyTooSlow::refusal()
    } else {
        Refusal::invalid("The body of the request ended early.")
    }
}

fn closed() -> Refusal {
    let message = "The connection to the local service ended before it responded.";
    Refusal::new(Fault::Service, Error::new(Code::UpstreamClosed, message))
}

fn refusal_of_shared(error: &hyper::Error) -> Refusal {
    if let Some(refused) = find_cause::<io::Error>(error).and_then(refused_by_agent) {
        return Refusal::from_agent(refused);
    }
    if find_cause::<BodyTooSlow>(error).is_some() {
        return BodyTooSlow::refusal();
    }
    if error.is_user() || find_cause::<VisitorDisconnected>(error).is_some() {
        return Refusal::invalid("The body of the request ended early.");
    }
    if let Some(h2) = find_cause::<h2::Error>(error).filter(|h2| !h2.is_io()) {
        let reason = h2.reason().unwrap_or(h2::Reason::PROTOCOL_ERROR);
        let (code, message) = if h2.is_remote() {
            (Code::UpstreamClosed, format!("The local service gave the request up before it responded: {reason}."))
        } else {
            (Code::UpstreamInvalid, format!("The local service responded with something that is not HTTP/2: {reason}."))
        };
        return Refusal::new(Fault::Service, Error::new(code, message));
    }
    closed()
}

/// Finds a cause in the chain of an error.
fn find_cause<C: std::error::Error + 'static>(error: &hyper::Error) -> Option<&C> {
    let mut next = error.source();
    while let Some(cause) = next {
        if let Some(cause) = cause.downcast_ref() {
            return Some(cause);
        }
        next = cause.source();
    }
    None
}

/// Whether the HTTP/2 peer reports that it did not process the request, or is gone (RFC 9113, section 8.7).
fn is_untouched(error: &hyper::Error) -> bool {
    find_cause::<h2::Error>(error).is_some_and(|h2| {
        let remaining = h2.is_go_away() && h2.is_remote() && h2.reason() == Some(h2::Reason::NO_ERROR);
        h2.is_io() || remaining || h2.reason() == Some(h2::Reason::REFUSED_STREAM)
    })
}
