//! The body of a request on its way to the local service, without boxes on the hot path.

use super::{
    BodyProgress, BufferedBody, IncomingBody, VisitorBody,
    body::{BodyError, without_smuggled_trailers},
    expectation::{ContinueSignal, HeldBody},
};
use crate::{limits::Limits, telemetry::AccessRecord};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::HeaderMap;
use postern_logins::IdentityHeaders;
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

/// The body that a local service receives: the visitor's, with a progress count, so that a deadline can tell a slow
/// visitor from a slow service.
#[derive(Default)]
pub(crate) struct RequestBody {
    source: BodySource,
    progress: Option<Arc<BodyProgress>>,
    /// Identity headers that are removed from trailers.
    identity_headers: Option<Arc<IdentityHeaders>>,
    /// Set while the visitor must not be asked for the body.
    held: Option<HeldBody>,
}

#[derive(Default)]
enum BodySource {
    #[default]
    Empty,
    IncomingBody(IncomingBody),
    BufferedBody(BufferedBody),
}

impl RequestBody {
    pub(crate) fn empty() -> Self {
        RequestBody::default()
    }

    /// The visitor's body, and the counter if there is something to count.
    pub(crate) fn of(incoming: VisitorBody, headers: &HeaderMap, limits: &Limits) -> (Self, Option<Arc<BodyProgress>>) {
        if incoming.is_end_stream() {
            return (RequestBody::empty(), None);
        }
        let arriving = IncomingBody::new(incoming, headers, limits);
        let progress = arriving.progress();
        let source = BodySource::IncomingBody(arriving);
        (RequestBody { source, progress: Some(progress.clone()), ..RequestBody::empty() }, Some(progress))
    }

    /// Has its bytes counted as they arrive, whether they are forwarded or not.
    pub(crate) fn counted(mut self, record: &Arc<AccessRecord>) -> Self {
        if let BodySource::IncomingBody(arriving) = &mut self.source {
            arriving.count(record);
        }
        self
    }

    /// Takes headers of these names out of its trailers.
    pub(crate) fn without(mut self, identity_headers: Option<&Arc<IdentityHeaders>>) -> Self {
        if !matches!(self.source, BodySource::Empty) {
            self.identity_headers = identity_headers.cloned();
        }
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        match &self.source {
            BodySource::Empty => true,
            BodySource::IncomingBody(_) => false,
            BodySource::BufferedBody(buffered) => buffered.is_empty(),
        }
    }

    /// Whether the visitor's body is still to come.
    pub(crate) fn is_arriving(&self) -> bool {
        matches!(self.source, BodySource::IncomingBody(_))
    }

    /// Holds the body back until the signal is given.
    pub(crate) fn hold(&mut self) -> Arc<ContinueSignal> {
        let (held, signal) = HeldBody::new();
        self.held = Some(held);
        signal
    }

    /// Holds the body back no longer.
    pub(crate) fn release(&mut self) {
        self.held = None;
    }

    /// Takes the visitor's body and leaves an empty one in its place.
    pub(crate) fn take_incoming(&mut self) -> Option<IncomingBody> {
        match std::mem::replace(&mut self.source, BodySource::Empty) {
            BodySource::IncomingBody(arriving) => Some(arriving),
            other => {
                self.source = other;
                None
            }
        }
    }

    pub(crate) fn put_buffered(&mut self, buffered: BufferedBody) {
        self.source = BodySource::BufferedBody(buffered);
    }

    pub(crate) fn buffered(&self) -> Option<&BufferedBody> {
        match &self.source {
            BodySource::BufferedBody(buffered) => Some(buffered),
            BodySource::Empty | BodySource::IncomingBody(_) => None,
        }
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = self.get_mut();
        if let Some(held) = &mut this.held {
            std::task::ready!(held.poll_released(cx));
            this.held = None;
        }
        let frame = match &mut this.source {
            BodySource::Empty => return Poll::Ready(None),
            BodySource::IncomingBody(arriving) => std::task::ready!(arriving.poll_frame(cx)),
            BodySource::BufferedBody(buffered) => buffered.next().map(Ok),
        };
        if let Some(progress) = &this.progress {
            progress.add_frame();
        }
        let identity_headers = this.identity_headers.as_deref();
        Poll::Ready(frame.map(|frame| {
            frame.map(|frame| without_identity_headers(without_smuggled_trailers(frame), identity_headers))
        }))
    }

    fn is_end_stream(&self) -> bool {
        match &self.source {
            BodySource::Empty => true,
            BodySource::IncomingBody(arriving) => arriving.is_end_stream(),
            BodySource::BufferedBody(buffered) => buffered.is_empty(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.source {
            BodySource::Empty => SizeHint::with_exact(0),
            BodySource::IncomingBody(arriving) => arriving.size_hint(),
            BodySource::BufferedBody(buffered) => buffered.exact().map_or_else(SizeHint::new, SizeHint::with_exact),
        }
    }
}

/// Removes identity headers from trailers.
fn without_identity_headers(frame: Frame<Bytes>, identity_headers: Option<&IdentityHeaders>) -> Frame<Bytes> {
    let Some(identity_headers) = identity_headers.filter(|_| frame.is_trailers()) else { return frame };
    match frame.into_trailers() {
        Ok(mut trailers) => {
            identity_headers.strip(&mut trailers);
            Frame::trailers(trailers)
        }
        Err(frame) => frame,
    }
}
