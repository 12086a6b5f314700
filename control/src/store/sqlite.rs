//! The embedded engine: SQLite in WAL mode with `synchronous=FULL`.
//!
//! One connection writes. A commit that comes alone is written by the thread that asks for it, if that thread may wait.
//! Others queue up for the writer thread, which groups those that came while the disk was busy into one transaction, and
//! responds when the transaction is on disk. Reads have connections of their own and never wait for the writer.

mod doctor;
mod folder_state;
mod statements;
mod transfer;
mod writer;

use super::{
    Batch, CacheKey, Commit, CommitOutcome, Entry, LeaseId, Page, Range, Result, Revision, Store, StoreError,
    Subscriber, Watch, lock::FolderLock, recent_changes::RecentChanges,
};
use crate::files;
pub use doctor::{Snapshot, StoreReport, delete, examine, inspect};
use folder_state::{FolderState, FoundDatabase};
use futures::{FutureExt, future::BoxFuture};
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, config::DbConfig};
use statements::{PreparedDatabase, WriteRequest, WriteResponse};
use std::{
    borrow::Cow,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, TryLockError},
    thread::JoinHandle,
    time::Duration,
};
use tokio::{
    runtime::{Handle, RuntimeFlavor},
    sync::{Semaphore, mpsc, oneshot, watch},
};
pub use transfer::{read_all, write_all};
use writer::{Job, SharedWriter, WriteJob, Writer};

const FILE: &str = "postern.db";
const LOG_FILE: &str = "postern.db-wal";
/// A database whose content was copied into another store.
const SET_ASIDE: &str = "postern.db.copied";
/// A larger database is checked in the background while it is used already.
const MAX_CHECKED_AT_OPEN: u64 = 64 << 20;
/// Requests that may wait for the writer; further callers wait to enqueue.
const QUEUE_LIMIT: usize = 1024;
const MAX_READERS: usize = 4;

/// A database in a data folder.
pub struct Sqlite {
    /// `None` once the database is closed.
    jobs: Mutex<Option<mpsc::Sender<Job>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    writer: SharedWriter,
    readers: Arc<Readers>,
    recent: Arc<RecentChanges>,
    revision: watch::Receiver<Revision>,
}

/// Opens the database of a folder, creates both the first time, and locks the folder.
///
/// # Errors
/// If the folder cannot be read or written, another server uses it, or a newer version wrote it.
pub fn open(folder: &Path) -> Result<Sqlite> {
    open_limited(folder, None, Missing::IsLost)
}

/// Like [`open`], but a folder without a database gets a new one even if it is that of a server that was started before.
///
/// # Errors
/// Like those of [`open`].
pub(super) fn open_or_create(folder: &Path) -> Result<Sqlite> {
    open_limited(folder, None, Missing::IsCreated)
}

/// Renames the database of a folder that no server uses, so that none is started on it again.
///
/// # Errors
/// If it cannot be renamed.
pub(super) fn set_aside(folder: &Path) -> Result<()> {
    Ok(files::rename(&folder.join(FILE), &folder.join(SET_ASIDE))?)
}

/// Whether a folder has a database.
pub(super) fn exists(folder: &Path) -> bool {
    folder.join(FILE).exists()
}

/// What it means that the folder of a server has no database.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    IsLost,
    IsCreated,
}

fn open_limited(folder: &Path, pages: Option<u32>, missing: Missing) -> Result<Sqlite> {
    files::create_private_folder(folder)?;
    let lock = FolderLock::take(folder)?;
    let is_created = missing == Missing::IsCreated && !exists(folder);
    let folder = DatabaseFolder { folder: folder.to_owned() };
    let (mut connection, log_bytes) = folder.open_file()?;
    let found = folder.identify(&connection, log_bytes)?;
    if !is_created {
        found.check()?;
    }
    folder.check_content(&connection, found.id.is_some())?;
    let is_former = found.layout > 0 && found.layout < statements::LAYOUT;
    if is_former {
        folder.keep_copy(&connection)?;
    }
    folder.sql(statements::configure(&connection, pages))?;
    let prepared = folder.sql(statements::prepare(&mut connection))?;
    let PreparedDatabase { id, newest } = prepared.ok_or_else(|| folder.too_new())?;
    if is_former && let Err(error) = statements::shrink(&connection) {
        tracing::warn!(%error, "the migrated database is as large as before");
    }
    if found.id.is_none() {
        FolderState::unsaved(&id).write(&folder.folder)?;
    }
    let (announce, revision) = watch::channel(newest);
    let (jobs, queue) = mpsc::channel(QUEUE_LIMIT);
    let readers =
        Arc::new(Readers { folder: folder.clone(), idle: Mutex::default(), permits: Semaphore::new(MAX_READERS) });
    let recent = Arc::new(RecentChanges::new(newest));
    let writer = Writer::new(folder, id, connection, announce, recent.clone(), lock);
    let writer: SharedWriter = Arc::new(Mutex::new(Some(writer)));
    let shared = writer.clone();
    let thread = std::thread::Builder::new()
        .name("store-writer".to_owned())
        .spawn(move || writer::run(&shared, queue))
        .map_err(|error| StoreError::Broken(format!("no thread for the writer: {error}")))?;
    let (jobs, thread) = (Mutex::new(Some(jobs)), Mutex::new(Some(thread)));
    Ok(Sqlite { jobs, thread, writer, readers, recent, revision })
}

// === the folder and its errors ===

#[derive(Clone)]
struct DatabaseFolder {
    folder: PathBuf,
}

impl DatabaseFolder {
    fn connect(&self) -> Result<Connection> {
        let connection = self.sql(Connection::open(self.folder.join(FILE)))?;
        self.sql(connection.busy_timeout(Duration::from_secs(5)))?;
        Ok(connection)
    }

    /// A connection that changes nothing: also the log of a server that was killed stays as it is.
    fn open_to_read(&self) -> Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = self.sql(Connection::open_with_flags(self.folder.join(FILE), flags))?;
        self.leave_log(&connection)?;
        Ok(connection)
    }

    /// Lets the log stay when the connection is closed, because `store.json` says that it is needed.
    fn leave_log(&self, connection: &Connection) -> Result<()> {
        self.sql(connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)).map(|_| ())
    }

    /// Size of a file of the folder in bytes; 0 if it is missing.
    fn size(&self, file: &str) -> u64 {
        std::fs::metadata(self.folder.join(file)).map_or(0, |metadata| metadata.len())
    }

    /// Opens the database file, and creates it if it is missing. Also returns the size of the log before.
    fn open_file(&self) -> Result<(Connection, u64)> {
        let log_bytes = self.size(LOG_FILE);
        files::open_or_create(&self.folder.join(FILE))?;
        Ok((self.connect()?, log_bytes))
    }

    /// What the database is, and what its folder says about it.
    fn identify(&self, connection: &Connection, log_bytes: u64) -> Result<FoundDatabase> {
        let (layout, id) = self.sql(statements::identify(connection))?;
        FoundDatabase::new(&self.folder, layout, id, log_bytes)
    }

    /// Refuses a database whose structure or entries are damaged. A large one is checked in the background, and its damage
    /// is only logged.
    fn check_content(&self, connection: &Connection, has_checksums: bool) -> Result<()> {
        if self.size(FILE) <= MAX_CHECKED_AT_OPEN {
            return self.check_with(connection, has_checksums);
        }
        let folder = self.clone();
        let check = move || {
            if let Err(error) = folder.connect().and_then(|connection| folder.check_with(&connection, has_checksums)) {
                tracing::error!(%error, "the database is damaged");
            }
        };
        let thread = std::thread::Builder::new().name("store-check".to_owned()).spawn(check);
        thread.map(drop).map_err(|error| StoreError::Broken(format!("no thread for the check: {error}")))
    }

    fn check_with(&self, connection: &Connection, has_checksums: bool) -> Result<()> {
        let faults = self.sql(statements::structural_faults(connection))?;
        if let Some(fault) = faults.first() {
            return Err(self.damaged(fault));
        }
        let damaged = if has_checksums { self.sql(statements::damaged_keys(connection))? } else { Vec::new() };
        match damaged.as_slice() {
            [] => Ok(()),
            [key] => Err(self.damaged(format!("the checksum of `{key}` does not fit"))),
            [key, more @ ..] => {
                Err(self.damaged(format!("the checksums of `{key}` and {} further entries do not fit", more.len())))
            }
        }
    }

    /// Copies the database of a former version, so that one can go back to that version.
    fn keep_copy(&self, connection: &Connection) -> Result<()> {
        let failed = |error: std::io::Error| StoreError::from_io(&self.folder, &error);
        let copy =
            tempfile::Builder::new().prefix(".copy.").suffix(".new").tempfile_in(&self.folder).map_err(failed)?;
        self.sql(statements::copy_into(connection, &copy.path().to_string_lossy()))?;
        copy.as_file().sync_all().map_err(failed)?;
        let place = self.folder.join(format!("{FILE}.before-{}", statements::LAYOUT));
        copy.persist(&place).map_err(|error| failed(error.error))?;
        postern_config::private_file::sync_folder(&self.folder).map_err(failed)?;
        tracing::info!(copy = %place.display(), "the database of a former version is migrated");
        Ok(())
    }

    fn damaged(&self, what: impl ToString) -> StoreError {
        StoreError::Damaged { folder: self.folder.display().to_string(), what: what.to_string() }
    }

    fn sql<T>(&self, result: rusqlite::Result<T>) -> Result<T> {
        result.map_err(|error| {
            let folder = self.folder.display().to_string();
            // Values that are not what was written, such as texts that are not UTF-8.
            if let rusqlite::Error::FromSqlConversionFailure(_, _, damage) = &error {
                return self.damaged(damage);
            }
            match error.sqlite_error_code() {
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => self.damaged(&error),
                Some(ErrorCode::DiskFull) => StoreError::Full { folder },
                Some(ErrorCode::SystemIoFailure) if self.is_full() => StoreError::Full { folder },
                Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                    StoreError::ReadOnly { folder, reason: error.to_string() }
                }
                _ => StoreError::Broken(error.to_string()),
            }
        })
    }

    /// Asks the file system, because a full disk shows as different errors of SQLite.
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

// === the readers ===

struct Readers {
    folder: DatabaseFolder,
    idle: Mutex<Vec<Connection>>,
    permits: Semaphore,
}

impl Readers {
    async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        query: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        let _permit = self.permits.acquire().await.map_err(|_| StoreError::Closed)?;
        let readers = self.clone();
        let read = move || {
            let idle = readers.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut connection = match idle {
                Some(connection) => connection,
                None => readers.folder.connect()?,
            };
            let result = connection.transaction().and_then(|transaction| query(&transaction));
            readers.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
            readers.folder.sql(result)
        };
        let task = tokio::task::spawn_blocking(read);
        task.await.map_err(|error| StoreError::Broken(format!("a read did not finish: {error}")))?
    }
}

struct SqliteWatch {
    recent: Arc<RecentChanges>,
    newest: watch::Receiver<Revision>,
    prefix: String,
    after: Revision,
}

impl Watch for SqliteWatch {
    fn next(&mut self) -> BoxFuture<'_, Result<Batch>> {
        async move {
            let after = self.after;
            let newest = self.newest.wait_for(|newest| *newest > after).await.map(|newest| *newest);
            self.recent.batch(&self.prefix, &mut self.after, newest.map_err(|_| StoreError::Closed)?)
        }
        .boxed()
    }
}

// === impl Store ===

impl Sqlite {
    async fn perform(&self, request: WriteRequest<'static>) -> Result<WriteResponse> {
        let (response, received) = oneshot::channel();
        self.send(Job::Write(WriteJob { request, response })).await?;
        received.await.map_err(|_| StoreError::Closed)?
    }

    /// Performs a request on this thread; `None` if others are queued or in progress, or if the runtime has no other
    /// thread that could go on meanwhile.
    fn perform_here(&self, request: &WriteRequest<'_>) -> Option<Result<WriteResponse>> {
        let runtime = Handle::try_current().ok()?;
        let is_idle = |jobs: &mpsc::Sender<Job>| jobs.capacity() == jobs.max_capacity();
        if runtime.runtime_flavor() != RuntimeFlavor::MultiThread
            || !self.jobs.lock().unwrap_or_else(PoisonError::into_inner).as_ref().is_some_and(is_idle)
        {
            return None;
        }
        let mut writer = match self.writer.try_lock() {
            Ok(writer) => writer,
            Err(TryLockError::Poisoned(error)) => error.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        let writer = writer.as_mut()?;
        Some(tokio::task::block_in_place(|| writer.perform_alone(request)))
    }

    async fn send(&self, job: Job) -> Result<()> {
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).clone().ok_or(StoreError::Closed)?;
        jobs.send(job).await.map_err(|_| StoreError::Closed)
    }

    /// Takes no further request. Returns the writer, which ends when the requests that wait have been performed.
    fn stop_writing(&self) -> Option<JoinHandle<()>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.thread.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

fn committed(response: WriteResponse) -> Result<CommitOutcome> {
    match response {
        WriteResponse::Committed(outcome) => Ok(outcome),
        _ => Err(mismatch()),
    }
}

fn mismatch() -> StoreError {
    StoreError::Broken("the writer sent a response of another type".to_owned())
}

impl Store for Sqlite {
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Entry>>> {
        let key = key.to_owned();
        self.readers.read(move |transaction| statements::get(transaction, &key)).boxed()
    }

    fn get_all(&self, keys: Vec<CacheKey>) -> BoxFuture<'_, Result<Vec<Page>>> {
        let read =
            move |transaction: &Transaction<'_>| keys.iter().map(|key| statements::page(transaction, key)).collect();
        self.readers.read(read).boxed()
    }

    fn range(&self, range: Range) -> BoxFuture<'_, Result<Page>> {
        self.readers.read(move |transaction| statements::range(transaction, &range)).boxed()
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<CommitOutcome>> {
        async move { committed(self.perform(WriteRequest::Commit(Cow::Owned(commit))).await?) }.boxed()
    }

    fn commit_if_idle(&self, commit: &Commit) -> Option<Result<CommitOutcome>> {
        let performed = self.perform_here(&WriteRequest::Commit(Cow::Borrowed(commit)))?;
        Some(performed.and_then(committed))
    }

    fn subscribe(&self, after: Revision, subscriber: Subscriber) -> BoxFuture<'_, Result<()>> {
        async move {
            let (done, received) = oneshot::channel();
            self.send(Job::Subscribe { after, subscriber, done }).await?;
            received.await.map_err(|_| StoreError::Closed)?
        }
        .boxed()
    }

    fn watch(&self, prefix: &str, after: Revision) -> Box<dyn Watch> {
        Box::new(SqliteWatch {
            recent: self.recent.clone(),
            newest: self.revision.clone(),
            prefix: prefix.to_owned(),
            after,
        })
    }

    fn grant(&self, lasting: Duration, now: jiff::Timestamp) -> BoxFuture<'_, Result<LeaseId>> {
        async move {
            let lasting = i64::try_from(lasting.as_millis()).unwrap_or(i64::MAX);
            match self.perform(WriteRequest::Grant { lasting, now: now.as_millisecond() }).await? {
                WriteResponse::Granted(lease) => Ok(lease),
                _ => Err(mismatch()),
            }
        }
        .boxed()
    }

    fn keep(&self, lease: LeaseId, now: jiff::Timestamp) -> BoxFuture<'_, Result<bool>> {
        async move {
            match self.perform(WriteRequest::Keep { lease, now: now.as_millisecond() }).await? {
                WriteResponse::Extended(extended) => Ok(extended),
                _ => Err(mismatch()),
            }
        }
        .boxed()
    }

    fn revoke(&self, lease: LeaseId) -> BoxFuture<'_, Result<()>> {
        async move {
            match self.perform(WriteRequest::Revoke(lease)).await? {
                WriteResponse::Revoked => Ok(()),
                _ => Err(mismatch()),
            }
        }
        .boxed()
    }

    fn checkpoint(&self) -> BoxFuture<'_, Result<()>> {
        async move {
            let (done, received) = oneshot::channel();
            self.send(Job::Checkpoint(done)).await?;
            received.await.map_err(|_| StoreError::Closed)?
        }
        .boxed()
    }

    fn expire(&self, now: jiff::Timestamp) -> BoxFuture<'_, Result<usize>> {
        async move {
            match self.perform(WriteRequest::Expire { now: now.as_millisecond() }).await? {
                WriteResponse::Expired(count) => Ok(count),
                _ => Err(mismatch()),
            }
        }
        .boxed()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        async move {
            // Open reads end first: the last connection to close writes the log back into the database.
            let open_reads = self.readers.permits.acquire_many(MAX_READERS as u32).await;
            self.readers.permits.close();
            drop(open_reads);
            self.readers.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
            if let Some(writer) = self.stop_writing() {
                let _ = tokio::task::spawn_blocking(move || writer.join()).await;
            }
        }
        .boxed()
    }
}

impl Drop for Sqlite {
    /// Waits for the writer, so that the folder is free when the store is gone.
    fn drop(&mut self) {
        if let Some(writer) = self.stop_writing() {
            let _ = writer.join();
        }
    }
}

#[cfg(test)]
mod tests;
