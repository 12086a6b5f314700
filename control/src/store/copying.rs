//! Copies everything from one store into an empty one. A mark in the new store says that it is incomplete until the end, and
//! a server refuses to start on it.

use super::{
    Commit, CommitCondition, CommitOutcome, Range, Result, Store, StoreError, Write,
    nodes::{KEEPER, NODES},
};

/// Key of the mark.
const MARK: &str = "cluster/incomplete";
/// Entries that belong to the servers of a store, not to what they serve.
const OWN: [&str; 8] =
    ["cluster/", NODES, KEEPER, "acme/orders/", "acme/proofs/", "bound/", "console_sessions/", "spent/"];
const PAGE_SIZE: usize = 500;
/// Writes of one commit at most, if the store has no lower limit.
const MAX_WRITES: usize = 500;
/// Bytes of one commit at most, if the store has no lower limit; a larger entry has a commit of its own.
const MAX_BYTES: usize = 512 << 10;

/// What was copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Entries.
    pub entries: usize,
    /// Bytes of their keys and values.
    pub bytes: usize,
}

/// Copies all entries but those of the servers themselves. Both stores must have no other user; `held` is called between two
/// commits, and its failure ends the copy.
///
/// # Errors
/// `NotEmpty` if the new store has entries that are not those of a copy that was cut short, or if one of the stores fails.
pub(crate) async fn copy(
    from: &dyn Store,
    to: &dyn Store,
    mut held: impl AsyncFnMut() -> Result<()>,
) -> Result<Copied> {
    refuse_incomplete(from).await?;
    begin(to).await?;
    let mut batch = Batch::new(to);
    let mut range = Some(Range::new("", PAGE_SIZE));
    while let Some(next) = range {
        let page = from.range(next.clone()).await?;
        for entry in page.entries.iter().filter(|entry| !is_own(&entry.key)) {
            batch.add(entry.key.clone(), entry.value.clone()).await?;
        }
        held().await?;
        range = next.after(&page);
    }
    let copied = batch.end().await?;
    let present = count(to).await?;
    if present != copied.entries {
        return Err(StoreError::Broken(format!("of {} entries, {present} were copied", copied.entries)));
    }
    commit(to, Commit::default().delete(MARK)).await?;
    Ok(copied)
}

/// Refuses a store that a copy was not finished into.
///
/// # Errors
/// `Incomplete`, or if the store fails.
pub(crate) async fn refuse_incomplete(store: &dyn Store) -> Result<()> {
    if store.get(MARK).await?.is_none() {
        return Ok(());
    }
    Err(StoreError::Incomplete { place: place(store) })
}

/// Whether an entry belongs to the servers of a store, not to what they serve.
pub(crate) fn is_own(key: &str) -> bool {
    OWN.iter().any(|prefix| key.starts_with(prefix))
}

fn place(store: &dyn Store) -> String {
    store
        .shared()
        .map_or_else(|| "The database of the data folder".to_owned(), |address| format!("The store `{address}`"))
}

/// Sets the mark in a store that is empty, or that has a mark already: then what was copied before is deleted.
async fn begin(to: &dyn Store) -> Result<()> {
    let had_mark = to.get(MARK).await?.is_some();
    while let Some(found) = entries(to).await? {
        if !had_mark {
            return Err(StoreError::NotEmpty { place: place(to) });
        }
        commit(to, found.into_iter().fold(Commit::default(), Commit::delete)).await?;
    }
    if had_mark {
        return Ok(());
    }
    commit(to, Commit::default().put(MARK, "").when(CommitCondition::Absent(MARK.to_owned()))).await
}

/// Some of the keys to be copied that a store has; `None` if it has none.
async fn entries(store: &dyn Store) -> Result<Option<Vec<String>>> {
    let most = store.limits().writes.min(MAX_WRITES);
    let mut range = Some(Range::new("", PAGE_SIZE));
    while let Some(next) = range {
        let page = store.range(next.clone()).await?;
        let keys = page.entries.iter().map(|entry| &entry.key).filter(|key| !is_own(key));
        let keys: Vec<String> = keys.take(most).cloned().collect();
        if !keys.is_empty() {
            return Ok(Some(keys));
        }
        range = next.after(&page);
    }
    Ok(None)
}

async fn count(store: &dyn Store) -> Result<usize> {
    let mut count = 0;
    let mut range = Some(Range::new("", PAGE_SIZE));
    while let Some(next) = range {
        let page = store.range(next.clone()).await?;
        count += page.entries.iter().filter(|entry| !is_own(&entry.key)).count();
        range = next.after(&page);
    }
    Ok(count)
}

async fn commit(store: &dyn Store, commit: Commit) -> Result<()> {
    match store.commit(commit).await? {
        CommitOutcome::Done(_) => Ok(()),
        CommitOutcome::Conflict(_) => Err(StoreError::NotEmpty { place: place(store) }),
    }
}

/// Writes that are committed together.
struct Batch<'a> {
    to: &'a dyn Store,
    writes: Vec<Write>,
    bytes: usize,
    copied: Copied,
}

impl<'a> Batch<'a> {
    fn new(to: &'a dyn Store) -> Self {
        Batch { to, writes: Vec::new(), bytes: 0, copied: Copied::default() }
    }

    async fn add(&mut self, key: String, value: Vec<u8>) -> Result<()> {
        let limits = self.to.limits();
        let bytes = key.len() + value.len();
        let is_full =
            self.writes.len() == limits.writes.min(MAX_WRITES) || self.bytes + bytes > limits.bytes.min(MAX_BYTES);
        if is_full {
            self.commit().await?;
        }
        self.bytes += bytes;
        self.copied.entries += 1;
        self.copied.bytes += bytes;
        self.writes.push(Write::Put(key, value));
        Ok(())
    }

    async fn commit(&mut self) -> Result<()> {
        self.bytes = 0;
        let writes = std::mem::take(&mut self.writes);
        if writes.is_empty() {
            return Ok(());
        }
        commit(self.to, Commit { writes, ..Commit::default() }).await
    }

    async fn end(mut self) -> Result<Copied> {
        self.commit().await?;
        Ok(self.copied)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sqlite;

    const NOT_HELD: StoreError = StoreError::Closed;

    fn held() -> impl AsyncFnMut() -> Result<()> {
        async || Ok(())
    }

    async fn put(store: &dyn Store, key: &str, value: &str) {
        store.commit(Commit::default().put(key, value)).await.expect("committed");
    }

    async fn value(store: &dyn Store, key: &str) -> Option<String> {
        let entry = store.get(key).await.expect("read")?;
        Some(String::from_utf8(entry.value).expect("text"))
    }

    #[tokio::test]
    async fn everything_is_copied_but_what_belongs_to_servers() {
        let folders = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (from, to) = (sqlite::open(folders.0.path()).unwrap(), sqlite::open(folders.1.path()).unwrap());
        let large = "x".repeat(MAX_BYTES + 1);
        for number in 0..2 * MAX_WRITES {
            put(&from, &format!("records/{number:05}"), &number.to_string()).await;
        }
        put(&from, "modules/large", &large).await;
        put(&from, "nodes/a", "{}").await;
        put(&from, "bound/host/localhost.shop", "{}").await;
        put(&from, "spent/00", "100").await;
        put(&from, "trash/ipp_1", "left").await;
        let copied = copy(&from, &to, held()).await.expect("copied");
        assert_eq!(copied.entries, 2 * MAX_WRITES + 2);
        assert_eq!(value(&to, "trash/ipp_1").await.as_deref(), Some("left"), "a deletion to be completed");
        assert_eq!(value(&to, "records/00999").await.as_deref(), Some("999"));
        assert_eq!(value(&to, "modules/large").await, Some(large));
        assert_eq!((value(&to, "nodes/a").await, value(&to, MARK).await), (None, None));
        refuse_incomplete(&to).await.expect("complete");
    }

    #[tokio::test]
    async fn a_store_in_use_is_not_overwritten() {
        let folders = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (from, to) = (sqlite::open(folders.0.path()).unwrap(), sqlite::open(folders.1.path()).unwrap());
        put(&from, "records/a", "new").await;
        put(&to, "records/a", "old").await;
        let refused = copy(&from, &to, held()).await.expect_err("refused");
        assert!(matches!(refused, StoreError::NotEmpty { .. }), "{refused}");
        assert_eq!(value(&to, "records/a").await.as_deref(), Some("old"));
        refuse_incomplete(&to).await.expect("no mark");
    }

    #[tokio::test]
    async fn a_copy_that_was_cut_short_is_refused_and_can_be_repeated() {
        let folders = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (from, to) = (sqlite::open(folders.0.path()).unwrap(), sqlite::open(folders.1.path()).unwrap());
        for number in 0..3 * PAGE_SIZE {
            put(&from, &format!("records/{number:05}"), "kept").await;
        }
        let mut pages = 0;
        let cut = copy(&from, &to, async || {
            pages += 1;
            if pages < 3 { Ok(()) } else { Err(NOT_HELD) }
        });
        cut.await.expect_err("cut short");
        let refused = refuse_incomplete(&to).await.expect_err("incomplete");
        assert!(matches!(refused, StoreError::Incomplete { .. }), "{refused}");
        // What has gone since then must not appear.
        from.commit(Commit::default().delete("records/01499")).await.expect("deleted");
        assert_eq!(copy(&from, &to, held()).await.expect("copied").entries, 3 * PAGE_SIZE - 1);
        assert_eq!(value(&to, "records/01499").await, None);
        refuse_incomplete(&to).await.expect("complete");
    }
}
