//! How long to wait before the next try: exponential from a quarter of a second to 30 s, with jitter.

use rand::Rng;
use std::time::Duration;

const FIRST: Duration = Duration::from_millis(250);
const LONGEST: Duration = Duration::from_secs(30);

/// Counts failures in a row and says how long to pause.
///
/// Every pause is drawn evenly from the upper half of its step, so that agents that lost the same server at the
/// same moment do not come back at the same moment.
#[derive(Clone, Debug, Default)]
pub struct Backoff {
    failures: u32,
}

impl Backoff {
    /// No failure so far.
    pub fn new() -> Self {
        Backoff::default()
    }

    /// Notes one more failure and returns the pause before the next try.
    pub fn next_pause(&mut self) -> Duration {
        let longest = self.ceiling();
        self.failures = self.failures.saturating_add(1);
        longest.mul_f64(rand::rng().random_range(0.5..=1.0))
    }

    /// How many failures there were in a row.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// It worked: the next pause is the shortest again.
    pub fn succeeded(&mut self) {
        self.failures = 0;
    }

    fn ceiling(&self) -> Duration {
        FIRST.saturating_mul(1u32.checked_shl(self.failures.min(16)).unwrap_or(u32::MAX)).min(LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_half_a_minute_and_never_exceed_it() {
        let mut backoff = Backoff::new();
        for ceiling in [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0] {
            let pause = backoff.next_pause().as_secs_f64();
            assert!((ceiling / 2.0..=ceiling).contains(&pause), "{pause} is not within half of {ceiling}");
        }
        backoff.failures = u32::MAX;
        assert!(backoff.next_pause() <= LONGEST, "a year of failures does not overflow");
    }

    #[test]
    fn a_success_starts_over() {
        let mut backoff = Backoff::new();
        for _ in 0..8 {
            backoff.next_pause();
        }
        backoff.succeeded();
        assert_eq!(backoff.failures(), 0);
        assert!(backoff.next_pause() <= FIRST);
    }
}
