//! Texts of records for searches. They are collected once and kept up to date by the store's log of changes, so that a
//! search reads only the records that it finds.

use crate::store::{Revision, Store};
use postern_api::{Code, Error, Result};
use std::{
    collections::{BTreeMap, HashMap},
    ops::Bound,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::watch;

/// Largest total size of the texts. Records beyond it are read again at each search.
const MAX_TEXT_BYTES: usize = 64 << 20;
/// Longest wait until the index includes every acknowledged change.
const FOLLOW_TIMEOUT: Duration = Duration::from_secs(10);

/// Texts of the records of all kinds that were searched.
#[derive(Default)]
pub(super) struct SearchIndex {
    shared: Arc<SharedTexts>,
    /// Revision up to which the changes are applied. The log is followed from the first search on.
    applied: Mutex<Option<watch::Receiver<Revision>>>,
}

#[derive(Default)]
struct SharedTexts {
    all: Mutex<AllTexts>,
}

#[derive(Default)]
struct AllTexts {
    /// Kinds whose changes are applied.
    kinds: HashMap<&'static str, KindTexts>,
    bytes: usize,
}

/// Texts of the records of one kind, by id.
#[derive(Default)]
struct KindTexts {
    records: BTreeMap<String, IndexedText>,
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
        let mut applied = self.followed(store, revision);
        let reached = applied.wait_for(|applied| *applied >= revision);
        match tokio::time::timeout(FOLLOW_TIMEOUT, reached).await {
            Ok(Ok(_)) => Ok(()),
            _ => Err(unavailable()),
        }
    }

    /// The progress of the task that applies changes; it is started again after the log was lost.
    fn followed(&self, store: &Arc<dyn Store>, revision: Revision) -> watch::Receiver<Revision> {
        let mut applied = self.applied.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = applied.as_ref().filter(|running| running.has_changed().is_ok()) {
            return running.clone();
        }
        *self.shared.all() = AllTexts::default();
        let started = follow(store.as_ref(), self.shared.clone(), revision);
        applied.insert(started).clone()
    }

    /// Whether all records of a kind are in the index. From now on its changes are applied.
    pub(super) fn has_kind(&self, kind: &'static str) -> bool {
        self.shared.all().kinds.entry(kind).or_default().is_complete
    }

    /// Adds records of a kind whose changes are applied, and gives their entries.
    pub(super) fn add(&self, kind: &'static str, ids: impl Iterator<Item = String>) -> Vec<IndexedText> {
        let mut all = self.shared.all();
        let records = &mut all.kinds.entry(kind).or_default().records;
        ids.map(|id| records.entry(id).or_default().clone()).collect()
    }

    /// Records that all records of a kind were added.
    pub(super) fn complete(&self, kind: &'static str) {
        self.shared.all().kinds.entry(kind).or_default().is_complete = true;
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
        let all = self.shared.all();
        let texts = all.kinds.get(kind).filter(|texts| texts.is_complete).ok_or_else(unavailable)?;
        let end = before.map_or(Bound::Unbounded, Bound::Excluded);
        let records = texts.records.range::<str, _>((Bound::Unbounded, end)).rev().take(limit);
        Ok(records.map(|(id, text)| (id.clone(), text.clone())).collect())
    }

    /// Stores the text of a record, unless the record was changed after `read` was taken from the index.
    pub(super) fn set(&self, kind: &'static str, id: &str, read: &IndexedText, text: &str) {
        let mut all = self.shared.all();
        let fits = all.bytes + text.len() <= MAX_TEXT_BYTES;
        let record = all.kinds.get_mut(kind).and_then(|texts| texts.records.get_mut(id));
        if let Some(record) = record.filter(|record| fits && record.version == read.version && record.text.is_none()) {
            record.text = Some(text.into());
            all.bytes += text.len();
        }
    }
}

fn unavailable() -> Error {
    Error::new(Code::Unavailable, "The records cannot be searched at the moment. Try again.")
}

impl SharedTexts {
    fn all(&self) -> MutexGuard<'_, AllTexts> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
        let former = self.kinds.get_mut(kind).and_then(|texts| texts.records.remove(id));
        self.bytes -= former.and_then(|former| former.text).map_or(0, |text| text.len());
    }

    /// Marks a record to be read again.
    fn touch(&mut self, id: &str) {
        for texts in self.kinds.values_mut() {
            if let Some(record) = texts.records.get_mut(id) {
                record.version += 1;
                self.bytes -= record.text.take().map_or(0, |text| text.len());
            }
        }
    }
}

/// Applies the changes after `revision`, until the store is closed or its log no longer reaches back.
fn follow(store: &dyn Store, texts: Arc<SharedTexts>, revision: Revision) -> watch::Receiver<Revision> {
    let (announce, applied) = watch::channel(revision);
    let mut log = store.watch("", revision);
    tokio::spawn(async move {
        while let Ok(batch) = log.next().await {
            let mut all = texts.all();
            batch.changes.iter().for_each(|change| all.apply(&change.key, change.value.is_none()));
            drop(all);
            if announce.send(batch.revision).is_err() {
                return;
            }
        }
    });
    applied
}
