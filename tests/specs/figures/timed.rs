//! Two clocks beside the one under test: that of the local service, and that of the visitor around it.

use postern_tests::scripted_origin::ScriptedOrigin;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::Instant;

/// A percentile is the end of a range of one percent, and durations of visitors' connections are reported as shortened
/// by less than one percent.
const ACCURACY: f64 = 0.01;

/// A duration that lasted at least as long as `inside` it and at most as long as `around` it, both measured here.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    pub(super) inside: Duration,
    pub(super) around: Duration,
}

impl Measured {
    /// Checks a duration in nanoseconds that is shown exactly.
    #[track_caller]
    pub(super) fn assert_holds(&self, shown: u64, what: &str) {
        let shown = Duration::from_nanos(shown);
        assert!(self.inside <= shown && shown <= self.around, "{what} is {shown:?}, but {self:?}");
    }
}

/// Checks percentiles in nanoseconds. Each duration lies between two measured ones, so each rank of them does, too.
#[track_caller]
pub(super) fn assert_percentiles(shown: &serde_json::Value, measured: &[Measured]) {
    let rank = |percent: usize, side: fn(&Measured) -> Duration| {
        let mut sorted: Vec<Duration> = measured.iter().map(side).collect();
        sorted.sort_unstable();
        sorted[(sorted.len() * percent).div_ceil(100) - 1]
    };
    for (name, percent) in [("p50", 50), ("p90", 90), ("p95", 95), ("p99", 99)] {
        let nanoseconds = shown[name].as_u64().unwrap_or_else(|| panic!("{name} in {shown}"));
        let shortest = rank(percent, |measured| measured.inside).mul_f64(1.0 - ACCURACY);
        let longest = rank(percent, |measured| measured.around).mul_f64(1.0 + ACCURACY);
        let found = Duration::from_nanos(nanoseconds);
        assert!(shortest <= found && found <= longest, "{name} is {found:?}, not within {shortest:?} and {longest:?}");
    }
}

/// A local service that takes some time for each request and notes how long it held it.
pub(super) struct TimedOrigin {
    pub(super) origin: ScriptedOrigin,
    held: Arc<Mutex<BTreeMap<u64, Duration>>>,
}

impl TimedOrigin {
    /// `/7` is answered after seven times this duration.
    pub(super) async fn start(unit: Duration) -> TimedOrigin {
        let held = Arc::<Mutex<BTreeMap<u64, Duration>>>::default();
        let noted = held.clone();
        let origin = ScriptedOrigin::serving(move |mut connection| {
            let noted = noted.clone();
            async move {
                while let Some(request) = connection.request().await {
                    let arrived = Instant::now();
                    let path = request.split(' ').nth(1).expect("a target");
                    let number: u64 = path.trim_start_matches('/').parse().expect("a number");
                    tokio::time::sleep(unit * u32::try_from(number).expect("small")).await;
                    noted.lock().expect("not poisoned").insert(number, arrived.elapsed());
                    let sent = connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await;
                    if sent.is_err() {
                        return;
                    }
                }
            }
        })
        .await;
        TimedOrigin { origin, held }
    }

    /// How long it held each request, by number.
    pub(super) fn held(&self) -> BTreeMap<u64, Duration> {
        self.held.lock().expect("not poisoned").clone()
    }
}
