//! Access log, recent refusals of each edge, traffic counters, metrics, and the trace of each request.

mod access_log;
mod access_log_line;
mod access_record;
pub(crate) mod log_sampler;
pub(crate) mod metrics;
mod recent_refusals;
mod request_id;
mod trace;
pub(crate) mod traffic;

pub use access_log::{AccessLog, AccessLogReader};
pub use access_record::AccessLogEntry;
pub(crate) use access_record::{AccessRecord, RequestDescription, truncate};
pub(crate) use request_id::RequestId;
pub(crate) use trace::{ServingAgent, Trace, TraceDecision, Verdict};
pub use traffic::{MAX_RECENT_REQUESTS, MalformedSample, RECENT_REQUESTS, TrafficArchive, TrafficSample, TrafficSpan};

use postern_api::published::{Changed, Published};
use recent_refusals::RecentRefusals;
use std::sync::Arc;
use traffic::{Clock, Traffic, TrafficRecorder};

/// Where requests and connections are written down; one for the whole edge.
#[derive(Default)]
pub(crate) struct Telemetry {
    pub(crate) refused: RecentRefusals,
    /// Counters and last requests of each edge, route and tunnel.
    pub(crate) traffic: Arc<Traffic>,
    /// Records the traffic of edges and routes by minute.
    pub(crate) recorder: TrafficRecorder,
    /// `None` when no access log is configured.
    pub(crate) log: Option<AccessLog>,
}

impl Telemetry {
    /// Telemetry that keeps `recent_requests` of the last requests of each edge, route and tunnel.
    pub(crate) fn new(
        log: Option<AccessLog>,
        archive: Arc<dyn TrafficArchive>,
        clock: Clock,
        recent_requests: usize,
    ) -> Self {
        let traffic = Arc::new(Traffic::new(recent_requests));
        let recorder = TrafficRecorder::new(traffic.clone(), archive, clock);
        Telemetry { refused: RecentRefusals::default(), traffic, recorder, log }
    }

    /// Forgets the refusals of edges that a new configuration no longer has.
    pub(crate) fn follow(&self, published: &Published, changed: Option<&Changed>) {
        let exists = |edge: &str| {
            published.https_edges.contains_key(edge)
                || published.tls_edges.contains_key(edge)
                || published.tcp_edges.contains_key(edge)
        };
        match changed {
            None => self.refused.retain(exists),
            Some(changed) => {
                let edges = changed.https_edges.iter().chain(&changed.tls_edges).chain(&changed.tcp_edges);
                edges.filter(|edge| !exists(edge)).for_each(|edge| self.refused.forget(edge));
            }
        }
    }
}
