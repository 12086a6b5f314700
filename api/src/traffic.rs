//! Traffic counters since the start of the server, a short history, and series over longer ranges.

mod series;
mod sum;

pub use series::{TrafficInterval, TrafficLatency, TrafficRange, TrafficSeries, TrafficStep};
pub use sum::{TrafficQuery, TrafficSum};

use crate::resource::NodeName;
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
    /// Nodes that did not answer in time, whose share is missing; absent if there are none, and in lists.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes_missing: Vec<NodeName>,
}

impl AddAssign for Traffic {
    fn add_assign(&mut self, more: Traffic) {
        self.total += more.total;
        self.last_minute += more.last_minute;
        if let (Some(history), Some(more)) = (&mut self.history, &more.history) {
            *history += more;
        }
    }
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

impl AddAssign for Faults {
    fn add_assign(&mut self, more: Faults) {
        let Faults { visitor, configuration, agent, service, server } = more;
        self.visitor = self.visitor.saturating_add(visitor);
        self.configuration = self.configuration.saturating_add(configuration);
        self.agent = self.agent.saturating_add(agent);
        self.service = self.service.saturating_add(service);
        self.server = self.server.saturating_add(server);
    }
}

/// Totals since the server started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TrafficCounts")]
pub struct Counts {
    /// Requests with a response, and connections that were forwarded or refused.
    pub requests: u64,
    /// Responses with status 3xx.
    #[serde(default)]
    pub redirected: u64,
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

impl AddAssign for Counts {
    fn add_assign(&mut self, more: Counts) {
        let Counts { requests, redirected, refused, failed, faults, bytes_in, bytes_out } = more;
        self.requests = self.requests.saturating_add(requests);
        self.redirected = self.redirected.saturating_add(redirected);
        self.refused = self.refused.saturating_add(refused);
        self.failed = self.failed.saturating_add(failed);
        self.faults += faults;
        self.bytes_in = self.bytes_in.saturating_add(bytes_in);
        self.bytes_out = self.bytes_out.saturating_add(bytes_out);
    }
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

impl AddAssign<&History> for History {
    fn add_assign(&mut self, more: &History) {
        add_points(&mut self.seconds, &more.seconds);
        add_points(&mut self.minutes, &more.minutes);
    }
}

/// Adds points, of which the newest are last.
fn add_points(points: &mut Vec<Point>, more: &[Point]) {
    let shorter = more.len().saturating_sub(points.len());
    points.splice(..0, std::iter::repeat_n(Point::default(), shorter));
    for (point, more) in points.iter_mut().rev().zip(more.iter().rev()) {
        *point += *more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histories_are_added_from_their_newest_point_on() {
        let points = |requests: &[u32]| -> Vec<Point> {
            requests.iter().map(|requests| Point { requests: *requests, ..Point::default() }).collect()
        };
        let mut history = History { seconds: points(&[1, 2]), minutes: Vec::new() };
        history += &History { seconds: points(&[10, 20, u32::MAX]), minutes: points(&[5]) };
        assert_eq!(history, History { seconds: points(&[10, 21, u32::MAX]), minutes: points(&[5]) });
    }

    #[test]
    fn every_count_is_added() {
        let faults = Faults { visitor: 1, configuration: 2, agent: 3, service: 4, server: 5 };
        let mut counts =
            Counts { requests: 6, redirected: 11, refused: 7, failed: 8, faults, bytes_in: 9, bytes_out: 10 };
        counts += counts;
        let faults = Faults { visitor: 2, configuration: 4, agent: 6, service: 8, server: 10 };
        let doubled =
            Counts { requests: 12, redirected: 22, refused: 14, failed: 16, faults, bytes_in: 18, bytes_out: 20 };
        assert_eq!(counts, doubled);
    }
}
