//! The trace of one request or connection: the decisions of all modules and how long they took.

use crate::telemetry::{
    RequestId,
    access_record::microseconds,
    metrics::TargetKind,
    traffic::{ReachedCounters, TrafficCounter},
    truncate,
};
use postern_api::trace::{self, LONGEST_RULE, MOST_DECISIONS};
use postern_tunnel::proto::frame::MAX_METADATA;
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

pub(crate) use postern_api::trace::Verdict;

/// The decision of one module.
#[derive(Clone, Debug)]
pub(crate) struct TraceDecision {
    pub(crate) module: &'static str,
    pub(crate) rule: Option<String>,
    pub(crate) verdict: Verdict,
    pub(crate) took: Duration,
}

/// The agent behind a tunnel.
#[derive(Debug)]
pub(crate) struct ServingAgent {
    /// The session that carries the tunnel, `ts_…`.
    pub(crate) session: String,
    /// The credential of the session, `cr_…`.
    pub(crate) credential: String,
}

/// Edge, route and endpoint that a request or connection reached, and the decisions of all modules in order. An empty trace allocates
/// nothing.
#[derive(Clone, Default)]
pub(crate) struct Trace {
    kind: TargetKind,
    reached: ReachedCounters,
    backend: Option<Arc<str>>,
    served_by: Option<Arc<str>>,
    agent: Option<Arc<ServingAgent>>,
    id: Option<RequestId>,
    decisions: Vec<TraceDecision>,
    started_at: Option<Instant>,
    queued: Option<Duration>,
}

impl Trace {
    /// Begins the trace of a request that arrives now.
    pub(crate) fn begin() -> Self {
        Trace { started_at: Some(Instant::now()), ..Trace::default() }
    }

    /// Sets how long opening a stream to the agent took.
    pub(crate) fn queued(&mut self, took: Duration) {
        self.queued = Some(took);
    }

    /// Names the edge that was reached.
    pub(crate) fn at_edge(&mut self, kind: TargetKind, edge: &Arc<TrafficCounter>) {
        self.kind = kind;
        self.reached.edge = Some(edge.clone());
    }

    /// Names the tunnel that was reached by its own address.
    pub(crate) fn at_tunnel(&mut self, tunnel: &Arc<TrafficCounter>) {
        self.kind = TargetKind::Tunnel;
        self.reached.tunnel = Some(tunnel.clone());
    }

    /// Names the kind of target if it is not an edge.
    pub(crate) fn at(&mut self, kind: TargetKind) {
        self.kind = kind;
    }

    /// Names the route of the edge.
    pub(crate) fn on_route(&mut self, route: &Arc<TrafficCounter>) {
        self.reached.route = Some(route.clone());
    }

    /// Names the backend that the edge or route leads to.
    pub(crate) fn leads_to(&mut self, backend: Option<&Arc<str>>) {
        self.backend = backend.cloned();
    }

    /// Names the tunnel that is tried, and its agent, whatever the outcome.
    pub(crate) fn tries_tunnel(&mut self, tunnel: &Arc<TrafficCounter>, agent: &Arc<ServingAgent>) {
        if !self.agent.as_ref().is_some_and(|known| Arc::ptr_eq(known, agent)) {
            self.agent = Some(agent.clone());
        }
        if !self.reached.tunnel.as_ref().is_some_and(|counter| Arc::ptr_eq(counter, tunnel)) {
            self.reached.tunnel = Some(tunnel.clone());
        }
    }

    /// Names the upstream that responded.
    pub(crate) fn served_by(&mut self, upstream: Arc<str>) {
        self.served_by = Some(upstream);
    }

    pub(crate) fn kind(&self) -> TargetKind {
        self.kind
    }

    pub(crate) fn edge(&self) -> Option<&Arc<str>> {
        self.reached.edge.as_ref().map(|edge| edge.id())
    }

    pub(crate) fn route(&self) -> Option<&Arc<str>> {
        self.reached.route.as_ref().map(|route| route.id())
    }

    /// The backend that the edge or route leads to.
    pub(crate) fn backend(&self) -> Option<&Arc<str>> {
        self.backend.as_ref()
    }

    /// The tunnel that was reached or tried.
    pub(crate) fn tunnel(&self) -> Option<&Arc<str>> {
        self.reached.tunnel.as_ref().map(|tunnel| tunnel.id())
    }

    /// The agent of the tunnel that was tried.
    pub(crate) fn agent(&self) -> Option<&Arc<ServingAgent>> {
        self.agent.as_ref()
    }

    /// The decisions of all modules so far.
    pub(crate) fn decisions(&self) -> &[TraceDecision] {
        &self.decisions
    }

    /// The counters that the request adds to.
    pub(crate) fn reached(&self) -> &ReachedCounters {
        &self.reached
    }

    /// The id of the upstream that responded; empty if none did.
    pub(crate) fn upstream(&self) -> &str {
        self.served_by.as_deref().unwrap_or_default()
    }

    /// The request id in logs and on pages; generated at first use.
    pub(crate) fn id(&mut self) -> &str {
        self.id.get_or_insert_with(|| RequestId::new(postern_api::clock::now())).as_str()
    }

    /// The same, for a caller that has read the clock.
    pub(crate) fn id_at(&mut self, now: jiff::Timestamp) -> RequestId {
        *self.id.get_or_insert_with(|| RequestId::new(now))
    }

    pub(crate) fn record(&mut self, module: &'static str, rule: Option<String>, passed: bool, started_at: Instant) {
        let verdict = if passed { Verdict::Passed } else { Verdict::Refused };
        self.note(module, rule, verdict, started_at);
    }

    pub(crate) fn note(&mut self, module: &'static str, rule: Option<String>, verdict: Verdict, started_at: Instant) {
        self.decisions.push(TraceDecision { module, rule, verdict, took: started_at.elapsed() });
    }

    /// The module that turned the visitor away, if one did.
    pub(crate) fn refused_by(&self) -> Option<&'static str> {
        self.decisions.last().filter(|last| last.verdict == Verdict::Refused).map(|last| last.module)
    }

    /// The trace as a note for the agent; `None` if there is nothing to report.
    pub(crate) fn note_for_agent(&mut self) -> Option<Vec<u8>> {
        if self.reached.edge.is_none() && self.decisions.is_empty() {
            return None;
        }
        let mut view = self.api_view();
        let mut note = serde_json::to_vec(&view).ok()?;
        if note.len() > MAX_METADATA {
            view.decisions.clear();
            note = serde_json::to_vec(&view).ok()?;
        }
        Some(note)
    }

    /// The decisions as they are shown to others, within bounds.
    pub(crate) fn shown_decisions(&self) -> Vec<trace::Decision> {
        shown_decisions(&self.decisions)
    }

    /// All of it as it is shown to others, within bounds.
    pub(crate) fn api_view(&mut self) -> trace::Trace {
        let text = |part: Option<&Arc<str>>| part.map(|part| part.as_ref()).unwrap_or_default().to_owned();
        trace::Trace {
            id: self.id().to_owned(),
            edge: text(self.edge()),
            route: text(self.route()),
            backend: text(self.backend.as_ref()),
            decisions: self.shown_decisions(),
            microseconds: self.started_at.map(|started_at| microseconds(started_at.elapsed())),
            queue_microseconds: self.queued.map(microseconds),
        }
    }
}

/// Decisions as they are shown to others, within bounds.
pub(super) fn shown_decisions(decisions: &[TraceDecision]) -> Vec<trace::Decision> {
    if decisions.is_empty() {
        return Vec::new();
    }
    let decision = |decision: &TraceDecision| trace::Decision {
        module: decision.module.to_owned(),
        rule: truncate(decision.rule.as_deref().unwrap_or_default(), LONGEST_RULE).to_owned(),
        verdict: decision.verdict,
        microseconds: microseconds(decision.took),
    };
    decisions.iter().take(MOST_DECISIONS).map(decision).collect()
}

impl std::fmt::Display for Trace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(id) = self.route().or(self.edge()) {
            write!(f, "{id}: ")?;
        }
        for (index, decision) in self.decisions.iter().enumerate() {
            let gap = if index == 0 { "" } else { ", " };
            write!(f, "{gap}{} {}", decision.module, decision.verdict.as_str())?;
            if let Some(rule) = &decision.rule {
                write!(f, " by {rule}")?;
            }
            write!(f, " in {} us", decision.took.as_micros())?;
        }
        Ok(())
    }
}
