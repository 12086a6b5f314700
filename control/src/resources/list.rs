//! Lists of records in pages, and their search.

use super::{
    Caller, Resources, keys,
    list_search::{ListSearch, search_text},
    rights::Access,
    rules::{Rules, StoredRecord},
    search_index::IndexedText,
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
    /// A page that is followed by another.
    fn with_more(records: Vec<Record<R>>) -> Self {
        RecordPage { before: records.last().map(|record| record.id.clone()), records }
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
        caller.check_kind_access::<R>(Access::See)?;
        let search = ListSearch::new(search);
        match (search.is_empty(), R::SEARCH_INDEXED) {
            (true, _) => self.scan(caller, before, limit, limit + 1, None).await,
            (false, true) => self.find_indexed::<R>(caller, before, limit, &search).await,
            (false, false) => self.scan(caller, before, limit, BATCH_SIZE, Some(&search)).await,
        }
    }

    /// A page of records, read from the store in batches.
    async fn scan<R: Rules>(
        &self,
        caller: &Caller,
        before: Option<&Id<R>>,
        limit: usize,
        batch_size: usize,
        search: Option<&ListSearch>,
    ) -> Result<RecordPage<R>> {
        let mut first = Range::new(keys::records::<R>(), batch_size);
        first.before = before.map(|id| keys::record::<R>(id.as_str()));
        let mut next = Some(first);
        let mut records = Vec::new();
        while let Some(range) = next {
            let page = self.store.range(range.clone()).await?;
            for entry in &page.entries {
                let stored = self.codec.read_record::<R>(entry)?;
                if !may_see(caller, &stored) {
                    continue;
                }
                if search.is_none() && records.len() == limit {
                    return Ok(RecordPage::with_more(records));
                }
                let record = self.show(&stored).await?;
                if let Some(search) = search
                    && !search.matches(&search_text(&record)?)
                {
                    continue;
                }
                if records.len() == limit {
                    return Ok(RecordPage::with_more(records));
                }
                records.push(record);
            }
            next = range.after(&page);
        }
        Ok(RecordPage { records, before: None })
    }

    /// A page of records that match, found by their indexed texts.
    async fn find_indexed<R: Rules>(
        &self,
        caller: &Caller,
        before: Option<&Id<R>>,
        limit: usize,
        search: &ListSearch,
    ) -> Result<RecordPage<R>> {
        self.index::<R>().await?;
        let mut last = before.map(|id| id.as_str().to_owned());
        let mut records = Vec::new();
        loop {
            let batch = self.search_index.before(R::KIND, last.as_deref(), BATCH_SIZE)?;
            let may_match = |indexed: &IndexedText| indexed.text.as_deref().is_none_or(|text| search.matches(text));
            let candidates = batch.iter().filter(|(_, indexed)| may_match(indexed));
            let needed = candidates.clone().take(limit + 1 - records.len());
            self.prefetch_shown::<R>(needed.map(|(id, _)| id.as_str())).await?;
            for (id, indexed) in candidates {
                let Some((stored, _)) = self.load(&Id::<R>::parse(id)?).await? else { continue };
                if !may_see(caller, &stored) {
                    continue;
                }
                let record = self.show(&stored).await?;
                let text = search_text(&record)?;
                self.search_index.set(R::KIND, id, indexed, &text);
                if !search.matches(&text) {
                    continue;
                }
                if records.len() == limit {
                    return Ok(RecordPage::with_more(records));
                }
                records.push(record);
            }
            match batch.last() {
                Some((id, _)) if batch.len() == BATCH_SIZE => last = Some(id.clone()),
                _ => return Ok(RecordPage { records, before: None }),
            }
            tokio::task::yield_now().await;
        }
    }
}

fn may_see<R: Rules>(caller: &Caller, stored: &StoredRecord<R>) -> bool {
    caller.check_owner_access(stored.spec.owner()).is_ok()
}
