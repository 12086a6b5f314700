//! One request or connection from its beginning to its last byte: counted, and written down when it is over.

use crate::{
    refusal::Refusal,
    telemetry::Telemetry,
    telemetry::{
        Trace,
        metrics::{self, TargetKind},
        traffic::{Outcome, ReachedCounters, TrafficCounter},
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
    time::{Duration, Instant},
};

/// Texts of visitors are kept so far.
const LONGEST_HOST: usize = 255;
const LONGEST_PATH: usize = 1024;

/// A request or connection as it is written down.
#[derive(Clone, Debug, Serialize)]
pub struct AccessLogEntry {
    /// When it began.
    #[serde(serialize_with = "written")]
    pub time: jiff::Timestamp,
    /// `request` or `connection`.
    pub kind: &'static str,
    /// What names it on error pages, `op_…`.
    pub id: String,
    /// The address of the socket.
    pub visitor: SocketAddr,
    /// `https`, `http`, `tls` or `tcp`.
    pub scheme: &'static str,
    /// Such as `HTTP/1.1`; empty for connections that are none of HTTP.
    pub protocol: &'static str,
    /// The host that was asked for.
    pub host: String,
    /// The method of a request.
    pub method: String,
    /// The path of a request, without the query, which may hold secrets.
    pub path: String,
    /// The status of the answer; 0 for connections.
    pub status: u16,
    /// Bytes of the visitor: the body of a request, or all of a connection.
    pub bytes_in: u64,
    /// Bytes to the visitor, the same way.
    pub bytes_out: u64,
    /// Until the last byte.
    pub duration_microseconds: u64,
    /// The edge; empty for tunnels.
    pub edge: String,
    /// The route of the edge.
    pub route: String,
    /// The backend that the edge or route names.
    pub backend: String,
    /// The tunnel or static backend that answered.
    pub served_by: String,
    /// What every module said, in order.
    pub decisions: Vec<trace::Decision>,
    /// Why it was refused.
    pub error_code: Option<Code>,
    /// The same in a sentence.
    pub message: String,
}

/// What is known of a visitor's side, to be written down if anybody wants to know.
#[derive(Clone, Copy)]
pub(crate) struct RequestDescription<'a> {
    pub(crate) visitor: SocketAddr,
    pub(crate) scheme: &'static str,
    pub(crate) protocol: &'static str,
    pub(crate) host: &'a str,
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
}

/// Shared by whoever moves bytes of it. What it was is told once; the last to let go writes it down.
pub(crate) struct AccessRecord {
    telemetry: Arc<Telemetry>,
    began: Instant,
    bytes_in: AtomicU64,
    bytes_out: AtomicU64,
    told: OnceLock<(TargetKind, ReachedCounters, Option<Box<AccessLogEntry>>)>,
}

impl AccessRecord {
    pub(crate) fn begin(telemetry: &Arc<Telemetry>) -> Arc<Self> {
        AccessRecord::since(telemetry, Instant::now())
    }

    pub(crate) fn since(telemetry: &Arc<Telemetry>, began: Instant) -> Arc<Self> {
        Arc::new(AccessRecord {
            telemetry: telemetry.clone(),
            began,
            bytes_in: AtomicU64::new(0),
            bytes_out: AtomicU64::new(0),
            told: OnceLock::new(),
        })
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    pub(crate) fn came_in(&self, bytes: u64) {
        self.bytes_in.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn went_out(&self, bytes: u64) {
        self.bytes_out.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts it as a request, or as a connection that is carried from now on.
    pub(crate) fn started(&self, trace: &Trace) {
        self.telemetry.traffic.all().request();
        trace.reached().each().for_each(TrafficCounter::request);
    }

    /// Counts how it ended.
    pub(crate) fn ended(&self, status: u16, trace: &Trace, refusal: Option<&Refusal>) {
        let outcome = Outcome::of(status, refusal);
        if outcome != Outcome::Well {
            self.telemetry.traffic.all().outcome(outcome);
            trace.reached().each().for_each(|counter| counter.outcome(outcome));
        }
    }

    /// Says what it was, once that is known: what was asked, how it was answered, and why it was refused if it was.
    pub(crate) fn describe(
        &self,
        request: RequestDescription<'_>,
        status: u16,
        trace: &mut Trace,
        refusal: Option<&Refusal>,
    ) {
        let refusal = refusal.filter(|refusal| refusal.location.is_none());
        let kept = refusal.is_some() && trace.edge().is_some();
        let logged = self.telemetry.log.is_some();
        let entry = (kept || logged).then(|| Box::new(self.entry(request, status, trace, refusal)));
        if let (true, Some(edge), Some(entry)) = (kept, trace.edge(), &entry) {
            self.telemetry.refused.add(edge, AccessLogEntry::clone(entry));
        }
        let _ = self.told.set((trace.kind(), trace.reached().clone(), entry.filter(|_| logged)));
    }

    fn entry(
        &self,
        request: RequestDescription<'_>,
        status: u16,
        trace: &mut Trace,
        refusal: Option<&Refusal>,
    ) -> AccessLogEntry {
        let RequestDescription { visitor, scheme, protocol, host, method, path } = request;
        let whole = trace.told();
        let elapsed = self.began.elapsed();
        AccessLogEntry {
            time: jiff::Timestamp::now().checked_sub(elapsed).unwrap_or_default(),
            kind: if method.is_empty() { "connection" } else { "request" },
            id: whole.id,
            visitor,
            scheme,
            protocol,
            host: cut(host, LONGEST_HOST),
            method: cut(method, 32),
            path: cut(path, LONGEST_PATH),
            status,
            bytes_in: 0,
            bytes_out: 0,
            duration_microseconds: microseconds(elapsed),
            edge: whole.edge,
            route: whole.route,
            backend: whole.backend,
            served_by: trace.upstream().to_owned(),
            decisions: whole.decisions,
            error_code: refusal.map(|refusal| refusal.error.code),
            message: refusal.map(|refusal| refusal.error.message.clone()).unwrap_or_default(),
        }
    }
}

impl Drop for AccessRecord {
    fn drop(&mut self) {
        let (bytes_in, bytes_out) = (*self.bytes_in.get_mut(), *self.bytes_out.get_mut());
        let Some((kind, reached, entry)) = self.told.take() else { return metrics::abandoned() };
        metrics::bytes(kind, bytes_in, bytes_out);
        self.telemetry.traffic.all().bytes(bytes_in, bytes_out);
        reached.each().for_each(|counter| counter.bytes(bytes_in, bytes_out));
        if let (Some(mut entry), Some(log)) = (entry, &self.telemetry.log) {
            (entry.bytes_in, entry.bytes_out) = (bytes_in, bytes_out);
            entry.duration_microseconds = microseconds(self.began.elapsed());
            log.write(entry);
        }
    }
}

/// With milliseconds: whoever reads it wants to know what came first.
fn written<S: Serializer>(time: &jiff::Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{time:.3}"))
}

fn microseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// The front of a text, at most so many bytes of it.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text[..end.unwrap_or_default()].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        for (most, expected) in [(0, ""), (1, "a"), (2, "a"), (3, "aé"), (4, "aéb"), (9, "aéb")] {
            assert_eq!(cut("aéb", most), expected, "{most}");
        }
    }
}
