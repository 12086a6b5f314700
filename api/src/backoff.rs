//! Exponential backoff with jitter.

use rand::Rng;
use std::time::Duration;

/// Delay after the first failure, before jitter.
pub const INITIAL_DELAY: Duration = Duration::from_millis(250);
/// Upper bound of every delay.
pub const MAX_DELAY: Duration = Duration::from_secs(30);

/// Counts consecutive failures and computes the delay before the next attempt: from a quarter of a second to 30 s.
///
/// Delays are jittered (see [`with_jitter`]), so that agents that lose the same server at the same moment do not
/// reconnect at the same moment.
#[derive(Clone, Debug, Default)]
pub struct Backoff {
    failures: u32,
}

impl Backoff {
    /// A backoff without failures.
    pub fn new() -> Self {
        Backoff::default()
    }

    /// Records one more failure and returns the delay before the next attempt.
    pub fn next_delay(&mut self) -> Duration {
        let ceiling = exponential(INITIAL_DELAY, self.failures).min(MAX_DELAY);
        self.failures = self.failures.saturating_add(1);
        with_jitter(ceiling)
    }

    /// Number of consecutive failures.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// Resets the failures after a success.
    pub fn reset(&mut self) {
        self.failures = 0;
    }
}

/// `initial` doubled `doublings` times, at most 16 times; saturates.
pub fn exponential(initial: Duration, doublings: u32) -> Duration {
    initial.saturating_mul(1 << doublings.min(16))
}

/// A random delay from the upper half of `ceiling`, evenly distributed.
pub fn with_jitter(ceiling: Duration) -> Duration {
    ceiling.mul_f64(rand::rng().random_range(0.5..=1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_half_a_minute_and_never_exceed_it() {
        let mut backoff = Backoff::new();
        for ceiling in [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0] {
            let delay = backoff.next_delay().as_secs_f64();
            assert!((ceiling / 2.0..=ceiling).contains(&delay), "{delay} is not in the upper half of {ceiling}");
        }
        backoff.failures = u32::MAX;
        assert!(backoff.next_delay() <= MAX_DELAY, "a year of failures does not overflow");
    }

    #[test]
    fn a_success_starts_over() {
        let mut backoff = Backoff::new();
        for _ in 0..8 {
            backoff.next_delay();
        }
        backoff.reset();
        assert_eq!(backoff.failures(), 0);
        assert!(backoff.next_delay() <= INITIAL_DELAY);
    }
}
