//! Detects HTTP/2 streams whose visitor does not read the response.
//!
//! On HTTP/1.1 a visitor that stops reading is detected at the socket. On HTTP/2 the connection stays active, pings
//! included, while the flow-control window of one stream stays closed (RFC 9113, section 5.2); memory held for that
//! stream would never be released.

use super::lazy_timer::LazyTimer;
use hyper::rt::Executor;
use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::Poll,
    time::Duration,
};
use tokio::time::Instant;

/// The progress of one stream's response.
#[derive(Debug, Default)]
pub(crate) struct SendProgress {
    /// How often the next frame was polled.
    polled: AtomicUsize,
    /// Whether the last poll returned a frame. Until the next poll, that frame waits for the visitor.
    ready: AtomicBool,
}

tokio::task_local! {
    static SEND_PROGRESS: Arc<SendProgress>;
}

impl SendProgress {
    /// The progress of the stream that is being served.
    pub(crate) fn of_current_stream() -> Option<Arc<SendProgress>> {
        SEND_PROGRESS.try_with(Arc::clone).ok()
    }

    /// Notes that the next frame was polled; `ready` tells whether there was one.
    pub(crate) fn polled(&self, ready: bool) {
        self.polled.fetch_add(1, Ordering::Relaxed);
        self.ready.store(ready, Ordering::Relaxed);
    }
}

/// Runs the streams of a connection, and ends those whose visitor reads nothing for this long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamExecutor {
    pub(crate) stall: Duration,
}

impl<S> Executor<S> for StreamExecutor
where
    S: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, stream: S) {
        let (progress, stall) = (Arc::new(SendProgress::default()), self.stall);
        // Boxed, because the watching future would hold room for it twice.
        tokio::spawn(SEND_PROGRESS.scope(progress.clone(), watch(Box::pin(stream), progress, stall)));
    }
}

async fn watch(mut stream: Pin<Box<impl Future<Output = ()>>>, progress: Arc<SendProgress>, stall: Duration) {
    let (mut timer, mut due, mut seen_polls) = (LazyTimer::default(), Instant::now(), 0);
    std::future::poll_fn(|cx| {
        if stream.as_mut().poll(cx).is_ready() {
            return Poll::Ready(());
        }
        let polled = progress.polled.load(Ordering::Relaxed);
        if !progress.ready.load(Ordering::Relaxed) {
            seen_polls = polled;
            return Poll::Pending;
        }
        if seen_polls != polled {
            (seen_polls, due) = (polled, Instant::now() + stall);
        }
        let given_up = timer.poll(due, cx);
        if given_up.is_ready() {
            tracing::debug!("an HTTP/2 visitor does not read the response; the stream is ended");
        }
        given_up
    })
    .await;
}
