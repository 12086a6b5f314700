//! The newest changes in memory: who follows the log closely need not read what was just written.

use crate::store::{Change, Revision};
use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Bytes of changes that are kept at most.
const BYTES: usize = 4 << 20;
/// Commits whose changes are kept at most: fewer than the log on disk reaches back.
const COMMITS: Revision = 4096;
/// What a change costs beside its own bytes, roughly.
const OVERHEAD: usize = 96;

/// The last changes in the order they were committed.
pub(super) struct Recent {
    kept: Mutex<Kept>,
    most: usize,
}

struct Kept {
    changes: VecDeque<Change>,
    bytes: usize,
    /// All changes after this revision are here.
    reaches: Revision,
}

impl Recent {
    /// Nothing yet, after the newest commit there is.
    pub(super) fn after(newest: Revision) -> Self {
        Self::within(newest, BYTES)
    }

    fn within(newest: Revision, most: usize) -> Self {
        Recent { kept: Mutex::new(Kept { changes: VecDeque::new(), bytes: 0, reaches: newest }), most }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what has just been committed, up to the newest commit.
    pub(super) fn add(&self, changes: Vec<Change>, newest: Revision) {
        let mut kept = self.kept();
        kept.bytes += changes.iter().map(cost).sum::<usize>();
        kept.changes.extend(changes);
        kept.reaches = kept.reaches.max(newest - COMMITS);
        while let Some(oldest) = kept.changes.front()
            && (kept.bytes > self.most || oldest.revision <= kept.reaches)
        {
            let (bytes, revision) = (cost(oldest), oldest.revision);
            kept.changes.pop_front();
            kept.bytes -= bytes;
            kept.reaches = kept.reaches.max(revision);
        }
    }

    /// The changes of keys with a prefix after one revision and up to another; `None` if they are not all here.
    pub(super) fn between(&self, prefix: &str, after: Revision, until: Revision) -> Option<Vec<Change>> {
        let kept = self.kept();
        if after < kept.reaches {
            return None;
        }
        let first = kept.changes.partition_point(|change| change.revision <= after);
        let asked = kept.changes.range(first..).take_while(|change| change.revision <= until);
        Some(asked.filter(|change| change.key.starts_with(prefix)).cloned().collect())
    }
}

fn cost(change: &Change) -> usize {
    OVERHEAD + change.key.len() + change.value.as_ref().map_or(0, Vec::len)
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
    fn what_is_asked_for_is_given_whole_or_not_at_all() {
        let recent = Recent::within(4, 1000);
        assert!(recent.between("", 3, 9).is_none(), "that was before");
        assert_eq!(recent.between("", 4, 9), Some(Vec::new()));
        recent.add(vec![change(5, "a/1", 10), change(5, "b/1", 10)], 5);
        recent.add(vec![change(6, "a/2", 10), change(8, "a/3", 10)], 8);
        let all = recent.between("", 4, 8).expect("all are there");
        assert_eq!(keys(&all), ["a/1", "b/1", "a/2", "a/3"]);
        assert_eq!(keys(&recent.between("a/", 4, 6).expect("there")), ["a/1", "a/2"]);
        assert_eq!(keys(&recent.between("a/", 5, 7).expect("there")), ["a/2"]);
        // The oldest give way, and half a commit is never given.
        recent.add(vec![change(9, "c/1", 620)], 9);
        assert!(recent.between("", 4, 9).is_none());
        assert_eq!(keys(&recent.between("", 5, 9).expect("there")), ["a/2", "a/3", "c/1"]);
        recent.add(vec![change(10, "c/2", 5000)], 10);
        assert!(recent.between("", 9, 10).is_none(), "larger than all there is room for");
        assert_eq!(recent.between("", 10, 10), Some(Vec::new()));
        recent.add(Vec::new(), 11 + COMMITS);
        assert!(recent.between("", 10, 11).is_none(), "commits without changes count, too");
        assert_eq!(recent.between("", 11, 12), Some(Vec::new()));
    }
}
