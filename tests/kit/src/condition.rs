//! Waiting for a condition with a timeout, never for a fixed time.

use std::time::Duration;
use tokio::time::Instant;

/// Long enough for two busy cores; passing tests stay far below.
pub const WAIT_TIMEOUT: Duration = Duration::from_secs(20);
/// The interval between two checks.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Polls until there is a value. Panics with the description after the timeout.
pub async fn eventually<T>(what: &str, check: impl AsyncFnMut() -> Option<T>) -> T {
    within(WAIT_TIMEOUT, what, check).await
}

/// Polls until a condition is met. Panics with the description after the timeout.
pub async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let end = Instant::now() + WAIT_TIMEOUT;
    while !condition() {
        assert!(Instant::now() < end, "not within {WAIT_TIMEOUT:?}: {what}");
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Polls with a timeout that is part of the specification.
pub async fn within<T>(deadline: Duration, what: &str, mut check: impl AsyncFnMut() -> Option<T>) -> T {
    let end = Instant::now() + deadline;
    loop {
        match tokio::time::timeout_at(end, check()).await {
            Ok(Some(value)) => return value,
            Ok(None) if Instant::now() < end => tokio::time::sleep(POLL_INTERVAL).await,
            _ => panic!("not within {deadline:?}: {what}"),
        }
    }
}

/// Bounds a single step. Panics if it does not complete within [`WAIT_TIMEOUT`].
pub async fn in_time<T>(step: impl Future<Output = T>) -> T {
    tokio::time::timeout(WAIT_TIMEOUT, step).await.expect("the step completes in time")
}

/// Bounds long work that should finish.
pub async fn finishes<T>(what: &str, work: impl Future<Output = T>) -> T {
    match tokio::time::timeout(WAIT_TIMEOUT * 6, work).await {
        Ok(value) => value,
        Err(_) => panic!("never finished: {what}"),
    }
}
