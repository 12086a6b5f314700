//! Numbers about the running server, as Prometheus reads them.

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use postern_api::{Code, Error};
use std::time::Duration;

/// Seconds, from a local service's quickest answer to a visitor's patience.
const DURATIONS: &[f64] = &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];
/// Observed values wait in memory until somebody gathers them; without this they would wait for a scrape.
const GATHER_EVERY: Duration = Duration::from_secs(5);

/// Starts counting for the whole process.
pub(crate) fn start() -> Result<PrometheusHandle, Error> {
    let failed =
        |error: &dyn std::fmt::Display| Error::new(Code::Internal, format!("Metrics cannot be kept: {error}."));
    let recorder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".into()), DURATIONS)
        .map_err(|error| failed(&error))?
        .build_recorder();
    let handle = recorder.handle();
    metrics::set_global_recorder(recorder).map_err(|error| failed(&error))?;
    metrics::describe_gauge!("postern_build_info", "Always 1; the label says which version runs.");
    metrics::describe_gauge!("postern_start_time_seconds", "When this process started, in seconds since 1970.");
    metrics::describe_gauge!("postern_sessions", "Agent sessions at the moment.");
    metrics::describe_gauge!("postern_tunnels", "Tunnels at the moment.");
    metrics::gauge!("postern_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    metrics::gauge!("postern_start_time_seconds").set(jiff::Timestamp::now().as_second() as f64);
    let gathering = handle.clone();
    tokio::spawn(async move {
        let mut tick = tokio::time::interval(GATHER_EVERY);
        loop {
            tick.tick().await;
            gathering.run_upkeep();
        }
    });
    Ok(handle)
}
