//! Traffic counters since the start of the server, and a short history.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// Points of each history.
pub const POINTS: usize = 60;

/// Kind of object with traffic counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrafficKind {
    /// An HTTPS edge.
    HttpsEdge,
    /// A route of an HTTPS edge.
    HttpsRoute,
    /// A TLS edge.
    TlsEdge,
    /// A TCP edge.
    TcpEdge,
    /// A tunnel of an agent.
    Tunnel,
}

/// Traffic of one edge, route or tunnel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Traffic {
    /// Its id.
    pub id: String,
    /// Kind.
    pub kind: TrafficKind,
    /// Totals since the server started.
    pub total: Counts,
    /// Traffic of the last 60 seconds.
    pub last_minute: Point,
    /// History of the last minute and the last hour; null in lists.
    pub history: Option<History>,
}

/// Traffic within a period. TLS and TCP connections count as requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TrafficPoint")]
pub struct Point {
    /// Requests with a response, and connections that were forwarded or refused.
    pub requests: u32,
    /// Responses with status 4xx: the visitor's mistake, or not allowed by the configuration.
    pub refused: u32,
    /// Responses with status 5xx: something failed.
    pub failed: u32,
}

impl AddAssign for Point {
    fn add_assign(&mut self, more: Point) {
        self.requests = self.requests.saturating_add(more.requests);
        self.refused = self.refused.saturating_add(more.refused);
        self.failed = self.failed.saturating_add(more.failed);
    }
}

/// Refused and failed requests, by the party at fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TrafficFaults")]
pub struct Faults {
    /// The visitor: the request cannot be served.
    pub visitor: u64,
    /// The configuration: it denies the request, or has no entry for it.
    pub configuration: u64,
    /// The agent: it is offline, or broke the connection.
    pub agent: u64,
    /// The local service: it cannot be reached, or failed.
    pub service: u64,
    /// This server.
    pub server: u64,
}

/// Totals since the server started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TrafficCounts")]
pub struct Counts {
    /// Requests with a response, and connections that were forwarded or refused.
    pub requests: u64,
    /// Responses with status 4xx.
    pub refused: u64,
    /// Responses with status 5xx.
    pub failed: u64,
    /// Errors by the party at fault.
    pub faults: Faults,
    /// Bytes from visitors: bodies of requests with a response, or all bytes of a connection. Counted at its end.
    pub bytes_in: u64,
    /// Bytes to visitors: bodies of responses, or all bytes of a connection. Counted at its end.
    pub bytes_out: u64,
}

/// History of the last minute and the last hour, newest point last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TrafficHistory")]
pub struct History {
    /// The last 60 seconds, one point each.
    pub seconds: Vec<Point>,
    /// The last 60 minutes, one point each; the newest minute is not complete.
    pub minutes: Vec<Point>,
}
