//! The embedded engine: SQLite in WAL mode with `synchronous=FULL`.
//!
//! One thread writes. It takes what has queued up while the disk was busy into one transaction and answers
//! after that transaction is on disk. Reads have connections of their own and never wait for the writer.

mod recent;
mod statements;

use super::{
    Batch, Commit, Entry, LeaseId, Outcome, Page, Range, Result, Revision, Store, StoreError, Watch, lock::FolderLock,
};
use crate::files;
use futures::{FutureExt, future::BoxFuture};
use recent::Recent;
use rusqlite::{Connection, ErrorCode, Transaction};
use statements::{Answer, Together, Work};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread::JoinHandle,
    time::Duration,
};
use tokio::sync::{Semaphore, mpsc, oneshot, watch};

const FILE: &str = "postern.db";
/// Commits that may wait for the disk; more callers wait in line.
const QUEUE: usize = 1024;
/// Commits that may share one transaction.
const GROUP: usize = 128;
/// Commits one step of a watch reads at most.
const WATCH_STEP: Revision = 500;
const READERS: usize = 4;

/// A database in a data folder.
pub struct Sqlite {
    jobs: Option<mpsc::Sender<Job>>,
    writer: Option<JoinHandle<()>>,
    readers: Arc<Readers>,
    recent: Arc<Recent>,
    revision: watch::Receiver<Revision>,
}

/// Opens the database of a folder, making both the first time, and locks the folder.
pub fn open(folder: &Path) -> Result<Sqlite> {
    open_limited(folder, None)
}

fn open_limited(folder: &Path, pages: Option<u32>) -> Result<Sqlite> {
    files::private_folder(folder)?;
    let lock = FolderLock::take(folder)?;
    files::ensure(&folder.join(FILE), files::PRIVATE)?;
    let place = Place { folder: folder.to_owned() };
    let mut connection = place.connect()?;
    let newest = place.sql(statements::prepare(&mut connection, pages))?.ok_or_else(|| place.too_new())?;
    let (announce, revision) = watch::channel(newest);
    let (jobs, queue) = mpsc::channel(QUEUE);
    let readers = Arc::new(Readers { place: place.clone(), idle: Mutex::default(), permits: Semaphore::new(READERS) });
    let recent = Arc::new(Recent::after(newest));
    let writer = Writer { place, connection, announce, recent: recent.clone(), _lock: lock };
    let writer = std::thread::Builder::new()
        .name("store-writer".to_owned())
        .spawn(move || writer.run(queue))
        .map_err(|error| StoreError::Broken(format!("no thread for the writer: {error}")))?;
    Ok(Sqlite { jobs: Some(jobs), writer: Some(writer), readers, recent, revision })
}

// === the folder and its errors ===

#[derive(Clone)]
struct Place {
    folder: PathBuf,
}

impl Place {
    fn connect(&self) -> Result<Connection> {
        let connection = self.sql(Connection::open(self.folder.join(FILE)))?;
        self.sql(connection.busy_timeout(Duration::from_secs(5)))?;
        Ok(connection)
    }

    fn sql<T>(&self, result: rusqlite::Result<T>) -> Result<T> {
        result.map_err(|error| {
            let folder = self.folder.display().to_string();
            match error.sqlite_error_code() {
                Some(ErrorCode::DiskFull) => StoreError::Full { folder },
                Some(ErrorCode::SystemIoFailure) if self.is_full() => StoreError::Full { folder },
                Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                    StoreError::ReadOnly { folder, reason: error.to_string() }
                }
                _ => StoreError::Broken(error.to_string()),
            }
        })
    }

    /// A full disk shows in several ways; what the file system says settles it.
    #[cfg(unix)]
    fn is_full(&self) -> bool {
        rustix::fs::statvfs(&self.folder).is_ok_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) < 128 << 10)
    }
    #[cfg(not(unix))]
    fn is_full(&self) -> bool {
        false
    }

    fn too_new(&self) -> StoreError {
        StoreError::TooNew { folder: self.folder.display().to_string() }
    }
}

// === the writer ===

struct Job {
    work: Work,
    answer: oneshot::Sender<Result<Answer>>,
}

struct Writer {
    place: Place,
    connection: Connection,
    announce: watch::Sender<Revision>,
    recent: Arc<Recent>,
    _lock: FolderLock,
}

impl Writer {
    fn run(mut self, mut queue: mpsc::Receiver<Job>) {
        while let Some(first) = queue.blocking_recv() {
            let mut group = vec![first];
            while group.len() < GROUP {
                match queue.try_recv() {
                    Ok(job) => group.push(job),
                    Err(_) => break,
                }
            }
            let done = self.together(group.iter().map(|job| &job.work));
            match done {
                Ok(answers) => {
                    for (job, answer) in group.into_iter().zip(answers) {
                        let _ = job.answer.send(Ok(answer));
                    }
                }
                // One of them does not fit on the disk, perhaps: the others shall not suffer for it.
                Err(_) if group.len() > 1 => {
                    for job in group {
                        let answer = self.alone(&job.work);
                        let _ = job.answer.send(answer);
                    }
                }
                Err(error) => {
                    for job in group {
                        let _ = job.answer.send(Err(error.clone()));
                    }
                }
            }
        }
    }

    fn alone(&mut self, work: &Work) -> Result<Answer> {
        let mut answers = self.together(std::iter::once(work))?;
        answers.pop().ok_or_else(|| StoreError::Broken("one job has no answer".to_owned()))
    }

    /// Does jobs in one transaction; when this returns they are on disk.
    fn together<'a>(&mut self, group: impl Iterator<Item = &'a Work>) -> Result<Vec<Answer>> {
        let result = statements::together(&mut self.connection, group);
        let Together { answers, changes, newest } = self.place.sql(result)?;
        self.recent.add(changes, newest);
        self.announce.send_if_modified(|former| std::mem::replace(former, newest) != newest);
        Ok(answers)
    }
}

// === the readers ===

struct Readers {
    place: Place,
    idle: Mutex<Vec<Connection>>,
    permits: Semaphore,
}

impl Readers {
    async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        query: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        let _permit = self.permits.acquire().await.map_err(|_| StoreError::Broken("the store is closed".to_owned()))?;
        let readers = self.clone();
        let read = move || {
            let idle = readers.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut connection = match idle {
                Some(connection) => connection,
                None => readers.place.connect()?,
            };
            let result = connection.transaction().and_then(|transaction| query(&transaction));
            readers.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
            readers.place.sql(result)
        };
        let task = tokio::task::spawn_blocking(read);
        task.await.map_err(|error| StoreError::Broken(format!("a read did not finish: {error}")))?
    }
}

struct Follower {
    readers: Arc<Readers>,
    recent: Arc<Recent>,
    newest: watch::Receiver<Revision>,
    prefix: String,
    after: Revision,
}

impl Watch for Follower {
    fn next(&mut self) -> BoxFuture<'_, Result<Batch>> {
        async move {
            let after = self.after;
            let newest = self.newest.wait_for(|newest| *newest > after).await.map(|newest| *newest);
            let newest = newest.map_err(|_| StoreError::Broken("the store is closed".to_owned()))?;
            let (until, prefix) = (newest.min(after + WATCH_STEP), self.prefix.clone());
            let changes = match self.recent.between(&prefix, after, until) {
                Some(changes) => changes,
                None => {
                    let read =
                        move |transaction: &Transaction<'_>| statements::changes(transaction, &prefix, after, until);
                    self.readers.read(read).await?.ok_or(StoreError::Compacted(after))?
                }
            };
            self.after = until;
            Ok(Batch { revision: until, changes })
        }
        .boxed()
    }
}

// === impl Store ===

impl Sqlite {
    async fn perform(&self, work: Work) -> Result<Answer> {
        let closed = || StoreError::Broken("the store is closed".to_owned());
        let (answer, answered) = oneshot::channel();
        let jobs = self.jobs.as_ref().ok_or_else(closed)?;
        jobs.send(Job { work, answer }).await.map_err(|_| closed())?;
        answered.await.map_err(|_| closed())?
    }
}

fn mismatch() -> StoreError {
    StoreError::Broken("the writer answered another question".to_owned())
}

impl Store for Sqlite {
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Entry>>> {
        let key = key.to_owned();
        self.readers.read(move |transaction| statements::get(transaction, &key)).boxed()
    }

    fn range(&self, range: Range) -> BoxFuture<'_, Result<Page>> {
        self.readers.read(move |transaction| statements::range(transaction, &range)).boxed()
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Outcome>> {
        async move {
            match self.perform(Work::Commit(commit)).await? {
                Answer::Committed(outcome) => Ok(outcome),
                _ => Err(mismatch()),
            }
        }
        .boxed()
    }

    fn watch(&self, prefix: &str, after: Revision) -> Box<dyn Watch> {
        Box::new(Follower {
            readers: self.readers.clone(),
            recent: self.recent.clone(),
            newest: self.revision.clone(),
            prefix: prefix.to_owned(),
            after,
        })
    }

    fn grant(&self, lasting: Duration, now: jiff::Timestamp) -> BoxFuture<'_, Result<LeaseId>> {
        async move {
            let lasting = i64::try_from(lasting.as_millis()).unwrap_or(i64::MAX);
            match self.perform(Work::Grant { lasting, now: now.as_millisecond() }).await? {
                Answer::Granted(lease) => Ok(lease),
                _ => Err(mismatch()),
            }
        }
        .boxed()
    }

    fn keep(&self, lease: LeaseId, now: jiff::Timestamp) -> BoxFuture<'_, Result<bool>> {
        async move {
            match self.perform(Work::Keep { lease, now: now.as_millisecond() }).await? {
                Answer::Kept(kept) => Ok(kept),
                _ => Err(mismatch()),
            }
        }
        .boxed()
    }

    fn revoke(&self, lease: LeaseId) -> BoxFuture<'_, Result<()>> {
        async move {
            match self.perform(Work::Revoke(lease)).await? {
                Answer::Revoked => Ok(()),
                _ => Err(mismatch()),
            }
        }
        .boxed()
    }

    fn expire(&self, now: jiff::Timestamp) -> BoxFuture<'_, Result<usize>> {
        async move {
            match self.perform(Work::Expire { now: now.as_millisecond() }).await? {
                Answer::Expired(count) => Ok(count),
                _ => Err(mismatch()),
            }
        }
        .boxed()
    }
}

impl Drop for Sqlite {
    /// Waits for the writer, so that the folder is free when the store is gone.
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

#[cfg(test)]
mod tests;
