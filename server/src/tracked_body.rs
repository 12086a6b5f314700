//! A response body that keeps a value until the response has been sent.

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use std::{
    pin::Pin,
    task::{Context, Poll},
};

/// A body with a value that is dropped after it. Its length stays known, so that the response tells it.
pub(crate) struct TrackedBody<T> {
    body: Body,
    _kept: T,
}

impl<T> TrackedBody<T> {
    pub(crate) fn new(body: Body, kept: T) -> Self {
        TrackedBody { body, _kept: kept }
    }
}

impl<T: Unpin> HttpBody for TrackedBody<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
