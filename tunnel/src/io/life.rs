//! Lets the end of a session reach every stream of it, wherever the stream waits.

use futures::task::AtomicWaker;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Context;

/// All connections and overflow streams of one session.
#[derive(Default)]
pub(crate) struct Lives(Mutex<Registry>);

#[derive(Default)]
struct Registry {
    ended: bool,
    next: u64,
    members: HashMap<u64, Arc<Life>>,
}

#[derive(Default)]
struct Life {
    ended: AtomicBool,
    reader: AtomicWaker,
    writer: AtomicWaker,
}

/// A membership: it is told when the session ends, and leaves when dropped.
pub(crate) struct Pulse {
    life: Arc<Life>,
    lives: Arc<Lives>,
    key: u64,
}

impl Lives {
    /// One more member; of an ended session it is born ended.
    pub(crate) fn enter(self: &Arc<Self>) -> Pulse {
        let life = Arc::new(Life::default());
        let mut registry = self.registry();
        life.ended.store(registry.ended, Ordering::Release);
        let key = registry.next;
        registry.next += 1;
        registry.members.insert(key, life.clone());
        drop(registry);
        Pulse { life, lives: self.clone(), key }
    }

    /// Ends and wakes every member.
    pub(crate) fn end(&self) {
        let mut registry = self.registry();
        registry.ended = true;
        let members = std::mem::take(&mut registry.members);
        drop(registry);
        for life in members.into_values() {
            life.ended.store(true, Ordering::Release);
            life.reader.wake();
            life.writer.wake();
        }
    }

    /// How many members there are.
    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.registry().members.len()
    }

    fn registry(&self) -> MutexGuard<'_, Registry> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pulse {
    /// Whether the session is over.
    pub(crate) fn ended(&self) -> bool {
        self.life.ended.load(Ordering::Acquire)
    }

    /// Whether the session is over; if not, the waiting reader is woken when it ends.
    pub(crate) fn ended_while_reading(&self, cx: &mut Context<'_>) -> bool {
        self.life.reader.register(cx.waker());
        self.ended()
    }

    /// Whether the session is over; if not, the waiting writer is woken when it ends.
    pub(crate) fn ended_while_writing(&self, cx: &mut Context<'_>) -> bool {
        self.life.writer.register(cx.waker());
        self.ended()
    }
}

impl Drop for Pulse {
    fn drop(&mut self) {
        self.lives.registry().members.remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_reaches_members_and_those_who_come_later() {
        let lives = Arc::new(Lives::default());
        let early = lives.enter();
        assert!(!early.ended());
        drop(lives.enter());
        assert_eq!(lives.count(), 1, "who is dropped has left");
        lives.end();
        assert!(early.ended());
        assert!(lives.enter().ended());
    }
}
