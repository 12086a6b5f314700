//! Numbers of a tunnel: how many, how many now, how many a second, and how long they took.

use hdrhistogram::Histogram;
use serde::Serialize;
use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::time::Instant;

/// One microsecond to one hour, in nanoseconds; what lies outside is counted at the border.
const SHORTEST: u64 = 1_000;
const LONGEST: u64 = 3_600_000_000_000;
/// Two significant digits: a percentile is at most one percent off.
const DIGITS: u8 = 2;

/// Counts things that take time: connections, requests.
pub struct Meter {
    open: AtomicU64,
    /// How many there were, and the moving averages of how many a second.
    begun: witchcraft_metrics::Meter,
    /// Made with the first value: a tunnel nobody visits takes no memory for it.
    durations: Mutex<Option<Histogram<u32>>>,
}

/// What a meter shows. Rates are per second, averaged over 1, 5 and 15 minutes; percentiles are nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Snapshot {
    /// How many there were.
    pub count: u64,
    /// How many there are now.
    pub gauge: u64,
    /// Over one minute.
    pub rate1: f64,
    /// Over five minutes.
    pub rate5: f64,
    /// Over a quarter of an hour.
    pub rate15: f64,
    /// Half of them were faster.
    pub p50: u64,
    /// Nine of ten were faster.
    pub p90: u64,
    /// 95 of 100 were faster.
    pub p95: u64,
    /// 99 of 100 were faster.
    pub p99: u64,
}

/// Open as long as it lives; its duration is recorded when it is dropped.
pub struct OpenOne<'a> {
    meter: &'a Meter,
    since: Instant,
}

impl Default for Meter {
    fn default() -> Self {
        Meter { open: AtomicU64::new(0), begun: witchcraft_metrics::Meter::new(), durations: Mutex::default() }
    }
}

impl Meter {
    /// Counts one that begins now.
    pub fn open(&self) -> OpenOne<'_> {
        self.open.fetch_add(1, Relaxed);
        self.begun.mark(1);
        OpenOne { meter: self, since: Instant::now() }
    }

    /// Counts one that is over and took so long.
    pub fn record(&self, took: Duration) {
        self.begun.mark(1);
        self.took(took);
    }

    /// The numbers of this moment.
    pub fn snapshot(&self) -> Snapshot {
        let durations = self.durations();
        let at = |percentile: f64| durations.as_ref().map_or(0, |durations| durations.value_at_percentile(percentile));
        Snapshot {
            count: u64::try_from(self.begun.count()).unwrap_or_default(),
            gauge: self.open.load(Relaxed),
            rate1: self.begun.one_minute_rate(),
            rate5: self.begun.five_minute_rate(),
            rate15: self.begun.fifteen_minute_rate(),
            p50: at(50.0),
            p90: at(90.0),
            p95: at(95.0),
            p99: at(99.0),
        }
    }

    fn took(&self, took: Duration) {
        let nanoseconds = u64::try_from(took.as_nanos()).unwrap_or(LONGEST).clamp(SHORTEST, LONGEST);
        let mut durations = self.durations();
        if durations.is_none() {
            *durations = Histogram::new_with_bounds(SHORTEST, LONGEST, DIGITS).ok();
        }
        if let Some(durations) = durations.as_mut() {
            durations.saturating_record(nanoseconds);
        }
    }

    fn durations(&self) -> MutexGuard<'_, Option<Histogram<u32>>> {
        self.durations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OpenOne<'_> {
    fn drop(&mut self) {
        self.meter.open.fetch_sub(1, Relaxed);
        self.meter.took(self.since.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_ones_are_a_gauge_and_leave_their_duration() {
        let meter = Meter::default();
        let first = meter.open();
        let second = meter.open();
        drop(first);
        assert_eq!((meter.snapshot().count, meter.snapshot().gauge), (2, 1));
        drop(second);
        let snapshot = meter.snapshot();
        assert_eq!((snapshot.count, snapshot.gauge), (2, 0));
        assert!(snapshot.p50 >= SHORTEST && snapshot.p99 < 1_000_000_000, "{snapshot:?}");
    }

    #[test]
    fn percentiles_are_within_one_percent_and_extremes_are_survived() {
        let meter = Meter::default();
        for milliseconds in 1..=1000 {
            meter.record(Duration::from_millis(milliseconds));
        }
        let snapshot = meter.snapshot();
        for (seen, expected) in
            [(snapshot.p50, 500e6), (snapshot.p90, 900e6), (snapshot.p95, 950e6), (snapshot.p99, 990e6)]
        {
            assert!((seen as f64 - expected).abs() <= expected * 0.01, "{seen} is not {expected}");
        }
        meter.record(Duration::ZERO);
        meter.record(Duration::from_secs(1 << 40));
        assert_eq!(meter.snapshot().count, 1002);
    }
}
