//! `Expect: 100-continue` (RFC 9110, section 10.1.1): the local service decides whether the visitor's body is sent.

use futures::task::AtomicWaker;
use hyper::{
    HeaderMap, Version,
    header::{self, HeaderValue},
};
use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::Sleep;

pub(crate) const CONTINUE: HeaderValue = HeaderValue::from_static("100-continue");

/// How long a local service may keep a visitor waiting that asks before it sends. Some know nothing of the header.
const CONTINUE_TIMEOUT: Duration = Duration::from_secs(1);

/// Whether the visitor waits to be told that it may send its body. HTTP/1.0 has no such answer.
pub(crate) fn expects_continue(version: Version, headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(header::EXPECT).iter();
    let expects = values.next().is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(CONTINUE.as_bytes()));
    expects && values.next().is_none() && version >= Version::HTTP_11
}

/// The permission to send a body.
#[derive(Debug, Default)]
pub(crate) struct ContinueSignal {
    given: AtomicBool,
    waker: AtomicWaker,
}

impl ContinueSignal {
    pub(crate) fn give(&self) {
        self.given.store(true, Ordering::Release);
        self.waker.wake();
    }
}

/// Holds a body until the permission is given, or until the local service had time enough.
pub(super) struct HeldBody {
    signal: Arc<ContinueSignal>,
    timer: Pin<Box<Sleep>>,
}

impl HeldBody {
    pub(super) fn new() -> (Self, Arc<ContinueSignal>) {
        let signal = Arc::<ContinueSignal>::default();
        (HeldBody { signal: signal.clone(), timer: Box::pin(tokio::time::sleep(CONTINUE_TIMEOUT)) }, signal)
    }

    pub(super) fn poll_released(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.signal.waker.register(cx.waker());
        if self.signal.given.load(Ordering::Acquire) { Poll::Ready(()) } else { self.timer.as_mut().poll(cx) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_one_expectation_of_current_versions_counts() {
        let expects = |version, values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::EXPECT, HeaderValue::from_static(value));
            }
            expects_continue(version, &headers)
        };
        assert!(expects(Version::HTTP_11, &["100-Continue"]) && expects(Version::HTTP_2, &["100-continue"]));
        assert!(!expects(Version::HTTP_10, &["100-continue"]));
        assert!(!expects(Version::HTTP_11, &[]) && !expects(Version::HTTP_11, &["200-ok"]));
        assert!(!expects(Version::HTTP_11, &["100-continue", "100-continue"]));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_is_held_until_the_signal_or_for_a_second() {
        let (mut held, signal) = HeldBody::new();
        let began = tokio::time::Instant::now();
        std::future::poll_fn(|cx| held.poll_released(cx)).await;
        assert_eq!(began.elapsed().as_secs(), 1);
        drop(signal);
        let (mut held, signal) = HeldBody::new();
        let began = tokio::time::Instant::now();
        tokio::join!(std::future::poll_fn(|cx| held.poll_released(cx)), async { signal.give() });
        assert_eq!(began.elapsed().as_secs(), 0);
    }
}
