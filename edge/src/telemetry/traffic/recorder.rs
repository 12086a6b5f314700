//! Hands the traffic of each minute to the archive, and reads it together with what was counted since.

use super::{NoTrafficArchive, Traffic, TrafficArchive, TrafficSample, TrafficSpan};
use postern_api::traffic::{TrafficQuery, TrafficRange, TrafficSeries, TrafficStep, TrafficSum};
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::{sync::RwLock, time::MissedTickBehavior};

/// Between two looks whether a minute is over.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Samples by the number of their interval.
pub(crate) type TrafficSamples = BTreeMap<u64, TrafficSample>;

/// The wall clock.
pub(crate) type Clock = Arc<dyn Fn() -> jiff::Timestamp + Send + Sync>;

/// Records traffic by minute.
pub(crate) struct TrafficRecorder {
    traffic: Arc<Traffic>,
    archive: Arc<dyn TrafficArchive>,
    clock: Clock,
    /// The minute to which belongs what is counted now.
    minute: AtomicU64,
    /// Held while counted traffic goes into the archive, so that readers find it in exactly one place. Never touched by a
    /// request of a visitor.
    recording: RwLock<()>,
}

impl Default for TrafficRecorder {
    fn default() -> Self {
        TrafficRecorder::new(Arc::default(), Arc::new(NoTrafficArchive), Arc::new(postern_api::clock::now))
    }
}

impl TrafficRecorder {
    pub(crate) fn new(traffic: Arc<Traffic>, archive: Arc<dyn TrafficArchive>, clock: Clock) -> Self {
        let minute = AtomicU64::new(minute(clock()));
        TrafficRecorder { traffic, archive, clock, minute, recording: RwLock::default() }
    }

    /// Records every minute as soon as it is over.
    pub(crate) async fn run(&self) {
        let mut ticks = tokio::time::interval(CHECK_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            if minute((self.clock)()) != self.minute.load(Relaxed) {
                self.record().await;
            }
        }
    }

    /// Records what was counted until now.
    pub(crate) async fn record(&self) {
        let _recording = self.recording.write().await;
        let minute = self.minute.swap(minute((self.clock)()), Relaxed);
        let traffic = self.traffic.take();
        if !traffic.is_empty() {
            self.archive.add(minute, traffic).await;
        }
    }

    /// The intervals with traffic of an edge or route; of everything together if `id` is empty.
    pub(crate) async fn samples(&self, id: &str, span: TrafficSpan) -> TrafficSamples {
        let _recording = self.recording.read().await;
        let mut samples: TrafficSamples = self.archive.read(id.to_owned(), span).await.into_iter().collect();
        let current = self.traffic.current(id);
        let interval = self.current_interval(span.step);
        if !current.is_empty() && span.contains(interval) {
            *samples.entry(interval).or_default() += &current;
        }
        samples
    }

    /// The traffic of each query, in their order.
    pub(crate) async fn sums(&self, queries: Vec<TrafficQuery>) -> Vec<TrafficSum> {
        let _recording = self.recording.read().await;
        let mut sums = self.archive.sums(queries.clone()).await;
        sums.resize(queries.len(), TrafficSum::default());
        for (sum, query) in sums.iter_mut().zip(&queries) {
            if TrafficSpan::of_query(query).contains(self.current_interval(query.step)) {
                *sum += self.traffic.current(&query.id).sum();
            }
        }
        sums
    }

    /// The interval to which belongs what is counted now.
    fn current_interval(&self, step: TrafficStep) -> u64 {
        let minute = self.minute.load(Relaxed);
        match step {
            TrafficStep::Minute => minute,
            TrafficStep::Hour => minute / 60,
        }
    }
}

/// Number of a minute since 1970.
fn minute(moment: jiff::Timestamp) -> u64 {
    TrafficStep::Minute.interval_at(moment)
}

/// Samples as they are shown.
pub(crate) fn series(range: TrafficRange, now: jiff::Timestamp, samples: &TrafficSamples) -> TrafficSeries {
    let empty = TrafficSeries::empty(range, now);
    let mut total = TrafficSample::default();
    samples.values().for_each(|sample| total += sample);
    let intervals = samples.iter().map(|(number, sample)| sample.interval(empty.step.start(*number)));
    TrafficSeries { total: total.interval(empty.from), intervals: intervals.collect(), ..empty }
}

#[cfg(test)]
mod tests;
