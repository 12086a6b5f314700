//! Collects the texts of records for the search index: of all kinds in the background, and of one when it is searched.

use super::{Resources, keys, list_search::search_text, rules::Rules};
use crate::store::{CacheKey, Range};
use futures::{FutureExt, future::BoxFuture};
use postern_api::{Code, Id, Result};
use std::{sync::Weak, time::Duration};

/// Records whose ids are read at once.
const BATCH_SIZE: usize = 1000;
/// Records whose texts are collected without a pause for other work of the thread.
const TEXTS_AT_ONCE: usize = 50;
/// Time without a change after which texts are collected again: while many changes follow each other, a search collects
/// what it needs.
const SETTLE_TIME: Duration = Duration::from_millis(500);

/// Brings the index of one kind up to date.
pub(crate) type IndexKind = for<'a> fn(&'a Resources) -> BoxFuture<'a, Result<()>>;

/// The function that indexes a kind, if its records are searched by an index.
pub(crate) fn index_kind<R: Rules>() -> Option<IndexKind> {
    let index: IndexKind = |resources| resources.index::<R>().boxed();
    (R::SEARCH_INDEXED && R::PARENT.is_none()).then_some(index)
}

/// Keeps the index of all these kinds up to date, as long as the resources are there and their store is open.
pub(crate) async fn keep_index(resources: Weak<Resources>, kinds: Vec<IndexKind>) {
    let Some(mut revision) = resources.upgrade().map(|resources| resources.published_revision.clone()) else { return };
    loop {
        revision.mark_unchanged();
        for index in &kinds {
            let Some(resources) = resources.upgrade() else { return };
            match index(&resources).await {
                Ok(()) => {}
                Err(error) if error.code == Code::ServerDraining => return,
                Err(error) => tracing::debug!(%error, "texts for searches could not be collected"),
            }
        }
        if revision.changed().await.is_err() {
            return;
        }
        loop {
            revision.mark_unchanged();
            tokio::time::sleep(SETTLE_TIME).await;
            if !revision.has_changed().unwrap_or_default() {
                break;
            }
        }
    }
}

impl Resources {
    /// Brings the index of a kind up to date. The first time, the texts of all its records are collected.
    ///
    /// # Errors
    /// If the store fails, or a record cannot be read.
    pub(super) async fn index<R: Rules>(&self) -> Result<()> {
        // Every change is published before it is acknowledged.
        let newest = *self.published_revision.borrow();
        self.search_index.follow(&self.store, newest).await?;
        if !self.search_index.has_kind(R::KIND) {
            let mut next = Some(Range::new(keys::records::<R>(), BATCH_SIZE));
            while let Some(range) = next {
                let page = self.store.range(range.clone()).await?;
                let ids = page.entries.iter().filter_map(|entry| entry.key.rsplit('/').next());
                self.search_index.add(R::KIND, ids.map(str::to_owned));
                next = range.after(&page);
            }
            self.search_index.complete(R::KIND);
        }
        self.collect_texts::<R>().await
    }

    /// Collects the texts of new and changed records.
    async fn collect_texts<R: Rules>(&self) -> Result<()> {
        loop {
            let batch = self.search_index.take_pending(R::KIND, TEXTS_AT_ONCE);
            if batch.is_empty() {
                return Ok(());
            }
            self.prefetch_shown::<R>(batch.iter().map(|(id, _)| id.as_str())).await?;
            for (id, indexed) in &batch {
                if let Some((stored, _)) = self.load(&Id::<R>::parse(id)?).await? {
                    let text = search_text(&self.show(&stored).await?)?;
                    self.search_index.set(R::KIND, id, indexed, &text);
                }
            }
            tokio::task::yield_now().await;
        }
    }

    /// Reads what records show into the cache of the store, all at once.
    pub(super) async fn prefetch_shown<'a, R: Rules>(
        &self,
        ids: impl Iterator<Item = &'a str> + Clone + Send,
    ) -> Result<()> {
        let mut wanted: Vec<CacheKey> = ids.clone().map(|id| CacheKey::Key(keys::record::<R>(id))).collect();
        if R::HAS_MODULES {
            wanted.extend(ids.clone().map(|id| CacheKey::Range(keys::modules_of(id))));
        }
        let Some((prefix, kind)) = R::SHOWN else { return Ok(self.store.prefetch(wanted).await?) };
        let links = |id: &str| format!("{}{prefix}_", keys::links_to(id));
        wanted.extend(ids.clone().map(|id| CacheKey::Range(links(id))));
        self.store.prefetch(wanted).await?;
        let mut wanted = Vec::new();
        for id in ids {
            let page = self.store.range(Range::new(links(id), BATCH_SIZE)).await?;
            // Links of modules have one segment more.
            let shown = page.entries.iter().filter_map(|entry| entry.key.strip_prefix(&keys::links_to(id)));
            let shown = shown.filter(|shown| !shown.contains('/'));
            self.search_index.shows(id, shown.clone().map(str::to_owned));
            wanted.extend(shown.clone().map(|shown| CacheKey::Key(format!("records/{kind}/{shown}"))));
            wanted.extend(shown.map(|shown| CacheKey::Range(keys::modules_of(shown))));
        }
        Ok(self.store.prefetch(wanted).await?)
    }
}
