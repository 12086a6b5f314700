//! Newest changes in memory, for watches and subscribers.

use crate::store::{Batch, Change, Result, Revision, StoreError, Subscriber};
use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Largest total size of the changes.
const MAX_BYTES: usize = 4 << 20;
/// Largest number of commits.
const MAX_COMMITS: Revision = 4096;
/// Approximate cost of a change besides its own bytes.
const CHANGE_OVERHEAD_BYTES: usize = 96;

/// Latest changes in the order of their commits.
pub(in crate::store) struct RecentChanges {
    buffer: Mutex<ChangeBuffer>,
    max_bytes: usize,
}

struct ChangeBuffer {
    changes: VecDeque<Change>,
    bytes: usize,
    /// All changes after this revision are in the buffer.
    complete_after: Revision,
}

impl RecentChanges {
    /// An empty buffer after the newest commit.
    pub(in crate::store) fn new(newest: Revision) -> Self {
        Self::with_max_bytes(newest, MAX_BYTES)
    }

    fn with_max_bytes(newest: Revision, max_bytes: usize) -> Self {
        RecentChanges {
            buffer: Mutex::new(ChangeBuffer { changes: VecDeque::new(), bytes: 0, complete_after: newest }),
            max_bytes,
        }
    }

    fn buffer(&self) -> MutexGuard<'_, ChangeBuffer> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the changes of new commits, up to `newest`.
    pub(in crate::store) fn add(&self, changes: Vec<Change>, newest: Revision) {
        let mut buffer = self.buffer();
        buffer.bytes += changes.iter().map(cost).sum::<usize>();
        buffer.changes.extend(changes);
        buffer.complete_after = buffer.complete_after.max(newest - MAX_COMMITS);
        while let Some(oldest) = buffer.changes.front()
            && (buffer.bytes > self.max_bytes || oldest.revision <= buffer.complete_after)
        {
            let (bytes, revision) = (cost(oldest), oldest.revision);
            buffer.changes.pop_front();
            buffer.bytes -= bytes;
            buffer.complete_after = buffer.complete_after.max(revision);
        }
    }

    /// Changes of keys with a prefix, after one revision and up to another; `None` if some of them were dropped.
    pub(in crate::store) fn between(&self, prefix: &str, after: Revision, until: Revision) -> Option<Vec<Change>> {
        let buffer = self.buffer();
        if after < buffer.complete_after {
            return None;
        }
        let first = buffer.changes.partition_point(|change| change.revision <= after);
        let requested = buffer.changes.range(first..).take_while(|change| change.revision <= until);
        Some(requested.filter(|change| change.key.starts_with(prefix)).cloned().collect())
    }

    /// Calls a new subscriber with what it has missed: the changes after one revision, up to `newest`.
    ///
    /// # Errors
    /// [`StoreError::Compacted`] if some of them were dropped.
    pub(in crate::store) fn replay(&self, after: Revision, newest: Revision, to: &mut Subscriber) -> Result<()> {
        if newest > after {
            to(&self.between("", after, newest).ok_or(StoreError::Compacted(after))?, newest);
        }
        Ok(())
    }

    /// What a watch gives next: the changes after the commit that it has reached, up to `newest`.
    ///
    /// # Errors
    /// [`StoreError::Compacted`] if some of them were dropped.
    pub(in crate::store) fn batch(&self, prefix: &str, reached: &mut Revision, newest: Revision) -> Result<Batch> {
        let changes = self.between(prefix, *reached, newest).ok_or(StoreError::Compacted(*reached))?;
        *reached = newest;
        Ok(Batch { revision: newest, changes })
    }
}

fn cost(change: &Change) -> usize {
    CHANGE_OVERHEAD_BYTES + change.key.len() + change.value.as_ref().map_or(0, Vec::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(revision: Revision, key: &str, bytes: usize) -> Change {
        Change { revision, key: key.to_owned(), value: Some(vec![0; bytes]) }
    }

    fn keys(changes: &[Change]) -> Vec<&str> {
        changes.iter().map(|change| change.key.as_str()).collect()
    }

    #[test]
    fn changes_are_given_completely_or_not_at_all() {
        let recent = RecentChanges::with_max_bytes(4, 1000);
        assert!(recent.between("", 3, 9).is_none(), "before the buffer");
        assert_eq!(recent.between("", 4, 9), Some(Vec::new()));
        recent.add(vec![change(5, "a/1", 10), change(5, "b/1", 10)], 5);
        recent.add(vec![change(6, "a/2", 10), change(8, "a/3", 10)], 8);
        let all = recent.between("", 4, 8).expect("all are there");
        assert_eq!(keys(&all), ["a/1", "b/1", "a/2", "a/3"]);
        assert_eq!(keys(&recent.between("a/", 4, 6).expect("there")), ["a/1", "a/2"]);
        assert_eq!(keys(&recent.between("a/", 5, 7).expect("there")), ["a/2"]);
        // The oldest are dropped, and a commit is never split.
        recent.add(vec![change(9, "c/1", 620)], 9);
        assert!(recent.between("", 4, 9).is_none());
        assert_eq!(keys(&recent.between("", 5, 9).expect("there")), ["a/2", "a/3", "c/1"]);
        recent.add(vec![change(10, "c/2", 5000)], 10);
        assert!(recent.between("", 9, 10).is_none(), "larger than the whole buffer");
        assert_eq!(recent.between("", 10, 10), Some(Vec::new()));
        recent.add(Vec::new(), 11 + MAX_COMMITS);
        assert!(recent.between("", 10, 11).is_none(), "commits without changes count, too");
        assert_eq!(recent.between("", 11, 12), Some(Vec::new()));
    }
}
