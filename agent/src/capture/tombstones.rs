//! Tombstones of captured requests that were deleted one by one, for listeners that reconnect.

use std::collections::VecDeque;

/// Deletions that are remembered; a listener that missed more starts afresh.
const MAX_TOMBSTONES: usize = 1024;

/// The latest deletions, each with the revision of the store after it.
#[derive(Debug, Default)]
pub(super) struct Tombstones {
    newest: VecDeque<(u64, u64)>,
    /// The revision of the newest deletion that is no longer remembered.
    forgotten: u64,
}

impl Tombstones {
    /// Remembers a deletion.
    pub(super) fn add(&mut self, revision: u64, id: u64) {
        if self.newest.len() >= MAX_TOMBSTONES
            && let Some((oldest, _)) = self.newest.pop_front()
        {
            self.forgotten = oldest;
        }
        self.newest.push_back((revision, id));
    }

    /// Forgets all of them, because everything was deleted.
    pub(super) fn clear(&mut self) {
        *self = Tombstones::default();
    }

    /// Deletions after a revision, as revision and id. `None` if not all of them are remembered.
    pub(super) fn after(&self, revision: u64) -> Option<Vec<(u64, u64)>> {
        (revision >= self.forgotten).then(|| self.newest.iter().filter(|(at, _)| *at > revision).copied().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_that_missed_more_than_is_remembered_is_told_so() {
        let mut tombstones = Tombstones::default();
        assert_eq!(tombstones.after(0), Some(Vec::new()));
        for at in 1..=MAX_TOMBSTONES as u64 + 2 {
            tombstones.add(at, at * 10);
        }
        let last = MAX_TOMBSTONES as u64 + 2;
        assert_eq!(tombstones.after(1), None);
        assert_eq!(tombstones.after(2).map(|all| all.len()), Some(MAX_TOMBSTONES));
        assert_eq!(tombstones.after(last - 1), Some(vec![(last, last * 10)]));
        tombstones.clear();
        assert_eq!(tombstones.after(0), Some(Vec::new()));
    }
}
