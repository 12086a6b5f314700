//! `traffic.db` in the data folder: the traffic of edges and routes by minute for a day and by hour for 90 days.
//!
//! It is a database of its own, since it is written every minute, belongs to this server alone, and may be lost: a missing
//! file is created, a damaged one is set aside, and without a usable one the server only has no histories.

mod database;

use crate::{data_folder::DataFolder, io_error::reason};
use database::{Database, Minute};
use futures::future::{BoxFuture, FutureExt};
use postern_api::traffic::{TrafficQuery, TrafficSum};
use postern_edge::{TrafficArchive, TrafficSample, TrafficSpan};
use rusqlite::ErrorCode;
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

const NAME: &str = "traffic.db";
/// A file that could not be used.
const SET_ASIDE: &str = "traffic.db.damaged";
/// What else SQLite has of a database in WAL mode.
const COMPANIONS: [&str; 2] = ["traffic.db-wal", "traffic.db-shm"];

/// The file, opened at first use and again after it was set aside.
pub(crate) struct TrafficFile(Arc<State>);

struct State {
    folder: PathBuf,
    database: Mutex<Option<Database>>,
}

impl TrafficFile {
    /// Opens the file of a folder. What is wrong with it is logged.
    pub(crate) fn open(folder: &DataFolder) -> Arc<Self> {
        let file = TrafficFile(Arc::new(State { folder: folder.path().to_owned(), database: Mutex::default() }));
        file.0.with(|_| Ok(()));
        Arc::new(file)
    }

    /// Closes the file, so that nothing of it is left in the log of the database.
    pub(crate) async fn close(&self) {
        let state = self.0.clone();
        drop(tokio::task::spawn_blocking(move || state.database().take()).await);
    }
}

impl TrafficArchive for TrafficFile {
    fn add(&self, minute: u64, traffic: Vec<(Arc<str>, TrafficSample)>) -> BoxFuture<'_, ()> {
        let state = self.0.clone();
        let minute = Minute { number: minute, traffic };
        let task = tokio::task::spawn_blocking(move || state.with(|database| database.add(&minute)));
        async move { drop(task.await) }.boxed()
    }

    fn read(&self, id: String, span: TrafficSpan) -> BoxFuture<'_, Vec<(u64, TrafficSample)>> {
        let state = self.0.clone();
        let task = tokio::task::spawn_blocking(move || state.with(|database| database.read(&id, span)));
        async move { task.await.ok().flatten().unwrap_or_default() }.boxed()
    }

    fn sums(&self, queries: Vec<TrafficQuery>) -> BoxFuture<'_, Vec<TrafficSum>> {
        let state = self.0.clone();
        let task = tokio::task::spawn_blocking(move || {
            state.with(|database| queries.iter().map(|query| database.sum(query)).collect())
        });
        async move { task.await.ok().flatten().unwrap_or_default() }.boxed()
    }
}

impl State {
    /// Works with the database. One that proves to be damaged is set aside, and the work is done with a new one. `None` if
    /// there is no usable one; the reason is logged.
    fn with<T>(&self, work: impl Fn(&mut Database) -> rusqlite::Result<T>) -> Option<T> {
        let mut database = self.database();
        let outcome = self.attempt(&mut database, &work);
        let outcome = match outcome {
            Err(error) if is_damage(&error) => {
                *database = None;
                match set_aside(&self.folder) {
                    Ok(()) => {
                        tracing::error!(%error, "the traffic histories are damaged; they begin anew, and the old file is {SET_ASIDE}");
                        self.attempt(&mut database, &work)
                    }
                    Err(failed) => {
                        let failed = reason(&failed);
                        tracing::error!(%error, "the traffic histories are damaged, and {NAME} cannot be renamed: {failed}");
                        return None;
                    }
                }
            }
            outcome => outcome,
        };
        match outcome {
            Ok(value) => Some(value),
            Err(error) => {
                tracing::warn!(file = NAME, %error, "the traffic histories cannot be used");
                None
            }
        }
    }

    fn database(&self) -> MutexGuard<'_, Option<Database>> {
        self.database.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn attempt<T>(
        &self,
        database: &mut Option<Database>,
        work: impl Fn(&mut Database) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        match database {
            Some(database) => work(database),
            None => work(database.insert(Database::open(&self.folder.join(NAME))?)),
        }
    }
}

/// Whether an error means that the file is not what it has to be.
fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
        || matches!(error, rusqlite::Error::FromSqlConversionFailure(..) | rusqlite::Error::InvalidColumnType(..))
}

/// Renames the file, in place of one that was set aside before.
fn set_aside(folder: &Path) -> io::Result<()> {
    for companion in COMPANIONS {
        match fs::remove_file(folder.join(companion)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::rename(folder.join(NAME), folder.join(SET_ASIDE))
}

#[cfg(test)]
mod tests;
