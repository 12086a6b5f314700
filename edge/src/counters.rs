//! What is counted, and under which names: the one place where metric names stand.
//!
//! Handles of what every request touches are kept. They bind to the recorder that is installed when the first
//! visitor comes, so the program installs its recorder before it starts the edge.

use metrics::{Counter, counter, gauge};
use postern_api::{Code, resource::RestrictionType};
use std::{sync::LazyLock, time::Duration};

static REQUESTS: LazyLock<[Counter; 5]> = LazyLock::new(|| {
    ["1xx", "2xx", "3xx", "4xx", "5xx"].map(|class| counter!("postern_edge_requests_total", "class" => class))
});
static MICROSECONDS: LazyLock<Counter> = LazyLock::new(|| counter!("postern_edge_request_microseconds_total"));
static STREAMS: LazyLock<Counter> = LazyLock::new(|| counter!("postern_edge_streams_total"));
static REUSED: LazyLock<Counter> = LazyLock::new(|| counter!("postern_edge_upstream_reuse_total"));

/// One request was answered; `took` is the time until the head of the answer was there.
pub(crate) fn request(status: u16, took: Duration) {
    let class = usize::from(status / 100).clamp(1, 5) - 1;
    REQUESTS[class].increment(1);
    MICROSECONDS.increment(took.as_micros().try_into().unwrap_or(u64::MAX));
}

/// A request or connection was turned away.
pub(crate) fn refusal(code: Code) {
    counter!("postern_edge_refusals_total", "code" => code.number().to_string()).increment(1);
}

/// Somebody would have been refused by an IP restriction, were it enforced.
pub(crate) fn restriction_warning(part: RestrictionType) {
    counter!("postern_ip_restriction_warnings_total", "type" => part.as_str()).increment(1);
}

/// A connection found no place: `limit` says which limit was reached.
pub(crate) fn turned_away(limit: &'static str) {
    counter!("postern_edge_connections_turned_away_total", "limit" => limit).increment(1);
}

/// An HTTP/2 connection was ended because its visitor abandoned most of what it asked for.
pub(crate) fn flood_ended() {
    counter!("postern_edge_reset_floods_total").increment(1);
}

/// A circuit was opened because its backend fails too often.
pub(crate) fn circuit_opened() {
    counter!("postern_edge_circuits_opened_total").increment(1);
}

/// Counts a connection for as long as it lives.
pub(crate) struct Connected(&'static str);

impl Connected {
    pub(crate) fn new(listener: &'static str) -> Self {
        counter!("postern_edge_connections_total", "listener" => listener).increment(1);
        gauge!("postern_edge_connections", "listener" => listener).increment(1);
        Connected(listener)
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        gauge!("postern_edge_connections", "listener" => self.0).decrement(1);
    }
}

/// How many agents are connected and how many tunnels are up.
pub(crate) fn sessions(sessions: usize, tunnels: usize) {
    gauge!("postern_edge_sessions").set(sessions as f64);
    gauge!("postern_edge_tunnels").set(tunnels as f64);
}

/// A stream to an agent was opened.
pub(crate) fn stream_opened() {
    STREAMS.increment(1);
}

/// An idle connection to a local service was used again.
pub(crate) fn upstream_reused() {
    REUSED.increment(1);
}
