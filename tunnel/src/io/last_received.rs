//! When a peer was last heard.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::time::Instant;

/// Time at which bytes of the peer last arrived on a connection.
pub(crate) struct LastReceived {
    /// When the connection was made.
    pub(crate) start: Instant,
    last: AtomicU64,
}

impl LastReceived {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(LastReceived { start: Instant::now(), last: AtomicU64::new(0) })
    }

    /// Records that bytes have arrived.
    pub(crate) fn record(&self) {
        self.last.store(self.now().as_nanos() as u64, Ordering::Relaxed);
    }

    /// Time since the connection was made.
    pub(crate) fn now(&self) -> Duration {
        self.start.elapsed()
    }

    /// The time of the last bytes, on the same clock.
    pub(crate) fn last(&self) -> Duration {
        Duration::from_nanos(self.last.load(Ordering::Relaxed))
    }
}
