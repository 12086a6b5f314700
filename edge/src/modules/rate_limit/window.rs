//! A sliding window in two counts: the requests of the current interval, and those of the interval before, which count
//! less the longer ago they are. The first interval begins with the first request.

use std::time::Duration;

/// The requests that are admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Quota {
    /// In each interval.
    pub(super) requests: u32,
    /// Beyond them, once; available again while fewer are made than an interval admits.
    pub(super) burst: u32,
    /// The interval in seconds.
    pub(super) interval: u32,
}

/// The counts of one key. Times are milliseconds of the table.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Window {
    /// Start of the current interval.
    start: u64,
    /// From this second on nothing counts any more.
    ends: u32,
    previous: u32,
    /// Of the current interval, and what is left of a burst.
    current: u32,
    /// What the quota admits at once.
    limit: u32,
}

impl Quota {
    fn limit(self) -> u32 {
        self.requests.saturating_add(self.burst)
    }

    fn millis(self) -> u64 {
        u64::from(self.interval) * 1000
    }
}

impl Window {
    pub(super) fn new(now: u64) -> Self {
        Window { start: now, ..Window::default() }
    }

    /// Whether any earlier request still counts.
    pub(super) fn is_live(&self, now: u64) -> bool {
        now / 1000 < u64::from(self.ends)
    }

    /// The used part of the limit, to compare keys of different limits.
    pub(super) fn used_share(&self) -> u64 {
        let used = u64::from(self.previous) + u64::from(self.current);
        (used << u16::BITS) / u64::from(self.limit.max(1))
    }

    /// Counts one request if the quota admits it.
    ///
    /// # Errors
    /// The time after which it would be admitted.
    pub(super) fn admit(&mut self, quota: Quota, now: u64) -> Result<(), Duration> {
        self.advance(quota, now);
        let (length, limit) = (quota.millis(), quota.limit());
        // Never before the start, even if threads read the clock in another order than they came here.
        let elapsed = now.saturating_sub(self.start).min(length - 1);
        // The end of this millisecond, so that the interval before counts less from the start.
        let rest = length - elapsed - 1;
        let (current, previous) = (u64::from(self.current), u64::from(self.previous));
        let free = u64::from(limit).saturating_sub(current);
        if previous * rest < free * length {
            self.current += 1;
            self.limit = limit;
            let intervals = 1 + u64::from(self.current.div_ceil(quota.requests.max(1)));
            self.ends = u32::try_from((self.start + intervals * length).div_ceil(1000)).unwrap_or(u32::MAX);
            return Ok(());
        }
        // The first millisecond in which `previous * rest < free * length`.
        let rest_needed = if free == 0 { 0 } else { (free * length - 1) / previous };
        let wait = if free == 0 { rest + 1 } else { rest - rest_needed };
        Err(Duration::from_millis(wait))
    }

    /// Moves to the interval that `now` is in. What was admitted beyond an interval's share counts in later ones.
    fn advance(&mut self, quota: Quota, now: u64) {
        let length = quota.millis();
        let passed = now.saturating_sub(self.start) / length;
        if passed == 0 {
            return;
        }
        let requests = u64::from(quota.requests);
        let left = u64::from(self.current).saturating_sub((passed - 1).saturating_mul(requests));
        // Both are at most the former count.
        self.previous = left.min(requests) as u32;
        self.current = left as u32 - self.previous;
        self.start = if left == 0 { now } else { self.start + passed * length };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn quota(requests: u32, interval: u32, burst: u32) -> Quota {
        Quota { requests, burst, interval }
    }

    /// How many of the requests at these times are admitted.
    fn admitted(quota: Quota, times: impl IntoIterator<Item = u64>) -> u64 {
        let mut window = Window::default();
        let mut first = true;
        let count = |now: u64| {
            if std::mem::take(&mut first) {
                window = Window::new(now);
            }
            u64::from(window.admit(quota, now).is_ok())
        };
        times.into_iter().map(count).sum()
    }

    #[test]
    fn a_flood_of_a_minute_gets_exactly_its_share() {
        for (requests, interval) in [(1, 1), (10, 10), (7, 3), (100, 1), (60, 60), (1000, 10), (5, 2)] {
            for step in [1, 3, 7] {
                for start in [0, 1, 4999, 123_457] {
                    let times = (start..start + 60_000).step_by(step);
                    let expected = u64::from(requests) * 60 / u64::from(interval);
                    let got = admitted(quota(requests, interval, 0), times);
                    let few = got.abs_diff(expected) * 100;
                    assert!(
                        few <= expected,
                        "{requests} in {interval} s, every {step} ms from {start}: {got}, not {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_burst_is_admitted_once() {
        let limited = quota(10, 10, 5);
        assert_eq!(admitted(limited, (0..100).map(|_| 7)), 15);
        assert_eq!(admitted(limited, 0..60_000), 65, "60 and the burst");
    }

    #[test]
    fn a_burst_comes_back_while_the_visitor_is_quiet() {
        let limited = quota(10, 1, 20);
        let mut window = Window::new(0);
        let mut take = |now: u64| (0..100).filter(|_| window.admit(limited, now).is_ok()).count();
        assert_eq!(take(0), 30);
        assert_eq!(take(1000), 1, "the first request of the interval before is over");
        assert_eq!(take(60_000), 30, "all of it is back");
    }

    #[test]
    fn what_was_not_used_is_not_saved() {
        let limited = quota(10, 10, 0);
        let mut window = Window::new(0);
        assert!(window.admit(limited, 0).is_ok());
        assert_eq!((0..100).filter(|_| window.admit(limited, 3_600_000).is_ok()).count(), 10);
    }

    #[test]
    fn a_clock_that_is_behind_changes_nothing() {
        let mut window = Window::new(5000);
        let limited = quota(2, 1, 0);
        assert!(window.admit(limited, 5000).is_ok() && window.admit(limited, 4000).is_ok());
        assert!(window.admit(limited, 0).is_err());
    }

    proptest! {
        #[test]
        fn after_the_wait_the_next_request_is_admitted_and_not_before(
            requests in 1_u32..50, interval in 1_u32..20, burst in 0_u32..50, pauses in prop::collection::vec(0_u64..3000, 1..200),
        ) {
            let limited = quota(requests, interval, burst);
            let (mut window, mut now) = (Window::new(0), 0);
            for pause in pauses {
                now += pause;
                let before = window;
                if let Err(wait) = window.admit(limited, now) {
                    let wait = wait.as_millis() as u64;
                    prop_assert!(wait > 0);
                    let (mut early, mut later) = (before, before);
                    prop_assert!(early.admit(limited, now + wait - 1).is_err());
                    prop_assert!(later.admit(limited, now + wait).is_ok());
                    prop_assert!(before.is_live(now), "a refused key is never forgotten as unused");
                }
            }
        }

        #[test]
        fn any_stretch_of_time_gets_at_most_its_share_and_one_limit(
            requests in 1_u32..20, interval in 1_u32..5, burst in 0_u32..20, pauses in prop::collection::vec(0_u64..700, 1..300),
        ) {
            let limited = quota(requests, interval, burst);
            let (mut window, mut now, mut times) = (Window::new(0), 0, Vec::new());
            for pause in pauses {
                now += pause;
                if window.admit(limited, now).is_ok() {
                    times.push(now);
                }
            }
            let length = u64::from(interval) * 1000;
            for (index, from) in times.iter().enumerate() {
                let to = times.iter().skip(index).take_while(|time| **time < from + 10 * length).count() as u64;
                prop_assert!(to <= u64::from(requests) * 11 + u64::from(burst));
            }
        }
    }
}
