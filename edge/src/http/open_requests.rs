//! Counts the requests of one visitor connection: whether one is being served, and how many were abandoned.

use super::RequestPermit;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Counts the requests of one visitor connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Busy(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    open: AtomicUsize,
    begun: AtomicUsize,
    /// Whose answer the visitor did not wait for.
    abandoned: AtomicUsize,
}

impl Busy {
    pub(crate) fn begin(&self) -> Open {
        self.0.begun.fetch_add(1, Ordering::Relaxed);
        self.0.open.fetch_add(1, Ordering::Relaxed);
        Open { counts: self.0.clone(), waited_for: false, turn: None }
    }

    /// Whether a request is being served.
    pub(crate) fn is_busy(&self) -> bool {
        self.0.open.load(Ordering::Relaxed) > 0
    }

    /// How many requests there were so far.
    pub(crate) fn begun(&self) -> usize {
        self.0.begun.load(Ordering::Relaxed)
    }

    /// By how many the requests are more that were abandoned than those that were waited for.
    pub(crate) fn abandoned_beyond_reason(&self) -> usize {
        let abandoned = self.0.abandoned.load(Ordering::Relaxed);
        let waited_for = self.begun().saturating_sub(abandoned);
        abandoned.saturating_sub(waited_for)
    }
}

/// One request being served.
pub(crate) struct Open {
    counts: Arc<Counts>,
    waited_for: bool,
    turn: Option<RequestPermit>,
}

impl Open {
    /// The visitor has waited for the response.
    pub(crate) fn waited_for(mut self) -> Self {
        self.waited_for = true;
        self
    }

    /// Keeps the turn of a request for as long as it is served.
    pub(crate) fn hold(&mut self, turn: RequestPermit) {
        self.turn = Some(turn);
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if !self.waited_for {
            self.counts.abandoned.fetch_add(1, Ordering::Relaxed);
        }
        self.counts.open.fetch_sub(1, Ordering::Relaxed);
    }
}
