//! Whether the visitor of an HTTP/2 stream takes the answer that is there for them.
//!
//! On HTTP/1.1 a visitor who stops reading is seen at the socket. On HTTP/2 the connection goes on, pings and all, while
//! the window of one stream stays shut; what is held for that stream would be held for good.

use hyper::rt::Executor;
use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::Poll,
    time::Duration,
};
use tokio::time::Instant;

/// One stream's answer.
#[derive(Debug, Default)]
pub(crate) struct SendProgress {
    /// How often the next piece was asked for.
    asked: AtomicUsize,
    /// Whether the last time there was one. As long as nobody asks again, it waits for the visitor.
    given: AtomicBool,
}

tokio::task_local! {
    static FLOW: Arc<SendProgress>;
}

impl SendProgress {
    /// The flow of the stream that is being served.
    pub(crate) fn of_current_stream() -> Option<Arc<SendProgress>> {
        FLOW.try_with(Arc::clone).ok()
    }

    /// The next piece of the answer was asked for, and there was one or not.
    pub(crate) fn asked(&self, given: bool) {
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.given.store(given, Ordering::Relaxed);
    }
}

/// Runs the streams of a connection, and gives those up whose visitor takes nothing for so long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamExecutor {
    pub(crate) stall: Duration,
}

impl<S> Executor<S> for StreamExecutor
where
    S: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, stream: S) {
        let (flow, stall) = (Arc::new(SendProgress::default()), self.stall);
        tokio::spawn(FLOW.scope(flow.clone(), watch(stream, flow, stall)));
    }
}

async fn watch(stream: impl Future<Output = ()>, flow: Arc<SendProgress>, stall: Duration) {
    let mut stream = pin!(stream);
    let (mut timer, mut seen) = (None, 0);
    std::future::poll_fn(|cx| {
        if stream.as_mut().poll(cx).is_ready() {
            return Poll::Ready(());
        }
        let asked = flow.asked.load(Ordering::Relaxed);
        if !flow.given.load(Ordering::Relaxed) {
            (timer, seen) = (None, asked);
            return Poll::Pending;
        }
        let timer = timer.get_or_insert_with(|| Box::pin(tokio::time::sleep(stall)));
        if seen != asked {
            seen = asked;
            timer.as_mut().reset(Instant::now() + stall);
        }
        let given_up = timer.as_mut().poll(cx);
        if given_up.is_ready() {
            tracing::debug!("an HTTP/2 visitor takes nothing of an answer; it is given up");
        }
        given_up
    })
    .await;
}
