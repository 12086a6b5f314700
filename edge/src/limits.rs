//! Deadlines and caps of the public side.

mod quota;

pub(crate) use quota::{Quota, QuotaPermit};

use arc_swap::ArcSwap;
use std::{sync::Arc, time::Duration};

/// Deadlines and caps of the public side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From accepting a connection to the end of the TLS handshake.
    pub handshake: Duration,
    /// From the first byte of a request to the end of its header block.
    pub head: Duration,
    /// How long a keep-alive connection may sit without a request.
    pub idle: Duration,
    /// How long a peer may make no progress inside a body, reading or writing.
    pub stall: Duration,
    /// Minimum average rate of a request body in bytes per second, while the edge waits for it; 0 for no minimum.
    pub body_rate: u64,
    /// Time that a body may wait beyond its minimum rate, in total.
    pub body_grace: Duration,
    /// How long a local service may take to begin its response, once it has the whole request.
    pub answer: Duration,
    /// Open visitor and agent connections of one listener.
    pub connections: usize,
    /// Open connections of one address; loopback addresses are not counted.
    pub connections_per_address: usize,
    /// Requests served at the same time, from the first byte to the last byte of the response.
    pub requests: usize,
    /// Concurrent requests on one HTTP/2 connection.
    pub streams: u32,
    /// How many more requests of one HTTP/2 connection may be abandoned than completed.
    pub resets: usize,
    /// Header block of a request, in bytes.
    pub head_bytes: usize,
    /// Header lines of a request.
    pub headers: usize,
    /// Body of a request that a module must see whole before it is forwarded, in bytes.
    pub buffered_body: usize,
    /// Memory of all such bodies together, in bytes.
    pub buffered_bodies: usize,
    /// How long such a body may take to arrive, however steadily it does.
    pub buffering: Duration,
    /// Memory of all response compressors together, in bytes. Above it responses are sent uncompressed.
    pub encoders: usize,
    /// Most idle connections to the local service that each tunnel keeps, however many were in use at the same time.
    pub idle_upstreams: usize,
    /// How long an idle connection to the local service is kept.
    pub idle_upstream: Duration,
    /// How long requests for a name get a 503 after its agent vanished.
    pub offline_memory: Duration,
    /// How long the open connections of a stopped tunnel may still run.
    pub stop_grace: Duration,
}

/// The limits in force, which the operator can change at any time. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct CurrentLimits(Arc<ArcSwap<Limits>>);

impl CurrentLimits {
    pub(crate) fn new(limits: Limits) -> Self {
        CurrentLimits(Arc::new(ArcSwap::from_pointee(limits)))
    }

    /// The limits of this moment.
    pub(crate) fn get(&self) -> Arc<Limits> {
        self.0.load_full()
    }

    pub(crate) fn set(&self, limits: Limits) {
        self.0.store(Arc::new(limits));
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            handshake: Duration::from_secs(15),
            head: Duration::from_secs(20),
            idle: Duration::from_secs(75),
            stall: Duration::from_secs(60),
            body_rate: 240,
            body_grace: Duration::from_secs(20),
            answer: Duration::from_secs(100),
            connections: 16_384,
            connections_per_address: 2048,
            requests: 16_384,
            streams: 128,
            resets: 500,
            head_bytes: 64 * 1024,
            headers: 100,
            buffered_body: 10 * 1024 * 1024,
            buffered_bodies: 256 * 1024 * 1024,
            buffering: Duration::from_secs(60),
            encoders: 256 * 1024 * 1024,
            idle_upstreams: 4096,
            idle_upstream: Duration::from_secs(30),
            offline_memory: Duration::from_secs(600),
            stop_grace: Duration::from_secs(2),
        }
    }
}
