//! Counts the requests of one visitor connection: whether one is being served, and how many were abandoned.

use crate::limits::QuotaPermit;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Counts the requests of one visitor connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestCounter(Arc<RequestCounts>);

#[derive(Debug, Default)]
struct RequestCounts {
    open: AtomicUsize,
    started: AtomicUsize,
    /// Requests whose response the visitor did not wait for.
    abandoned: AtomicUsize,
}

impl RequestCounter {
    pub(crate) fn start(&self) -> OpenRequest {
        self.0.started.fetch_add(1, Ordering::Relaxed);
        self.0.open.fetch_add(1, Ordering::Relaxed);
        OpenRequest { counts: self.0.clone(), waited_for: false, permit: None }
    }

    /// Whether a request is being served.
    pub(crate) fn is_busy(&self) -> bool {
        self.0.open.load(Ordering::Relaxed) > 0
    }

    /// The number of requests so far.
    pub(crate) fn started(&self) -> usize {
        self.0.started.load(Ordering::Relaxed)
    }

    /// Abandoned minus completed requests, at least 0.
    pub(crate) fn excess_abandoned(&self) -> usize {
        let abandoned = self.0.abandoned.load(Ordering::Relaxed);
        let waited_for = self.started().saturating_sub(abandoned);
        abandoned.saturating_sub(waited_for)
    }
}

/// One request being served.
pub(crate) struct OpenRequest {
    counts: Arc<RequestCounts>,
    waited_for: bool,
    permit: Option<QuotaPermit>,
}

impl OpenRequest {
    /// The visitor has waited for the response, which begins.
    pub(crate) fn waited_for(mut self) -> Self {
        self.waited_for = true;
        self
    }

    /// Holds the permit of a request until it is served.
    pub(crate) fn hold(&mut self, permit: QuotaPermit) {
        self.permit = Some(permit);
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        if !self.waited_for {
            self.counts.abandoned.fetch_add(1, Ordering::Relaxed);
        }
        self.counts.open.fetch_sub(1, Ordering::Relaxed);
    }
}
