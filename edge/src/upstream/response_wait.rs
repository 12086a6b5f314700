//! How long the head of a response is waited for.

use crate::http::{BodyProgress, LazyTimer};
use std::{
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::time::Instant;

/// How long a response is waited for.
pub(super) struct ResponseWait {
    progress: Option<Arc<BodyProgress>>,
    timeout: Duration,
}

/// The local service did not begin to respond within this time.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ResponseTimeout(pub(super) Duration);

impl ResponseWait {
    /// `progress` is that of the request's body, if it has one.
    pub(super) fn new(progress: Option<Arc<BodyProgress>>, timeout: Duration) -> Self {
        ResponseWait { progress, timeout }
    }

    /// Waits for the head of a response. The time in which the visitor still sends its request does not count.
    pub(super) async fn head<R, E>(
        &self,
        timer: &mut LazyTimer,
        mut poll: impl FnMut(&mut Context<'_>) -> Poll<Result<R, E>>,
    ) -> Result<Result<R, E>, ResponseTimeout> {
        let (mut due, mut seen_frames) = (Instant::now() + self.timeout, 0);
        let outcome = poll_fn(|cx| {
            if let Poll::Ready(outcome) = poll(cx) {
                return Poll::Ready(Ok(outcome));
            }
            loop {
                ready!(timer.poll(due, cx));
                let sent = self.progress.as_ref().map_or(0, |progress| progress.frames());
                if sent == seen_frames {
                    return Poll::Ready(Err(ResponseTimeout(self.timeout)));
                }
                (seen_frames, due) = (sent, Instant::now() + self.timeout);
            }
        })
        .await;
        if let (Ok(Ok(_)), Some(progress)) = (&outcome, &self.progress) {
            progress.mark_responded();
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(60);

    async fn waited(wait: &ResponseWait, timer: &mut LazyTimer, until: Option<Duration>) -> (bool, u64) {
        let began = Instant::now();
        let mut until = until.map(|until| Box::pin(tokio::time::sleep(until)));
        let poll = |cx: &mut Context<'_>| match &mut until {
            Some(until) => until.as_mut().poll(cx).map(Ok::<(), ()>),
            None => Poll::Pending,
        };
        let outcome = wait.head(timer, poll).await;
        (outcome.is_ok(), began.elapsed().as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn one_timer_serves_the_requests_of_a_connection() {
        let (wait, mut timer) = (ResponseWait::new(None, TIMEOUT), LazyTimer::default());
        assert_eq!(waited(&wait, &mut timer, Some(Duration::from_secs(50))).await, (true, 50));
        // The timer fires within this request, which has all of its time.
        assert_eq!(waited(&wait, &mut timer, None).await, (false, 60));
        assert_eq!(waited(&wait, &mut timer, Some(Duration::from_secs(59))).await, (true, 59));
        let shorter = ResponseWait::new(None, Duration::from_secs(5));
        assert_eq!(waited(&shorter, &mut timer, None).await, (false, 5));
    }

    #[tokio::test(start_paused = true)]
    async fn a_visitor_that_still_sends_has_time() {
        let progress = Arc::<BodyProgress>::default();
        let (wait, mut timer) = (ResponseWait::new(Some(progress.clone()), TIMEOUT), LazyTimer::default());
        let sending = tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(30)).await;
            progress.add_frame();
        });
        assert_eq!(waited(&wait, &mut timer, None).await, (false, 120));
        sending.await.expect("sent");
    }
}
