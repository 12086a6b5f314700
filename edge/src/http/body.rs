//! Bodies on their way through: to the local service and back to the visitor, without boxes on the hot path.

use super::{
    arrival::{Arriving, Progress},
    buffer::Buffered,
    exchange::AnswerBody,
    flow::Flow,
};
use crate::{gatehouse::Record, settings::Limits};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::combinators::UnsyncBoxBody;
use hyper::{HeaderMap, body::Incoming};
use postern_logins::IdentityHeaders;
use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
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
    pub(super) fn counted(mut self, record: Arc<Record>) -> Self {
        self.record = Some(record);
        self
    }

    pub(super) fn keep(mut self, mut open: Open) -> Self {
        open.waited_for = true;
        self.open = Some(open);
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
            record.went_out(length(frame));
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

/// What a local service receives: the visitor's body, and a count of what has passed so that a deadline can
/// tell a slow visitor from a slow service.
pub(crate) struct RequestBody {
    source: Source,
    progress: Option<Arc<Progress>>,
    /// Where the bytes are counted.
    record: Option<Arc<Record>>,
    /// What visitors may not claim in trailers either.
    claims: Option<Arc<IdentityHeaders>>,
}

enum Source {
    Empty,
    Arriving(Arriving),
    Buffered(Buffered),
}

impl RequestBody {
    pub(crate) fn empty() -> Self {
        RequestBody { source: Source::Empty, progress: None, record: None, claims: None }
    }

    /// The visitor's body, and the counter if there is something to count.
    pub(super) fn of(incoming: Incoming, headers: &HeaderMap, limits: &Limits) -> (Self, Option<Arc<Progress>>) {
        if incoming.is_end_stream() {
            return (RequestBody::empty(), None);
        }
        let arriving = Arriving::new(incoming, headers, limits);
        let progress = arriving.progress();
        let source = Source::Arriving(arriving);
        let body = RequestBody { source, progress: Some(progress.clone()), record: None, claims: None };
        (body, Some(progress))
    }

    /// Has its bytes counted.
    pub(super) fn counted(mut self, record: &Arc<Record>) -> Self {
        self.record = Some(record.clone());
        self
    }

    /// Takes headers of these names out of its trailers.
    pub(super) fn without(mut self, claims: Option<&Arc<IdentityHeaders>>) -> Self {
        if !matches!(self.source, Source::Empty) {
            self.claims = claims.cloned();
        }
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        match &self.source {
            Source::Empty => true,
            Source::Arriving(_) => false,
            Source::Buffered(buffered) => buffered.is_empty(),
        }
    }

    /// The visitor's body, to be taken in; in its place there is none.
    pub(super) fn take_arriving(&mut self) -> Option<Arriving> {
        match std::mem::replace(&mut self.source, Source::Empty) {
            Source::Arriving(arriving) => Some(arriving),
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
            Source::Empty | Source::Arriving(_) => None,
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
            Source::Arriving(arriving) => std::task::ready!(arriving.poll_frame(cx)),
            Source::Buffered(buffered) => buffered.next().map(Ok),
        };
        if let Some(progress) = &this.progress {
            progress.moved();
        }
        if let (Some(record), Some(Ok(frame))) = (&this.record, &frame) {
            record.came_in(length(frame));
        }
        let claims = this.claims.as_deref();
        Poll::Ready(frame.map(|frame| frame.map(|frame| without_claims(without_smuggled_trailers(frame), claims))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.source {
            Source::Empty => true,
            Source::Arriving(arriving) => arriving.is_end_stream(),
            Source::Buffered(buffered) => buffered.is_empty(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.source {
            Source::Empty => SizeHint::with_exact(0),
            Source::Arriving(arriving) => arriving.size_hint(),
            Source::Buffered(buffered) => buffered.exact().map_or_else(SizeHint::new, SizeHint::with_exact),
        }
    }
}

fn length(frame: &Frame<Bytes>) -> u64 {
    frame.data_ref().map_or(0, |data| data.len() as u64)
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

/// What only this server says of people passes in trailers as little as in front of a body.
fn without_claims(frame: Frame<Bytes>, claims: Option<&IdentityHeaders>) -> Frame<Bytes> {
    let Some(claims) = claims.filter(|_| frame.is_trailers()) else { return frame };
    match frame.into_trailers() {
        Ok(mut trailers) => {
            claims.strip(&mut trailers);
            Frame::trailers(trailers)
        }
        Err(frame) => frame,
    }
}

/// Counts the requests of one visitor connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Busy(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    open: AtomicUsize,
    begun: AtomicUsize,
    /// Whose answer the visitor did not wait for.
    abandoned: AtomicUsize,
}

impl Busy {
    pub(crate) fn begin(&self) -> Open {
        self.0.begun.fetch_add(1, Ordering::Relaxed);
        self.0.open.fetch_add(1, Ordering::Relaxed);
        Open { counts: self.0.clone(), waited_for: false, turn: None }
    }

    /// Whether a request is being served.
    pub(crate) fn is_busy(&self) -> bool {
        self.0.open.load(Ordering::Relaxed) > 0
    }

    /// How many requests there were so far.
    pub(crate) fn begun(&self) -> usize {
        self.0.begun.load(Ordering::Relaxed)
    }

    /// By how many the requests are more that were abandoned than those that were waited for.
    pub(crate) fn abandoned_beyond_reason(&self) -> usize {
        let abandoned = self.0.abandoned.load(Ordering::Relaxed);
        let waited_for = self.begun().saturating_sub(abandoned);
        abandoned.saturating_sub(waited_for)
    }
}

/// One request being served.
pub(crate) struct Open {
    counts: Arc<Counts>,
    waited_for: bool,
    turn: Option<Turn>,
}

impl Open {
    /// Whoever got another protocol waited for it.
    pub(super) fn of_an_upgrade(mut self) -> Self {
        self.waited_for = true;
        self
    }

    /// Keeps the turn of a request for as long as it is served.
    pub(super) fn hold(&mut self, turn: Turn) {
        self.turn = Some(turn);
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if !self.waited_for {
            self.counts.abandoned.fetch_add(1, Ordering::Relaxed);
        }
        self.counts.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How many requests may be served at the same time, whoever asks.
#[derive(Debug)]
pub(crate) struct Turns {
    open: Arc<AtomicUsize>,
    limit: usize,
}

/// The turn of one request, over when dropped.
pub(crate) struct Turn(Arc<AtomicUsize>);

impl Turns {
    pub(crate) fn new(limit: usize) -> Self {
        Turns { open: Arc::default(), limit }
    }

    /// A turn, unless too many are taken.
    pub(super) fn take(&self) -> Option<Turn> {
        let before = self.open.fetch_add(1, Ordering::Relaxed);
        let turn = Turn(self.open.clone());
        (before < self.limit).then_some(turn)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
