//! A timer whose deadline moves with every event.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};
use tokio::time::{Instant, Sleep};

/// A timer whose deadline moves with every event, mostly to a later time. It is set again only when it fires or when the
/// deadline comes nearer: setting it takes the lock of the runtime's timers.
#[derive(Debug, Default)]
pub(crate) struct LazyTimer(Option<Pin<Box<Sleep>>>);

impl LazyTimer {
    /// Ready once `due` has passed.
    pub(crate) fn poll(&mut self, due: Instant, cx: &mut Context<'_>) -> Poll<()> {
        let timer = self.0.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(due)));
        loop {
            if timer.deadline() > due {
                timer.as_mut().reset(due);
            }
            ready!(timer.as_mut().poll(cx));
            if due <= Instant::now() {
                return Poll::Ready(());
            }
            timer.as_mut().reset(due);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{future::poll_fn, time::Duration};

    #[tokio::test(start_paused = true)]
    async fn the_deadline_that_is_given_last_counts() {
        let mut timer = LazyTimer::default();
        for (first, last) in [(10, 20), (20, 5), (5, 30)] {
            let began = Instant::now();
            let at = |seconds| began + Duration::from_secs(seconds);
            assert!(poll_fn(|cx| Poll::Ready(timer.poll(at(first), cx))).await.is_pending());
            poll_fn(|cx| timer.poll(at(last), cx)).await;
            assert_eq!(began.elapsed().as_secs(), last);
        }
    }
}
