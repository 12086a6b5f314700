//! What moves on a visitor's connection: tells an idle connection from a busy one.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What moves on a connection.
#[derive(Debug, Default)]
pub(crate) struct ConnectionActivity {
    /// How often bytes were read or written.
    moves: AtomicUsize,
    /// Whether bytes wait for the visitor to read.
    blocked: AtomicBool,
}

impl ConnectionActivity {
    /// How often bytes have moved so far; `None` while bytes wait for the visitor to read.
    pub(crate) fn settled_moves(&self) -> Option<usize> {
        (!self.blocked.load(Ordering::Relaxed)).then(|| self.moves.load(Ordering::Relaxed))
    }

    pub(super) fn moved(&self) {
        self.moves.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn set_blocked(&self, blocked: bool) {
        self.blocked.store(blocked, Ordering::Relaxed);
    }
}
