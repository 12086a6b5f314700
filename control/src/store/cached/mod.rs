//! Reads from memory, over any engine that only this process writes to.
//!
//! Every reader sees every acknowledged commit, as without it: what a commit writes is not remembered from before it
//! reaches the engine until after it has ended ([`memory`]). Keys that do not exist are remembered too, and so are
//! short ranges as a whole (`modules/<owner>/`, `links/<to>/edghtsrt_`). Both are bounded in bytes.

mod memory;

use super::{
    Commit, Entry, Glance, LeaseId, Outcome, Page, Place, Range, Result, Revision, Store, StoreError, Watch, Write,
};
use futures::{FutureExt, future::BoxFuture};
use memory::{Ending, Look, Memory, Remembered};
use std::{
    collections::{BTreeSet, HashMap},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

/// Memory for a server's reads.
pub const BYTES: u64 = 32 << 20;
/// Ranges get one part of so many.
const RANGES_SHARE: u64 = 4;
/// How the prefix of a range ends that is remembered: where a part of a key ends, or the prefix of an id.
const ENDS: [char; 2] = ['/', '_'];

/// An engine whose reads are remembered.
pub struct Cached {
    inner: Arc<Inner>,
}

struct Inner {
    engine: Arc<dyn Store>,
    keys: Memory<Option<Entry>>,
    /// Whole ranges by their prefix, which ends with one of [`ENDS`].
    ranges: Memory<Page>,
    /// The newest commit that was acknowledged here.
    newest: AtomicI64,
}

impl Cached {
    /// Remembers what an engine says, within so many bytes. Nobody else may write to the engine.
    pub fn over(engine: Arc<dyn Store>, bytes: u64) -> Self {
        let ranges = bytes / RANGES_SHARE;
        Cached {
            inner: Arc::new(Inner {
                engine,
                keys: Memory::new(bytes - ranges),
                ranges: Memory::new(ranges),
                newest: AtomicI64::new(0),
            }),
        }
    }
}

impl Remembered for Option<Entry> {
    fn bytes(&self) -> usize {
        self.as_ref().map_or(0, |entry| entry.key.len() + entry.value.len())
    }
}

impl Remembered for Page {
    fn bytes(&self) -> usize {
        self.entries.iter().map(|entry| size_of::<Entry>() + entry.key.len() + entry.value.len()).sum()
    }
}

// === reading ===

impl Inner {
    async fn get(&self, key: &str) -> Result<Option<Entry>> {
        let generation = match self.keys.look(key) {
            Look::Found(entry) => return Ok(entry.as_ref().clone()),
            Look::Unknown(generation) => generation,
            Look::Busy => return self.engine.get(key).await,
        };
        let entry = self.engine.get(key).await?;
        self.keys.take_in(key, generation, Arc::new(entry.clone()));
        Ok(entry)
    }

    async fn range(&self, range: Range) -> Result<Page> {
        if range.before.is_some() || !range.prefix.ends_with(ENDS) {
            return self.engine.range(range).await;
        }
        // Read before the look: what is found then holds everything up to here that has the prefix.
        let newest = self.newest.load(Ordering::Acquire);
        let generation = match self.ranges.look(&range.prefix) {
            Look::Found(page) => {
                let entries = page.entries.iter().take(range.limit).cloned().collect();
                return Ok(Page { entries, revision: page.revision.max(newest) });
            }
            Look::Unknown(generation) => generation,
            Look::Busy => return self.engine.range(range).await,
        };
        let (prefix, limit) = (range.prefix.clone(), range.limit);
        let page = self.engine.range(range).await?;
        if page.entries.len() < limit {
            self.ranges.take_in(&prefix, generation, Arc::new(page.clone()));
        }
        Ok(page)
    }
}

// === writing ===

/// A commit under way. However it ends, what it may have written is let go of.
struct Underway {
    inner: Arc<Inner>,
    /// What each key holds if the commit happens; nothing for a key that ends with its lease.
    keys: HashMap<String, Option<Option<Vec<u8>>>>,
    prefixes: BTreeSet<String>,
    ending: Ending<()>,
}

impl Underway {
    fn begin(inner: Arc<Inner>, writes: &[Write]) -> Self {
        let mut keys = HashMap::new();
        for write in writes {
            match write {
                Write::Put(key, value) => keys.insert(key.clone(), Some(Some(value.clone()))),
                Write::PutLeased(key, _, _) => keys.insert(key.clone(), None),
                Write::Delete(key) => keys.insert(key.clone(), Some(None)),
            };
        }
        let prefixes: BTreeSet<String> = keys.keys().flat_map(|key| prefixes(key)).map(str::to_owned).collect();
        keys.keys().for_each(|key| inner.keys.begin(key));
        prefixes.iter().for_each(|prefix| inner.ranges.begin(prefix));
        Underway { inner, keys, prefixes, ending: Ending::Unknown }
    }

    fn ended(mut self, outcome: &Result<Outcome>) {
        self.ending = match outcome {
            Ok(Outcome::Done(revision)) => Ending::Written(*revision, ()),
            Ok(Outcome::Conflict(_)) => Ending::Refused,
            Err(_) => Ending::Unknown,
        };
    }
}

impl Drop for Underway {
    fn drop(&mut self) {
        if let Ending::Written(revision, ()) = self.ending {
            self.inner.newest.fetch_max(revision, Ordering::AcqRel);
        }
        for prefix in &self.prefixes {
            self.inner.ranges.end(prefix, Ending::Unknown);
        }
        for (key, value) in self.keys.drain() {
            let ending = match (self.ending, value) {
                (Ending::Written(revision, ()), Some(value)) => {
                    let entry = value.map(|value| Entry { key: key.clone(), value, revision });
                    Ending::Written(revision, Arc::new(entry))
                }
                (Ending::Refused, _) => Ending::Refused,
                _ => Ending::Unknown,
            };
            self.inner.keys.end(&key, ending);
        }
    }
}

/// All prefixes of a key whose ranges may be remembered.
fn prefixes(key: &str) -> impl Iterator<Item = &str> {
    key.match_indices(ENDS).map(|(at, _)| &key[..=at])
}

/// A write to keys nobody names. Unless it says otherwise it has touched some.
struct Sweep {
    inner: Arc<Inner>,
    touched: bool,
}

impl Sweep {
    fn begin(inner: Arc<Inner>) -> Self {
        inner.keys.begin_sweep();
        inner.ranges.begin_sweep();
        Sweep { inner, touched: true }
    }
}

impl Drop for Sweep {
    fn drop(&mut self) {
        self.inner.keys.end_sweep(self.touched);
        self.inner.ranges.end_sweep(self.touched);
    }
}

/// Sees work to its end even if the caller leaves: the engine does so too, and then it counts.
async fn to_its_end<T: Send + 'static>(work: impl Future<Output = Result<T>> + Send + 'static) -> Result<T> {
    let ended = tokio::spawn(work).await;
    ended.map_err(|error| StoreError::Broken(format!("a write did not finish: {error}")))?
}

// === impl Store ===

impl Store for Cached {
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Entry>>> {
        self.inner.get(key).boxed()
    }

    fn glance(&self, place: &Place) -> Option<Glance> {
        match place {
            Place::Key(key) => self.inner.keys.held(key).map(|entry| Glance(entry as _)),
            Place::Range(prefix) => self.inner.ranges.held(prefix).map(|page| Glance(page as _)),
        }
    }

    fn range(&self, range: Range) -> BoxFuture<'_, Result<Page>> {
        self.inner.range(range).boxed()
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Outcome>> {
        let inner = self.inner.clone();
        to_its_end(async move {
            let underway = Underway::begin(inner.clone(), &commit.writes);
            let outcome = inner.engine.commit(commit).await;
            underway.ended(&outcome);
            outcome
        })
        .boxed()
    }

    fn watch(&self, prefix: &str, after: Revision) -> Box<dyn Watch> {
        self.inner.engine.watch(prefix, after)
    }

    fn grant(&self, lasting: Duration, now: jiff::Timestamp) -> BoxFuture<'_, Result<LeaseId>> {
        self.inner.engine.grant(lasting, now)
    }

    fn keep(&self, lease: LeaseId, now: jiff::Timestamp) -> BoxFuture<'_, Result<bool>> {
        self.inner.engine.keep(lease, now)
    }

    fn revoke(&self, lease: LeaseId) -> BoxFuture<'_, Result<()>> {
        let inner = self.inner.clone();
        to_its_end(async move {
            let _sweep = Sweep::begin(inner.clone());
            inner.engine.revoke(lease).await
        })
        .boxed()
    }

    fn expire(&self, now: jiff::Timestamp) -> BoxFuture<'_, Result<usize>> {
        let inner = self.inner.clone();
        to_its_end(async move {
            let mut sweep = Sweep::begin(inner.clone());
            let expired = inner.engine.expire(now).await;
            sweep.touched = !matches!(expired, Ok(0));
            expired
        })
        .boxed()
    }
}

#[cfg(test)]
mod tests;
