//! All keys in memory, in order, and the versions of what was read from them.

use crate::store::{CacheKey, CacheVersion, Change, Entry, Page, Range, Revision};
use std::{
    collections::{BTreeMap, HashMap},
    ops::Bound,
    sync::{Arc, Mutex, PoisonError},
};

/// Versions of absent keys and of ranges that are remembered; beyond it all are forgotten.
const MAX_VERSIONS: usize = 1 << 16;
/// Last characters of the prefixes of ranges that have versions.
const RANGE_ENDS: [char; 2] = ['/', '_'];

/// A value.
#[derive(Debug)]
pub(super) struct Stored {
    pub(super) value: Vec<u8>,
    pub(super) revision: Revision,
    /// 0 if it has none.
    pub(super) lease: i64,
}

/// All keys. Their names are those of the store's users, without the prefix.
#[derive(Default)]
pub(super) struct Memory {
    /// Newest revision that it holds.
    revision: Revision,
    entries: BTreeMap<String, Arc<Stored>>,
    /// Versions of absent keys and of ranges that were asked for.
    versions: Mutex<HashMap<String, Arc<()>>>,
}

impl Memory {
    /// Newest revision that it holds.
    pub(super) fn revision(&self) -> Revision {
        self.revision
    }

    /// Holds everything up to a revision from now on.
    pub(super) fn set_revision(&mut self, revision: Revision) {
        self.revision = revision;
    }

    pub(super) fn get(&self, key: &str) -> Option<&Arc<Stored>> {
        self.entries.get(key)
    }

    /// Revision that wrote a key; 0 if it is absent.
    pub(super) fn revision_of(&self, key: &str) -> Revision {
        self.get(key).map_or(0, |stored| stored.revision)
    }

    pub(super) fn entry(&self, key: &str) -> Option<Entry> {
        self.get(key).map(|stored| entry(key, stored))
    }

    /// Entries of a range, largest key first.
    pub(super) fn page(&self, range: &Range) -> Page {
        // Begins with the prefix, and is larger than all keys that do.
        let end = format!("{}{}", range.prefix, char::MAX);
        let end = match &range.before {
            Some(before) if *before < end => before,
            _ => &end,
        };
        let mut entries = Vec::new();
        if *end > range.prefix {
            let from = (Bound::Included(range.prefix.as_str()), Bound::Excluded(end.as_str()));
            let newest = self.entries.range::<str, _>(from).rev().take(range.limit);
            entries.extend(newest.map(|(key, stored)| entry(key, stored)));
        }
        Page { entries, revision: self.revision }
    }

    /// Changes one key; `lease` is that of a written key.
    pub(super) fn change(&mut self, change: &Change, lease: i64) {
        match &change.value {
            Some(value) => {
                let stored = Arc::new(Stored { value: value.clone(), revision: change.revision, lease });
                self.entries.insert(change.key.clone(), stored);
            }
            None => _ = self.entries.remove(&change.key),
        }
        let versions = self.versions.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !versions.is_empty() {
            versions.remove(&change.key);
            for (at, _) in change.key.match_indices(RANGE_ENDS) {
                versions.remove(&change.key[..=at]);
            }
        }
    }

    /// All keys with their values.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&String, &Arc<Stored>)> {
        self.entries.iter()
    }

    /// Whether a key is held by a lease.
    pub(super) fn has_lease(&self, lease: i64) -> bool {
        self.entries.values().any(|stored| stored.lease == lease)
    }

    /// Version of a key or a range.
    pub(super) fn version(&self, key: &CacheKey) -> Option<CacheVersion> {
        let name = match key {
            CacheKey::Key(key) => match self.get(key) {
                Some(stored) => return Some(CacheVersion(stored.clone() as _)),
                None => key,
            },
            CacheKey::Range(prefix) if prefix.ends_with(RANGE_ENDS) => prefix,
            CacheKey::Range(_) => return None,
        };
        let mut versions = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(version) = versions.get(name) {
            return Some(CacheVersion(version.clone() as _));
        }
        if versions.len() >= MAX_VERSIONS {
            versions.clear();
        }
        let version = Arc::new(());
        versions.insert(name.clone(), version.clone());
        Some(CacheVersion(version as _))
    }
}

fn entry(key: &str, stored: &Stored) -> Entry {
    Entry { key: key.to_owned(), value: stored.value.clone(), revision: stored.revision }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(key: &str, revision: Revision, value: Option<&str>) -> Change {
        Change { revision, key: key.to_owned(), value: value.map(|value| value.as_bytes().to_vec()) }
    }

    #[test]
    fn versions_change_with_what_they_are_of() {
        let mut memory = Memory::default();
        let key = |key: &str| CacheKey::Key(key.to_owned());
        let range = |prefix: &str| CacheKey::Range(prefix.to_owned());
        let same = |memory: &Memory, key: &CacheKey, then: &CacheVersion| {
            memory.version(key).expect("it has a version").is_same(then)
        };
        memory.change(&change("m/1/a", 1, Some("x")), 0);
        let watched = [key("m/1/a"), key("m/1/b"), range("m/1/"), range("m/"), range("m/2/")];
        let then = watched.each_ref().map(|key| memory.version(key).expect("it has a version"));
        for (key, then) in watched.iter().zip(&then) {
            assert!(same(&memory, key, then), "{key:?} did not change");
        }
        memory.change(&change("m/1/b", 2, Some("x")), 0);
        let changed: Vec<bool> = watched.iter().zip(&then).map(|(key, then)| !same(&memory, key, then)).collect();
        assert_eq!(changed, [false, true, true, true, false]);
        memory.change(&change("m/1/a", 3, None), 0);
        assert!(!same(&memory, &watched[0], &then[0]), "it was deleted");
        assert!(memory.version(&range("m")).is_none(), "only whole segments have versions");
    }
}
