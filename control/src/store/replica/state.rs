//! What the replica holds, and the one way in which it changes: revision by revision.

use super::memory::Memory;
use crate::store::{Change, Health, Result, Revision, StoreError, Subscriber, recent_changes::RecentChanges};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};
use tokio::{
    sync::watch,
    time::{Instant, timeout_at},
};
use tokio_util::sync::CancellationToken;

/// A change, and the lease of the key if it was written under one.
pub(super) type LeasedChange = (Change, i64);

/// The state of a replica.
pub(super) struct State {
    memory: RwLock<Memory>,
    /// Locked while a revision is applied, so that subscribers see all of them in order.
    subscribers: Mutex<Vec<Subscriber>>,
    pub(super) recent: RecentChanges,
    reached: watch::Sender<Revision>,
    pub(super) health: watch::Sender<Health>,
    /// Cancelled when the store is closed.
    pub(super) closed: CancellationToken,
}

impl State {
    /// The state with these keys.
    pub(super) fn new(memory: Memory) -> Self {
        let revision = memory.revision();
        State {
            memory: RwLock::new(memory),
            subscribers: Mutex::default(),
            recent: RecentChanges::new(revision),
            reached: watch::Sender::new(revision),
            health: watch::Sender::new(Health::Reachable),
            closed: CancellationToken::new(),
        }
    }

    /// All keys.
    pub(super) fn memory(&self) -> RwLockReadGuard<'_, Memory> {
        self.memory.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Newest revision of which subscribers know.
    pub(super) fn reached(&self) -> Revision {
        *self.reached.borrow()
    }

    /// Follows the newest revision that was applied.
    pub(super) fn follow(&self) -> watch::Receiver<Revision> {
        self.reached.subscribe()
    }

    /// Refuses everything once the store is closed.
    pub(super) fn check_open(&self) -> Result<()> {
        if self.closed.is_cancelled() { Err(StoreError::Closed) } else { Ok(()) }
    }

    /// Applies whole revisions, the newest of which is `until`, in the order of their changes. What was applied before is
    /// skipped.
    pub(super) fn apply(&self, mut changes: Vec<LeasedChange>, until: Revision) {
        let mut subscribers = self.subscribers.lock().unwrap_or_else(PoisonError::into_inner);
        let reached = self.reached();
        if until <= reached || self.closed.is_cancelled() {
            return;
        }
        changes.retain(|(change, _)| change.revision > reached);
        let mut memory = self.memory.write().unwrap_or_else(PoisonError::into_inner);
        changes.iter().for_each(|(change, lease)| memory.change(change, *lease));
        memory.set_revision(until);
        drop(memory);
        let changes: Vec<Change> = changes.into_iter().map(|(change, _)| change).collect();
        subscribers.iter_mut().for_each(|subscriber| subscriber(&changes, until));
        self.recent.add(changes, until);
        self.reached.send_replace(until);
    }

    /// Adds a subscriber, after it has been called with the changes after a revision.
    pub(super) fn subscribe(&self, after: Revision, mut subscriber: Subscriber) -> Result<()> {
        let mut subscribers = self.subscribers.lock().unwrap_or_else(PoisonError::into_inner);
        self.recent.replay(after, self.reached(), &mut subscriber)?;
        subscribers.push(subscriber);
        Ok(())
    }

    /// Waits until the replica holds what `reached` expects; false after the deadline, or if the store is closed.
    pub(super) async fn wait_until(
        &self,
        deadline: Instant,
        mut reached: impl FnMut(&Memory, Revision) -> bool,
    ) -> bool {
        let mut newest = self.follow();
        loop {
            let revision = *newest.borrow_and_update();
            if reached(&self.memory(), revision) {
                return true;
            }
            tokio::select! {
                changed = timeout_at(deadline, newest.changed()) => if !matches!(changed, Ok(Ok(()))) { return false },
                () = self.closed.cancelled() => return false,
            }
        }
    }

    /// Drops the subscribers and takes no further change.
    pub(super) fn close(&self) {
        self.closed.cancel();
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
