//! Texts of records for searches. They are collected in the background and kept up to date by the store's log of changes,
//! so that a search reads only the records that it finds, and those that have just been changed.

use crate::store::{Revision, Store, StoreError, Watch};
use postern_api::{Code, Error, Result};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::Bound,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Largest total size of the texts. Records beyond it are read again at each search.
const MAX_TEXT_BYTES: usize = 64 << 20;
/// Longest wait until the index includes every acknowledged change.
const FOLLOW_TIMEOUT: Duration = Duration::from_secs(10);

/// Texts of the records of all kinds that were searched or collected.
#[derive(Default)]
pub(super) struct SearchIndex {
    /// Locked before the texts.
    log: tokio::sync::Mutex<Option<FollowedLog>>,
    texts: Mutex<AllTexts>,
}

/// The log of changes. It is read when a search needs it, and in the background; commits never wait for it.
struct FollowedLog {
    watch: Box<dyn Watch>,
    applied: Revision,
}

#[derive(Default)]
struct AllTexts {
    /// Kinds whose changes are applied.
    kinds: HashMap<&'static str, KindTexts>,
    /// The record that shows another one, by the id of the latter.
    shown_by: HashMap<String, String>,
    bytes: usize,
}

/// Texts of the records of one kind, by id.
#[derive(Default)]
struct KindTexts {
    records: BTreeMap<String, IndexedText>,
    /// Records whose texts are to be collected.
    pending: BTreeSet<String>,
    /// Whether all records of the kind are there.
    is_complete: bool,
}

/// The text of one record.
#[derive(Clone, Default)]
pub(super) struct IndexedText {
    /// `None`: the record must be read.
    pub(super) text: Option<Arc<str>>,
    /// Number of changes of the record since it is indexed.
    version: u64,
}

impl SearchIndex {
    /// Waits until the index includes all changes up to `revision`.
    ///
    /// # Errors
    /// [`Code::Unavailable`] if that takes too long.
    pub(super) async fn follow(&self, store: &Arc<dyn Store>, revision: Revision) -> Result<()> {
        let caught_up = tokio::time::timeout(FOLLOW_TIMEOUT, self.catch_up(store.as_ref(), revision)).await;
        caught_up.unwrap_or_else(|_| Err(unavailable()))
    }

    async fn catch_up(&self, store: &dyn Store, revision: Revision) -> Result<()> {
        let mut followed = self.log.lock().await;
        loop {
            let log = followed.get_or_insert_with(|| {
                *self.texts() = AllTexts::default();
                FollowedLog { watch: store.watch("", revision), applied: revision }
            });
            if log.applied >= revision {
                return Ok(());
            }
            match log.watch.next().await {
                Ok(batch) => {
                    let mut texts = self.texts();
                    batch.changes.iter().for_each(|change| texts.apply(&change.key, change.value.is_none()));
                    log.applied = batch.revision;
                }
                // All texts must be collected again.
                Err(error) => {
                    *followed = None;
                    if !matches!(error, StoreError::Compacted(_)) {
                        return Err(unavailable());
                    }
                }
            }
        }
    }

    /// Whether all records of a kind are in the index. From now on its changes are applied.
    pub(super) fn has_kind(&self, kind: &'static str) -> bool {
        self.texts().kinds.entry(kind).or_default().is_complete
    }

    /// Adds records of a kind whose changes are applied.
    pub(super) fn add(&self, kind: &'static str, ids: impl Iterator<Item = String>) {
        let mut texts = self.texts();
        let texts = texts.kinds.entry(kind).or_default();
        for id in ids {
            if texts.records.entry(id.clone()).or_default().text.is_none() {
                texts.pending.insert(id);
            }
        }
    }

    /// Records that all records of a kind were added.
    pub(super) fn complete(&self, kind: &'static str) {
        self.texts().kinds.entry(kind).or_default().is_complete = true;
    }

    /// Up to `limit` records of a kind whose texts are to be collected. The caller collects them: no other call gives them.
    pub(super) fn take_pending(&self, kind: &'static str, limit: usize) -> Vec<(String, IndexedText)> {
        let mut texts = self.texts();
        let Some(KindTexts { records, pending, .. }) = texts.kinds.get_mut(kind) else { return Vec::new() };
        let ids = std::iter::from_fn(|| pending.pop_last()).take(limit);
        ids.filter_map(|id| records.get(&id).map(|text| (id.clone(), text.clone()))).collect()
    }

    /// Up to `limit` records of a kind with smaller ids than `before`, the largest first.
    ///
    /// # Errors
    /// [`Code::Unavailable`] if the index was lost.
    pub(super) fn before(
        &self,
        kind: &'static str,
        before: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, IndexedText)>> {
        let texts = self.texts();
        let texts = texts.kinds.get(kind).filter(|texts| texts.is_complete).ok_or_else(unavailable)?;
        let end = before.map_or(Bound::Unbounded, Bound::Excluded);
        let records = texts.records.range::<str, _>((Bound::Unbounded, end)).rev().take(limit);
        Ok(records.map(|(id, text)| (id.clone(), text.clone())).collect())
    }

    /// Stores the text of a record, unless the record was changed after `read` was taken from the index.
    pub(super) fn set(&self, kind: &'static str, id: &str, read: &IndexedText, text: &str) {
        let mut texts = self.texts();
        let fits = texts.bytes + text.len() <= MAX_TEXT_BYTES;
        let record = texts.kinds.get_mut(kind).and_then(|texts| texts.records.get_mut(id));
        if let Some(record) = record.filter(|record| fits && record.version == read.version && record.text.is_none()) {
            record.text = Some(text.into());
            texts.bytes += text.len();
        }
    }

    /// Notes that a record shows others, so that a change of one of those changes its text too.
    pub(super) fn shows(&self, id: &str, others: impl Iterator<Item = String>) {
        self.texts().shown_by.extend(others.map(|other| (other, id.to_owned())));
    }

    fn texts(&self) -> MutexGuard<'_, AllTexts> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unavailable() -> Error {
    Error::new(Code::Unavailable, "The records cannot be searched at the moment. Try again.")
}

impl AllTexts {
    /// Applies one change. A record shows its own values, its modules, and the records that link to it.
    fn apply(&mut self, key: &str, is_deletion: bool) {
        let mut parts = key.split('/');
        match (parts.next(), parts.next(), parts.next()) {
            (Some("records"), Some(kind), Some(id)) if is_deletion => self.remove(kind, id),
            (Some("records"), Some(kind), Some(id)) => {
                if let Some(texts) = self.kinds.get_mut(kind) {
                    texts.records.entry(id.to_owned()).or_default();
                }
                self.touch(id);
            }
            (Some("modules" | "links"), Some(id), _) => self.touch(id),
            _ => {}
        }
    }

    fn remove(&mut self, kind: &str, id: &str) {
        if let Some(owner) = self.shown_by.remove(id) {
            self.touch(&owner);
        }
        let Some(texts) = self.kinds.get_mut(kind) else { return };
        texts.pending.remove(id);
        let former = texts.records.remove(id).and_then(|former| former.text);
        self.bytes -= former.map_or(0, |text| text.len());
    }

    /// Marks a record, and the one that shows it, to be read again.
    fn touch(&mut self, id: &str) {
        if let Some(owner) = self.shown_by.get(id).cloned() {
            self.touch(&owner);
        }
        for texts in self.kinds.values_mut() {
            if let Some(record) = texts.records.get_mut(id) {
                record.version += 1;
                self.bytes -= record.text.take().map_or(0, |text| text.len());
                texts.pending.insert(id.to_owned());
            }
        }
    }
}
