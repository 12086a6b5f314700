//! Cancellation of all streams of a session when it ends, including streams that wait for I/O.

use super::shrinking::shrink;
use futures::task::AtomicWaker;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::Context,
};

/// Cancels the connections and overflow streams of one session.
#[derive(Default)]
pub(crate) struct SessionCancellation(Mutex<Registry>);

#[derive(Default)]
struct Registry {
    cancelled: bool,
    next_number: u64,
    tokens: HashMap<u64, Arc<TokenState>>,
}

#[derive(Default)]
struct TokenState {
    cancelled: AtomicBool,
    reader: AtomicWaker,
    writer: AtomicWaker,
}

/// Tells one stream that its session has ended; unregistered when dropped.
pub(crate) struct StreamCancellation {
    state: Arc<TokenState>,
    source: Arc<SessionCancellation>,
    number: u64,
}

impl SessionCancellation {
    /// A new token. It is cancelled from the start if the session has ended.
    pub(crate) fn token(self: &Arc<Self>) -> StreamCancellation {
        let state = Arc::new(TokenState::default());
        let mut registry = self.registry();
        state.cancelled.store(registry.cancelled, Ordering::Release);
        let number = registry.next_number;
        registry.next_number += 1;
        registry.tokens.insert(number, state.clone());
        drop(registry);
        StreamCancellation { state, source: self.clone(), number }
    }

    /// Cancels all tokens and wakes their tasks.
    pub(crate) fn cancel(&self) {
        let mut registry = self.registry();
        registry.cancelled = true;
        let tokens = std::mem::take(&mut registry.tokens);
        drop(registry);
        for state in tokens.into_values() {
            state.cancelled.store(true, Ordering::Release);
            state.reader.wake();
            state.writer.wake();
        }
    }

    /// Number of registered tokens.
    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.registry().tokens.len()
    }

    fn registry(&self) -> MutexGuard<'_, Registry> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StreamCancellation {
    /// Higher than those of the session's earlier tokens.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Whether the session has ended.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.state.cancelled.load(Ordering::Acquire)
    }

    /// Whether the session has ended; if not, its end wakes the reading task.
    pub(crate) fn is_cancelled_or_register_reader(&self, cx: &mut Context<'_>) -> bool {
        self.state.reader.register(cx.waker());
        self.is_cancelled()
    }

    /// Whether the session has ended; if not, its end wakes the writing task.
    pub(crate) fn is_cancelled_or_register_writer(&self, cx: &mut Context<'_>) -> bool {
        self.state.writer.register(cx.waker());
        self.is_cancelled()
    }
}

impl Drop for StreamCancellation {
    fn drop(&mut self) {
        let tokens = &mut self.source.registry().tokens;
        tokens.remove(&self.number);
        shrink(tokens);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancellation_reaches_existing_and_later_tokens() {
        let source = Arc::new(SessionCancellation::default());
        let early = source.token();
        assert!(!early.is_cancelled());
        drop(source.token());
        assert_eq!(source.count(), 1, "a dropped token is unregistered");
        source.cancel();
        assert!(early.is_cancelled());
        assert!(source.token().is_cancelled());
    }
}
