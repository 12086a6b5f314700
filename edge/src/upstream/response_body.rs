//! The body of a response on its way to the visitor, without boxes on the hot path.

use super::{Carrier, Origin};
use crate::{
    http::{BodyError, Flow, Open, frame_bytes, without_smuggled_trailers},
    telemetry::Record,
};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::Incoming;
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

/// What a visitor receives.
pub(crate) struct ResponseBody {
    kind: Kind,
    /// Keeps the visitor's connection counted as busy until the last byte.
    open: Option<Open>,
    /// Where it is noted whether the visitor takes what there is.
    flow: Option<Arc<Flow>>,
    /// Where the bytes are counted.
    record: Option<Arc<Record>>,
}

enum Kind {
    Full(Option<Bytes>),
    Answer(AnswerBody),
    Boxed(UnsyncBoxBody<Bytes, BodyError>),
}

impl ResponseBody {
    fn new(kind: Kind) -> Self {
        ResponseBody { kind, open: None, flow: None, record: None }
    }

    pub(crate) fn full(bytes: Bytes) -> Self {
        ResponseBody::new(Kind::Full((!bytes.is_empty()).then_some(bytes)))
    }

    pub(crate) fn answer(body: AnswerBody) -> Self {
        ResponseBody::new(Kind::Answer(body))
    }

    /// A body of another kind, for ways that are not the hottest.
    pub(crate) fn boxed(body: impl Body<Data = Bytes, Error = BodyError> + Send + 'static) -> Self {
        ResponseBody::new(Kind::Boxed(UnsyncBoxBody::new(body)))
    }

    /// Has its bytes counted.
    pub(crate) fn counted(mut self, record: Arc<Record>) -> Self {
        self.record = Some(record);
        self
    }

    pub(crate) fn keep(mut self, open: Open) -> Self {
        self.open = Some(open.waited_for());
        self.flow = Flow::of_this_stream();
        self
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = self.get_mut();
        let polled = match &mut this.kind {
            Kind::Full(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Kind::Answer(body) => body.poll(cx),
            Kind::Boxed(body) => Pin::new(body).poll_frame(cx),
        };
        if let Some(flow) = &this.flow {
            flow.asked(matches!(polled, Poll::Ready(Some(Ok(_)))));
        }
        if let (Some(record), Poll::Ready(Some(Ok(frame)))) = (&this.record, &polled) {
            record.went_out(frame_bytes(frame));
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        match &self.kind {
            Kind::Full(bytes) => bytes.is_none(),
            Kind::Answer(body) => body.is_end(),
            Kind::Boxed(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.kind {
            Kind::Full(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64),
            Kind::Answer(body) => body.size_hint(),
            Kind::Boxed(body) => body.size_hint(),
        }
    }
}

/// The body of an answer together with the connection it arrives on. Whoever polls the body drives the
/// connection; when the body is over the connection goes back into the origin's pool.
pub(crate) struct AnswerBody {
    incoming: Incoming,
    carrier: Option<Carrier>,
    origin: Origin,
}

impl AnswerBody {
    pub(crate) fn new(incoming: Incoming, carrier: Carrier, origin: Origin) -> Self {
        AnswerBody { incoming, carrier: Some(carrier), origin }
    }

    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let mut polled = Pin::new(&mut self.incoming).poll_frame(cx);
        if polled.is_pending()
            && let Some(Carrier::Own(upstream)) = &mut self.carrier
        {
            let _ = upstream.drive(cx);
            polled = Pin::new(&mut self.incoming).poll_frame(cx);
        }
        polled.map(|frame| frame.map(|frame| frame.map(without_smuggled_trailers).map_err(BodyError::from)))
    }

    pub(crate) fn is_end(&self) -> bool {
        self.incoming.is_end_stream()
    }

    pub(crate) fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}

impl Drop for AnswerBody {
    fn drop(&mut self) {
        // A connection whose answer was not read to its end is not ready, and the pool lets it go.
        if let Some(Carrier::Own(upstream)) = self.carrier.take() {
            self.origin.pool().put(upstream);
        }
    }
}
