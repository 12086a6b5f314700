//! The store: a small ordered key-value store with a log of changes. The engine is known only in this folder.
//!
//! Keys are plain text and show the model: `records/<kind>/<id>`, `modules/<owner>/<name>`,
//! `claims/<scope>/<value>`, `links/<to>/<from>`, `uses/<id>`, `events/<id>`. Values are JSON, opaque to the store.

pub mod cached;
mod copying;
mod error;
mod etcd;
mod following;
pub mod lock;
mod nodes;
mod presence;
mod recent_changes;
mod replica;
pub mod sqlite;
#[cfg(test)]
mod suite;

pub use copying::Copied;
pub(crate) use copying::{copy, is_own, refuse_incomplete};
pub use error::{Result, StoreError};
pub use etcd::address::{Address, SharedLocation};
pub(crate) use following::{Followed, Following, entries_with};
pub(crate) use lock::{FILE as LOCK_FILE, FolderLock, RESTORING};
pub(crate) use nodes::node_id;
pub use nodes::{NodeRecord, Nodes};
pub(crate) use presence::Hold;
pub use presence::{Presence, Usage, host_name};
pub use sqlite::StoreReport;
pub(crate) use sqlite::{Snapshot, delete, inspect, read_all, write_all};

use futures::{FutureExt, future::BoxFuture};
use std::{any::Any, path::Path, sync::Arc, time::Duration};
use tokio::sync::watch;

/// Opens the store of a data folder, creates both the first time, and locks the folder.
///
/// # Errors
/// If the folder cannot be read or written, another server uses it, a newer version wrote it, or its server has its
/// configuration elsewhere.
pub fn open(folder: &Path) -> Result<Arc<dyn Store>> {
    // An empty database would look as if everything were lost.
    if presence::is_elsewhere(folder) && !sqlite::exists(folder) {
        return Err(StoreError::Elsewhere { folder: folder.display().to_string() });
    }
    Ok(Arc::new(cached::Cached::new(Arc::new(sqlite::open(folder)?), cached::CACHE_BYTES)))
}

/// Whether a data folder has a database of its own.
pub(crate) fn has_database(folder: &Path) -> bool {
    sqlite::exists(folder)
}

/// Opens the database of a data folder. One that has none gets a new one, even if its server had its configuration elsewhere.
///
/// # Errors
/// If the folder cannot be read or written, another server uses it, or a newer version wrote it.
pub(crate) fn open_database(folder: &Path) -> Result<Arc<dyn Store>> {
    Ok(Arc::new(sqlite::open_or_create(folder)?))
}

/// Renames the database of a data folder that no server uses, so that none is started on it again.
///
/// # Errors
/// If it cannot be renamed.
pub(crate) fn set_database_aside(folder: &Path) -> Result<()> {
    sqlite::set_aside(folder)
}

/// Examines the store of a data folder that no server uses, and repairs what can be repaired; see [`StoreReport`].
///
/// # Errors
/// If a server uses the folder, or the files cannot be read or written.
pub fn examine(folder: &Path, repair: bool) -> Result<StoreReport> {
    sqlite::examine(folder, repair)
}

/// Opens a store that several programs share. Needs a Tokio runtime.
///
/// # Errors
/// If the store does not answer, or refuses this client.
pub async fn open_shared(location: &SharedLocation) -> Result<Arc<dyn Store>> {
    Ok(Arc::new(replica::Replica::open(location).await?))
}

/// Number of a commit; each commit has a larger one than all before it.
pub type Revision = i64;

/// Entries of each range that [`Store::get_all`] reads at most.
pub const MAX_READ_AT_ONCE: usize = 100;

/// Id of a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LeaseId(pub i64);

/// One key and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// The value.
    pub value: Vec<u8>,
    /// Commit that wrote it last.
    pub revision: Revision,
}

/// Keys with a prefix, largest first.
#[derive(Clone, Debug)]
pub struct Range {
    /// Prefix of the keys; empty for all keys.
    pub prefix: String,
    /// Only keys smaller than this one, which need not exist.
    pub before: Option<String>,
    /// Largest number of entries.
    pub limit: usize,
}

/// Entries of a range, all of the same revision of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The entries, largest key first.
    pub entries: Vec<Entry>,
    /// Newest commit that the page includes.
    pub revision: Revision,
}

/// Keys whose cached version can be compared without reading them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CacheKey {
    /// One key.
    Key(String),
    /// All keys with a prefix.
    Range(String),
}

/// Version of a cached value. It stays the same until the value is written or evicted.
#[derive(Clone)]
pub struct CacheVersion(Arc<dyn Any + Send + Sync>);

/// Precondition of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommitCondition {
    /// The key does not exist.
    Absent(String),
    /// The key exists.
    Present(String),
    /// The key exists and was last written by this commit.
    Unchanged(String, Revision),
    /// No key with this prefix was written after this commit. Deletions do not count.
    NoneNewer(String, Revision),
}

/// One change of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// Writes a key.
    Put(String, Vec<u8>),
    /// Writes a key that is deleted when the lease ends.
    PutLeased(String, Vec<u8>, LeaseId),
    /// Deletes a key, if it exists.
    Delete(String),
}

/// Changes that are committed together or not at all.
#[derive(Clone, Debug, Default)]
pub struct Commit {
    /// Preconditions, which must all hold.
    pub conditions: Vec<CommitCondition>,
    /// Changes, in order.
    pub writes: Vec<Write>,
}

/// CommitOutcome of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommitOutcome {
    /// Committed to disk as this revision.
    Done(Revision),
    /// Nothing was written, because this condition failed.
    Conflict(CommitCondition),
}

/// A changed key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Commit it belongs to.
    pub revision: Revision,
    /// The key.
    pub key: String,
    /// New value; `None` if the key was deleted.
    pub value: Option<Vec<u8>>,
}

/// Complete commits delivered by a watch. May be without changes if none had the prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Everything up to and including this commit has been delivered.
    pub revision: Revision,
    /// Changes in the order of their commits.
    pub changes: Vec<Change>,
}

/// What fits into one commit, whatever its parts are. Larger ones may be refused with [`StoreError::TooLarge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Conditions.
    pub conditions: usize,
    /// Writes.
    pub writes: usize,
    /// Bytes of all keys and values.
    pub bytes: usize,
}

/// Whether changes can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// They can.
    Reachable,
    /// They cannot at the moment; reads go on.
    Away,
}

/// Called with the changes of each commit in order, and the revision up to which they are complete. It runs on the thread
/// that commits and holds up all commits, so it must be short and never wait.
pub type Subscriber = Box<dyn FnMut(&[Change], Revision) + Send>;

/// Follows the log from a revision, without gaps and without splitting commits.
pub trait Watch: Send {
    /// Waits for the next commits. [`StoreError::Compacted`] if the log no longer reaches back to the revision: then
    /// everything must be read again.
    fn next(&mut self) -> BoxFuture<'_, Result<Batch>>;
}

/// A storage engine. An acknowledged commit survives a kill of the process.
///
/// Leases take the time as a parameter, so that tests need no clock.
pub trait Store: Send + Sync + 'static {
    /// Reads one key.
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Entry>>>;
    /// Version of a cached value; `None` if it is not in the cache.
    fn cache_version(&self, _key: &CacheKey) -> Option<CacheVersion> {
        None
    }
    /// Reads what several keys hold, all of the same revision: at most [`MAX_READ_AT_ONCE`] entries of each range.
    fn get_all(&self, keys: Vec<CacheKey>) -> BoxFuture<'_, Result<Vec<Page>>>;
    /// Reads what several keys hold into the cache, so that they can be read one after the other at little cost.
    fn prefetch(&self, _keys: Vec<CacheKey>) -> BoxFuture<'_, Result<()>> {
        async { Ok(()) }.boxed()
    }
    /// Reads keys with a prefix, largest first.
    fn range(&self, range: Range) -> BoxFuture<'_, Result<Page>>;
    /// Commits changes if all conditions hold.
    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<CommitOutcome>>;
    /// The same on the calling thread, which waits for the disk, so that the commit is handed over to no other thread.
    /// `None` if other commits are in progress or if the thread must not wait: then [`Store::commit`] shares theirs.
    fn commit_if_idle(&self, _commit: &Commit) -> Option<Result<CommitOutcome>> {
        None
    }
    /// Calls `subscriber` with all changes after a revision: with those of a commit when it is on disk, and before it is
    /// acknowledged. [`StoreError::Compacted`] if the log no longer reaches back to the revision.
    fn subscribe(&self, after: Revision, subscriber: Subscriber) -> BoxFuture<'_, Result<()>>;
    /// Follows changes of keys with a prefix that were committed after a revision.
    fn watch(&self, prefix: &str, after: Revision) -> Box<dyn Watch>;
    /// What fits into one commit.
    fn limits(&self) -> Limits {
        Limits { conditions: usize::MAX, writes: usize::MAX, bytes: usize::MAX }
    }
    /// Follows whether changes can be made.
    fn health(&self) -> watch::Receiver<Health> {
        watch::Sender::new(Health::Reachable).subscribe()
    }
    /// Address of a store that other programs may use at the same time; `None` for one of this process alone.
    fn shared(&self) -> Option<&str> {
        None
    }
    /// Begins a lease.
    fn grant(&self, lasting: Duration, now: jiff::Timestamp) -> BoxFuture<'_, Result<LeaseId>>;
    /// Extends a lease by its duration; false if it has ended.
    fn keep(&self, lease: LeaseId, now: jiff::Timestamp) -> BoxFuture<'_, Result<bool>>;
    /// Ends a lease and deletes its keys.
    fn revoke(&self, lease: LeaseId) -> BoxFuture<'_, Result<()>>;
    /// Moves the changes of the log into the main storage, as far as no reader needs them.
    fn checkpoint(&self) -> BoxFuture<'_, Result<()>>;
    /// Ends all expired leases, and gives their number.
    fn expire(&self, now: jiff::Timestamp) -> BoxFuture<'_, Result<usize>>;
    /// Finishes what was requested, completes the main storage, and frees the folder. Later requests fail with [`StoreError::Closed`].
    fn close(&self) -> BoxFuture<'_, ()>;
}

impl Range {
    /// All keys with a prefix, up to a limit.
    pub fn new(prefix: impl Into<String>, limit: usize) -> Self {
        Range { prefix: prefix.into(), before: None, limit }
    }

    /// The entries that follow a page of this range; `None` if there are none.
    pub fn after(&self, page: &Page) -> Option<Range> {
        let last = page.entries.last().filter(|_| page.entries.len() == self.limit)?;
        Some(Range { before: Some(last.key.clone()), ..self.clone() })
    }
}

impl CacheVersion {
    /// Whether nothing was written between the two versions.
    pub fn is_same(&self, other: &CacheVersion) -> bool {
        std::ptr::addr_eq(Arc::as_ptr(&self.0), Arc::as_ptr(&other.0))
    }
}

impl Commit {
    /// Adds a condition.
    #[must_use]
    pub fn when(mut self, condition: CommitCondition) -> Self {
        self.conditions.push(condition);
        self
    }

    /// Adds a write of a key.
    #[must_use]
    pub fn put(mut self, key: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        self.writes.push(Write::Put(key.into(), value.into()));
        self
    }

    /// Adds a deletion of a key.
    #[must_use]
    pub fn delete(mut self, key: impl Into<String>) -> Self {
        self.writes.push(Write::Delete(key.into()));
        self
    }
}
