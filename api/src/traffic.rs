//! Numbers about what passes: counted since the server started, and a short history of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// How many points a history has of each kind.
pub const POINTS: usize = 60;

/// What is counted.
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

/// What passed one edge, route or tunnel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Traffic {
    /// Its id.
    pub id: String,
    /// What it is.
    pub kind: TrafficKind,
    /// All since the server started.
    pub total: Counts,
    /// What the last 60 seconds brought.
    pub last_minute: Point,
    /// The last minute and the last hour; null in lists.
    pub history: Option<History>,
}

/// What happened in a span of time. Connections of TLS and TCP count as requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TrafficPoint")]
pub struct Point {
    /// Requests that were answered, and connections that were carried or turned away.
    pub requests: u32,
    /// Those answered with a status of 4xx: the visitor's mistake, or what the configuration does not allow.
    pub refused: u32,
    /// Those answered with a status of 5xx: something did not work.
    pub failed: u32,
}

impl AddAssign for Point {
    fn add_assign(&mut self, more: Point) {
        self.requests = self.requests.saturating_add(more.requests);
        self.refused = self.refused.saturating_add(more.refused);
        self.failed = self.failed.saturating_add(more.failed);
    }
}

/// Requests that were refused or failed, by who has to do something about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TrafficFaults")]
pub struct Faults {
    /// The visitor asked for something that cannot be had.
    pub visitor: u64,
    /// The configuration says no, or knows nothing of it.
    pub configuration: u64,
    /// The agent is away, or broke the connection.
    pub agent: u64,
    /// The local service cannot be reached, or failed.
    pub service: u64,
    /// This server.
    pub server: u64,
}

/// All since the server started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TrafficCounts")]
pub struct Counts {
    /// Requests that were answered, and connections that were carried or turned away.
    pub requests: u64,
    /// Those answered with a status of 4xx.
    pub refused: u64,
    /// Those answered with a status of 5xx.
    pub failed: u64,
    /// Whose fault it was.
    pub faults: Faults,
    /// Bytes of visitors: bodies of requests, all of a connection. Counted once the last one has passed.
    pub bytes_in: u64,
    /// Bytes to visitors, the same way.
    pub bytes_out: u64,
}

/// The last minute and the last hour. The newest point is the last one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TrafficHistory")]
pub struct History {
    /// The last 60 seconds, one point each.
    pub seconds: Vec<Point>,
    /// The last 60 minutes, one point each; the last one is not over yet.
    pub minutes: Vec<Point>,
}
