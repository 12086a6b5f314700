//! Lists of records in pages, and their search.

use super::{
    Caller, Resources, keys,
    list_search::{ListSearch, search_text},
    rules::{Rules, StoredRecord},
};
use crate::store::Range;
use postern_api::{
    Id, Result,
    resource::{Record, Resource},
};

/// Records read at once by a search.
const BATCH_SIZE: usize = 1000;

/// A page of records, newest first.
pub(crate) struct RecordPage<R: Resource> {
    pub(crate) records: Vec<Record<R>>,
    /// Cursor of the next page, if there is one.
    pub(crate) before: Option<Id<R>>,
}

impl<R: Resource> RecordPage<R> {
    /// The first `limit` of these records; one more tells that there is another page.
    fn new(mut records: Vec<Record<R>>, limit: usize) -> Self {
        let has_more = records.len() > limit;
        records.truncate(limit);
        RecordPage { before: records.last().filter(|_| has_more).map(|record| record.id.clone()), records }
    }
}

impl Resources {
    /// Reads a page of the records that the caller may see, are older than `before`, and match `search`.
    ///
    /// # Errors
    /// If the caller may not see the kind, or the store fails.
    pub(crate) async fn list<R: Rules>(
        &self,
        caller: &Caller,
        before: Option<&Id<R>>,
        limit: usize,
        search: &str,
    ) -> Result<RecordPage<R>> {
        caller.check_kind_access::<R>()?;
        let search = ListSearch::new(search);
        let records = match (search.is_empty(), R::SEARCH_INDEXED) {
            (true, _) => self.scan(caller, before, limit + 1, limit + 1, None).await?,
            (false, true) => self.search_index::<R>(caller, before, limit + 1, &search).await?,
            (false, false) => self.scan(caller, before, limit + 1, BATCH_SIZE, Some(&search)).await?,
        };
        Ok(RecordPage::new(records, limit))
    }

    /// Up to `count` records, read from the store in batches.
    async fn scan<R: Rules>(
        &self,
        caller: &Caller,
        before: Option<&Id<R>>,
        count: usize,
        batch_size: usize,
        search: Option<&ListSearch>,
    ) -> Result<Vec<Record<R>>> {
        let mut range = Range::new(keys::records::<R>(), batch_size);
        range.before = before.map(|id| keys::record::<R>(id.as_str()));
        let mut records = Vec::new();
        loop {
            let page = self.store.range(range.clone()).await?;
            for entry in &page.entries {
                let stored = self.codec.read_record::<R>(entry)?;
                if !may_see(caller, &stored) {
                    continue;
                }
                let record = self.show(&stored).await?;
                let is_found =
                    search.map_or(Ok(true), |search| search_text(&record).map(|text| search.matches(&text)))?;
                if is_found {
                    records.push(record);
                }
                if records.len() == count {
                    return Ok(records);
                }
            }
            match page.entries.last() {
                Some(last) if page.entries.len() == range.limit => range.before = Some(last.key.clone()),
                _ => return Ok(records),
            }
        }
    }

    /// Up to `count` records that match, found by their indexed texts.
    async fn search_index<R: Rules>(
        &self,
        caller: &Caller,
        before: Option<&Id<R>>,
        count: usize,
        search: &ListSearch,
    ) -> Result<Vec<Record<R>>> {
        self.index::<R>().await?;
        let mut last = before.map(|id| id.as_str().to_owned());
        let mut records = Vec::new();
        loop {
            let batch = self.search_index.before(R::KIND, last.as_deref(), BATCH_SIZE)?;
            for (id, indexed) in &batch {
                if indexed.text.as_deref().is_some_and(|text| !search.matches(text)) {
                    continue;
                }
                let Some((stored, _)) = self.load(&Id::<R>::parse(id)?).await? else { continue };
                if !may_see(caller, &stored) {
                    continue;
                }
                let record = self.show(&stored).await?;
                let text = search_text(&record)?;
                self.search_index.set(R::KIND, id, indexed, &text);
                if search.matches(&text) {
                    records.push(record);
                }
                if records.len() == count {
                    return Ok(records);
                }
            }
            match batch.last() {
                Some((id, _)) if batch.len() == BATCH_SIZE => last = Some(id.clone()),
                _ => return Ok(records),
            }
            tokio::task::yield_now().await;
        }
    }

    /// Brings the index up to date. At the first search of a kind, the texts of all its records are collected.
    async fn index<R: Rules>(&self) -> Result<()> {
        let mut range = Range::new(keys::records::<R>(), 1);
        let newest = self.store.range(range.clone()).await?.revision;
        self.search_index.follow(&self.store, newest).await?;
        if self.search_index.has_kind(R::KIND) {
            return Ok(());
        }
        range.limit = BATCH_SIZE;
        loop {
            let page = self.store.range(range.clone()).await?;
            let stored = page.entries.iter().map(|entry| self.codec.read_record::<R>(entry));
            let stored = stored.collect::<Result<Vec<_>>>()?;
            let indexed = self.search_index.add(R::KIND, stored.iter().map(|record| record.id.to_string()));
            for (stored, indexed) in stored.iter().zip(&indexed) {
                let text = search_text(&self.show(stored).await?)?;
                self.search_index.set(R::KIND, stored.id.as_str(), indexed, &text);
            }
            match page.entries.last() {
                Some(last) if page.entries.len() == range.limit => range.before = Some(last.key.clone()),
                _ => break,
            }
        }
        self.search_index.complete(R::KIND);
        Ok(())
    }
}

fn may_see<R: Rules>(caller: &Caller, stored: &StoredRecord<R>) -> bool {
    caller.check_owner_access(stored.spec.owner()).is_ok()
}
