//! Limits how many requests the whole edge serves at the same time.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Limits the requests that are served at the same time.
#[derive(Debug)]
pub(crate) struct RequestLimiter {
    open: Arc<AtomicUsize>,
    limit: usize,
}

/// The turn of one request, over when dropped.
pub(crate) struct RequestPermit(Arc<AtomicUsize>);

impl RequestLimiter {
    pub(crate) fn new(limit: usize) -> Self {
        RequestLimiter { open: Arc::default(), limit }
    }

    /// A turn, unless too many are taken.
    pub(crate) fn acquire(&self) -> Option<RequestPermit> {
        let before = self.open.fetch_add(1, Ordering::Relaxed);
        let permit = RequestPermit(self.open.clone());
        (before < self.limit).then_some(permit)
    }
}

impl Drop for RequestPermit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
