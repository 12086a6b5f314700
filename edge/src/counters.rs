//! What is counted, and under which names: the one place where metric names stand.

use metrics::{counter, gauge, histogram};
use postern_api::Code;
use std::time::Duration;

/// One request was answered.
pub(crate) fn request(status: u16, took: Duration) {
    let class = match status / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        _ => "5xx",
    };
    counter!("postern_edge_requests_total", "class" => class).increment(1);
    histogram!("postern_edge_request_seconds").record(took);
}

/// A request or connection was turned away.
pub(crate) fn refusal(code: Code) {
    counter!("postern_edge_refusals_total", "code" => code.number().to_string()).increment(1);
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
    counter!("postern_edge_streams_total").increment(1);
}

/// An idle connection to a local service was used again.
pub(crate) fn upstream_reused() {
    counter!("postern_edge_upstream_reuse_total").increment(1);
}
