//! Waiting for a condition with a timeout, never for a fixed time.

use std::time::Duration;
use tokio::time::Instant;

/// Long enough for two busy cores; passing tests stay far below.
pub const WAIT_TIMEOUT: Duration = Duration::from_secs(20);
/// The interval between two checks.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Polls until there is a value. Panics with the description after the timeout.
pub async fn eventually<T>(what: &str, ask: impl AsyncFnMut() -> Option<T>) -> T {
    within(WAIT_TIMEOUT, what, ask).await
}

/// Polls with a timeout that is part of the specification.
pub async fn within<T>(deadline: Duration, what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let end = Instant::now() + deadline;
    loop {
        match tokio::time::timeout_at(end, ask()).await {
            Ok(Some(answer)) => return answer,
            Ok(None) if Instant::now() < end => tokio::time::sleep(POLL_INTERVAL).await,
            _ => panic!("not within {deadline:?}: {what}"),
        }
    }
}

/// Bounds work that should finish.
pub async fn finishes<T>(what: &str, work: impl Future<Output = T>) -> T {
    match tokio::time::timeout(WAIT_TIMEOUT * 6, work).await {
        Ok(value) => value,
        Err(_) => panic!("never finished: {what}"),
    }
}
