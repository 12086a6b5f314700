//! Bodies on their way through: to the local service and back to the visitor, without boxes on the hot path.

use super::{buffer::Buffered, exchange::AnswerBody};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::Incoming;
use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

/// Errors of any body.
pub(crate) type BodyError = Box<dyn std::error::Error + Send + Sync>;

/// The body of an answer of the management API.
pub type ApiBody = UnsyncBoxBody<Bytes, Box<dyn std::error::Error + Send + Sync>>;

/// What a visitor receives.
pub(crate) struct ResponseBody {
    kind: Kind,
    /// Keeps the visitor's connection counted as busy until the last byte.
    open: Option<Open>,
}

enum Kind {
    Full(Option<Bytes>),
    Answer(AnswerBody),
    Boxed(UnsyncBoxBody<Bytes, BodyError>),
}

impl ResponseBody {
    pub(crate) fn full(bytes: Bytes) -> Self {
        ResponseBody { kind: Kind::Full((!bytes.is_empty()).then_some(bytes)), open: None }
    }

    pub(crate) fn answer(body: AnswerBody) -> Self {
        ResponseBody { kind: Kind::Answer(body), open: None }
    }

    /// A body of another kind, for ways that are not the hottest.
    pub(crate) fn boxed(body: impl Body<Data = Bytes, Error = BodyError> + Send + 'static) -> Self {
        ResponseBody { kind: Kind::Boxed(UnsyncBoxBody::new(body)), open: None }
    }

    pub(crate) fn keep(mut self, open: Open) -> Self {
        self.open = Some(open);
        self
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        match &mut self.get_mut().kind {
            Kind::Full(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Kind::Answer(body) => body.poll(cx),
            Kind::Boxed(body) => Pin::new(body).poll_frame(cx),
        }
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

/// What a local service receives: the visitor's body, and a count of what has passed so that a deadline can
/// tell a slow visitor from a slow service.
pub(crate) struct RequestBody {
    source: Source,
    progress: Option<Arc<AtomicU64>>,
}

enum Source {
    Empty,
    Incoming(Incoming),
    Buffered(Buffered),
}

impl RequestBody {
    pub(crate) fn empty() -> Self {
        RequestBody { source: Source::Empty, progress: None }
    }

    /// The visitor's body, and the counter if there is something to count.
    pub(crate) fn of(incoming: Incoming) -> (Self, Option<Arc<AtomicU64>>) {
        if incoming.is_end_stream() {
            return (RequestBody::empty(), None);
        }
        let progress = Arc::new(AtomicU64::new(0));
        (RequestBody { source: Source::Incoming(incoming), progress: Some(progress.clone()) }, Some(progress))
    }

    pub(crate) fn is_empty(&self) -> bool {
        match &self.source {
            Source::Empty => true,
            Source::Incoming(_) => false,
            Source::Buffered(buffered) => buffered.is_empty(),
        }
    }

    /// The visitor's body, to be taken in; in its place there is none.
    pub(super) fn take_incoming(&mut self) -> Option<Incoming> {
        match std::mem::replace(&mut self.source, Source::Empty) {
            Source::Incoming(incoming) => Some(incoming),
            other => {
                self.source = other;
                None
            }
        }
    }

    pub(super) fn put_back(&mut self, buffered: Buffered) {
        self.source = Source::Buffered(buffered);
    }

    pub(super) fn buffered(&self) -> Option<&Buffered> {
        match &self.source {
            Source::Buffered(buffered) => Some(buffered),
            Source::Empty | Source::Incoming(_) => None,
        }
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = self.get_mut();
        let frame = match &mut this.source {
            Source::Empty => return Poll::Ready(None),
            Source::Incoming(incoming) => std::task::ready!(Pin::new(incoming).poll_frame(cx)),
            Source::Buffered(buffered) => buffered.next().map(Ok),
        };
        if let Some(progress) = &this.progress {
            progress.fetch_add(1, Ordering::Relaxed);
        }
        Poll::Ready(
            frame
                .map(|frame| frame.map_err(|error| BodyError::from(VisitorGone(error))).map(without_smuggled_trailers)),
        )
    }

    fn is_end_stream(&self) -> bool {
        match &self.source {
            Source::Empty => true,
            Source::Incoming(incoming) => incoming.is_end_stream(),
            Source::Buffered(buffered) => buffered.is_empty(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.source {
            Source::Empty => SizeHint::with_exact(0),
            Source::Incoming(incoming) => incoming.size_hint(),
            Source::Buffered(buffered) => buffered.exact().map_or_else(SizeHint::new, SizeHint::with_exact),
        }
    }
}

/// Trailers pass, except those that would change how the message was understood.
pub(crate) fn without_smuggled_trailers(frame: Frame<Bytes>) -> Frame<Bytes> {
    match frame.into_trailers() {
        Ok(mut trailers) => {
            super::headers::strip_trailers(&mut trailers);
            Frame::trailers(trailers)
        }
        Err(frame) => frame,
    }
}

/// The visitor's half broke while it was being read: not the local service's fault.
#[derive(Debug, thiserror::Error)]
#[error("the visitor's body ended early: {0}")]
pub(crate) struct VisitorGone(pub(super) hyper::Error);

/// Counts the requests of one visitor connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Busy(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    open: AtomicUsize,
    begun: AtomicUsize,
}

impl Busy {
    pub(crate) fn begin(&self) -> Open {
        self.0.begun.fetch_add(1, Ordering::Relaxed);
        self.0.open.fetch_add(1, Ordering::Relaxed);
        Open(self.0.clone())
    }

    /// Whether a request is being served.
    pub(crate) fn is_busy(&self) -> bool {
        self.0.open.load(Ordering::Relaxed) > 0
    }

    /// How many requests there were so far.
    pub(crate) fn begun(&self) -> usize {
        self.0.begun.load(Ordering::Relaxed)
    }
}

/// One request being served.
pub(crate) struct Open(Arc<Counts>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}
