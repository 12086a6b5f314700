//! Waiting for a condition, never for a time: a deadline says when hope ends, not how long something takes.

use std::time::Duration;
use tokio::time::Instant;

/// Long enough for two busy cores; nothing should ever come near it.
pub const PATIENCE: Duration = Duration::from_secs(20);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(10);

/// Asks again and again until there is an answer. Panics when the deadline passes, saying what was waited for.
pub async fn eventually<T>(what: &str, ask: impl AsyncFnMut() -> Option<T>) -> T {
    within(PATIENCE, what, ask).await
}

/// The same with a deadline that is part of the promise under test.
pub async fn within<T>(deadline: Duration, what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let end = Instant::now() + deadline;
    loop {
        match tokio::time::timeout_at(end, ask()).await {
            Ok(Some(answer)) => return answer,
            Ok(None) if Instant::now() < end => tokio::time::sleep(PAUSE).await,
            _ => panic!("waited {deadline:?} in vain: {what}"),
        }
    }
}

/// Bounds anything that should simply finish.
pub async fn finishes<T>(what: &str, work: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE * 6, work).await {
        Ok(value) => value,
        Err(_) => panic!("never finished: {what}"),
    }
}
