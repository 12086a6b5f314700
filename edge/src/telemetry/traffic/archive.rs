//! Where traffic is kept beyond the end of the process.

use super::TrafficSample;
use futures::future::{BoxFuture, FutureExt};
use postern_api::traffic::{TrafficQuery, TrafficRange, TrafficStep, TrafficSum};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Intervals that follow each other, numbered since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrafficSpan {
    /// Length of each.
    pub step: TrafficStep,
    /// The oldest one.
    pub first: u64,
    /// The newest one, included.
    pub last: u64,
}

/// Keeps traffic by minute for a day and by hour for 90 days. What cannot be kept is reported by the archive itself; nothing
/// else depends on it.
pub trait TrafficArchive: Send + Sync {
    /// Adds traffic of edges, routes and everything together (whose id is empty) to one minute, numbered since 1970, and to
    /// its hour. A minute can come more than once. The addition is completed even if nothing waits for it any more.
    fn add(&self, minute: u64, traffic: Vec<(Arc<str>, TrafficSample)>) -> BoxFuture<'_, ()>;

    /// The intervals of an id that have traffic, by their numbers.
    fn read(&self, id: String, span: TrafficSpan) -> BoxFuture<'_, Vec<(u64, TrafficSample)>>;

    /// The traffic of each query, in their order, all read at once.
    fn sums(&self, queries: Vec<TrafficQuery>) -> BoxFuture<'_, Vec<TrafficSum>>;
}

/// Keeps nothing.
pub(crate) struct NoTrafficArchive;

impl TrafficArchive for NoTrafficArchive {
    fn add(&self, _minute: u64, _traffic: Vec<(Arc<str>, TrafficSample)>) -> BoxFuture<'_, ()> {
        std::future::ready(()).boxed()
    }

    fn read(&self, _id: String, _span: TrafficSpan) -> BoxFuture<'_, Vec<(u64, TrafficSample)>> {
        std::future::ready(Vec::new()).boxed()
    }

    fn sums(&self, queries: Vec<TrafficQuery>) -> BoxFuture<'_, Vec<TrafficSum>> {
        std::future::ready(vec![TrafficSum::default(); queries.len()]).boxed()
    }
}

impl TrafficSpan {
    /// The intervals of a range that ends at this moment.
    pub(crate) fn new(range: TrafficRange, now: jiff::Timestamp) -> Self {
        let last = range.step().interval_at(now);
        TrafficSpan { step: range.step(), first: (last + 1).saturating_sub(range.intervals()), last }
    }

    /// The intervals of a query.
    pub fn of_query(query: &TrafficQuery) -> Self {
        TrafficSpan { step: query.step, first: query.first, last: query.last }
    }

    pub(crate) fn contains(&self, interval: u64) -> bool {
        (self.first..=self.last).contains(&interval)
    }
}
