//! Noticing that the machine slept: while it does, some of its clocks stand still and others go on.

use std::time::Duration;

/// How often the clocks are looked at.
const LOOK: Duration = Duration::from_secs(1);
/// Clocks that come apart by so much, or a look that comes so late, mean that the machine or the program was stopped.
const GAP: Duration = Duration::from_secs(5);

/// What the clocks say, each since a start of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clocks {
    /// The clock that timers use; on most systems it stands still while the machine sleeps.
    pub(super) timers: Duration,
    /// A clock that goes on while the machine sleeps.
    pub(super) always: Duration,
}

/// Compares one look at the clocks with the next.
#[derive(Debug)]
pub(super) struct SleepDetector {
    last: Clocks,
}

impl SleepDetector {
    pub(super) fn new(now: Clocks) -> Self {
        SleepDetector { last: now }
    }

    /// Whether there was a sleep between the last look and this one, `expected` after it.
    ///
    /// A clock that was set back says nothing: then the timers' own clock decides.
    pub(super) fn slept(&mut self, now: Clocks, expected: Duration) -> bool {
        let last = std::mem::replace(&mut self.last, now);
        let timers = now.timers.saturating_sub(last.timers);
        let always = now.always.saturating_sub(last.always);
        timers >= expected + GAP || always >= timers + GAP
    }
}

/// Waits until the machine has slept and is awake again.
pub(super) async fn after_sleep() {
    let mut detector = SleepDetector::new(clocks());
    loop {
        tokio::time::sleep(LOOK).await;
        if detector.slept(clocks(), LOOK) {
            return;
        }
    }
}

/// Linux counts the time since the start of the machine with and without sleep.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn clocks() -> Clocks {
    use rustix::time::{ClockId, clock_gettime};
    let read = |clock| {
        let time = clock_gettime(clock);
        Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
    };
    Clocks { timers: read(ClockId::Monotonic), always: read(ClockId::Boottime) }
}

/// Elsewhere the wall clock goes on while the machine sleeps.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
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
    fn clocks_that_go_together_mean_nothing() {
        let mut detector = SleepDetector::new(at(100, 5000));
        for second in 1..100 {
            assert!(!detector.slept(at(100 + second, 5000 + second), LOOK));
        }
        assert!(!detector.slept(at(203, 5103), LOOK), "a busy machine looks a little late");
    }

    #[test]
    fn a_machine_that_slept_is_noticed_once() {
        let mut detector = SleepDetector::new(at(100, 5000));
        assert!(detector.slept(at(101, 8600), LOOK), "an hour went by, and the timers saw a second of it");
        assert!(!detector.slept(at(102, 8601), LOOK));
    }

    #[test]
    fn a_program_that_was_stopped_is_noticed() {
        let mut detector = SleepDetector::new(at(100, 5000));
        assert!(detector.slept(at(160, 5060), LOOK));
    }

    #[test]
    fn a_clock_that_jumps_forward_counts_as_sleep_and_one_set_back_as_nothing() {
        let mut detector = SleepDetector::new(at(100, 5000));
        assert!(detector.slept(at(101, 9000), LOOK), "a needless look at the connection does no harm");
        assert!(!detector.slept(at(102, 10), LOOK));
        assert!(!detector.slept(at(103, 11), LOOK));
    }

    #[test]
    fn the_clocks_of_this_machine_go_forward() {
        let (before, after) = (clocks(), clocks());
        assert!(after.timers >= before.timers && after.always >= before.always);
    }
}
