//! Metrics of a tunnel: counts, rates and durations.

use hdrhistogram::Histogram;
use postern_api::local::ConnectionMetrics;
use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::time::Instant;

/// Range of recorded durations: one microsecond to one hour. Others are clamped.
const MIN_DURATION_NANOS: u64 = 1_000;
const MAX_DURATION_NANOS: u64 = 3_600_000_000_000;
/// Two significant digits: a percentile is at most one percent off.
const SIGNIFICANT_DIGITS: u8 = 2;

/// Counts things that take time: connections, requests.
pub struct Meter {
    open: AtomicU64,
    /// The total, and its rates per second.
    begun: witchcraft_metrics::Meter,
    /// Allocated with the first value: an unused tunnel takes no memory for it.
    durations: Mutex<Option<Histogram<u32>>>,
}

/// Counts as in flight while it lives; its duration is recorded when it is dropped.
pub struct InFlight<'a> {
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
    pub fn open(&self) -> InFlight<'_> {
        self.open.fetch_add(1, Relaxed);
        self.begun.mark(1);
        InFlight { meter: self, since: Instant::now() }
    }

    /// Counts one that has ended after this time.
    pub fn record(&self, took: Duration) {
        self.begun.mark(1);
        self.took(took, 1);
    }

    /// Counts so many that have begun.
    pub fn add_opened(&self, count: u64) {
        self.open.fetch_add(count, Relaxed);
        self.begun.mark(i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// Counts so many of them as ended after this time.
    pub fn add_ended(&self, took: Duration, count: u64) {
        self.remove_open(count);
        self.took(took, count);
    }

    /// Takes so many of them out of the gauge, without a duration.
    pub fn remove_open(&self, count: u64) {
        self.open.fetch_sub(count, Relaxed);
    }

    /// The current values.
    pub fn snapshot(&self) -> ConnectionMetrics {
        let durations = self.durations();
        let at = |percentile: f64| durations.as_ref().map_or(0, |durations| durations.value_at_percentile(percentile));
        ConnectionMetrics {
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

    fn took(&self, took: Duration, count: u64) {
        let nanoseconds =
            u64::try_from(took.as_nanos()).unwrap_or(MAX_DURATION_NANOS).clamp(MIN_DURATION_NANOS, MAX_DURATION_NANOS);
        let mut durations = self.durations();
        if durations.is_none() {
            *durations = Histogram::new_with_bounds(MIN_DURATION_NANOS, MAX_DURATION_NANOS, SIGNIFICANT_DIGITS).ok();
        }
        if let Some(durations) = durations.as_mut() {
            durations.saturating_record_n(nanoseconds, u32::try_from(count).unwrap_or(u32::MAX));
        }
    }

    fn durations(&self) -> MutexGuard<'_, Option<Histogram<u32>>> {
        self.durations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.meter.open.fetch_sub(1, Relaxed);
        self.meter.took(self.since.elapsed(), 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_connections_are_a_gauge_and_record_their_duration() {
        let meter = Meter::default();
        let first = meter.open();
        let second = meter.open();
        drop(first);
        assert_eq!((meter.snapshot().count, meter.snapshot().gauge), (2, 1));
        drop(second);
        let snapshot = meter.snapshot();
        assert_eq!((snapshot.count, snapshot.gauge), (2, 0));
        assert!(snapshot.p50 >= MIN_DURATION_NANOS && snapshot.p99 < 1_000_000_000, "{snapshot:?}");
    }

    #[test]
    fn percentiles_are_within_one_percent_and_extremes_are_clamped() {
        let meter = Meter::default();
        for milliseconds in 1..=1000 {
            meter.record(Duration::from_millis(milliseconds));
        }
        let snapshot = meter.snapshot();
        for (value, expected) in
            [(snapshot.p50, 500e6), (snapshot.p90, 900e6), (snapshot.p95, 950e6), (snapshot.p99, 990e6)]
        {
            assert!((value as f64 - expected).abs() <= expected * 0.01, "{value} is not {expected}");
        }
        meter.record(Duration::ZERO);
        meter.record(Duration::from_secs(1 << 40));
        assert_eq!(meter.snapshot().count, 1002);
    }
}
