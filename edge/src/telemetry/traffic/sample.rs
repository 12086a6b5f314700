//! Traffic of one interval, and the compact form in which it is stored.

use super::latency::{Latencies, LatencyBucket};
use postern_api::{
    Timestamp,
    traffic::{Counts, TrafficInterval, TrafficLatency, TrafficSum},
};
use prost::Message;
use std::ops::AddAssign;

/// Traffic of one edge or route, or of everything together, in one interval.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrafficSample {
    pub(crate) requests: u64,
    pub(crate) redirected: u64,
    pub(crate) refused: u64,
    pub(crate) failed: u64,
    pub(crate) bytes_in: u64,
    pub(crate) bytes_out: u64,
    pub(crate) latencies: Latencies,
}

/// Bytes that are not a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bytes are not a traffic sample")]
pub struct MalformedSample;

/// The stored form. Zeros take no room.
#[derive(Clone, PartialEq, Message)]
struct StoredSample {
    #[prost(uint64, tag = "1")]
    requests: u64,
    #[prost(uint64, tag = "2")]
    redirected: u64,
    #[prost(uint64, tag = "3")]
    refused: u64,
    #[prost(uint64, tag = "4")]
    failed: u64,
    #[prost(uint64, tag = "5")]
    bytes_in: u64,
    #[prost(uint64, tag = "6")]
    bytes_out: u64,
    /// The buckets with latencies, and their counts in the same order.
    #[prost(uint32, repeated, tag = "7")]
    buckets: Vec<u32>,
    #[prost(uint64, repeated, tag = "8")]
    counts: Vec<u64>,
}

impl TrafficSample {
    /// What was counted between two readings.
    pub(super) fn between(before: &Counts, now: &Counts, latencies: Latencies) -> Self {
        TrafficSample {
            requests: now.requests.saturating_sub(before.requests),
            redirected: now.redirected.saturating_sub(before.redirected),
            refused: now.refused.saturating_sub(before.refused),
            failed: now.failed.saturating_sub(before.failed),
            bytes_in: now.bytes_in.saturating_sub(before.bytes_in),
            bytes_out: now.bytes_out.saturating_sub(before.bytes_out),
            latencies,
        }
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        *self == TrafficSample::default()
    }

    /// The stored form, at most 600 bytes.
    pub fn encode(&self) -> Vec<u8> {
        let (buckets, counts) = self.latencies.counts().map(|(bucket, count)| (bucket.number(), count)).unzip();
        let TrafficSample { requests, redirected, refused, failed, bytes_in, bytes_out, .. } = *self;
        let stored = StoredSample { requests, redirected, refused, failed, bytes_in, bytes_out, buckets, counts };
        stored.encode_to_vec()
    }

    /// Reads the stored form.
    ///
    /// # Errors
    /// [`MalformedSample`].
    pub fn decode(bytes: &[u8]) -> Result<Self, MalformedSample> {
        let StoredSample { requests, redirected, refused, failed, bytes_in, bytes_out, buckets, counts } =
            StoredSample::decode(bytes).map_err(|_| MalformedSample)?;
        if buckets.len() != counts.len() {
            return Err(MalformedSample);
        }
        let buckets = buckets.into_iter().map(|number| LatencyBucket::from_number(number).ok_or(MalformedSample));
        let buckets = buckets.collect::<Result<Vec<_>, _>>()?;
        let latencies = Latencies::from_counts(buckets.into_iter().zip(counts));
        Ok(TrafficSample { requests, redirected, refused, failed, bytes_in, bytes_out, latencies })
    }

    /// Its requests, failures and bytes.
    pub fn sum(&self) -> TrafficSum {
        let TrafficSample { requests, failed, bytes_in, bytes_out, .. } = *self;
        TrafficSum { requests, failed, bytes: bytes_in.saturating_add(bytes_out) }
    }

    /// As it is shown.
    pub(crate) fn interval(&self, at: Timestamp) -> TrafficInterval {
        let TrafficSample { requests, redirected, refused, failed, bytes_in, bytes_out, ref latencies } = *self;
        let others = redirected.saturating_add(refused).saturating_add(failed);
        let percentiles = (latencies.percentile(50), latencies.percentile(95), latencies.percentile(99));
        let latency = match percentiles {
            (Some(p50), Some(p95), Some(p99)) => Some(TrafficLatency { p50, p95, p99 }),
            _ => None,
        };
        let succeeded = requests.saturating_sub(others);
        TrafficInterval { at, requests, succeeded, redirected, refused, failed, bytes_in, bytes_out, latency }
    }
}

impl AddAssign<&TrafficSample> for TrafficSample {
    fn add_assign(&mut self, more: &TrafficSample) {
        let TrafficSample { requests, redirected, refused, failed, bytes_in, bytes_out, latencies } = more;
        for (sum, more) in [
            (&mut self.requests, requests),
            (&mut self.redirected, redirected),
            (&mut self.refused, refused),
            (&mut self.failed, failed),
            (&mut self.bytes_in, bytes_in),
            (&mut self.bytes_out, bytes_out),
        ] {
            *sum = sum.saturating_add(*more);
        }
        self.latencies += latencies;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn samples() -> impl Strategy<Value = TrafficSample> {
        let latencies = prop::collection::btree_map(0_u32..84, any::<u64>(), 0..=84);
        (any::<[u64; 6]>(), latencies).prop_map(|(counts, latencies)| {
            let [requests, redirected, refused, failed, bytes_in, bytes_out] = counts;
            let bucket = |(number, count)| (LatencyBucket::from_number(number).expect("a bucket"), count);
            let latencies = Latencies::from_counts(latencies.into_iter().map(bucket));
            TrafficSample { requests, redirected, refused, failed, bytes_in, bytes_out, latencies }
        })
    }

    proptest! {
        #[test]
        fn a_sample_is_read_as_it_was_stored(sample in samples()) {
            prop_assert_eq!(TrafficSample::decode(&sample.encode()), Ok(sample));
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let _ = TrafficSample::decode(&bytes);
        }
    }

    #[test]
    fn a_sample_is_small() {
        let mut sample = TrafficSample { requests: 900, bytes_in: 40_000, bytes_out: 4_000_000, ..Default::default() };
        // A typical minute: a hundred-fold between the fastest and the slowest.
        let spread = (20..47).map(|number| (LatencyBucket::from_number(number).unwrap(), 34));
        sample.latencies = Latencies::from_counts(spread);
        assert!(sample.encode().len() <= 80, "{}", sample.encode().len());
        // All buckets, with as many as are counted in an hour.
        let count = u64::from(u32::MAX);
        let all = (0..84).map(|number| (LatencyBucket::from_number(number).unwrap(), count));
        let largest = TrafficSample {
            requests: count * 84,
            redirected: count,
            refused: count,
            failed: count,
            bytes_in: u64::MAX,
            bytes_out: u64::MAX,
            latencies: Latencies::from_counts(all),
        };
        assert!(largest.encode().len() <= 600, "{}", largest.encode().len());
        assert!(TrafficSample::default().encode().is_empty() && TrafficSample::default().is_empty());
    }
}
