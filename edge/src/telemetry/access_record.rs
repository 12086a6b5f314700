//! One request or connection from its beginning to its last byte: counted, and written down when it is over.

use crate::{
    refusal::Refusal,
    telemetry::{
        Telemetry, Trace,
        access_log_line::{LineMembers, LogLine},
        metrics::{self, TargetKind},
        traffic::{
            BegunRequest, KeptAt, LatencyBucket, ReachedCounters, RecentRequests, TrafficCounter, TrafficOutcome,
        },
    },
};
use postern_api::{Code, trace};
use serde::{Serialize, Serializer};
use std::{
    net::SocketAddr,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::time::Instant;

/// Limits on texts that visitors send, in bytes.
pub(super) const MAX_HOST_BYTES: usize = 255;
pub(super) const MAX_METHOD_BYTES: usize = 32;
const MAX_PATH_BYTES: usize = 1024;

/// A request or connection as it is written down.
#[derive(Clone, Debug, Serialize)]
pub struct AccessLogEntry {
    /// When it began.
    #[serde(serialize_with = "written")]
    pub time: jiff::Timestamp,
    /// `request` or `connection`.
    pub kind: &'static str,
    /// The request id on error pages, `op_…`.
    pub id: String,
    /// The address of the socket.
    pub visitor: SocketAddr,
    /// `https`, `http`, `tls` or `tcp`.
    pub scheme: &'static str,
    /// Such as `HTTP/1.1`; empty for connections that are none of HTTP.
    pub protocol: &'static str,
    /// The host of the request.
    pub host: String,
    /// The method of a request.
    pub method: String,
    /// The path of a request, without the query, which may hold secrets.
    pub path: String,
    /// The status of the response; 0 for connections.
    pub status: u16,
    /// Bytes of the visitor: the body of a request, or all of a connection.
    pub bytes_in: u64,
    /// Bytes to the visitor, counted in the same way.
    pub bytes_out: u64,
    /// Until the last byte.
    pub duration_microseconds: u64,
    /// The edge; empty for tunnels.
    pub edge: String,
    /// The route of the edge.
    pub route: String,
    /// The backend that the edge or route names.
    pub backend: String,
    /// The tunnel or static backend that responded.
    pub served_by: String,
    /// The decisions of all modules, in order.
    pub decisions: Vec<trace::Decision>,
    /// Why it was refused.
    pub error_code: Option<Code>,
    /// The reason as a sentence.
    pub message: String,
}

/// The visitor's side of a request or connection.
#[derive(Clone, Copy)]
pub(crate) struct RequestDescription<'a> {
    pub(crate) visitor: SocketAddr,
    pub(crate) scheme: &'static str,
    pub(crate) protocol: &'static str,
    pub(crate) host: &'a str,
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
}

/// Shared by all tasks that move bytes of a request or connection. The outcome is set once; dropping the last
/// reference writes it down.
pub(crate) struct AccessRecord {
    telemetry: Arc<Telemetry>,
    started_at: Instant,
    bytes_in: AtomicU64,
    bytes_out: AtomicU64,
    outcome: OnceLock<Outcome>,
}

/// What is written down when the last byte has passed.
struct Outcome {
    kind: TargetKind,
    reached: ReachedCounters,
    line: Option<LogLine>,
    /// Where it is kept among the last requests.
    kept: Option<KeptAt>,
}

impl AccessRecord {
    pub(crate) fn begin(telemetry: &Arc<Telemetry>) -> Arc<Self> {
        AccessRecord::since(telemetry, Instant::now())
    }

    pub(crate) fn since(telemetry: &Arc<Telemetry>, started_at: Instant) -> Arc<Self> {
        Arc::new(AccessRecord {
            telemetry: telemetry.clone(),
            started_at,
            bytes_in: AtomicU64::new(0),
            bytes_out: AtomicU64::new(0),
            outcome: OnceLock::new(),
        })
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started_at.elapsed()
    }

    pub(crate) fn add_bytes_in(&self, bytes: u64) {
        self.bytes_in.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn add_bytes_out(&self, bytes: u64) {
        self.bytes_out.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts it as a request whose response begins after `latency`, or as a connection that is carried from then on; as a
    /// connection that is refused without a latency.
    pub(crate) fn started(&self, trace: &Trace, latency: Option<Duration>) {
        let (all, reached) = (self.telemetry.traffic.all(), trace.reached());
        all.request();
        reached.each().for_each(TrafficCounter::request);
        if let Some(latency) = latency {
            let bucket = LatencyBucket::of(latency);
            all.latency(bucket);
            reached.recorded().for_each(|counter| counter.latency(bucket));
        }
    }

    /// Counts how it ended.
    pub(crate) fn ended(&self, status: u16, trace: &Trace, refusal: Option<&Refusal>) {
        let outcome = TrafficOutcome::of(status, refusal);
        if outcome != TrafficOutcome::Success {
            self.telemetry.traffic.all().outcome(outcome);
            trace.reached().each().for_each(|counter| counter.outcome(outcome));
        }
    }

    /// Sets the outcome: the request, its status, and its refusal if there is one.
    pub(crate) fn describe(
        &self,
        request: RequestDescription<'_>,
        status: u16,
        trace: &mut Trace,
        refusal: Option<&Refusal>,
    ) {
        let refusal = refusal.filter(|refusal| refusal.location().is_none());
        let is_kept = refusal.is_some() && trace.edge().is_some();
        let is_written = is_kept || self.telemetry.log.is_some();
        let line = if is_written { self.write(request, status, trace, refusal, is_kept) } else { None };
        let reached = trace.reached().clone();
        let kept = reached.recent().and_then(|recent| self.keep(recent, request, status, trace, refusal));
        let _ = self.outcome.set(Outcome { kind: trace.kind(), reached, line, kept });
    }

    /// Keeps a request among the last ones, unless none are kept.
    fn keep(
        &self,
        recent: &RecentRequests,
        request: RequestDescription<'_>,
        status: u16,
        trace: &mut Trace,
        refusal: Option<&Refusal>,
    ) -> Option<KeptAt> {
        let limits = &self.telemetry.traffic.request_limits;
        if !limits.is_on() || request.protocol.is_empty() {
            return None;
        }
        let begun = BegunRequest {
            request,
            responded_at: postern_api::clock::now(),
            latency: self.elapsed(),
            status,
            fault: TrafficOutcome::of(status, refusal).fault(),
            error: refusal.map(|refusal| (refusal.error.code, refusal.error.message.as_str())),
        };
        recent.begin(limits, &begun, trace)
    }

    /// Writes a line if there is an access log, and keeps the same as one of the recent refusals if `is_kept` is set.
    fn write(
        &self,
        request: RequestDescription<'_>,
        status: u16,
        trace: &mut Trace,
        refusal: Option<&Refusal>,
        is_kept: bool,
    ) -> Option<LogLine> {
        let RequestDescription { visitor, scheme, protocol, host, method, path } = request;
        let (now, elapsed) = (postern_api::clock::now(), self.started_at.elapsed());
        let id = trace.id_at(now);
        let decisions = trace.shown_decisions();
        let members = LineMembers {
            time: before(now, elapsed),
            kind: if protocol.is_empty() { "connection" } else { "request" },
            id: id.as_bytes(),
            visitor,
            scheme,
            protocol,
            host: truncate(host, MAX_HOST_BYTES),
            method: truncate(method, MAX_METHOD_BYTES),
            path: truncate(path, MAX_PATH_BYTES),
            status,
            edge: text(trace.edge()),
            route: text(trace.route()),
            backend: text(trace.backend()),
            served_by: trace.upstream(),
            decisions: &decisions,
            error_code: refusal.map(|refusal| refusal.error.code),
            message: refusal.map(|refusal| refusal.error.message.as_str()).unwrap_or_default(),
        };
        if let (true, Some(edge)) = (is_kept, trace.edge()) {
            self.telemetry.refused.add(edge, AccessLogEntry::new(&members, elapsed));
        }
        self.telemetry.log.is_some().then(|| LogLine::new(&members))
    }
}

impl AccessLogEntry {
    /// An entry without bytes.
    fn new(members: &LineMembers<'_>, elapsed: Duration) -> Self {
        AccessLogEntry {
            time: members.time,
            kind: members.kind,
            id: String::from_utf8_lossy(members.id).into_owned(),
            visitor: members.visitor,
            scheme: members.scheme,
            protocol: members.protocol,
            host: members.host.to_owned(),
            method: members.method.to_owned(),
            path: members.path.to_owned(),
            status: members.status,
            bytes_in: 0,
            bytes_out: 0,
            duration_microseconds: microseconds(elapsed),
            edge: members.edge.to_owned(),
            route: members.route.to_owned(),
            backend: members.backend.to_owned(),
            served_by: members.served_by.to_owned(),
            decisions: members.decisions.to_vec(),
            error_code: members.error_code,
            message: members.message.to_owned(),
        }
    }
}

impl Drop for AccessRecord {
    fn drop(&mut self) {
        let (bytes_in, bytes_out) = (*self.bytes_in.get_mut(), *self.bytes_out.get_mut());
        let Some(Outcome { kind, reached, line, kept }) = self.outcome.take() else { return metrics::abandoned() };
        if let (Some(kept), Some(recent)) = (kept, reached.recent()) {
            recent.complete(kept, bytes_in, bytes_out, self.started_at.elapsed());
        }
        metrics::bytes(kind, bytes_in, bytes_out);
        self.telemetry.traffic.all().bytes(bytes_in, bytes_out);
        reached.each().for_each(|counter| counter.bytes(bytes_in, bytes_out));
        if let (Some(line), Some(log)) = (line, &self.telemetry.log) {
            log.write(&line, bytes_in, bytes_out, microseconds(self.started_at.elapsed()));
        }
    }
}

/// An id, or nothing.
fn text(id: Option<&Arc<str>>) -> &str {
    id.map_or("", |id| id)
}

/// The moment this long before another.
pub(super) fn before(moment: jiff::Timestamp, ago: Duration) -> jiff::Timestamp {
    moment.checked_sub(ago).unwrap_or_default()
}

/// Serializes with milliseconds, so that entries can be ordered.
fn written<S: Serializer>(time: &jiff::Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{time:.3}"))
}

pub(super) fn microseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// The longest prefix of a text of at most `max` bytes.
pub(crate) fn truncate(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let end = (0..=max).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or_default()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        for (max, expected) in [(0, ""), (1, "a"), (2, "a"), (3, "aé"), (4, "aéb"), (9, "aéb")] {
            assert_eq!(truncate("aéb", max), expected, "{max}");
        }
    }
}
