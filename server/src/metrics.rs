//! Metrics of the running server in the Prometheus format.

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use postern_api::{Code, Error, resource::RestrictionType};
use std::time::Duration;

/// Histogram buckets of durations in seconds.
const DURATION_BUCKETS: &[f64] =
    &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];
/// Interval at which observed values are aggregated; otherwise they pile up until the next scrape.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);
/// Values are observed in blocks, which are freed when this many epochs of their collector have passed since they were emptied.
const EPOCHS_UNTIL_FREED: usize = 3;

/// Installs the metrics recorder of the process.
pub(crate) fn start() -> Result<PrometheusHandle, Error> {
    let failed =
        |error: &dyn std::fmt::Display| Error::new(Code::Internal, format!("Metrics cannot be recorded: {error}."));
    let recorder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".into()), DURATION_BUCKETS)
        .map_err(|error| failed(&error))?
        .build_recorder();
    let handle = recorder.handle();
    metrics::set_global_recorder(recorder).map_err(|error| failed(&error))?;
    metrics::describe_gauge!("postern_build_info", "Always 1; the label has the version.");
    metrics::describe_gauge!("postern_start_time_seconds", "When this process started, in seconds since 1970.");
    metrics::describe_gauge!("postern_sessions", "Current sessions of the agents of this server.");
    metrics::describe_gauge!("postern_tunnels", "Current tunnels of the agents of this server.");
    metrics::describe_counter!(
        "postern_ip_restriction_refusals_total",
        "Requests to the API and the console that an IP restriction refused."
    );
    metrics::describe_counter!(
        "postern_audit_log_dropped_total",
        "Events that the file of the audit log could not take."
    );
    metrics::counter!("postern_audit_log_dropped_total").increment(0);
    for part in [RestrictionType::Api, RestrictionType::Dashboard] {
        metrics::counter!("postern_ip_restriction_refusals_total", "type" => part.as_str()).increment(0);
    }
    metrics::gauge!("postern_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    metrics::gauge!("postern_start_time_seconds").set(postern_api::clock::now().as_second() as f64);
    let gathering = handle.clone();
    tokio::spawn(async move {
        let mut tick = tokio::time::interval(UPKEEP_INTERVAL);
        loop {
            tick.tick().await;
            aggregate(&gathering);
        }
    });
    Ok(handle)
}

/// Aggregates what was observed, and frees the blocks that held it. An epoch passes when values are aggregated, so that those of the
/// last crowd would stay until the next.
fn aggregate(observed: &PrometheusHandle) {
    observed.run_upkeep();
    for _ in 0..EPOCHS_UNTIL_FREED {
        crossbeam_epoch::pin().flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    };

    #[test]
    fn blocks_of_observed_values_are_freed_although_no_more_are_observed() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let histogram = || metrics::histogram!("postern_edge_request_seconds");
        metrics::with_local_recorder(&recorder, || (0..1000).for_each(|value| histogram().record(value)));
        // Freed as a block is that is emptied at the same time.
        let freed = Arc::new(AtomicBool::new(false));
        let noting = freed.clone();
        crossbeam_epoch::pin().defer(move || noting.store(true, Ordering::Relaxed));
        aggregate(&recorder.handle());
        assert!(freed.load(Ordering::Relaxed));
    }
}
