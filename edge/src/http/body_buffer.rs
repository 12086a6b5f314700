//! Bodies that a module must see whole before anybody else does.

use crate::{
    http::{BodyTooSlow, IncomingBody, RequestBody},
    limits::Limits,
    refusal::{Fault, Refusal},
};
use bytes::{Buf, Bytes, BytesMut};
use http_body::Frame;
use hyper::HeaderMap;
use postern_api::{Code, Error};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, TryAcquireError},
    time::Instant,
};

/// A buffered body is handed on in pieces of this size, so that whoever waits sees that it moves.
const PIECE: usize = 64 * 1024;
/// When there is no room.
const PAUSE: Duration = Duration::from_secs(2);

/// How much may be held at once.
pub(crate) struct BufferBudget {
    each: usize,
    all: Arc<Semaphore>,
    stall: Duration,
    within: Duration,
}

/// A body that was taken in, on its way out.
pub(crate) struct BufferedBody {
    rest: Bytes,
    trailers: Option<HeaderMap>,
    /// Held until the body has left.
    _room: Option<OwnedSemaphorePermit>,
}

impl BufferBudget {
    pub(crate) fn new(limits: &Limits) -> Self {
        let all = Arc::new(Semaphore::new(limits.buffered_bodies.min(Semaphore::MAX_PERMITS)));
        BufferBudget { each: limits.buffered_body, all, stall: limits.stall, within: limits.buffering }
    }

    /// The longest body.
    pub(crate) fn each(&self) -> usize {
        self.each
    }

    fn take(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Refusal> {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        self.all.clone().try_acquire_many_owned(bytes).map_err(|_: TryAcquireError| {
            let message = "The server holds too many bodies of requests at the moment. Try again in a moment.";
            Refusal::new(Fault::Us, Error::new(Code::EdgeBusy, message)).retry_after(PAUSE)
        })
    }

    fn too_large(&self) -> Refusal {
        let message = format!("The body of the request is too large here: at most {} bytes are taken.", self.each);
        Refusal::new(Fault::Visitor, Error::new(Code::BodyTooLarge, message))
    }

    /// Takes a whole body in.
    pub(crate) async fn fill(&self, mut arriving: IncomingBody) -> Result<BufferedBody, Refusal> {
        if arriving.size_hint().lower() > self.each as u64 {
            return Err(self.too_large());
        }
        let (mut first, mut more, mut trailers) = (Bytes::new(), BytesMut::new(), None);
        let mut held: Option<OwnedSemaphorePermit> = None;
        let began = Instant::now();
        loop {
            let left = self.within.saturating_sub(began.elapsed());
            let frame = tokio::time::timeout(self.stall.min(left), arriving.frame()).await.map_err(|_| {
                if left <= self.stall {
                    BodyTooSlow::refusal()
                } else {
                    Refusal::invalid("The body of the request stopped arriving.")
                }
            })?;
            let Some(frame) = frame else { break };
            let frame = frame.map_err(|gone| {
                tracing::debug!(%gone, "while a module waited for it");
                if gone.is::<BodyTooSlow>() {
                    BodyTooSlow::refusal()
                } else {
                    Refusal::invalid("The body of the request ended early.")
                }
            })?;
            match super::body::without_smuggled_trailers(frame).into_data() {
                Ok(data) => {
                    if first.len() + more.len() + data.len() > self.each {
                        return Err(self.too_large());
                    }
                    let room = self.take(data.len())?;
                    match &mut held {
                        Some(held) => held.merge(room),
                        None => held = Some(room),
                    }
                    if first.is_empty() {
                        first = data;
                    } else {
                        more.extend_from_slice(&data);
                    }
                }
                Err(frame) => trailers = frame.into_trailers().ok(),
            }
        }
        // Most bodies come in one piece, and need no copy.
        let rest = if more.is_empty() { first } else { [first, more.freeze()].concat().into() };
        Ok(BufferedBody { rest, trailers, _room: held })
    }
}

impl BufferedBody {
    /// All of it, as long as none of it has left.
    pub(crate) fn bytes(&self) -> Bytes {
        self.rest.clone()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty() && self.trailers.is_none()
    }

    /// How much is left; unknown if more than bytes is to come.
    pub(crate) fn exact(&self) -> Option<u64> {
        self.trailers.is_none().then_some(self.rest.len() as u64)
    }

    pub(crate) fn next(&mut self) -> Option<Frame<Bytes>> {
        if self.rest.has_remaining() {
            return Some(Frame::data(self.rest.split_to(self.rest.len().min(PIECE))));
        }
        self.trailers.take().map(Frame::trailers)
    }
}

impl RequestBody {
    /// A body that is here already.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn held(bytes: Bytes) -> Self {
        let mut body = RequestBody::empty();
        body.put_back(BufferedBody { rest: bytes, trailers: None, _room: None });
        body
    }

    /// Takes all of the visitor's body in, so that it can be looked at. It is forwarded as it came.
    pub(crate) async fn take_in(&mut self, room: &BufferBudget) -> Result<Bytes, Refusal> {
        if let Some(arriving) = self.take_arriving() {
            self.put_back(room.fill(arriving).await?);
        }
        Ok(self.buffered().map(BufferedBody::bytes).unwrap_or_default())
    }
}
