//! The client's side of a connection: one request after another is sent to a local service, and its response read.
//!
//! The connection has no task of its own: the task that waits for the response, or reads its body, also sends what is left
//! of the request.

use super::{
    body_reader::{BodyPart, BodyReader, FramingError},
    body_writer::OutgoingBody,
    input::Input,
    output::Output,
    request_head, response_head,
};
use crate::http::{BodyError, InterimReceiver, RequestBody};
use bytes::Bytes;
use futures::task::noop_waker_ref;
use http_body::{Body as _, Frame, SizeHint};
use hyper::{Method, Request, Response, StatusCode};
use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};
use tokio::io::{AsyncRead, AsyncWrite};

/// The head of a response may have so many bytes.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// The client's side of a connection.
pub(crate) struct ClientConnection<S> {
    stream: S,
    input: Input,
    output: Output,
    method: Method,
    /// What is left of the request.
    sending: Option<OutgoingBody<RequestBody>>,
    /// Whether written bytes have to be flushed.
    unflushed: bool,
    /// Whether a byte of the request was written, or taken from its body.
    is_begun: bool,
    /// Why the rest of the request cannot be written. The service may have responded nevertheless.
    write_error: Option<io::Error>,
    response: ResponseState,
    /// Whether another request may follow.
    is_persistent: bool,
    interim: Option<InterimReceiver>,
}

#[derive(Debug)]
enum ResponseState {
    /// Nothing of it has arrived.
    Awaited,
    /// Something of its head has arrived.
    Head,
    Body(BodyReader),
    /// It is complete, or none is awaited.
    Complete,
}

/// Why a request got no response, or not all of it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClientError {
    /// The connection ended or broke before the first byte of the response.
    #[error("the connection ended before the response: {0}")]
    Unanswered(io::Error),
    /// The connection ended or broke within the response.
    #[error("the connection ended within the response: {0}")]
    Broken(io::Error),
    #[error("what came is no response")]
    Malformed,
    /// The body of the request cannot be completed.
    #[error("the body of the request broke off: {0}")]
    Request(BodyError),
}

impl ClientError {
    /// The error of the stream, if there was one.
    pub(crate) fn io_error(&self) -> Option<&io::Error> {
        match self {
            ClientError::Unanswered(error) | ClientError::Broken(error) => Some(error),
            ClientError::Malformed | ClientError::Request(_) => None,
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> ClientConnection<S> {
    /// Speaks HTTP on a stream. Nothing is sent yet.
    pub(crate) fn new(stream: S) -> Self {
        ClientConnection {
            output: Output::new(stream.is_write_vectored()),
            stream,
            input: Input::default(),
            method: Method::GET,
            sending: None,
            unflushed: false,
            is_begun: false,
            write_error: None,
            response: ResponseState::Complete,
            is_persistent: true,
            interim: None,
        }
    }

    /// The stream below.
    pub(crate) fn stream(&self) -> &S {
        &self.stream
    }

    /// Begins a request. Interim responses to it are told to `interim`.
    pub(crate) fn start<B>(&mut self, request: &mut Request<B>, body: RequestBody, interim: Option<InterimReceiver>) {
        self.method.clone_from(request.method());
        let size = (!body.is_end_stream()).then(|| body.size_hint());
        let has_body = size.is_some();
        let writer = request_head::write(self.output.head(), request, size);
        self.sending = (has_body || !writer.is_ended()).then(|| OutgoingBody::new(body, writer));
        (self.is_begun, self.unflushed, self.write_error) = (false, true, None);
        (self.response, self.interim) = (ResponseState::Awaited, interim);
    }

    /// The body of the request, if not a byte of the request was written and nothing was taken from the body.
    pub(crate) fn take_unsent(&mut self) -> Option<RequestBody> {
        if self.is_begun {
            return None;
        }
        Some(self.sending.take().map_or_else(RequestBody::empty, OutgoingBody::into_body))
    }

    /// Sends the request as far as possible, and waits for the head of the final response.
    pub(crate) fn poll_response(&mut self, cx: &mut Context<'_>) -> Poll<Result<Response<()>, ClientError>> {
        loop {
            self.poll_send(cx)?;
            if let Some(response) = self.take_response()? {
                return Poll::Ready(Ok(response));
            }
            match self.input.poll_read(&mut self.stream, cx) {
                Poll::Pending => match self.write_error.take() {
                    Some(error) => return Poll::Ready(Err(self.broken(error))),
                    None => return Poll::Pending,
                },
                Poll::Ready(Ok(0)) => return Poll::Ready(Err(self.broken(io::ErrorKind::UnexpectedEof.into()))),
                Poll::Ready(Ok(_)) => self.response = ResponseState::Head,
                Poll::Ready(Err(error)) => return Poll::Ready(Err(self.broken(error))),
            }
        }
    }

    fn broken(&mut self, error: io::Error) -> ClientError {
        self.is_persistent = false;
        match self.response {
            ResponseState::Awaited => ClientError::Unanswered(error),
            _ => ClientError::Broken(error),
        }
    }

    /// The final response, if its head has arrived. Interim responses before it are told.
    fn take_response(&mut self) -> Result<Option<Response<()>>, ClientError> {
        loop {
            let Some(head) = self.input.take_head(MAX_HEAD_BYTES).map_err(|_| ClientError::Malformed)? else {
                return Ok(None);
            };
            let response = response_head::parse(&head).map_err(|_| ClientError::Malformed)?;
            let status = response.status();
            if status.is_informational() && status != StatusCode::SWITCHING_PROTOCOLS {
                if let Some(interim) = &self.interim {
                    interim.receive(status, response.headers());
                }
                continue;
            }
            self.interim = None;
            if status == StatusCode::SWITCHING_PROTOCOLS {
                if self.sending.is_some() || !self.output.is_empty() {
                    return Err(ClientError::Malformed);
                }
                self.is_persistent = false;
                self.response = ResponseState::Complete;
                return Ok(Some(response));
            }
            let (body, is_persistent) =
                response_head::body(&response, &self.method).map_err(|_| ClientError::Malformed)?;
            self.is_persistent &= is_persistent;
            self.response = if body.is_ended() { ResponseState::Complete } else { ResponseState::Body(body) };
            return Ok(Some(response));
        }
    }

    /// Writes what is left of the request as far as possible. A broken stream is noted: a response may be there already.
    fn poll_send(&mut self, cx: &mut Context<'_>) -> Result<(), ClientError> {
        if self.write_error.is_some() {
            return Ok(());
        }
        while !self.output.is_empty() || self.sending.is_some() {
            let filled = OutgoingBody::fill(&mut self.sending, &mut self.output, cx).map_err(|error| {
                (self.is_begun, self.is_persistent) = (true, false);
                ClientError::Request(error)
            })?;
            self.is_begun |= filled.took_frame;
            let waiting = self.output.len();
            let polled = self.output.poll_write(&mut self.stream, cx);
            self.is_begun |= self.output.len() < waiting;
            match polled {
                Poll::Pending => return Ok(()),
                Poll::Ready(Ok(())) => self.unflushed = true,
                Poll::Ready(Err(error)) => {
                    (self.write_error, self.is_persistent) = (Some(error), false);
                    return Ok(());
                }
            }
            if filled.is_waiting {
                break;
            }
        }
        if self.unflushed {
            match Pin::new(&mut self.stream).poll_flush(cx) {
                Poll::Pending => {}
                Poll::Ready(Ok(())) => self.unflushed = false,
                Poll::Ready(Err(error)) => (self.write_error, self.is_persistent) = (Some(error), false),
            }
        }
        Ok(())
    }

    /// The next part of the response's body. What is left of the request is sent meanwhile.
    pub(crate) fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, ClientError>>> {
        loop {
            let ResponseState::Body(body) = &mut self.response else { return Poll::Ready(None) };
            let part = match body.read(self.input.bytes(), usize::MAX) {
                Ok(part) => part,
                Err(error) => return Poll::Ready(Some(Err(self.malformed_body(error)))),
            };
            if body.is_ended() {
                self.response = ResponseState::Complete;
                self.input.release();
            }
            match part {
                BodyPart::Data(data) => return Poll::Ready(Some(Ok(Frame::data(data)))),
                BodyPart::Trailers(trailers) => return Poll::Ready(Some(Ok(Frame::trailers(trailers)))),
                BodyPart::End => return Poll::Ready(None),
                BodyPart::Incomplete => {}
            }
            if let Err(error) = self.poll_send(cx) {
                return Poll::Ready(Some(Err(error)));
            }
            match ready!(self.input.poll_read_body(&mut self.stream, cx)) {
                Ok(0) => {
                    let ResponseState::Body(body) = &mut self.response else { return Poll::Ready(None) };
                    if let Err(error) = body.end_of_input() {
                        return Poll::Ready(Some(Err(self.malformed_body(error))));
                    }
                }
                Ok(_) => {}
                Err(error) => return Poll::Ready(Some(Err(self.broken(error)))),
            }
        }
    }

    fn malformed_body(&mut self, error: FramingError) -> ClientError {
        self.is_persistent = false;
        ClientError::Broken(io::Error::new(io::ErrorKind::InvalidData, error))
    }

    /// Whether the body of the response is complete.
    pub(crate) fn is_body_complete(&self) -> bool {
        matches!(self.response, ResponseState::Complete)
    }

    /// The bytes of the response's body that are left, if they are known.
    pub(crate) fn body_size(&self) -> SizeHint {
        match &self.response {
            ResponseState::Body(body) => body.exact().map_or_else(SizeHint::new, SizeHint::with_exact),
            _ => SizeHint::with_exact(0),
        }
    }

    /// Whether the last exchange is complete and another request may follow.
    pub(crate) fn is_reusable(&self) -> bool {
        let is_sent = self.sending.is_none() && self.output.is_empty() && self.write_error.is_none();
        self.is_persistent && is_sent && self.is_body_complete() && self.input.is_empty()
    }

    /// Whether the service has neither sent anything nor closed the connection since the last response.
    pub(crate) fn is_quiet(&mut self) -> bool {
        self.input.poll_read(&mut self.stream, &mut Context::from_waker(noop_waker_ref())).is_pending()
    }

    /// The stream and the bytes that were read from it already, after a 101.
    pub(crate) fn into_stream(mut self) -> (S, Bytes) {
        (self.stream, self.input.take())
    }
}

#[cfg(test)]
mod tests;
