//! The minimum rate of a request body: a guard against clients that send slowly on purpose.

use crate::{
    http::{BodyError, LazyTimer, VisitorBody, frame_bytes},
    limits::Limits,
    refusal::{Fault, Refusal},
    telemetry::AccessRecord,
};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::{HeaderMap, header};
use postern_api::{Code, Error};
use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::Instant;

/// A visitor's body.
pub(crate) struct IncomingBody {
    incoming: VisitorBody,
    pace: Option<MinimumRate>,
    progress: Arc<BodyProgress>,
    /// Where the bytes are counted.
    record: Option<Arc<AccessRecord>>,
}

/// The progress of an exchange.
#[derive(Debug, Default)]
pub(crate) struct BodyProgress {
    frames: AtomicU64,
    mark_responded: AtomicBool,
}

impl BodyProgress {
    pub(crate) fn add_frame(&self) {
        self.frames.fetch_add(1, Ordering::Relaxed);
    }

    /// How many frames of the body have passed.
    pub(crate) fn frames(&self) -> u64 {
        self.frames.load(Ordering::Relaxed)
    }

    /// From now on both sides speak, and each may take its time.
    pub(crate) fn mark_responded(&self) {
        self.mark_responded.store(true, Ordering::Relaxed);
    }
}

/// The visitor sends too slowly.
#[derive(Debug, thiserror::Error)]
#[error("the visitor's body arrives too slowly")]
pub(crate) struct BodyTooSlow;

impl BodyTooSlow {
    pub(crate) fn refusal() -> Refusal {
        let message = "The body of the request arrives too slowly. Send it again over a better connection.";
        Refusal::new(Fault::Visitor, Error::new(Code::BodySlow, message))
    }
}

impl IncomingBody {
    /// Bodies of gRPC calls are conversations, to which no pace applies.
    pub(crate) fn new(incoming: VisitorBody, headers: &HeaderMap, limits: &Limits) -> Self {
        let kind = headers.get(header::CONTENT_TYPE).map(|kind| kind.as_bytes());
        let conversation = kind.is_some_and(|kind| kind.starts_with(b"application/grpc"));
        let pace = (limits.body_rate > 0 && !conversation).then(|| MinimumRate::new(limits));
        IncomingBody { incoming, pace, progress: Arc::default(), record: None }
    }

    /// Has its bytes counted.
    pub(crate) fn count(&mut self, record: &Arc<AccessRecord>) {
        self.record = Some(record.clone());
    }

    pub(crate) fn progress(&self) -> Arc<BodyProgress> {
        self.progress.clone()
    }

    pub(crate) fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    pub(crate) fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }

    pub(crate) fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let polled = Pin::new(&mut self.incoming).poll_frame(cx);
        if let (Some(record), Poll::Ready(Some(Ok(frame)))) = (&self.record, &polled) {
            record.add_bytes_in(frame_bytes(frame));
        }
        let Some(pace) = &mut self.pace else {
            return polled.map_err(BodyError::from);
        };
        match polled {
            Poll::Ready(frame) => {
                if let Some(Ok(frame)) = &frame {
                    pace.arrived(frame.data_ref().map_or(0, Bytes::len));
                }
                Poll::Ready(frame).map_err(BodyError::from)
            }
            Poll::Pending if self.progress.mark_responded.load(Ordering::Relaxed) => {
                self.pace = None;
                Poll::Pending
            }
            Poll::Pending => pace.wait(cx).map(|()| Some(Err(BodyTooSlow.into()))),
        }
    }

    /// The next frame.
    pub(crate) async fn frame(&mut self) -> Option<Result<Frame<Bytes>, BodyError>> {
        std::future::poll_fn(|cx| self.poll_frame(cx)).await
    }
}

/// Only the time counts in which a body was waited for: a slow local service is not the visitor's fault.
struct MinimumRate {
    rate: u64,
    grace: Duration,
    arrived: u64,
    waited: Duration,
    since: Option<Instant>,
    timer: LazyTimer,
}

impl MinimumRate {
    fn new(limits: &Limits) -> Self {
        let (rate, grace) = (limits.body_rate, limits.body_grace);
        MinimumRate { rate, grace, arrived: 0, waited: Duration::ZERO, since: None, timer: LazyTimer::default() }
    }

    fn arrived(&mut self, bytes: usize) {
        self.arrived += bytes as u64;
        if let Some(since) = self.since.take() {
            self.waited += since.elapsed();
        }
    }

    /// Ready when the wait has been too long.
    fn wait(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let earned = Duration::from_millis(self.arrived.saturating_mul(1000) / self.rate);
        let left = self.grace.saturating_add(earned).saturating_sub(self.waited);
        let since = *self.since.get_or_insert_with(Instant::now);
        // So much may have been earned that the clock knows no such time.
        let due = since.checked_add(left).unwrap_or(since + Duration::from_secs(86_400));
        self.timer.poll(due, cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace() -> MinimumRate {
        MinimumRate::new(&Limits { body_rate: 100, body_grace: Duration::from_secs(20), ..Limits::default() })
    }

    async fn time_left(pace: &mut MinimumRate) -> Duration {
        let began = Instant::now();
        std::future::poll_fn(|cx| pace.wait(cx)).await;
        began.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn received_bytes_earn_time() {
        assert_eq!(time_left(&mut pace()).await.as_secs(), 20, "nothing has come");
        let mut pace = pace();
        pace.arrived(500);
        assert_eq!(time_left(&mut pace).await.as_secs(), 25, "five hundred bytes are worth five seconds");
    }

    #[tokio::test(start_paused = true)]
    async fn a_trickle_is_cut_off_and_a_flow_is_not() {
        for (bytes, survives) in [(1, false), (99, false), (100, true), (10_000, true)] {
            let mut pace = pace();
            let mut trickle = 0;
            let outcome = loop {
                let second = tokio::time::timeout(Duration::from_secs(1), time_left(&mut pace)).await;
                pace.arrived(bytes);
                trickle += 1;
                if second.is_ok() || trickle == 10_000 {
                    break second.is_err();
                }
            };
            assert_eq!(outcome, survives, "{bytes} bytes a second");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn time_without_a_reader_does_not_count() {
        let mut pace = pace();
        tokio::time::advance(Duration::from_secs(1000)).await;
        assert_eq!(time_left(&mut pace).await.as_secs(), 20);
    }
}
