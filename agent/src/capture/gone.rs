//! Which captured requests were deleted one by one: listeners that come back are told what they missed.

use std::collections::VecDeque;

/// So many deletions are remembered; who missed more is told to begin anew.
const REMEMBERED: usize = 1024;

/// The deletions, each with the store's count of changes at that moment.
#[derive(Debug, Default)]
pub(super) struct Gone {
    newest: VecDeque<(u64, u64)>,
    /// The count at the newest deletion that is no longer remembered.
    forgotten: u64,
}

impl Gone {
    /// Remembers that this one was deleted.
    pub(super) fn add(&mut self, revision: u64, id: u64) {
        if self.newest.len() >= REMEMBERED
            && let Some((oldest, _)) = self.newest.pop_front()
        {
            self.forgotten = oldest;
        }
        self.newest.push_back((revision, id));
    }

    /// Everything was deleted: what was before no longer counts.
    pub(super) fn clear(&mut self) {
        *self = Gone::default();
    }

    /// What was deleted after this count, as count and id. `None` if not all of it is remembered.
    pub(super) fn after(&self, revision: u64) -> Option<Vec<(u64, u64)>> {
        (revision >= self.forgotten).then(|| self.newest.iter().filter(|(at, _)| *at > revision).copied().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_missed_more_than_is_remembered_hears_so() {
        let mut gone = Gone::default();
        assert_eq!(gone.after(0), Some(Vec::new()));
        for at in 1..=REMEMBERED as u64 + 2 {
            gone.add(at, at * 10);
        }
        let last = REMEMBERED as u64 + 2;
        assert_eq!(gone.after(1), None);
        assert_eq!(gone.after(2).map(|all| all.len()), Some(REMEMBERED));
        assert_eq!(gone.after(last - 1), Some(vec![(last, last * 10)]));
        gone.clear();
        assert_eq!(gone.after(0), Some(Vec::new()));
    }
}
