//! The body of a visitor's request, over any version of HTTP.

use super::{BodyError, h1::ReceivedBody, unread_body::Http2Body};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use std::{
    pin::Pin,
    task::{Context, Poll},
};

/// The visitor's half broke while it was being read: not the local service's fault.
#[derive(Debug, thiserror::Error)]
#[error("the visitor's body ended early: {0}")]
pub struct VisitorDisconnected(BodyError);

/// The body of a visitor's request.
#[derive(Debug)]
pub(crate) struct VisitorBody(Source);

#[derive(Debug)]
enum Source {
    Empty,
    Http1(ReceivedBody),
    Http2(Http2Body),
}

impl VisitorBody {
    pub(crate) fn empty() -> Self {
        VisitorBody(Source::Empty)
    }

    pub(super) fn received(body: ReceivedBody) -> Self {
        VisitorBody(Source::Http1(body))
    }
}

impl From<Incoming> for VisitorBody {
    fn from(incoming: Incoming) -> Self {
        VisitorBody(Source::Http2(Http2Body::new(incoming)))
    }
}

impl Body for VisitorBody {
    type Data = Bytes;
    type Error = VisitorDisconnected;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, VisitorDisconnected>>> {
        match &mut self.get_mut().0 {
            Source::Empty => Poll::Ready(None),
            Source::Http1(body) => body.poll_frame(cx).map_err(VisitorDisconnected),
            Source::Http2(body) => body.poll_frame(cx).map_err(|error| VisitorDisconnected(error.into())),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Source::Empty => true,
            Source::Http1(body) => body.is_end_stream(),
            Source::Http2(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Source::Empty => SizeHint::with_exact(0),
            Source::Http1(body) => body.size_hint(),
            Source::Http2(body) => body.size_hint(),
        }
    }
}
