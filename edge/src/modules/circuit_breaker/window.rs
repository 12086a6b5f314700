//! A rolling window of requests and errors, in buckets that expire one after the other.

use std::time::Duration;
use tokio::time::Instant;

/// The requests of the last seconds, with the precision of the buckets.
pub(super) struct Window {
    began: Instant,
    /// Width of a bucket in nanoseconds.
    width: u64,
    /// Requests and errors of each bucket, in a ring.
    buckets: Box<[(u64, u64)]>,
    /// Number of the newest bucket, counted from the start.
    newest: u64,
    total: (u64, u64),
}

impl Window {
    pub(super) fn new(length: Duration, buckets: u32, now: Instant) -> Self {
        let buckets = buckets.max(1);
        // The longest window has 2^32 seconds, fewer than 2^63 nanoseconds.
        let width = u64::try_from(length.as_nanos() / u128::from(buckets)).unwrap_or(u64::MAX).max(1);
        Window { began: now, width, buckets: vec![(0, 0); buckets as usize].into(), newest: 0, total: (0, 0) }
    }

    /// Counts one request. Earlier times count in the newest bucket.
    pub(super) fn record(&mut self, failed: bool, now: Instant) {
        self.advance(now);
        let index = self.index_of(self.newest);
        for counts in [&mut self.buckets[index], &mut self.total] {
            counts.0 += 1;
            counts.1 += u64::from(failed);
        }
    }

    /// Drops expired buckets.
    fn advance(&mut self, now: Instant) {
        let passed = u64::try_from(now.saturating_duration_since(self.began).as_nanos()).unwrap_or(u64::MAX);
        let number = (passed / self.width).max(self.newest);
        let expired = (number - self.newest).min(self.buckets.len() as u64);
        for step in 1..=expired {
            let index = self.index_of(self.newest + step);
            let (requests, errors) = std::mem::take(&mut self.buckets[index]);
            self.total.0 -= requests;
            self.total.1 -= errors;
        }
        self.newest = number;
    }

    fn index_of(&self, number: u64) -> usize {
        usize::try_from(number % self.buckets.len() as u64).expect("a remainder of a length")
    }

    pub(super) fn clear(&mut self) {
        self.buckets.fill((0, 0));
        self.total = (0, 0);
    }

    /// Requests in the window as of the last recorded one.
    pub(super) fn requests(&self) -> u64 {
        self.total.0
    }

    /// Failed requests in the window.
    pub(super) fn errors(&self) -> u64 {
        self.total.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn expired_buckets_are_dropped_one_by_one() {
        let start = Instant::now();
        let at = |millis: u64| start + Duration::from_millis(millis);
        let mut window = Window::new(Duration::from_secs(10), 5, start);
        let seen = |window: &Window| (window.requests(), window.errors());
        window.record(true, at(0));
        window.record(false, at(1999));
        window.record(true, at(2000));
        assert_eq!(seen(&window), (3, 2));
        window.record(false, at(9999));
        assert_eq!(seen(&window), (4, 2), "all within ten seconds");
        window.record(false, at(10_000));
        assert_eq!(seen(&window), (3, 1), "the first two seconds have gone");
        window.record(false, at(9000));
        assert_eq!(seen(&window), (4, 1), "an older moment counts as the newest");
        window.record(false, at(60_000));
        assert_eq!(seen(&window), (1, 0), "nothing is left after a long pause");
        window.clear();
        assert_eq!(seen(&window), (0, 0));
    }

    #[test]
    fn the_longest_and_the_shortest_window_work() {
        let start = Instant::now();
        for (seconds, buckets) in [(u32::MAX, 1), (u32::MAX, 128), (1, 128), (1, 1)] {
            let mut window = Window::new(Duration::from_secs(seconds.into()), buckets, start);
            window.record(true, start);
            window.record(true, start + Duration::from_millis(1));
            assert_eq!(window.requests(), 2, "{seconds} {buckets}");
        }
    }

    proptest! {
        /// Compares with the plain definition: a request counts while its bucket is one of the newest.
        #[test]
        fn the_ring_counts_as_a_list_would(
            steps in proptest::collection::vec((0..3000_u64, any::<bool>()), 1..60),
            buckets in 1..12_u32,
        ) {
            let start = Instant::now();
            let mut window = Window::new(Duration::from_secs(4), buckets, start);
            let width = 4_000_000_000 / u64::from(buckets);
            let (mut clock, mut list) = (0, Vec::new());
            for (step, failed) in steps {
                clock += step * 1_000_000;
                window.record(failed, start + Duration::from_nanos(clock));
                list.push((clock / width, failed));
                let young = |(number, _): &&(u64, bool)| number + u64::from(buckets) > clock / width;
                let requests = list.iter().filter(young).count() as u64;
                let errors = list.iter().filter(young).filter(|(_, failed)| *failed).count() as u64;
                prop_assert_eq!((window.requests(), window.errors()), (requests, errors));
            }
        }
    }
}
