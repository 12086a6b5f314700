//! The server's side of a connection: requests are read from the guard, and responses written to it, one after another.
//!
//! The connection has no task of its own: the task that serves it polls the service, hands it the body as it is read,
//! and writes the response as it comes.

use super::{
    body_reader::{BodyPart, BodyReader},
    body_writer::OutgoingBody,
    head::HeadError,
    input::Input,
    output::Output,
    received_body::{self, BodyReadError, BodySender},
    request_head::RequestHead,
    response_head::{self, AnsweredRequest},
    upgrade::{RequestedUpgrade, UpgradedStream},
};
use crate::{
    http::{BodyError, HttpGuard, VisitorBody},
    limits::Limits,
    refusal::{Fault, Refusal},
};
use bytes::Bytes;
use futures::future::BoxFuture;
use http_body::{Body, Frame};
use hyper::{Method, Request, Response, StatusCode, Version, header};
use postern_api::{Code, Error};
use postern_tunnel::proto::frame::MAX_SENT_PAYLOAD;
use std::{
    future::poll_fn,
    io,
    pin::Pin,
    task::{Context, Poll},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt},
    sync::oneshot,
};
use tokio_util::sync::CancellationToken;

/// Room above the header block, so that the limit here never comes before that of the guard.
const HEADROOM_BYTES: usize = 8 * 1024;
/// Bytes of a request's body that are read at once. With the lines of chunks they fit into one frame of a tunnel: what is left
/// over would cost a write of its own.
const MAX_FED_BYTES: usize = MAX_SENT_PAYLOAD - 256;
/// What a part of a body counts for at least.
const MIN_PART_BYTES: usize = 1024;
/// Bytes of a request's body that are still read when its response is complete and nothing reads it.
const MAX_DRAINED_BYTES: usize = 64 * 1024;

/// The server's side of a connection.
pub(crate) struct ServerConnection<S> {
    guard: Box<HttpGuard<S>>,
    input: Input,
    output: Output,
    max_head_bytes: usize,
    max_fields: usize,
    /// Whether written bytes have to be flushed.
    unflushed: bool,
    /// Whether a response has begun and not ended.
    is_responding: bool,
    /// The request that is being answered.
    current: Option<Box<CurrentRequest>>,
}

/// The request that is being answered.
struct CurrentRequest {
    answered: AnsweredRequest,
    body: BodyReader,
    /// Where the body goes; `None` if there is none.
    sender: Option<BodySender>,
    /// Whether the visitor waits to be told that it may send the body.
    expects_continue: bool,
    upgrade: Option<oneshot::Sender<UpgradedStream>>,
}

/// What comes behind a response.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AfterResponse {
    /// The next request.
    Continue,
    /// The end of the connection.
    Close,
    /// Another protocol.
    Upgrade,
}

/// Why a connection can be used no longer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServerError {
    /// The guard refused what the visitor sent.
    #[error("the guard refused the connection")]
    Refused,
    /// The visitor sent what is no request.
    #[error("{}", .0.error.message)]
    Malformed(Box<Refusal>),
    #[error("the visitor left")]
    Disconnected,
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The body of the response cannot be completed.
    #[error("the body of the response broke off: {0}")]
    Response(BodyError),
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> ServerConnection<S> {
    pub(crate) fn new(guard: Box<HttpGuard<S>>, limits: &Limits) -> Self {
        ServerConnection {
            output: Output::new(guard.is_write_vectored()),
            guard,
            input: Input::default(),
            max_head_bytes: limits.head_bytes + HEADROOM_BYTES,
            max_fields: limits.headers,
            unflushed: false,
            is_responding: false,
            current: None,
        }
    }

    /// The next request; `None` if the visitor ends the connection in front of one.
    pub(crate) async fn request(&mut self) -> Result<Option<Request<VisitorBody>>, ServerError> {
        poll_fn(|cx| self.poll_request(cx)).await
    }

    fn poll_request(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Request<VisitorBody>>, ServerError>> {
        loop {
            match self.input.take_head(self.max_head_bytes) {
                Ok(Some(head)) => return Poll::Ready(self.begin(&head).map(Some)),
                Ok(None) => {}
                Err(error) => return Poll::Ready(Err(malformed(error))),
            }
            match self.input.poll_read(&mut self.guard, cx) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Ok(None)),
                Poll::Ready(Ok(_)) => {}
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error.into())),
                Poll::Pending => return self.pending(),
            }
        }
    }

    /// Waits, unless the guard has refused what came: then it gives nothing any more.
    fn pending<T>(&self) -> Poll<Result<T, ServerError>> {
        if self.guard.is_refused() { Poll::Ready(Err(ServerError::Refused)) } else { Poll::Pending }
    }

    fn begin(&mut self, head: &Bytes) -> Result<Request<VisitorBody>, ServerError> {
        let head = RequestHead::parse(head, self.max_fields).map_err(malformed)?;
        let RequestHead { mut request, body, is_persistent, expects_continue, accepts_trailers } = head;
        let (sender, received) = if body.is_ended() {
            (None, VisitorBody::empty())
        } else {
            let (sender, received) = received_body::pair(body.exact());
            (Some(sender), VisitorBody::received(received))
        };
        let mut upgrade = None;
        if request.version() == Version::HTTP_11 && request.headers().contains_key(header::UPGRADE) {
            let (sender, requested) = RequestedUpgrade::new();
            request.extensions_mut().insert(requested);
            upgrade = Some(sender);
        }
        let answered = AnsweredRequest {
            version: request.version(),
            is_head: *request.method() == Method::HEAD,
            is_persistent,
            accepts_trailers,
        };
        self.current = Some(Box::new(CurrentRequest { answered, body, sender, expects_continue, upgrade }));
        Ok(request.map(|()| received))
    }

    /// Runs the service of the last request and writes its response. After `stop` the connection ends behind it.
    pub(crate) async fn respond<B>(
        &mut self,
        mut service: BoxFuture<'static, Response<B>>,
        stop: &CancellationToken,
    ) -> Result<AfterResponse, ServerError>
    where
        B: Body<Data = Bytes> + Unpin,
        B::Error: Into<BodyError>,
    {
        let mut current = self.current.take().expect("a request was read");
        let response = poll_fn(|cx| self.poll_service(cx, &mut current, &mut service)).await?;
        drop(service);
        let (parts, body) = response.into_parts();
        current.answered.is_persistent &= !stop.is_cancelled();
        // What the visitor waits for is this response.
        current.expects_continue = false;
        let size = (!body.is_end_stream()).then(|| body.size_hint());
        let writer = response_head::write(self.output.head(), &parts, size, &mut current.answered);
        self.is_responding = true;
        let switches = parts.status == StatusCode::SWITCHING_PROTOCOLS;
        drop(parts);
        let mut body = (!writer.is_ended()).then(|| OutgoingBody::new(body, writer));
        poll_fn(|cx| self.poll_body(cx, &mut current, &mut body)).await?;
        self.is_responding = false;
        if switches && current.upgrade.is_some() {
            self.current = Some(current);
            return Ok(AfterResponse::Upgrade);
        }
        let is_read = poll_fn(|cx| self.poll_rest(cx, &mut current)).await?;
        Ok(if current.answered.is_persistent && is_read { AfterResponse::Continue } else { AfterResponse::Close })
    }

    fn poll_service<B>(
        &mut self,
        cx: &mut Context<'_>,
        current: &mut CurrentRequest,
        service: &mut BoxFuture<'static, Response<B>>,
    ) -> Poll<Result<Response<B>, ServerError>> {
        loop {
            if let Poll::Ready(response) = service.as_mut().poll(cx) {
                return Poll::Ready(Ok(response));
            }
            let is_fed = self.poll_feed(cx, current)?.is_ready();
            if !self.output.is_empty() || self.unflushed || self.guard.has_interim() {
                let _ = self.poll_flush(cx)?;
            }
            if !is_fed {
                return self.poll_disconnected(cx, current);
            }
        }
    }

    /// Hands the service the next parts of the body that it waits for. Ready if there was one.
    fn poll_feed(&mut self, cx: &mut Context<'_>, current: &mut CurrentRequest) -> Result<Poll<()>, ServerError> {
        let Some(sender) = current.sender.as_ref().filter(|sender| sender.is_wanted(cx)) else {
            return Ok(Poll::Pending);
        };
        if std::mem::take(&mut current.expects_continue) {
            self.output.head().extend_from_slice(b"HTTP/1.1 100 Continue\r\n\r\n");
            let _ = self.poll_flush(cx)?;
        }
        let mut fed = 0;
        // Several parts at once, so that they leave for the local service in one write.
        while fed < MAX_FED_BYTES && !current.body.is_ended() {
            let error = match current.body.read(self.input.bytes(), MAX_FED_BYTES - fed) {
                Ok(BodyPart::Data(data)) => {
                    fed += data.len().max(MIN_PART_BYTES);
                    sender.send(Frame::data(data), cx);
                    continue;
                }
                Ok(BodyPart::Trailers(trailers)) => {
                    sender.send(Frame::trailers(trailers), cx);
                    continue;
                }
                Ok(BodyPart::End) => continue,
                Err(error) => error.into(),
                Ok(BodyPart::Incomplete) => match self.input.poll_read_body(&mut self.guard, cx) {
                    Poll::Ready(Ok(0)) => BodyReadError::Closed,
                    Poll::Ready(Ok(_)) => continue,
                    Poll::Ready(Err(error)) => error.into(),
                    Poll::Pending if self.guard.is_refused() => return Err(ServerError::Refused),
                    Poll::Pending if fed > 0 => break,
                    Poll::Pending => return Ok(Poll::Pending),
                },
            };
            // What follows cannot be read, but a response can be written.
            current.answered.is_persistent = false;
            sender.end(Err(error), cx);
            current.sender = None;
            return Ok(Poll::Ready(()));
        }
        if current.body.is_ended() {
            self.input.release();
            sender.end(Ok(()), cx);
            current.sender = None;
        }
        Ok(Poll::Ready(()))
    }

    /// Finds out whether the visitor has left, unless there is more of it to read. Requests that arrive meanwhile wait.
    fn poll_disconnected<T>(&mut self, cx: &mut Context<'_>, current: &CurrentRequest) -> Poll<Result<T, ServerError>> {
        if current.sender.is_some() || !self.input.is_empty() || !current.body.is_ended() {
            return self.pending();
        }
        match self.input.poll_read(&mut self.guard, cx) {
            Poll::Ready(Ok(0)) => Poll::Ready(Err(ServerError::Disconnected)),
            Poll::Ready(Err(error)) => Poll::Ready(Err(error.into())),
            Poll::Ready(Ok(_)) | Poll::Pending => self.pending(),
        }
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Result<Poll<()>, ServerError> {
        self.unflushed = true;
        if self.output.poll_write(&mut self.guard, cx)?.is_pending() {
            return Ok(Poll::Pending);
        }
        let polled = Pin::new(&mut self.guard).poll_flush(cx)?;
        self.unflushed = polled.is_pending();
        Ok(polled)
    }

    /// Writes the response to its end. What is there of one that cannot be completed is sent.
    fn poll_body<B>(
        &mut self,
        cx: &mut Context<'_>,
        current: &mut CurrentRequest,
        body: &mut Option<OutgoingBody<B>>,
    ) -> Poll<Result<(), ServerError>>
    where
        B: Body<Data = Bytes> + Unpin,
        B::Error: Into<BodyError>,
    {
        loop {
            let is_waiting = match OutgoingBody::fill(body, &mut self.output, cx) {
                Ok(filled) => filled.is_waiting,
                Err(error) => {
                    let _ = self.poll_flush(cx);
                    return Poll::Ready(Err(ServerError::Response(error)));
                }
            };
            let is_flushed = if body.is_none() || is_waiting {
                self.poll_flush(cx)?.is_ready()
            } else {
                self.output.poll_write(&mut self.guard, cx)?.is_ready()
            };
            if body.is_none() && is_flushed {
                return Poll::Ready(Ok(()));
            }
            // The local service may wait for more of the request before it sends more of the response.
            let is_fed = self.poll_feed(cx, current)?.is_ready();
            if !is_fed && (is_waiting || !is_flushed) {
                return if is_flushed { self.poll_disconnected(cx, current) } else { self.pending() };
            }
        }
    }

    /// Reads the rest of the request behind its response: as long as the local service still reads it, or as much of it as
    /// has come. False if it has not ended then.
    fn poll_rest(&mut self, cx: &mut Context<'_>, current: &mut CurrentRequest) -> Poll<Result<bool, ServerError>> {
        while current.sender.as_ref().is_some_and(|sender| !sender.is_abandoned()) {
            if self.poll_feed(cx, current)?.is_pending() {
                return self.pending();
            }
        }
        Poll::Ready(Ok(self.drain(cx, current)))
    }

    /// Reads what has come of a body that nothing reads any more. False if it has not ended then.
    fn drain(&mut self, cx: &mut Context<'_>, current: &mut CurrentRequest) -> bool {
        let mut drained = 0;
        while !current.body.is_ended() {
            match current.body.read(self.input.bytes(), usize::MAX) {
                Ok(BodyPart::Data(data)) => drained += data.len(),
                Ok(BodyPart::Trailers(_) | BodyPart::End) => {}
                Ok(BodyPart::Incomplete) if drained < MAX_DRAINED_BYTES => {
                    if !matches!(self.input.poll_read_body(&mut self.guard, cx), Poll::Ready(Ok(1..))) {
                        return false;
                    }
                }
                Ok(BodyPart::Incomplete) | Err(_) => return false,
            }
        }
        self.input.release();
        true
    }

    /// Whether a response has begun and not ended: no other can be written then.
    pub(crate) fn is_responding(&self) -> bool {
        self.is_responding
    }

    /// Ends the connection towards the visitor.
    ///
    /// # Errors
    /// If the stream breaks.
    pub(crate) async fn shutdown(&mut self) -> io::Result<()> {
        self.guard.shutdown().await
    }

    /// Hands the stream to the task that waits for it after [`AfterResponse::Upgrade`].
    pub(crate) fn upgrade(mut self) {
        if let Some(upgrade) = self.current.take().and_then(|mut current| current.upgrade.take()) {
            self.guard.unread(self.input.take());
            let _ = upgrade.send(self.guard);
        }
    }

    /// The guard, which says why it refused the connection.
    pub(crate) fn into_guard(self) -> HttpGuard<S> {
        *self.guard
    }
}

fn malformed(error: HeadError) -> ServerError {
    ServerError::Malformed(Box::new(match error {
        HeadError::Malformed => Refusal::invalid("The header block of the request cannot be read."),
        HeadError::TooLarge => {
            let error = Error::new(Code::HeadersTooLarge, "The header block of the request is too large.");
            Refusal::new(Fault::Visitor, error)
        }
    }))
}

#[cfg(test)]
mod tests;
