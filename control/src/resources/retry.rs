//! Optimistic concurrency: a change that collides with another one is planned again and committed again.

use postern_api::{Code, Result};
use std::time::Duration;

/// Attempts of one change. Of several changes that collide, one succeeds each time.
const COMMIT_ATTEMPTS: u32 = 500;
/// Milliseconds that the longest pause grows to.
const MAX_PAUSE: u32 = 20;

/// One attempt of a change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommitAttempt(u32);

impl CommitAttempt {
    /// No further attempt follows.
    pub(crate) fn is_last(self) -> bool {
        self.0 + 1 == COMMIT_ATTEMPTS
    }
}

/// Plans and commits a change until it succeeds. `change` gives `None` if it collided with another change.
///
/// # Errors
/// The first error of `change`, or `StorageConflict` if every attempt collided.
pub(crate) async fn commit_with_retry<T, F: Future<Output = Result<Option<T>>>>(
    change: impl Fn(CommitAttempt) -> F,
) -> Result<T> {
    for attempt in 0..COMMIT_ATTEMPTS {
        if let Some(done) = change(CommitAttempt(attempt)).await? {
            return Ok(done);
        }
        // Random, so that colliding changes spread out.
        let longest = 1 + u64::from(attempt.min(MAX_PAUSE));
        tokio::time::sleep(Duration::from_millis(rand::random_range(0..=longest))).await;
    }
    Err(Code::StorageConflict.into())
}
