//! Request bodies that a module must see in full before they are forwarded.

use crate::{
    http::{BodyTooSlow, IncomingBody, RequestBody},
    limits::{CurrentLimits, Quota, QuotaPermit},
    refusal::{Fault, Refusal},
};
use bytes::{Buf, Bytes, BytesMut};
use http_body::Frame;
use hyper::HeaderMap;
use postern_api::{Code, Error};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

/// A buffered body is forwarded in pieces of this size, so that the upstream sees progress.
const PIECE_BYTES: usize = 64 * 1024;
/// When there is no room.
const RETRY_AFTER: Duration = Duration::from_secs(2);

/// Limits the memory of buffered bodies.
pub(crate) struct BufferBudget {
    limits: CurrentLimits,
    all: Arc<Quota>,
}

/// A body that was read into memory and is being forwarded.
pub(crate) struct BufferedBody {
    remaining: Bytes,
    trailers: Option<HeaderMap>,
    /// Held until the body is forwarded.
    _permit: Option<QuotaPermit>,
}

impl BufferBudget {
    pub(crate) fn new(limits: CurrentLimits) -> Self {
        let all = Quota::new(limits.get().buffered_bodies);
        BufferBudget { limits, all }
    }

    /// Takes over a changed limit of the memory of all bodies; those of single bodies are read for each of them.
    pub(crate) fn follow_limits(&self) {
        self.all.set_limit(self.limits.get().buffered_bodies);
    }

    /// The maximum size of one body, in bytes.
    pub(crate) fn max_body(&self) -> usize {
        self.limits.get().buffered_body
    }

    fn acquire(&self, bytes: usize) -> Result<QuotaPermit, Refusal> {
        self.all.acquire(bytes).ok_or_else(|| {
            let message = "The server holds too many bodies of requests at the moment. Try again in a moment.";
            Refusal::new(Fault::Us, Error::new(Code::EdgeBusy, message)).retry_after(RETRY_AFTER)
        })
    }

    /// Reads a whole body.
    pub(crate) async fn fill(&self, mut incoming: IncomingBody) -> Result<BufferedBody, Refusal> {
        let limits = self.limits.get();
        if incoming.size_hint().lower() > limits.buffered_body as u64 {
            return Err(too_large(limits.buffered_body));
        }
        let (mut first, mut more, mut trailers) = (Bytes::new(), BytesMut::new(), None);
        let mut permit: Option<QuotaPermit> = None;
        let began = Instant::now();
        loop {
            let left = limits.buffering.saturating_sub(began.elapsed());
            let frame = tokio::time::timeout(limits.stall.min(left), incoming.frame()).await.map_err(|_| {
                if left <= limits.stall {
                    BodyTooSlow::refusal()
                } else {
                    Refusal::invalid("The body of the request stopped arriving.")
                }
            })?;
            let Some(frame) = frame else { break };
            let frame = frame.map_err(|error| {
                tracing::debug!(%error, "while a module waited for it");
                if error.is::<BodyTooSlow>() {
                    BodyTooSlow::refusal()
                } else {
                    Refusal::invalid("The body of the request ended early.")
                }
            })?;
            match super::body::without_smuggled_trailers(frame).into_data() {
                Ok(data) => {
                    if first.len() + more.len() + data.len() > limits.buffered_body {
                        return Err(too_large(limits.buffered_body));
                    }
                    let acquired = self.acquire(data.len())?;
                    match &mut permit {
                        Some(permit) => permit.merge(acquired),
                        None => permit = Some(acquired),
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
        // Most bodies come in one piece and need no copy.
        let remaining = if more.is_empty() { first } else { [first, more.freeze()].concat().into() };
        Ok(BufferedBody { remaining, trailers, _permit: permit })
    }
}

fn too_large(max_body: usize) -> Refusal {
    let message = format!("The body of the request is too large here: at most {max_body} bytes are taken.");
    Refusal::new(Fault::Visitor, Error::new(Code::BodyTooLarge, message))
}

impl BufferedBody {
    /// The whole body, before any of it is forwarded.
    pub(crate) fn bytes(&self) -> Bytes {
        self.remaining.clone()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.remaining.is_empty() && self.trailers.is_none()
    }

    /// The remaining bytes; `None` if trailers follow.
    pub(crate) fn exact(&self) -> Option<u64> {
        self.trailers.is_none().then_some(self.remaining.len() as u64)
    }

    pub(crate) fn next(&mut self) -> Option<Frame<Bytes>> {
        if self.remaining.has_remaining() {
            return Some(Frame::data(self.remaining.split_to(self.remaining.len().min(PIECE_BYTES))));
        }
        self.trailers.take().map(Frame::trailers)
    }
}

impl RequestBody {
    /// A body that is here already.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn from_bytes(bytes: Bytes) -> Self {
        let mut body = RequestBody::empty();
        body.put_buffered(BufferedBody { remaining: bytes, trailers: None, _permit: None });
        body
    }

    /// Reads the visitor's body into memory for a module. It is forwarded unchanged.
    pub(crate) async fn buffer(&mut self, room: &BufferBudget) -> Result<Bytes, Refusal> {
        if let Some(incoming) = self.take_incoming() {
            self.put_buffered(room.fill(incoming).await?);
        }
        Ok(self.buffered().map(BufferedBody::bytes).unwrap_or_default())
    }
}
