//! Read cache over an engine that only this process writes to.
//!
//! Every reader sees every acknowledged commit: the keys of a commit are not cached from before it reaches the engine until
//! it has ended ([`sharded_cache`]). Absent keys are cached too, and so are short ranges as a whole (`modules/<owner>/`,
//! `links/<to>/edghtsrt_`). Both caches are bounded in bytes.

mod sharded_cache;

use super::{
    CacheKey, CacheVersion, Commit, CommitOutcome, Entry, Health, LeaseId, Limits, MAX_READ_AT_ONCE, Page, Range,
    Result, Revision, Store, StoreError, Subscriber, Watch, Write,
};
use futures::{FutureExt, future::BoxFuture};
use sharded_cache::{CacheValue, Lookup, ShardedCache, WriteOutcome};
use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};
use tokio::sync::watch;

/// Memory for the cache of a server.
pub const CACHE_BYTES: u64 = 32 << 20;
/// Share of the memory for ranges: one part in this many.
const RANGES_SHARE: u64 = 4;
/// Last characters of the prefixes of cached ranges: the end of a key segment, or of the prefix of an id.
const RANGE_ENDS: [char; 2] = ['/', '_'];

/// An engine with a read cache.
pub struct Cached {
    inner: Arc<Inner>,
}

struct Inner {
    engine: Arc<dyn Store>,
    keys: ShardedCache<Option<Entry>>,
    /// Whole ranges by their prefix, which ends with one of [`RANGE_ENDS`].
    ranges: ShardedCache<Page>,
    /// Newest acknowledged commit.
    newest: AtomicI64,
}

impl Cached {
    /// Wraps an engine with a cache of at most `bytes`. All writes must go through the cache.
    pub fn new(engine: Arc<dyn Store>, bytes: u64) -> Self {
        let ranges = bytes / RANGES_SHARE;
        Cached {
            inner: Arc::new(Inner {
                engine,
                keys: ShardedCache::new(bytes - ranges),
                ranges: ShardedCache::new(ranges),
                newest: AtomicI64::new(0),
            }),
        }
    }
}

impl CacheValue for Option<Entry> {
    fn bytes(&self) -> usize {
        self.as_ref().map_or(0, |entry| entry.key.len() + entry.value.len())
    }
}

impl CacheValue for Page {
    fn bytes(&self) -> usize {
        self.entries.iter().map(|entry| size_of::<Entry>() + entry.key.len() + entry.value.len()).sum()
    }
}

// === reading ===

impl Inner {
    async fn get(&self, key: &str) -> Result<Option<Entry>> {
        let generation = match self.keys.lookup(key) {
            Lookup::Hit(entry) => return Ok(entry.as_ref().clone()),
            Lookup::Miss(generation) => generation,
            Lookup::Writing => return self.engine.get(key).await,
        };
        let entry = self.engine.get(key).await?;
        self.keys.insert_if_unchanged(key, generation, Arc::new(entry.clone()));
        Ok(entry)
    }

    async fn range(&self, range: Range) -> Result<Page> {
        if range.before.is_some() || !range.prefix.ends_with(RANGE_ENDS) {
            return self.engine.range(range).await;
        }
        // Loaded before the lookup: a page that is found then includes every commit up to it.
        let newest = self.newest.load(Ordering::Acquire);
        let generation = match self.ranges.lookup(&range.prefix) {
            Lookup::Hit(page) => {
                let entries = page.entries.iter().take(range.limit).cloned().collect();
                return Ok(Page { entries, revision: page.revision.max(newest) });
            }
            Lookup::Miss(generation) => generation,
            Lookup::Writing => return self.engine.range(range).await,
        };
        let (prefix, limit) = (range.prefix.clone(), range.limit);
        let page = self.engine.range(range).await?;
        if page.entries.len() < limit {
            self.ranges.insert_if_unchanged(&prefix, generation, Arc::new(page.clone()));
        }
        Ok(page)
    }
}

impl Inner {
    async fn prefetch(&self, keys: Vec<CacheKey>) -> Result<()> {
        let generation = |key: &CacheKey| match key {
            CacheKey::Key(key) => self.keys.lookup(key).generation(),
            CacheKey::Range(prefix) => self.ranges.lookup(prefix).generation(),
        };
        let missing = keys.into_iter().filter_map(|key| generation(&key).map(|generation| (generation, key)));
        let (generations, keys): (Vec<_>, Vec<_>) = missing.unzip();
        if keys.is_empty() {
            return Ok(());
        }
        let pages = self.engine.get_all(keys.clone()).await?;
        for ((generation, key), mut page) in generations.into_iter().zip(keys).zip(pages) {
            match key {
                CacheKey::Key(key) => self.keys.insert_if_unchanged(&key, generation, Arc::new(page.entries.pop())),
                CacheKey::Range(prefix) if page.entries.len() < MAX_READ_AT_ONCE => {
                    self.ranges.insert_if_unchanged(&prefix, generation, Arc::new(page));
                }
                CacheKey::Range(_) => {}
            }
        }
        Ok(())
    }
}

// === writing ===

/// A commit in progress. Dropping it releases its keys, however the commit ended.
struct PendingCommit {
    inner: Arc<Inner>,
    /// New value of each key, sorted; `None` for a key that is bound to a lease.
    keys: Vec<(String, Option<Option<Vec<u8>>>)>,
    prefixes: Vec<String>,
    outcome: WriteOutcome<()>,
}

impl PendingCommit {
    fn begin(inner: Arc<Inner>, writes: &[Write]) -> Self {
        let value = |write: &Write| match write {
            Write::Put(key, value) => (key.clone(), Some(Some(value.clone()))),
            Write::PutLeased(key, _, _) => (key.clone(), None),
            Write::Delete(key) => (key.clone(), Some(None)),
        };
        // The last one first, because it is the one that counts.
        let mut keys: Vec<_> = writes.iter().rev().map(value).collect();
        keys.sort_by(|one, other| one.0.cmp(&other.0));
        keys.dedup_by(|next, kept| next.0 == kept.0);
        let mut prefixes: Vec<String> = keys.iter().flat_map(|(key, _)| prefixes(key)).map(str::to_owned).collect();
        prefixes.sort_unstable();
        prefixes.dedup();
        keys.iter().for_each(|(key, _)| inner.keys.begin(key));
        prefixes.iter().for_each(|prefix| inner.ranges.begin(prefix));
        PendingCommit { inner, keys, prefixes, outcome: WriteOutcome::Unknown }
    }

    fn finish(mut self, outcome: &Result<CommitOutcome>) {
        self.outcome = match outcome {
            Ok(CommitOutcome::Done(revision)) => WriteOutcome::Written(*revision, ()),
            Ok(CommitOutcome::Conflict(_)) => WriteOutcome::Conflict,
            Err(_) => WriteOutcome::Unknown,
        };
    }
}

impl Drop for PendingCommit {
    fn drop(&mut self) {
        if let WriteOutcome::Written(revision, ()) = self.outcome {
            self.inner.newest.fetch_max(revision, Ordering::AcqRel);
        }
        for prefix in &self.prefixes {
            self.inner.ranges.end(prefix, WriteOutcome::Unknown);
        }
        for (key, value) in self.keys.drain(..) {
            let outcome = match (self.outcome, value) {
                (WriteOutcome::Written(revision, ()), Some(value)) => {
                    let entry = value.map(|value| Entry { key: key.clone(), value, revision });
                    WriteOutcome::Written(revision, Arc::new(entry))
                }
                (WriteOutcome::Conflict, _) => WriteOutcome::Conflict,
                _ => WriteOutcome::Unknown,
            };
            self.inner.keys.end(&key, outcome);
        }
    }
}

/// All prefixes of a key whose ranges may be cached.
fn prefixes(key: &str) -> impl Iterator<Item = &str> {
    key.match_indices(RANGE_ENDS).map(|(at, _)| &key[..=at])
}

/// A write to unknown keys. By default it is assumed to have changed some.
struct PendingUnknownWrite {
    inner: Arc<Inner>,
    changed: bool,
}

impl PendingUnknownWrite {
    fn begin(inner: Arc<Inner>) -> Self {
        inner.keys.begin_unknown_write();
        inner.ranges.begin_unknown_write();
        PendingUnknownWrite { inner, changed: true }
    }
}

impl Drop for PendingUnknownWrite {
    fn drop(&mut self) {
        self.inner.keys.end_unknown_write(self.changed);
        self.inner.ranges.end_unknown_write(self.changed);
    }
}

/// Runs a write to completion even if the caller is dropped, because the engine completes it too.
async fn run_to_completion<T: Send + 'static>(work: impl Future<Output = Result<T>> + Send + 'static) -> Result<T> {
    let ended = tokio::spawn(work).await;
    ended.map_err(|error| StoreError::Broken(format!("a write did not finish: {error}")))?
}

// === impl Store ===

impl Store for Cached {
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Entry>>> {
        self.inner.get(key).boxed()
    }

    fn cache_version(&self, key: &CacheKey) -> Option<CacheVersion> {
        match key {
            CacheKey::Key(key) => self.inner.keys.get(key).map(|entry| CacheVersion(entry as _)),
            CacheKey::Range(prefix) => self.inner.ranges.get(prefix).map(|page| CacheVersion(page as _)),
        }
    }

    fn get_all(&self, keys: Vec<CacheKey>) -> BoxFuture<'_, Result<Vec<Page>>> {
        self.inner.engine.get_all(keys)
    }

    fn prefetch(&self, keys: Vec<CacheKey>) -> BoxFuture<'_, Result<()>> {
        self.inner.prefetch(keys).boxed()
    }

    fn range(&self, range: Range) -> BoxFuture<'_, Result<Page>> {
        self.inner.range(range).boxed()
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<CommitOutcome>> {
        let inner = self.inner.clone();
        run_to_completion(async move {
            let pending = PendingCommit::begin(inner.clone(), &commit.writes);
            let outcome = inner.engine.commit(commit).await;
            pending.finish(&outcome);
            outcome
        })
        .boxed()
    }

    fn commit_if_idle(&self, commit: &Commit) -> Option<Result<CommitOutcome>> {
        let mut pending = PendingCommit::begin(self.inner.clone(), &commit.writes);
        let outcome = self.inner.engine.commit_if_idle(commit);
        match &outcome {
            Some(outcome) => pending.finish(outcome),
            None => pending.outcome = WriteOutcome::Conflict,
        }
        outcome
    }

    fn subscribe(&self, after: Revision, subscriber: Subscriber) -> BoxFuture<'_, Result<()>> {
        self.inner.engine.subscribe(after, subscriber)
    }

    fn watch(&self, prefix: &str, after: Revision) -> Box<dyn Watch> {
        self.inner.engine.watch(prefix, after)
    }

    fn limits(&self) -> Limits {
        self.inner.engine.limits()
    }

    fn health(&self) -> watch::Receiver<Health> {
        self.inner.engine.health()
    }

    fn shared(&self) -> Option<&str> {
        self.inner.engine.shared()
    }

    fn grant(&self, lasting: Duration, now: jiff::Timestamp) -> BoxFuture<'_, Result<LeaseId>> {
        self.inner.engine.grant(lasting, now)
    }

    fn keep(&self, lease: LeaseId, now: jiff::Timestamp) -> BoxFuture<'_, Result<bool>> {
        self.inner.engine.keep(lease, now)
    }

    fn revoke(&self, lease: LeaseId) -> BoxFuture<'_, Result<()>> {
        let inner = self.inner.clone();
        run_to_completion(async move {
            let _write = PendingUnknownWrite::begin(inner.clone());
            inner.engine.revoke(lease).await
        })
        .boxed()
    }

    fn checkpoint(&self) -> BoxFuture<'_, Result<()>> {
        self.inner.engine.checkpoint()
    }

    fn expire(&self, now: jiff::Timestamp) -> BoxFuture<'_, Result<usize>> {
        let inner = self.inner.clone();
        run_to_completion(async move {
            let mut write = PendingUnknownWrite::begin(inner.clone());
            let expired = inner.engine.expire(now).await;
            write.changed = !matches!(expired, Ok(0));
            expired
        })
        .boxed()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.inner.engine.close()
    }
}

#[cfg(test)]
mod tests;
