//! Recording with a clock of its own.

use super::*;
use crate::{
    refusal::Fault,
    telemetry::traffic::{LatencyBucket, TrafficOutcome},
};
use futures::future::{BoxFuture, FutureExt};
use postern_api::traffic::TrafficKind;
use std::sync::Mutex;

/// The first second of an hour.
const START: u64 = 1_800_000_000;

/// All that was added, by minute.
#[derive(Default)]
struct MemoryArchive(Mutex<Vec<(u64, Arc<str>, TrafficSample)>>);

impl TrafficArchive for MemoryArchive {
    fn add(&self, minute: u64, traffic: Vec<(Arc<str>, TrafficSample)>) -> BoxFuture<'_, ()> {
        let added = traffic.into_iter().map(|(id, sample)| (minute, id, sample));
        self.0.lock().expect("unpoisoned").extend(added);
        std::future::ready(()).boxed()
    }

    fn read(&self, id: String, span: TrafficSpan) -> BoxFuture<'_, Vec<(u64, TrafficSample)>> {
        let divisor = span.step.seconds() / 60;
        let mut found = TrafficSamples::new();
        for (minute, of, sample) in self.0.lock().expect("unpoisoned").iter() {
            if **of == *id && span.contains(minute / divisor) {
                *found.entry(minute / divisor).or_default() += sample;
            }
        }
        std::future::ready(found.into_iter().collect()).boxed()
    }

    fn sums(&self, queries: Vec<TrafficQuery>) -> BoxFuture<'_, Vec<TrafficSum>> {
        async move {
            let mut sums = Vec::new();
            for query in queries {
                let mut sum = TrafficSum::default();
                let found = self.read(query.id.clone(), TrafficSpan::of_query(&query)).await;
                found.iter().for_each(|(_, sample)| sum += sample.sum());
                sums.push(sum);
            }
            sums
        }
        .boxed()
    }
}

struct Recording {
    traffic: Arc<Traffic>,
    archive: Arc<MemoryArchive>,
    recorder: Arc<TrafficRecorder>,
    /// Seconds since 1970.
    clock: Arc<AtomicU64>,
}

impl Recording {
    fn start() -> Self {
        let (traffic, archive) = (Arc::<Traffic>::default(), Arc::<MemoryArchive>::default());
        let clock = Arc::new(AtomicU64::new(START));
        let seconds = clock.clone();
        let now = move || jiff::Timestamp::from_second(seconds.load(Relaxed) as i64).expect("a time");
        let recorder = Arc::new(TrafficRecorder::new(traffic.clone(), archive.clone(), Arc::new(now)));
        Recording { traffic, archive, recorder, clock }
    }

    fn now(&self) -> jiff::Timestamp {
        (self.recorder.clock)()
    }

    async fn series(&self, id: &str, range: TrafficRange) -> TrafficSeries {
        let span = TrafficSpan::new(range, self.now());
        series(range, self.now(), &self.recorder.samples(id, span).await)
    }

    /// Requests by minute since the start.
    fn archived(&self, id: &str) -> Vec<(u64, u64)> {
        let archived = self.archive.0.lock().expect("unpoisoned");
        let of_id = archived.iter().filter(|(_, of, _)| **of == *id);
        of_id.map(|(minute, _, sample)| (minute - START / 60, sample.requests)).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn each_minute_is_recorded_when_it_is_over() {
    let recording = Recording::start();
    let shop = recording.traffic.of(TrafficKind::HttpsEdge, "edghts_shop");
    let recorder = recording.recorder.clone();
    let task = tokio::spawn(async move { recorder.run().await });
    for second in 0..150 {
        if second % 10 == 5 {
            shop.request();
        }
        recording.clock.store(START + second, Relaxed);
        tokio::time::sleep(CHECK_INTERVAL).await;
    }
    task.abort();
    assert_eq!(recording.archived("edghts_shop"), [(0, 6), (1, 6)]);
    let series = recording.series("edghts_shop", TrafficRange::Hour).await;
    assert_eq!(series.intervals.iter().map(|interval| interval.requests).collect::<Vec<_>>(), [6, 6, 3]);
    assert_eq!(series.total.requests, 15);
}

#[tokio::test]
async fn a_series_has_what_is_archived_and_what_was_counted_since() {
    let recording = Recording::start();
    let route = recording.traffic.of(TrafficKind::HttpsRoute, "edghtsrt_one");
    let count = |outcome: TrafficOutcome, milliseconds: u64| {
        let bucket = LatencyBucket::of(Duration::from_millis(milliseconds));
        for counter in [&route, recording.traffic.all()] {
            counter.request();
            counter.outcome(outcome);
            counter.latency(bucket);
        }
        route.bytes(10, 200);
    };
    count(TrafficOutcome::Success, 1);
    count(TrafficOutcome::Redirected, 1);
    recording.clock.store(START + 3600, Relaxed);
    recording.recorder.record().await;
    count(TrafficOutcome::Refused(Fault::Visitor), 1);
    count(TrafficOutcome::Failed(Fault::Service), 1000);

    for range in [TrafficRange::Day, TrafficRange::Quarter] {
        let series = recording.series("edghtsrt_one", range).await;
        let (before, now) = (&series.intervals[0], &series.intervals[1]);
        assert_eq!(
            (series.intervals.len(), before.at.seconds() as u64, now.at.seconds() as u64),
            (2, START, START + 3600)
        );
        assert_eq!((before.requests, before.succeeded, before.redirected), (2, 1, 1));
        assert_eq!((now.requests, now.succeeded, now.refused, now.failed), (2, 0, 1, 1));
        assert_eq!((series.total.requests, series.total.bytes_in, series.total.bytes_out), (4, 40, 800));
        let latency = series.total.latency.expect("there were requests");
        assert!((900..1100).contains(&latency.p50) && (900_000..1_100_000).contains(&latency.p99), "{latency:?}");
    }
    assert_eq!(recording.series("", TrafficRange::Day).await.total.requests, 4, "everything together");
    let last = recording.series("edghtsrt_one", TrafficRange::Hour).await;
    assert_eq!((last.intervals.len(), last.total.requests), (1, 2), "the first one is 60 minutes old");
    assert_eq!(recording.series("edghtsrt_two", TrafficRange::Day).await.intervals, []);
}

#[tokio::test]
async fn tunnels_and_silence_are_not_recorded() {
    let recording = Recording::start();
    let silent = recording.traffic.of(TrafficKind::HttpsEdge, "edghts_silent");
    let tunnel = recording.traffic.of(TrafficKind::Tunnel, "tn_busy");
    tunnel.request();
    recording.recorder.record().await;
    assert!(recording.archive.0.lock().expect("unpoisoned").is_empty());
    silent.request();
    recording.recorder.record().await;
    recording.recorder.record().await;
    assert_eq!(recording.archived("edghts_silent"), [(0, 1)]);
}

#[tokio::test]
async fn of_more_than_ten_thousand_routes_the_busiest_come_first_and_none_is_lost() {
    let recording = Recording::start();
    let routes: Vec<_> =
        (0..10_050).map(|route| recording.traffic.of(TrafficKind::HttpsRoute, &format!("edghtsrt_{route}"))).collect();
    routes.iter().for_each(|route| route.request());
    routes[..10_000].iter().for_each(|route| route.request());
    recording.recorder.record().await;
    assert_eq!(recording.archive.0.lock().expect("unpoisoned").len(), 10_000);
    assert_eq!(recording.archived("edghtsrt_10049"), []);
    recording.recorder.record().await;
    assert_eq!(recording.archived("edghtsrt_10049"), [(0, 1)], "once there is room");
    assert_eq!(recording.archived("edghtsrt_7"), [(0, 2)]);
}
