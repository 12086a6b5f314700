//! Metrics of the edge; the only place with metric names.
//!
//! Handles of frequently used metrics are cached. They bind to the recorder that is installed at first use, so the
//! program must install its recorder before it starts the edge.

use metrics::{Counter, Histogram, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use postern_api::{Code, resource::RestrictionType};
use std::{sync::LazyLock, time::Duration};

/// The kind of target that a request or connection reached. A label must have few values: never a name, never an id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TargetKind {
    /// Nothing that is published.
    #[default]
    Nothing,
    Tunnel,
    HttpsEdge,
    TlsEdge,
    TcpEdge,
    /// The management API under its own name.
    Api,
    /// The login host.
    Logins,
}

const KINDS: [&str; 7] = ["none", "tunnel", "https_edge", "tls_edge", "tcp_edge", "api", "logins"];
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// The number of requests, and the time until the heads of their responses.
struct RequestMetrics {
    classes: [Counter; 5],
    seconds: Histogram,
}

struct ByteMetrics {
    received: Counter,
    sent: Counter,
}

static REQUESTS: LazyLock<[RequestMetrics; KINDS.len()]> = LazyLock::new(|| {
    KINDS.map(|kind| RequestMetrics {
        classes: CLASSES.map(|class| counter!("postern_edge_requests_total", "class" => class, "kind" => kind)),
        seconds: histogram!("postern_edge_request_seconds", "kind" => kind),
    })
});
static BYTES: LazyLock<[ByteMetrics; KINDS.len()]> = LazyLock::new(|| {
    KINDS.map(|kind| ByteMetrics {
        received: counter!("postern_edge_received_bytes_total", "kind" => kind),
        sent: counter!("postern_edge_sent_bytes_total", "kind" => kind),
    })
});
static ABANDONED: LazyLock<Counter> = LazyLock::new(|| counter!("postern_edge_abandoned_total"));
static STREAMS: LazyLock<Counter> = LazyLock::new(|| counter!("postern_edge_streams_total"));
static REUSED: LazyLock<Counter> = LazyLock::new(|| counter!("postern_edge_upstream_reuse_total"));
static DROPPED: LazyLock<Counter> = LazyLock::new(|| counter!("postern_access_log_dropped_total"));
static FLOODS: LazyLock<Counter> = LazyLock::new(|| counter!("postern_edge_reset_floods_total"));
static CIRCUITS: LazyLock<Counter> = LazyLock::new(|| counter!("postern_edge_circuits_opened_total"));

/// Registers all metrics, so that they are there before the first event. Must be called after the recorder is installed.
/// Only refusals have labels that are not known before.
pub(crate) fn register() {
    describe();
    LazyLock::force(&REQUESTS);
    LazyLock::force(&BYTES);
    for counter in [&ABANDONED, &DROPPED, &STREAMS, &REUSED, &FLOODS, &CIRCUITS] {
        LazyLock::force(counter);
    }
    for listener in ["https", "http", "tls", "tcp", "agents"] {
        counter!("postern_edge_connections_total", "listener" => listener).increment(0);
        gauge!("postern_edge_connections", "listener" => listener).increment(0);
    }
    for limit in ["all", "address", "proxy", "direct"] {
        counter!("postern_edge_connections_turned_away_total", "limit" => limit).increment(0);
    }
    for reason in ["tls", "left", "silent", "timeout", "other"] {
        counter!("postern_edge_failed_handshakes_total", "reason" => reason).increment(0);
    }
    for part in RestrictionType::ALL {
        counter!("postern_ip_restriction_warnings_total", "type" => part.as_str()).increment(0);
    }
}

fn describe() {
    describe_counter!("postern_edge_requests_total", "Requests with a response, by the class of its status.");
    describe_histogram!("postern_edge_request_seconds", "Seconds until the head of the response.");
    describe_counter!(
        "postern_edge_received_bytes_total",
        "Bytes from visitors: bodies of requests with a response, or all bytes of a connection, when it has ended."
    );
    describe_counter!(
        "postern_edge_sent_bytes_total",
        "Bytes to visitors: bodies of responses, or all bytes of a connection, when it has ended."
    );
    describe_counter!("postern_edge_refusals_total", "Refused requests, connections and sessions, by error code.");
    describe_counter!("postern_edge_failed_handshakes_total", "TLS handshakes that failed.");
    describe_counter!("postern_edge_connections_turned_away_total", "Connections over a limit.");
    describe_counter!("postern_edge_abandoned_total", "Requests whose visitor disconnected before the response.");
    describe_counter!("postern_ip_restriction_warnings_total", "Addresses that a restriction would have refused.");
    describe_gauge!("postern_edge_connections", "Open connections of visitors and agents.");
    describe_counter!("postern_edge_connections_total", "Connections of visitors and agents.");
    describe_counter!("postern_edge_streams_total", "Streams to agents, each a connection to a local service.");
    describe_counter!("postern_edge_upstream_reuse_total", "Requests on a connection that was there already.");
    describe_counter!("postern_edge_reset_floods_total", "HTTP/2 connections that were ended as floods.");
    describe_counter!("postern_edge_circuits_opened_total", "Circuits that opened because a backend failed too often.");
    describe_counter!("postern_access_log_dropped_total", "Lines that the access log could not take.");
}

/// Counts a request; `elapsed` is the time until the head of its response.
pub(crate) fn request(kind: TargetKind, status: u16, elapsed: Duration) {
    let requests = &REQUESTS[kind as usize];
    requests.classes[usize::from(status / 100).clamp(1, 5) - 1].increment(1);
    requests.seconds.record(elapsed.as_secs_f64());
}

/// Counts a visitor that left before the response.
pub(crate) fn abandoned() {
    ABANDONED.increment(1);
}

/// Counts the bytes of a finished request (bodies) or connection (all bytes).
pub(crate) fn bytes(kind: TargetKind, received: u64, sent: u64) {
    let bytes = &BYTES[kind as usize];
    bytes.received.increment(received);
    bytes.sent.increment(sent);
}

/// The access log could not take a line.
pub(crate) fn log_line_dropped() {
    DROPPED.increment(1);
}

/// Counts a refused request or connection; `module` is the module that refused it, if one did.
pub(crate) fn refusal(module: Option<&'static str>, code: Code) {
    let module = module.unwrap_or("none");
    counter!("postern_edge_refusals_total", "code" => code.number().to_string(), "module" => module).increment(1);
}

/// Counts a visitor or agent that an enforced IP restriction would have refused.
pub(crate) fn restriction_warning(part: RestrictionType) {
    counter!("postern_ip_restriction_warnings_total", "type" => part.as_str()).increment(1);
}

/// Counts a refused connection; `limit` is the limit that was reached.
pub(crate) fn connection_refused(limit: &'static str) {
    counter!("postern_edge_connections_turned_away_total", "limit" => limit).increment(1);
}

/// Counts a failed TLS handshake.
pub(crate) fn handshake_failed(reason: &'static str) {
    counter!("postern_edge_failed_handshakes_total", "reason" => reason).increment(1);
}

/// Counts an HTTP/2 connection that was closed because its visitor abandoned most requests.
pub(crate) fn flood_ended() {
    FLOODS.increment(1);
}

/// A circuit was opened because its backend fails too often.
pub(crate) fn circuit_opened() {
    CIRCUITS.increment(1);
}

/// Counts a connection for as long as it lives.
pub(crate) struct ConnectionGauge(&'static str);

impl ConnectionGauge {
    pub(crate) fn new(listener: &'static str) -> Self {
        counter!("postern_edge_connections_total", "listener" => listener).increment(1);
        gauge!("postern_edge_connections", "listener" => listener).increment(1);
        ConnectionGauge(listener)
    }
}

impl Drop for ConnectionGauge {
    fn drop(&mut self) {
        gauge!("postern_edge_connections", "listener" => self.0).decrement(1);
    }
}

/// A stream to an agent was opened.
pub(crate) fn stream_opened() {
    STREAMS.increment(1);
}

/// An idle connection to a local service was used again.
pub(crate) fn upstream_reused() {
    REUSED.increment(1);
}
