//! Traffic of each edge, route and tunnel. Requests only add to the counters that their edge, route and tunnel hold; once
//! a second the counters are sampled into short histories, and once a minute those of edges and routes are recorded.

mod archive;
mod counter;
mod history;
mod latency;
mod recent_requests;
mod recorder;
mod sample;

pub(crate) use archive::NoTrafficArchive;
pub use archive::{TrafficArchive, TrafficSpan};
pub(crate) use counter::{ReachedCounters, TrafficCounter, TrafficOutcome};
pub(crate) use latency::LatencyBucket;
pub(crate) use recent_requests::{BegunRequest, KeptAt, RecentRequests, RequestLimits};
pub use recent_requests::{MAX_RECENT_REQUESTS, RECENT_REQUESTS};
pub(crate) use recorder::{Clock, TrafficRecorder, TrafficSamples, series};
pub use sample::{MalformedSample, TrafficSample};

use history::Rings;
use postern_api::{
    resource::{RecentRequest, RequestFilter, newest_requests},
    traffic::{Counts, History, Point, Traffic as Shown, TrafficKind},
};
use std::{
    cmp::Reverse,
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

/// Between two samples.
pub(crate) const SAMPLE_INTERVAL: Duration = Duration::from_secs(1);
/// Edges and routes that are recorded at once, those with the most requests. What others count is recorded later, or as
/// part of all traffic.
const MAX_RECORDED: usize = 10_000;
/// Requests in all rings at which idle rings are emptied, and those that may stay.
const MAX_KEPT_BEFORE_CLEARING: usize = recent_requests::MAX_KEPT / 10 * 9;
const MAX_KEPT_AFTER_CLEARING: usize = recent_requests::MAX_KEPT / 4 * 3;

/// All that is counted.
#[derive(Default)]
pub(crate) struct Traffic {
    /// The sum of all traffic.
    all: TrafficCounter,
    /// How many of the last requests are kept.
    pub(crate) request_limits: RequestLimits,
    /// Locked once a second, by configuration changes and by queries; never by a request.
    state: Mutex<TrafficState>,
}

#[derive(Default)]
struct TrafficState {
    second: u64,
    all: CounterHistory,
    /// The part of all traffic that was recorded.
    all_recorded: Counts,
    each: HashMap<Arc<str>, TrackedCounter>,
}

/// An edge, route or tunnel for as long as it is there.
struct TrackedCounter {
    counter: Weak<TrafficCounter>,
    kind: TrafficKind,
    history: CounterHistory,
    /// The part of the counter that was recorded; nothing while nothing passes.
    recorded: Option<Box<Counts>>,
}

/// The part of a counter that was sampled already.
#[derive(Default)]
struct CounterHistory {
    sampled: Counts,
    /// Nothing while nothing passes.
    rings: Option<Box<Rings>>,
}

impl Traffic {
    /// Counters that keep this many of the last requests of each edge, route and tunnel.
    pub(crate) fn new(recent_requests: usize) -> Self {
        Traffic { request_limits: RequestLimits::new(recent_requests), ..Traffic::default() }
    }

    /// The counter of this id; the existing one if there is one.
    pub(crate) fn of(&self, kind: TrafficKind, id: &str) -> Arc<TrafficCounter> {
        let mut state = self.state();
        if let Some(counter) = state.each.get(id).and_then(|tracked| tracked.counter.upgrade()) {
            return counter;
        }
        let counter = Arc::new(TrafficCounter::of(id));
        let (weak, history) = (Arc::downgrade(&counter), CounterHistory::default());
        let tracked = TrackedCounter { counter: weak, kind, history, recorded: None };
        state.each.insert(counter.id().clone(), tracked);
        counter
    }

    /// The numbers of everything together.
    pub(crate) fn all(&self) -> &TrafficCounter {
        &self.all
    }

    /// Samples all counters. `second` is the uptime of the edge.
    pub(crate) fn sample(&self, second: u64) {
        let mut state = self.state();
        state.second = second;
        state.all.sample(&self.all, second);
        state.each.retain(|_, tracked| match tracked.counter.upgrade() {
            Some(counter) => {
                tracked.history.sample(&counter, second);
                true
            }
            None => false,
        });
        drop(state);
        if self.request_limits.kept() >= MAX_KEPT_BEFORE_CLEARING {
            self.bound_requests();
        }
    }

    /// Counts the requests that are kept, without those of rings that are gone. If there is still hardly room for more, those
    /// of edges, routes and tunnels that have been idle for the longest time are forgotten.
    fn bound_requests(&self) {
        let extent = |counter: &Arc<TrafficCounter>| counter.recent.extent();
        let mut rings: Vec<_> =
            self.counters().into_iter().filter_map(|counter| extent(&counter).map(|found| (found, counter))).collect();
        let mut kept: usize = rings.iter().map(|((kept, _), _)| kept).sum();
        if kept >= MAX_KEPT_BEFORE_CLEARING {
            rings.sort_by_key(|((_, latest), _)| *latest);
            for ((length, _), counter) in rings {
                if kept <= MAX_KEPT_AFTER_CLEARING {
                    break;
                }
                counter.recent.clear();
                kept -= length;
            }
        }
        self.request_limits.set_kept(kept);
    }

    /// The last requests of an edge, a route or a tunnel, or of everything for an empty id; the newest first.
    pub(crate) fn requests(&self, id: &str, filter: &RequestFilter) -> Vec<RecentRequest> {
        let mut found = Vec::new();
        self.counters().iter().for_each(|counter| counter.recent.add_to(&mut found, id));
        found.retain(|request| filter.accepts(request));
        newest_requests(found, filter.limit)
    }

    fn counters(&self) -> Vec<Arc<TrafficCounter>> {
        self.state().each.values().filter_map(|tracked| tracked.counter.upgrade()).collect()
    }

    /// What edges and routes, and everything together under the empty id, have counted since it was taken last.
    pub(crate) fn take(&self) -> Vec<(Arc<str>, TrafficSample)> {
        let mut state = self.state();
        let before = std::mem::replace(&mut state.all_recorded, self.all.counts());
        let all = TrafficSample::between(&before, &state.all_recorded, self.all.take_latencies());
        let mut busy: Vec<_> = state.each.values_mut().filter_map(TrackedCounter::unrecorded).collect();
        if busy.len() > MAX_RECORDED {
            busy.sort_by_cached_key(|(counter, before)| Reverse(counter.counts().requests - before.requests));
            busy.truncate(MAX_RECORDED);
        }
        let each = busy.into_iter().map(|(counter, recorded)| {
            let before = std::mem::replace(recorded, counter.counts());
            (counter.id().clone(), TrafficSample::between(&before, recorded, counter.take_latencies()))
        });
        let all = (!all.is_empty()).then(|| (self.all.id().clone(), all));
        all.into_iter().chain(each).collect()
    }

    /// What one of them has counted since it was taken last.
    pub(crate) fn current(&self, id: &str) -> TrafficSample {
        let state = self.state();
        if id.is_empty() {
            return TrafficSample::between(&state.all_recorded, &self.all.counts(), self.all.latencies());
        }
        let Some(tracked) = state.each.get(id) else { return TrafficSample::default() };
        let Some(counter) = tracked.counter.upgrade() else { return TrafficSample::default() };
        let before = tracked.recorded.as_deref().copied().unwrap_or_default();
        TrafficSample::between(&before, &counter.counts(), counter.latencies())
    }

    /// Everything that something has passed, in no order and without histories.
    pub(crate) fn shown(&self) -> Vec<Shown> {
        let state = self.state();
        let shown = state.each.iter().filter_map(|(id, tracked)| tracked.shown(id, state.second));
        shown.filter(|shown| shown.total != Counts::default()).collect()
    }

    /// One of them, with its history; none if nothing has this id.
    pub(crate) fn one(&self, id: &str) -> Option<Shown> {
        let state = self.state();
        let tracked = state.each.get(id)?;
        Some(Shown { history: Some(tracked.history.history(state.second)), ..tracked.shown(id, state.second)? })
    }

    /// Everything together, with its history.
    pub(crate) fn total(&self) -> (Counts, History) {
        let state = self.state();
        (self.all.counts(), state.all.history(state.second))
    }

    fn state(&self) -> MutexGuard<'_, TrafficState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TrackedCounter {
    /// The counter of an edge or route, and what of it was recorded, if it has counted more since. Tunnels, whose ids are
    /// those of one session, are not recorded.
    fn unrecorded(&mut self) -> Option<(Arc<TrafficCounter>, &mut Counts)> {
        let counter = self.counter.upgrade().filter(|_| self.kind != TrafficKind::Tunnel)?;
        let recorded = self.recorded.as_deref().copied().unwrap_or_default();
        (counter.counts() != recorded).then(|| (counter, &mut **self.recorded.get_or_insert_default()))
    }

    fn shown(&self, id: &str, second: u64) -> Option<Shown> {
        let total = self.counter.upgrade()?.counts();
        let last_minute = self.history.rings.as_ref().map(|rings| rings.last_minute(second)).unwrap_or_default();
        Some(Shown { id: id.to_owned(), kind: self.kind, total, last_minute, history: None, nodes_missing: Vec::new() })
    }
}

impl CounterHistory {
    fn sample(&mut self, counter: &TrafficCounter, second: u64) {
        let now = counter.counts();
        let more = |now: u64, before: u64| u32::try_from(now.saturating_sub(before)).unwrap_or(u32::MAX);
        let point = Point {
            requests: more(now.requests, self.sampled.requests),
            refused: more(now.refused, self.sampled.refused),
            failed: more(now.failed, self.sampled.failed),
        };
        self.sampled = now;
        if point != Point::default() {
            self.rings.get_or_insert_default().enter(second, point);
        } else if self.rings.as_ref().is_some_and(|rings| rings.is_over(second)) {
            self.rings = None;
        }
    }

    fn history(&self, second: u64) -> History {
        self.rings.as_ref().map_or_else(Rings::silence, |rings| rings.history(second))
    }
}

#[cfg(test)]
mod tests;
