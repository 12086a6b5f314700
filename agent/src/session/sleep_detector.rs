//! Detects that the machine slept: meanwhile some of its clocks stop and others go on.

use std::time::Duration;

/// Interval between readings of the clocks.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Clocks that differ by this much, or a reading that comes this late, mean that the machine or the process was
/// suspended.
const SLEEP_THRESHOLD: Duration = Duration::from_secs(5);

/// Readings of two clocks, each relative to its own start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clocks {
    /// The clock of the timers; on most systems it stops while the machine sleeps.
    pub(super) timers: Duration,
    /// A clock that goes on while the machine sleeps.
    pub(super) always: Duration,
}

/// Compares each reading of the clocks with the next.
#[derive(Debug)]
pub(super) struct SleepDetector {
    last: Clocks,
}

impl SleepDetector {
    pub(super) fn new(now: Clocks) -> Self {
        SleepDetector { last: now }
    }

    /// Whether the machine slept between the last reading and this one, which was due after `expected`.
    ///
    /// If the second clock was set back, only the timers' clock counts.
    pub(super) fn slept(&mut self, now: Clocks, expected: Duration) -> bool {
        let last = std::mem::replace(&mut self.last, now);
        let timers = now.timers.saturating_sub(last.timers);
        let always = now.always.saturating_sub(last.always);
        timers >= expected + SLEEP_THRESHOLD || always >= timers + SLEEP_THRESHOLD
    }
}

/// Waits until the machine has slept and woken up.
pub(super) async fn woken_up() {
    let mut detector = SleepDetector::new(clocks());
    loop {
        tokio::time::sleep(POLL_INTERVAL).await;
        if detector.slept(clocks(), POLL_INTERVAL) {
            return;
        }
    }
}

/// Linux has monotonic clocks with and without the time asleep.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn clocks() -> Clocks {
    use rustix::time::{ClockId, clock_gettime};
    let read = |clock| {
        let time = clock_gettime(clock);
        Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
    };
    Clocks { timers: read(ClockId::Monotonic), always: read(ClockId::Boottime) }
}

/// Other systems: the wall clock goes on while the machine sleeps.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
#[expect(clippy::disallowed_types, clippy::disallowed_methods, reason = "the two clocks are compared")]
fn clocks() -> Clocks {
    use std::{
        sync::OnceLock,
        time::{Instant, SystemTime, UNIX_EPOCH},
    };
    static START: OnceLock<Instant> = OnceLock::new();
    let timers = START.get_or_init(Instant::now).elapsed();
    Clocks { timers, always: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(timers: u64, always: u64) -> Clocks {
        Clocks { timers: Duration::from_secs(timers), always: Duration::from_secs(always) }
    }

    #[test]
    fn clocks_that_advance_together_are_no_sleep() {
        let mut detector = SleepDetector::new(at(100, 5000));
        for second in 1..100 {
            assert!(!detector.slept(at(100 + second, 5000 + second), POLL_INTERVAL));
        }
        assert!(!detector.slept(at(203, 5103), POLL_INTERVAL), "a busy machine looks a little late");
    }

    #[test]
    fn a_sleep_is_detected_once() {
        let mut detector = SleepDetector::new(at(100, 5000));
        assert!(detector.slept(at(101, 8600), POLL_INTERVAL), "an hour went by, and the timers saw a second of it");
        assert!(!detector.slept(at(102, 8601), POLL_INTERVAL));
    }

    #[test]
    fn a_suspended_process_is_detected() {
        let mut detector = SleepDetector::new(at(100, 5000));
        assert!(detector.slept(at(160, 5060), POLL_INTERVAL));
    }

    #[test]
    fn a_clock_that_jumps_forward_counts_as_sleep_and_one_set_back_does_not() {
        let mut detector = SleepDetector::new(at(100, 5000));
        assert!(detector.slept(at(101, 9000), POLL_INTERVAL), "a needless look at the connection does no harm");
        assert!(!detector.slept(at(102, 10), POLL_INTERVAL));
        assert!(!detector.slept(at(103, 11), POLL_INTERVAL));
    }

    #[test]
    fn the_clocks_of_this_machine_advance() {
        let (before, after) = (clocks(), clocks());
        assert!(after.timers >= before.timers && after.always >= before.always);
    }
}
