//! The store: a small ordered key-value log. Nothing outside this folder knows which engine is below.
//!
//! Keys are plain text and say the model: `records/<kind>/<id>`, `modules/<owner>/<name>`,
//! `claims/<scope>/<value>`, `links/<to>/<from>`, `uses/<id>`, `events/<id>`. Values are JSON, to the store just bytes.

pub mod cached;
mod error;
pub mod lock;
pub mod sqlite;
#[cfg(test)]
mod suite;

pub use error::{Result, StoreError};

use futures::future::BoxFuture;
use std::{any::Any, path::Path, sync::Arc, time::Duration};

/// Opens the store of a data folder, making both the first time, and locks the folder.
pub fn open(folder: &Path) -> Result<Arc<dyn Store>> {
    Ok(Arc::new(cached::Cached::over(Arc::new(sqlite::open(folder)?), cached::BYTES)))
}

/// Counts commits; every commit has a larger one than those before it.
pub type Revision = i64;

/// Names a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LeaseId(pub i64);

/// One key and what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// The value.
    pub value: Vec<u8>,
    /// The commit that wrote it last.
    pub revision: Revision,
}

/// Keys that begin with `prefix`, largest first.
#[derive(Clone, Debug)]
pub struct Range {
    /// How the keys begin; empty means all keys.
    pub prefix: String,
    /// Only keys smaller than this one, which need not exist.
    pub before: Option<String>,
    /// At most so many.
    pub limit: usize,
}

/// What a range gave, all from one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The entries, largest key first.
    pub entries: Vec<Entry>,
    /// The newest commit the answer includes.
    pub revision: Revision,
}

/// Something in the store that can be looked at without reading it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// One key.
    Key(String),
    /// All keys with a prefix.
    Range(String),
}

/// What is in memory of a place. For as long as nothing is written there, or it is forgotten, it is the very same.
#[derive(Clone)]
pub struct Glance(Arc<dyn Any + Send + Sync>);

/// What must hold for a commit to happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
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
    /// Writes a key that vanishes when the lease ends.
    PutLeased(String, Vec<u8>, LeaseId),
    /// Removes a key; it is no error if it does not exist.
    Delete(String),
}

/// Changes that happen together or not at all.
#[derive(Clone, Debug, Default)]
pub struct Commit {
    /// All must hold.
    pub conditions: Vec<Condition>,
    /// Done in this order.
    pub writes: Vec<Write>,
}

/// How a commit ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is on disk, as this revision.
    Done(Revision),
    /// Nothing was written: this condition did not hold.
    Conflict(Condition),
}

/// A key that changed; `None` means it is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The commit it belongs to.
    pub revision: Revision,
    /// The key.
    pub key: String,
    /// What it holds now.
    pub value: Option<Vec<u8>>,
}

/// Whole commits that a watch has come to. May hold no change at all if none had the prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Everything up to and including this commit was given.
    pub revision: Revision,
    /// What changed, in the order it was committed.
    pub changes: Vec<Change>,
}

/// Follows the log from a revision. Skips nothing and never splits a commit.
pub trait Watch: Send {
    /// Waits for the next commits. [`StoreError::Compacted`] if the log no longer reaches back so far:
    /// read everything again then.
    fn next(&mut self) -> BoxFuture<'_, Result<Batch>>;
}

/// An engine. An acknowledged commit survives a kill of the process.
///
/// Leases take the time as a parameter, so that tests need no clock.
pub trait Store: Send + Sync + 'static {
    /// Reads one key.
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Entry>>>;
    /// Looks at what is in memory of a place, without reading; `None` if it is not there.
    fn glance(&self, _place: &Place) -> Option<Glance> {
        None
    }
    /// Reads keys with a prefix, largest first.
    fn range(&self, range: Range) -> BoxFuture<'_, Result<Page>>;
    /// Writes if all conditions hold.
    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Outcome>>;
    /// Follows changes of keys with a prefix that were committed after a revision.
    fn watch(&self, prefix: &str, after: Revision) -> Box<dyn Watch>;
    /// Begins a lease.
    fn grant(&self, lasting: Duration, now: jiff::Timestamp) -> BoxFuture<'_, Result<LeaseId>>;
    /// Prolongs a lease by its time; false if it has ended already.
    fn keep(&self, lease: LeaseId, now: jiff::Timestamp) -> BoxFuture<'_, Result<bool>>;
    /// Ends a lease at once, its keys with it.
    fn revoke(&self, lease: LeaseId) -> BoxFuture<'_, Result<()>>;
    /// Ends all leases whose time is over, and says how many there were.
    fn expire(&self, now: jiff::Timestamp) -> BoxFuture<'_, Result<usize>>;
}

impl Range {
    /// All keys with a prefix, up to a limit.
    pub fn of(prefix: impl Into<String>, limit: usize) -> Self {
        Range { prefix: prefix.into(), before: None, limit }
    }
}

impl Glance {
    /// Whether nothing was written between two glances at a place.
    pub fn is(&self, other: &Glance) -> bool {
        std::ptr::addr_eq(Arc::as_ptr(&self.0), Arc::as_ptr(&other.0))
    }
}

impl Commit {
    /// The same commit under one more condition.
    #[must_use]
    pub fn when(mut self, condition: Condition) -> Self {
        self.conditions.push(condition);
        self
    }

    /// The same commit with one more key written.
    #[must_use]
    pub fn put(mut self, key: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        self.writes.push(Write::Put(key.into(), value.into()));
        self
    }

    /// The same commit with one more key removed.
    #[must_use]
    pub fn delete(mut self, key: impl Into<String>) -> Self {
        self.writes.push(Write::Delete(key.into()));
        self
    }
}
