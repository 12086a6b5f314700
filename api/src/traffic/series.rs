//! Traffic over a time range of up to 90 days, by minute or by hour.

use super::TrafficKind;
use crate::{Timestamp, resource::NodeName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Time range of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrafficRange {
    /// The last 60 minutes, by minute.
    Hour,
    /// The last 24 hours, by minute.
    #[default]
    Day,
    /// The last 7 days, by hour.
    Week,
    /// The last 90 days, by hour.
    Quarter,
}

/// Length of the intervals of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrafficStep {
    /// Whole minutes.
    Minute,
    /// Whole hours.
    Hour,
}

/// Traffic of an edge, a route or the whole server over a time range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrafficSeries {
    /// The id of the edge or route; null for all traffic together.
    pub id: Option<String>,
    /// Kind; null for all traffic together.
    pub kind: Option<TrafficKind>,
    /// Time range.
    pub range: TrafficRange,
    /// Length of the intervals.
    pub step: TrafficStep,
    /// Start of the first interval.
    pub from: Timestamp,
    /// End of the last interval, which is not complete.
    pub until: Timestamp,
    /// All intervals together; `at` is the start of the first one.
    pub total: TrafficInterval,
    /// The intervals with traffic, oldest first.
    pub intervals: Vec<TrafficInterval>,
    /// Nodes that did not answer in time, whose share is missing; absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes_missing: Vec<NodeName>,
}

/// Traffic in one interval. TLS and TCP connections count as requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrafficInterval {
    /// Start of the interval.
    pub at: Timestamp,
    /// Requests with a response, and connections that were forwarded or refused.
    pub requests: u64,
    /// Responses with status 1xx or 2xx, and connections that were forwarded.
    pub succeeded: u64,
    /// Responses with status 3xx.
    pub redirected: u64,
    /// Responses with status 4xx, and refused connections.
    pub refused: u64,
    /// Responses with status 5xx, and failed connections.
    pub failed: u64,
    /// Bytes from visitors, counted at the end of requests and connections.
    pub bytes_in: u64,
    /// Bytes to visitors, counted at the end of requests and connections.
    pub bytes_out: u64,
    /// Latency of the requests; null without HTTP requests.
    pub latency: Option<TrafficLatency>,
}

/// Time from a request to the head of its response in microseconds, within 12 %. Times below 64 microseconds and above 134
/// seconds are counted as these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrafficLatency {
    /// Median: half of the requests took at most this long.
    pub p50: u64,
    /// 95 % of the requests took at most this long.
    pub p95: u64,
    /// 99 % of the requests took at most this long.
    pub p99: u64,
}

impl TrafficRange {
    /// All of them, shortest first.
    pub const ALL: [TrafficRange; 4] =
        [TrafficRange::Hour, TrafficRange::Day, TrafficRange::Week, TrafficRange::Quarter];

    /// Name in a query.
    pub const fn as_str(self) -> &'static str {
        match self {
            TrafficRange::Hour => "hour",
            TrafficRange::Day => "day",
            TrafficRange::Week => "week",
            TrafficRange::Quarter => "quarter",
        }
    }

    /// Length of its intervals.
    pub const fn step(self) -> TrafficStep {
        match self {
            TrafficRange::Hour | TrafficRange::Day => TrafficStep::Minute,
            TrafficRange::Week | TrafficRange::Quarter => TrafficStep::Hour,
        }
    }

    /// Number of its intervals, the incomplete one included.
    pub const fn intervals(self) -> u64 {
        match self {
            TrafficRange::Hour => 60,
            TrafficRange::Day => 24 * 60,
            TrafficRange::Week => 7 * 24,
            TrafficRange::Quarter => 90 * 24,
        }
    }
}

impl TrafficSeries {
    /// A series without traffic that ends at this moment.
    pub fn empty(range: TrafficRange, now: jiff::Timestamp) -> Self {
        let step = range.step();
        let last = step.interval_at(now);
        let from = step.start((last + 1).saturating_sub(range.intervals()));
        TrafficSeries {
            id: None,
            kind: None,
            range,
            step,
            from,
            until: step.start(last + 1),
            total: TrafficInterval::empty(from),
            intervals: Vec::new(),
            nodes_missing: Vec::new(),
        }
    }
}

impl TrafficInterval {
    /// An interval without traffic.
    pub fn empty(at: Timestamp) -> Self {
        TrafficInterval {
            at,
            requests: 0,
            succeeded: 0,
            redirected: 0,
            refused: 0,
            failed: 0,
            bytes_in: 0,
            bytes_out: 0,
            latency: None,
        }
    }
}

impl TrafficStep {
    /// Number since 1970 of the interval with this moment.
    pub fn interval_at(self, moment: jiff::Timestamp) -> u64 {
        moment.as_second().max(0).unsigned_abs() / self.seconds()
    }

    /// Start of an interval.
    pub fn start(self, interval: u64) -> Timestamp {
        let seconds = i64::try_from(interval.saturating_mul(self.seconds())).unwrap_or(i64::MAX);
        Timestamp::new(jiff::Timestamp::from_second(seconds).unwrap_or(jiff::Timestamp::MAX))
    }

    /// Length in seconds.
    pub const fn seconds(self) -> u64 {
        match self {
            TrafficStep::Minute => 60,
            TrafficStep::Hour => 3600,
        }
    }

    /// Number of intervals that are kept.
    pub const fn intervals_kept(self) -> u64 {
        match self {
            TrafficStep::Minute => TrafficRange::Day.intervals(),
            TrafficStep::Hour => TrafficRange::Quarter.intervals(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_as_long_as_their_names_and_lie_within_what_is_kept() {
        let days = |range: TrafficRange| range.intervals() * range.step().seconds() / 86_400;
        assert_eq!(TrafficRange::Hour.intervals() * TrafficRange::Hour.step().seconds(), 3600);
        assert_eq!((days(TrafficRange::Day), days(TrafficRange::Week), days(TrafficRange::Quarter)), (1, 7, 90));
        assert!(TrafficRange::ALL.into_iter().all(|range| range.intervals() <= range.step().intervals_kept()));
    }

    #[test]
    fn a_series_ends_with_the_interval_of_now() {
        let now = "2026-11-25T09:30:59Z".parse().expect("a time");
        for (range, from, until) in [
            (TrafficRange::Hour, "2026-11-25T08:31:00Z", "2026-11-25T09:31:00Z"),
            (TrafficRange::Day, "2026-11-24T09:31:00Z", "2026-11-25T09:31:00Z"),
            (TrafficRange::Week, "2026-11-18T10:00:00Z", "2026-11-25T10:00:00Z"),
            (TrafficRange::Quarter, "2026-08-27T10:00:00Z", "2026-11-25T10:00:00Z"),
        ] {
            let series = TrafficSeries::empty(range, now);
            assert_eq!((series.from.to_string().as_str(), series.until.to_string().as_str()), (from, until));
        }
    }

    #[test]
    fn ranges_are_written_as_in_a_query() {
        for range in TrafficRange::ALL {
            assert_eq!(serde_json::to_value(range).unwrap(), range.as_str());
        }
    }
}
