//! The memory budget of captured requests: bytes are reserved before they are used, so the limit holds at all times.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Counts the bytes that captured requests take, against a limit.
#[derive(Debug, Default)]
pub(crate) struct MemoryBudget {
    limit: AtomicUsize,
    used: AtomicUsize,
}

impl MemoryBudget {
    pub(crate) fn set_limit(&self, bytes: usize) {
        self.limit.store(bytes, Relaxed);
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit.load(Relaxed)
    }

    pub(crate) fn used(&self) -> usize {
        self.used.load(Relaxed)
    }

    /// Bytes that are left.
    pub(crate) fn free(&self) -> usize {
        self.limit().saturating_sub(self.used())
    }

    pub(crate) fn is_exceeded(&self) -> bool {
        self.used() > self.limit()
    }

    /// Counts `bytes` as used. Returns whether the total is still within the limit.
    pub(crate) fn reserve(&self, bytes: usize) -> bool {
        self.used.fetch_add(bytes, Relaxed) + bytes <= self.limit()
    }

    /// Replaces a reservation by what the allocator really gave, which may be more.
    pub(crate) fn adjust(&self, reserved: usize, allocated: usize) {
        self.used.fetch_add(allocated, Relaxed);
        self.used.fetch_sub(reserved, Relaxed);
    }

    /// Gives bytes back.
    pub(crate) fn refund(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Relaxed);
    }
}
