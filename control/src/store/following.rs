//! Follows the entries with a prefix: all of them first, then what changes. If the log no longer reaches back far enough, all of
//! them come again.

use super::{Change, Entry, Range, Result, Revision, Store, StoreError, Watch};
use std::sync::Weak;

const PAGE_SIZE: usize = 1000;

/// What a follower is told.
#[derive(Debug)]
pub(crate) enum Followed {
    /// All entries, in place of what was known before.
    All(Vec<Entry>),
    /// Changes since then, at least one, in the order of their commits.
    Changed(Vec<Change>),
}

/// Follows a store that may be closed meanwhile.
pub(crate) struct Following {
    store: Weak<dyn Store>,
    prefix: &'static str,
    /// `None` until everything has been read.
    watch: Option<Box<dyn Watch>>,
}

impl Following {
    pub(crate) fn new(store: Weak<dyn Store>, prefix: &'static str) -> Self {
        Following { store, prefix, watch: None }
    }

    /// Waits for what comes next; the first call does not wait. Can be cancelled.
    ///
    /// # Errors
    /// If the store is closed or fails.
    pub(crate) async fn next(&mut self) -> Result<Followed> {
        loop {
            let Some(watch) = &mut self.watch else {
                let store = self.store.upgrade().ok_or(StoreError::Closed)?;
                let (entries, revision) = entries_with(store.as_ref(), self.prefix).await?;
                self.watch = Some(store.watch(self.prefix, revision));
                return Ok(Followed::All(entries));
            };
            match watch.next().await {
                Ok(batch) if batch.changes.is_empty() => {}
                Ok(batch) => return Ok(Followed::Changed(batch.changes)),
                Err(StoreError::Compacted(_)) => self.watch = None,
                Err(error) => return Err(error),
            }
        }
    }
}

/// All entries with a prefix, and a revision after which everything that they may lack was committed.
///
/// # Errors
/// If the store fails.
pub(crate) async fn entries_with(store: &dyn Store, prefix: &str) -> Result<(Vec<Entry>, Revision)> {
    let mut next = Some(Range::new(prefix, PAGE_SIZE));
    let (mut entries, mut first) = (Vec::new(), None);
    while let Some(range) = next {
        let page = store.range(range.clone()).await?;
        first.get_or_insert(page.revision);
        next = range.after(&page);
        entries.extend(page.entries);
    }
    Ok((entries, first.unwrap_or_default()))
}
