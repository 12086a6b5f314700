//! When a lost session is tried again: soon at first, seldom once it has failed for long.

use rand::Rng;
use std::time::Duration;

/// The first pause.
const FIRST: Duration = Duration::from_millis(250);
/// The longest pause while the failure is young: people wait for it.
const LONGEST_AT_FIRST: Duration = Duration::from_secs(2);
/// A failure is young for so long.
const YOUNG: Duration = Duration::from_secs(120);
/// The longest pause of all.
const LONGEST: Duration = Duration::from_secs(30);

/// The pauses between tries. Instants are durations since any common start.
///
/// Every pause is drawn evenly from the upper half of its step, so that agents that lost the same server at the
/// same moment do not come back at the same moment.
#[derive(Debug, Default)]
pub(super) struct Retry {
    failures: u32,
    /// Tries since the failure stopped being young.
    late: u32,
    failing_since: Option<Duration>,
}

impl Retry {
    /// How many failures there were in a row.
    pub(super) fn failures(&self) -> u32 {
        self.failures
    }

    /// One more failure: of a try that began at `begun` and ended at `now`. Gives the pause before the next one.
    ///
    /// The time the try itself has taken counts as part of the pause, so that a server that does not answer at all
    /// is asked as often as one that refuses at once.
    pub(super) fn failed(&mut self, begun: Duration, now: Duration) -> Duration {
        let since = *self.failing_since.get_or_insert(begun);
        let ceiling = if now.saturating_sub(since) < YOUNG {
            doubled(FIRST, self.failures).min(LONGEST_AT_FIRST)
        } else {
            self.late = self.late.saturating_add(1);
            doubled(LONGEST_AT_FIRST, self.late).min(LONGEST)
        };
        self.failures = self.failures.saturating_add(1);
        jittered(ceiling).saturating_sub(now.saturating_sub(begun)).max(jittered(FIRST))
    }

    /// There was a session, however short: the server can be reached, so the failure is young again. The next pause
    /// stays as long as it was, or a server that throws everybody out at once would be hammered.
    pub(super) fn reached(&mut self) {
        self.failing_since = None;
        self.late = 0;
    }

    /// A session has lasted, or somebody has mended something: everything begins anew.
    pub(super) fn begins_anew(&mut self) {
        *self = Retry::default();
    }
}

fn doubled(first: Duration, times: u32) -> Duration {
    first.saturating_mul(1u32.checked_shl(times.min(16)).unwrap_or(u32::MAX))
}

fn jittered(longest: Duration) -> Duration {
    longest.mul_f64(rand::rng().random_range(0.5..=1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[track_caller]
    fn is_within(pause: Duration, ceiling: f64) {
        let pause = pause.as_secs_f64();
        assert!((ceiling / 2.0..=ceiling).contains(&pause), "{pause} is not within the upper half of {ceiling}");
    }

    #[test]
    fn pauses_grow_to_two_seconds_in_two_minutes_and_then_to_half_a_minute() {
        let mut retry = Retry::default();
        for ceiling in [0.25, 0.5, 1.0, 2.0, 2.0, 2.0] {
            is_within(retry.failed(s(10), s(10)), ceiling);
        }
        is_within(retry.failed(s(129), s(129)), 2.0);
        for ceiling in [4.0, 8.0, 16.0, 30.0, 30.0] {
            is_within(retry.failed(s(130), s(130)), ceiling);
        }
        retry.failures = u32::MAX;
        retry.late = u32::MAX;
        is_within(retry.failed(s(1_000_000), s(1_000_000)), 30.0);
    }

    #[test]
    fn a_try_that_took_long_is_followed_by_the_next_one_at_once() {
        let mut retry = Retry::default();
        for _ in 0..6 {
            retry.failed(s(0), s(0));
        }
        is_within(retry.failed(s(10), s(12)), 0.25);
    }

    #[test]
    fn a_short_session_makes_the_failure_young_but_not_the_pause_short() {
        let mut retry = Retry::default();
        for second in 0..130 {
            retry.failed(s(second), s(second));
        }
        retry.reached();
        is_within(retry.failed(s(131), s(131)), 2.0);
        retry.begins_anew();
        assert_eq!(retry.failures(), 0);
        is_within(retry.failed(s(132), s(132)), 0.25);
    }

    #[test]
    fn a_crowd_that_failed_together_does_not_come_back_together() {
        let pauses: Vec<Duration> = (0..200).map(|_| Retry::default().failed(s(0), s(0))).collect();
        let (first, last) = (pauses.iter().min().expect("some"), pauses.iter().max().expect("some"));
        assert!(*last - *first > Duration::from_millis(60), "{first:?} to {last:?}");
    }
}
