//! What moves on a visitor's connection: tells an idle connection from a busy one.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What moves on a connection.
#[derive(Debug, Default)]
pub(crate) struct ConnectionActivity {
    /// How often bytes were read or written.
    moves: AtomicUsize,
    /// Whether bytes wait for the visitor to read.
    blocked: AtomicBool,
    /// Whether a message of the visitor has begun and not ended, over HTTP/1.1.
    in_message: AtomicBool,
}

impl ConnectionActivity {
    /// How often bytes have moved so far; `None` while bytes wait for the visitor to read, and within a message of
    /// HTTP/1.1.
    pub(crate) fn settled_moves(&self) -> Option<usize> {
        let is_unfinished = self.blocked.load(Ordering::Relaxed) || self.in_message.load(Ordering::Relaxed);
        (!is_unfinished).then(|| self.moves.load(Ordering::Relaxed))
    }

    pub(super) fn moved(&self) {
        self.moves.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn set_blocked(&self, blocked: bool) {
        self.blocked.store(blocked, Ordering::Relaxed);
    }

    pub(super) fn set_in_message(&self, in_message: bool) {
        self.in_message.store(in_message, Ordering::Relaxed);
    }
}
