//! The numbers that requests add to.

use super::{
    latency::{Latencies, LatencyBucket, LatencyCounter},
    recent_requests::RecentRequests,
};
use crate::refusal::{Fault, Refusal};
use postern_api::traffic::{Counts, Faults};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

/// Numbers of one edge, route or tunnel, or of everything together.
pub(crate) struct TrafficCounter {
    id: Arc<str>,
    requests: AtomicU64,
    redirected: AtomicU64,
    refused: AtomicU64,
    failed: AtomicU64,
    /// Failures by the party at fault.
    faults: [AtomicU64; 5],
    bytes_in: AtomicU64,
    bytes_out: AtomicU64,
    latencies: LatencyCounter,
    pub(crate) recent: RecentRequests,
}

/// How a request or connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrafficOutcome {
    Success,
    Redirected,
    Refused(Fault),
    Failed(Fault),
}

/// The counters that a request adds to.
#[derive(Clone, Default)]
pub(crate) struct ReachedCounters {
    pub(crate) edge: Option<Arc<TrafficCounter>>,
    pub(crate) route: Option<Arc<TrafficCounter>>,
    pub(crate) tunnel: Option<Arc<TrafficCounter>>,
}

impl TrafficOutcome {
    /// The outcome of a response with this status, or of a connection with this end.
    pub(crate) fn of(status: u16, refusal: Option<&Refusal>) -> Self {
        let status = refusal.map_or(status, Refusal::status);
        match status {
            500.. => TrafficOutcome::Failed(refusal.map_or(Fault::Service, |refusal| refusal.fault)),
            400.. => TrafficOutcome::Refused(refusal.map_or(Fault::Visitor, |refusal| refusal.fault)),
            300.. => TrafficOutcome::Redirected,
            _ => TrafficOutcome::Success,
        }
    }

    /// The party at fault, unless it succeeded.
    pub(crate) fn fault(self) -> Option<Fault> {
        match self {
            TrafficOutcome::Refused(fault) | TrafficOutcome::Failed(fault) => Some(fault),
            TrafficOutcome::Success | TrafficOutcome::Redirected => None,
        }
    }
}

impl ReachedCounters {
    /// Iterates over the counters that the request reached.
    pub(crate) fn each(&self) -> impl Iterator<Item = &TrafficCounter> {
        [&self.edge, &self.route, &self.tunnel].into_iter().flatten().map(Arc::as_ref)
    }

    /// The last requests that it is kept among: those of the route, otherwise of the edge, otherwise of the tunnel.
    pub(crate) fn recent(&self) -> Option<&RecentRequests> {
        self.route.as_ref().or(self.edge.as_ref()).or(self.tunnel.as_ref()).map(|counter| &counter.recent)
    }

    /// Iterates over those whose latencies are counted.
    pub(crate) fn recorded(&self) -> impl Iterator<Item = &TrafficCounter> {
        [&self.edge, &self.route].into_iter().flatten().map(Arc::as_ref)
    }
}

impl Default for TrafficCounter {
    fn default() -> Self {
        TrafficCounter::of("")
    }
}

impl TrafficCounter {
    pub(crate) fn of(id: &str) -> Self {
        TrafficCounter {
            id: id.into(),
            requests: AtomicU64::new(0),
            redirected: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            faults: Default::default(),
            bytes_in: AtomicU64::new(0),
            bytes_out: AtomicU64::new(0),
            latencies: LatencyCounter::default(),
            recent: RecentRequests::default(),
        }
    }

    /// The id of the edge, route or tunnel.
    pub(crate) fn id(&self) -> &Arc<str> {
        &self.id
    }

    /// One more.
    pub(crate) fn request(&self) {
        self.requests.fetch_add(1, Relaxed);
    }

    pub(crate) fn latency(&self, bucket: LatencyBucket) {
        self.latencies.add(bucket);
    }

    /// The latencies since they were taken last.
    pub(super) fn latencies(&self) -> Latencies {
        self.latencies.latencies()
    }

    pub(super) fn take_latencies(&self) -> Latencies {
        self.latencies.take()
    }

    pub(crate) fn outcome(&self, outcome: TrafficOutcome) {
        let (number, fault) = match outcome {
            TrafficOutcome::Success => return,
            TrafficOutcome::Redirected => {
                self.redirected.fetch_add(1, Relaxed);
                return;
            }
            TrafficOutcome::Refused(fault) => (&self.refused, fault),
            TrafficOutcome::Failed(fault) => (&self.failed, fault),
        };
        number.fetch_add(1, Relaxed);
        self.faults[fault as usize].fetch_add(1, Relaxed);
    }

    pub(crate) fn bytes(&self, bytes_in: u64, bytes_out: u64) {
        for (number, bytes) in [(&self.bytes_in, bytes_in), (&self.bytes_out, bytes_out)] {
            if bytes > 0 {
                number.fetch_add(bytes, Relaxed);
            }
        }
    }

    pub(crate) fn counts(&self) -> Counts {
        let fault = |fault: Fault| self.faults[fault as usize].load(Relaxed);
        // Parts are read before their totals, so that they never seem larger.
        let faults = Faults {
            visitor: fault(Fault::Visitor),
            configuration: fault(Fault::Route),
            agent: fault(Fault::Agent),
            service: fault(Fault::Service),
            server: fault(Fault::Us),
        };
        let (refused, failed) = (self.refused.load(Relaxed), self.failed.load(Relaxed));
        let redirected = self.redirected.load(Relaxed);
        Counts {
            requests: self.requests.load(Relaxed),
            redirected,
            refused,
            failed,
            faults,
            bytes_in: self.bytes_in.load(Relaxed),
            bytes_out: self.bytes_out.load(Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_api::Code;

    #[test]
    fn outcomes_name_the_party_at_fault() {
        let denied = Refusal::new(Fault::Route, Code::AddressDenied);
        let offline = Refusal::offline("shop.localhost");
        for (status, refusal, expected) in [
            (200, None, TrafficOutcome::Success),
            (101, None, TrafficOutcome::Success),
            (308, None, TrafficOutcome::Redirected),
            (404, None, TrafficOutcome::Refused(Fault::Visitor)),
            (500, None, TrafficOutcome::Failed(Fault::Service)),
            (0, None, TrafficOutcome::Success),
            (403, Some(&denied), TrafficOutcome::Refused(Fault::Route)),
            (0, Some(&denied), TrafficOutcome::Refused(Fault::Route)),
            (0, Some(&offline), TrafficOutcome::Failed(Fault::Agent)),
        ] {
            assert_eq!(TrafficOutcome::of(status, refusal), expected, "{status}");
        }
    }
}
