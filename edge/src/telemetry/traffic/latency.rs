//! Latencies in buckets of a logarithmic scale: four for each doubling, so that a percentile is known within an eighth.

use std::{
    collections::BTreeMap,
    ops::AddAssign,
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
    time::Duration,
};

/// The shortest latency that is told apart from shorter ones is 2^6 microseconds.
const FIRST_EXPONENT: u32 = 6;
/// The longest is 2^27 microseconds, about 134 seconds.
const LAST_EXPONENT: u32 = 26;
const BUCKETS_PER_DOUBLING: u32 = 4;
/// Number of buckets.
pub(crate) const BUCKETS: usize = ((LAST_EXPONENT - FIRST_EXPONENT + 1) * BUCKETS_PER_DOUBLING) as usize;

/// The bucket of a latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LatencyBucket(u8);

/// Counts latencies until they are taken. Without any it is one pointer.
#[derive(Default)]
pub(crate) struct LatencyCounter(OnceLock<Box<[AtomicU32; BUCKETS]>>);

/// Counted latencies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Latencies(BTreeMap<LatencyBucket, u64>);

impl LatencyBucket {
    /// The bucket of a duration. Shorter and longer ones than are told apart are in the first and last bucket.
    pub(crate) fn of(latency: Duration) -> Self {
        let microseconds =
            latency.as_secs().saturating_mul(1_000_000).saturating_add(u64::from(latency.subsec_micros()));
        let microseconds = microseconds.clamp(1 << FIRST_EXPONENT, (1 << (LAST_EXPONENT + 1)) - 1);
        let exponent = microseconds.ilog2();
        let quarter = (microseconds >> (exponent - 2)) as u32 & (BUCKETS_PER_DOUBLING - 1);
        LatencyBucket(((exponent - FIRST_EXPONENT) * BUCKETS_PER_DOUBLING + quarter) as u8)
    }

    /// The bucket with this number, if there is one.
    pub(super) fn from_number(number: u32) -> Option<Self> {
        u8::try_from(number).ok().filter(|number| usize::from(*number) < BUCKETS).map(LatencyBucket)
    }

    pub(super) fn number(self) -> u32 {
        u32::from(self.0)
    }

    /// The value with the smallest relative error for all of the bucket, in microseconds: the harmonic mean of its limits.
    fn microseconds(self) -> u64 {
        let (octave, quarter) = (self.number() / BUCKETS_PER_DOUBLING, u64::from(self.number() % BUCKETS_PER_DOUBLING));
        let width = 1_u64 << (octave + FIRST_EXPONENT - 2);
        let (lower, upper) = ((4 + quarter) * width, (5 + quarter) * width);
        2 * lower * upper / (lower + upper)
    }
}

impl LatencyCounter {
    pub(crate) fn add(&self, bucket: LatencyBucket) {
        let buckets = self.0.get_or_init(|| Box::new([const { AtomicU32::new(0) }; BUCKETS]));
        buckets[usize::from(bucket.0)].fetch_add(1, Relaxed);
    }

    /// What was counted since it was taken last.
    pub(crate) fn latencies(&self) -> Latencies {
        self.read(|count| count.load(Relaxed))
    }

    /// The same, counting from zero again.
    pub(crate) fn take(&self) -> Latencies {
        self.read(|count| if count.load(Relaxed) == 0 { 0 } else { count.swap(0, Relaxed) })
    }

    fn read(&self, read: impl Fn(&AtomicU32) -> u32) -> Latencies {
        let counts = self.0.get().into_iter().flat_map(|buckets| buckets.iter()).enumerate();
        let counts = counts.map(|(number, count)| (LatencyBucket(number as u8), u64::from(read(count))));
        Latencies(counts.filter(|(_, count)| *count > 0).collect())
    }
}

impl Latencies {
    pub(super) fn from_counts(counts: impl Iterator<Item = (LatencyBucket, u64)>) -> Self {
        Latencies(counts.collect())
    }

    pub(super) fn counts(&self) -> impl Iterator<Item = (LatencyBucket, u64)> + '_ {
        self.0.iter().map(|(bucket, count)| (*bucket, *count))
    }

    /// The latency in microseconds that `percent` of the requests took at most, by the nearest rank. `None` without
    /// requests.
    pub(crate) fn percentile(&self, percent: u64) -> Option<u64> {
        let total: u128 = self.0.values().map(|count| u128::from(*count)).sum();
        let rank = (total * u128::from(percent)).div_ceil(100).max(1);
        let mut passed = 0;
        let reached = self.0.iter().find(|(_, count)| {
            passed += u128::from(**count);
            passed >= rank
        });
        reached.map(|(bucket, _)| bucket.microseconds())
    }
}

impl AddAssign<&Latencies> for Latencies {
    fn add_assign(&mut self, more: &Latencies) {
        for (bucket, count) in more.counts() {
            let sum = self.0.entry(bucket).or_default();
            *sum = sum.saturating_add(count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counted(microseconds: impl IntoIterator<Item = u64>) -> LatencyCounter {
        let counter = LatencyCounter::default();
        microseconds.into_iter().for_each(|one| counter.add(LatencyBucket::of(Duration::from_micros(one))));
        counter
    }

    #[test]
    fn buckets_follow_each_other_from_64_microseconds_to_134_seconds() {
        let bucket = |microseconds| LatencyBucket::of(Duration::from_micros(microseconds)).number();
        assert_eq!((bucket(0), bucket(64), bucket(79), bucket(80), bucket(127), bucket(128)), (0, 0, 0, 1, 3, 4));
        assert_eq!((bucket((1 << 27) - 1), bucket(1 << 27)), (83, 83));
        assert_eq!(LatencyBucket::of(Duration::MAX).number(), 83);
        let mut last = 0;
        for microseconds in 64..200_000 {
            assert!([last, last + 1].contains(&bucket(microseconds)), "{microseconds}");
            last = bucket(microseconds);
        }
    }

    #[test]
    fn what_was_taken_is_not_counted_again() {
        let counter = counted([100, 100, 9_000]);
        let before = counter.latencies();
        assert_eq!((before.counts().map(|(_, count)| count).sum::<u64>(), counter.take()), (3, before));
        assert_eq!((counter.take(), counter.latencies().percentile(50)), (Latencies::default(), None));
    }

    proptest! {
        #[test]
        fn percentiles_are_those_of_the_sorted_list_within_an_eighth(
            mut latencies in prop::collection::vec(64_u64..134_000_000, 1..300),
            others in prop::collection::vec(64_u64..5_000, 0..300),
        ) {
            let mut sum = counted(latencies.iter().copied()).take();
            sum += &counted(others.iter().copied()).take();
            latencies.extend(others);
            latencies.sort_unstable();
            for percent in [50, 95, 99] {
                let exact = latencies[(latencies.len() * percent).div_ceil(100) - 1] as f64;
                let shown = sum.percentile(percent as u64).expect("there are some") as f64;
                prop_assert!((shown - exact).abs() <= exact / 8.0, "p{percent}: {shown} instead of {exact}");
            }
        }
    }
}
