//! The body of a response on its way to the visitor, without boxes on the hot path.

use super::{OriginServer, ResponseCarrier};
use crate::{
    http::{BodyError, OpenRequest, SendProgress, frame_bytes, without_smuggled_trailers},
    telemetry::AccessRecord,
};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::combinators::UnsyncBoxBody;
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

/// The body that a visitor receives.
pub(crate) struct ResponseBody {
    kind: BodyKind,
    /// Keeps the visitor's connection counted as busy until the last byte.
    open: Option<OpenRequest>,
    /// Notes whether the visitor reads the response; HTTP/2 only.
    send_progress: Option<Arc<SendProgress>>,
    /// Where the bytes are counted.
    record: Option<Arc<AccessRecord>>,
}

enum BodyKind {
    LimitReached(Option<Bytes>),
    Upstream(UpstreamBody),
    Boxed(UnsyncBoxBody<Bytes, BodyError>),
}

impl ResponseBody {
    fn new(kind: BodyKind) -> Self {
        ResponseBody { kind, open: None, send_progress: None, record: None }
    }

    pub(crate) fn full(bytes: Bytes) -> Self {
        ResponseBody::new(BodyKind::LimitReached((!bytes.is_empty()).then_some(bytes)))
    }

    pub(crate) fn upstream(body: UpstreamBody) -> Self {
        ResponseBody::new(BodyKind::Upstream(body))
    }

    /// A body of another kind, for ways that are not the hottest.
    pub(crate) fn boxed(body: impl Body<Data = Bytes, Error = BodyError> + Send + 'static) -> Self {
        ResponseBody::new(BodyKind::Boxed(UnsyncBoxBody::new(body)))
    }

    /// Has its bytes counted.
    pub(crate) fn counted(mut self, record: Arc<AccessRecord>) -> Self {
        self.record = Some(record);
        self
    }

    /// Keeps the request counted as open until the last byte.
    pub(crate) fn tracked(mut self, open: OpenRequest) -> Self {
        self.open = Some(open.waited_for());
        self.send_progress = SendProgress::of_current_stream();
        self
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = self.get_mut();
        let polled = match &mut this.kind {
            BodyKind::LimitReached(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            BodyKind::Upstream(body) => body.poll(cx),
            BodyKind::Boxed(body) => Pin::new(body).poll_frame(cx),
        };
        if let Some(send_progress) = &this.send_progress {
            send_progress.polled(matches!(polled, Poll::Ready(Some(Ok(_)))));
        }
        if let (Some(record), Poll::Ready(Some(Ok(frame)))) = (&this.record, &polled) {
            record.add_bytes_out(frame_bytes(frame));
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        match &self.kind {
            BodyKind::LimitReached(bytes) => bytes.is_none(),
            BodyKind::Upstream(body) => body.is_end(),
            BodyKind::Boxed(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.kind {
            BodyKind::LimitReached(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64),
            BodyKind::Upstream(body) => body.size_hint(),
            BodyKind::Boxed(body) => body.size_hint(),
        }
    }
}

/// The body of an upstream's response and the connection it arrives on. Over HTTP/1.1 polling the body drives the
/// connection, which returns to the upstream's pool at its end.
pub(crate) struct UpstreamBody {
    carrier: Option<ResponseCarrier>,
    origin: OriginServer,
}

impl UpstreamBody {
    pub(crate) fn new(carrier: ResponseCarrier, origin: OriginServer) -> Self {
        UpstreamBody { carrier: Some(carrier), origin }
    }

    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let polled = match &mut self.carrier {
            None => Poll::Ready(None),
            Some(ResponseCarrier::Http1(upstream)) => upstream.http.poll_frame(cx).map_err(BodyError::from),
            Some(ResponseCarrier::Http2(incoming, _)) => Pin::new(incoming).poll_frame(cx).map_err(BodyError::from),
        };
        polled.map(|frame| frame.map(|frame| frame.map(without_smuggled_trailers)))
    }

    pub(crate) fn is_end(&self) -> bool {
        match &self.carrier {
            None => true,
            Some(ResponseCarrier::Http1(upstream)) => upstream.http.is_body_complete(),
            Some(ResponseCarrier::Http2(incoming, _)) => incoming.is_end_stream(),
        }
    }

    pub(crate) fn size_hint(&self) -> SizeHint {
        match &self.carrier {
            None => SizeHint::with_exact(0),
            Some(ResponseCarrier::Http1(upstream)) => upstream.http.body_size(),
            Some(ResponseCarrier::Http2(incoming, _)) => incoming.size_hint(),
        }
    }
}

impl Drop for UpstreamBody {
    fn drop(&mut self) {
        // A connection whose response was not read to its end is not reusable, and the pool drops it.
        if let Some(ResponseCarrier::Http1(upstream)) = self.carrier.take() {
            self.origin.pool().put(upstream);
        }
    }
}
