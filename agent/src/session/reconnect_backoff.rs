//! Backoff of reconnects: short while a failure is recent, longer once it has lasted.

use postern_tunnel::backoff::{INITIAL_DELAY, MAX_DELAY, exponential, with_jitter};
use std::time::Duration;

/// Maximum delay while the failure is recent: people wait for the reconnect.
const MAX_RECENT_DELAY: Duration = Duration::from_secs(2);
/// Time for which a failure is recent.
const RECENT_TIME: Duration = Duration::from_secs(120);

/// Computes the delays between connection attempts. Instants are durations since any common start.
///
/// Delays are jittered, so that agents that lose the same server at the same moment do not reconnect at the same moment.
#[derive(Debug, Default)]
pub(super) struct ReconnectBackoff {
    failures: u32,
    /// Failures since the failure stopped being recent.
    late_failures: u32,
    failing_since: Option<Duration>,
}

impl ReconnectBackoff {
    /// Number of consecutive failures.
    pub(super) fn failures(&self) -> u32 {
        self.failures
    }

    /// Records the failure of an attempt that began at `attempt_start` and ended at `now`. Returns the delay before the
    /// next attempt.
    ///
    /// The duration of the attempt counts as part of the delay, so that a server that does not respond is tried as
    /// often as one that refuses at once.
    pub(super) fn next_delay(&mut self, attempt_start: Duration, now: Duration) -> Duration {
        let since = *self.failing_since.get_or_insert(attempt_start);
        let ceiling = if now.saturating_sub(since) < RECENT_TIME {
            exponential(INITIAL_DELAY, self.failures).min(MAX_RECENT_DELAY)
        } else {
            self.late_failures = self.late_failures.saturating_add(1);
            exponential(MAX_RECENT_DELAY, self.late_failures).min(MAX_DELAY)
        };
        self.failures = self.failures.saturating_add(1);
        with_jitter(ceiling).saturating_sub(now.saturating_sub(attempt_start)).max(with_jitter(INITIAL_DELAY))
    }

    /// Records that a session was established, however short: the failure is recent again. The delay does not
    /// shrink, or a server that ends every session at once would be flooded.
    pub(super) fn connected(&mut self) {
        self.failing_since = None;
        self.late_failures = 0;
    }

    /// Starts over after a stable session or a change of the settings.
    pub(super) fn reset(&mut self) {
        *self = ReconnectBackoff::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[track_caller]
    fn is_within(delay: Duration, ceiling: f64) {
        let delay = delay.as_secs_f64();
        assert!((ceiling / 2.0..=ceiling).contains(&delay), "{delay} is not within the upper half of {ceiling}");
    }

    #[test]
    fn delays_grow_to_two_seconds_in_two_minutes_and_then_to_half_a_minute() {
        let mut backoff = ReconnectBackoff::default();
        for ceiling in [0.25, 0.5, 1.0, 2.0, 2.0, 2.0] {
            is_within(backoff.next_delay(s(10), s(10)), ceiling);
        }
        is_within(backoff.next_delay(s(129), s(129)), 2.0);
        for ceiling in [4.0, 8.0, 16.0, 30.0, 30.0] {
            is_within(backoff.next_delay(s(130), s(130)), ceiling);
        }
        backoff.failures = u32::MAX;
        backoff.late_failures = u32::MAX;
        is_within(backoff.next_delay(s(1_000_000), s(1_000_000)), 30.0);
    }

    #[test]
    fn a_long_attempt_is_followed_by_the_next_one_at_once() {
        let mut backoff = ReconnectBackoff::default();
        for _ in 0..6 {
            backoff.next_delay(s(0), s(0));
        }
        is_within(backoff.next_delay(s(10), s(12)), 0.25);
    }

    #[test]
    fn a_short_session_makes_the_failure_recent_but_not_the_delay_short() {
        let mut backoff = ReconnectBackoff::default();
        for second in 0..130 {
            backoff.next_delay(s(second), s(second));
        }
        backoff.connected();
        is_within(backoff.next_delay(s(131), s(131)), 2.0);
        backoff.reset();
        assert_eq!(backoff.failures(), 0);
        is_within(backoff.next_delay(s(132), s(132)), 0.25);
    }

    #[test]
    fn agents_that_failed_together_do_not_reconnect_together() {
        let delays: Vec<Duration> = (0..200).map(|_| ReconnectBackoff::default().next_delay(s(0), s(0))).collect();
        let (first, last) = (delays.iter().min().expect("some"), delays.iter().max().expect("some"));
        assert!(*last - *first > Duration::from_millis(60), "{first:?} to {last:?}");
    }
}
