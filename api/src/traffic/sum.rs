//! Traffic over some intervals as a few numbers, for those that only compare it.

use super::TrafficStep;
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// Intervals that follow each other, and the edge or route whose traffic in them is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TrafficQuery {
    /// Id of the edge or route; empty for all traffic together.
    pub id: String,
    /// Length of the intervals.
    pub step: TrafficStep,
    /// Number of the oldest interval since 1970.
    pub first: u64,
    /// Number of the newest interval, included.
    pub last: u64,
}

/// Traffic of one [`TrafficQuery`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrafficSum {
    /// Requests with a response, and connections that were forwarded or refused.
    pub requests: u64,
    /// Responses with status 5xx, and failed connections.
    pub failed: u64,
    /// Bytes from and to visitors.
    pub bytes: u64,
}

impl AddAssign for TrafficSum {
    fn add_assign(&mut self, more: TrafficSum) {
        let TrafficSum { requests, failed, bytes } = more;
        self.requests = self.requests.saturating_add(requests);
        self.failed = self.failed.saturating_add(failed);
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_added_and_none_overflows() {
        let mut sum = TrafficSum { requests: 1, failed: 2, bytes: u64::MAX };
        sum += TrafficSum { requests: 10, failed: 20, bytes: 1 };
        assert_eq!(sum, TrafficSum { requests: 11, failed: 22, bytes: u64::MAX });
    }
}
