//! Examination of a store that no server uses, and removal of what is damaged.

use super::{
    DatabaseFolder, exists,
    folder_state::{FolderState, FoundDatabase},
    statements,
};
use crate::store::{Entry, Result, StoreError, lock::FolderLock};
use rusqlite::Transaction;
use std::path::Path;

/// What is wrong with a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreReport {
    /// Something is missing: a sentence, with what to do.
    pub missing: Option<String>,
    /// Faults of the database's structure, as SQLite describes them. They cannot be repaired.
    pub structural: Vec<String>,
    /// Keys of the entries whose checksums do not fit.
    pub damaged: Vec<String>,
    /// What can be repaired was repaired.
    pub repaired: bool,
}

impl StoreReport {
    /// Whether nothing is wrong.
    pub fn is_healthy(&self) -> bool {
        self.missing.is_none() && self.structural.is_empty() && self.damaged.is_empty()
    }
}

/// Examines the store of a data folder. With `repair`, the loss of a missing log is accepted, and damaged entries are
/// deleted.
///
/// # Errors
/// If a server uses the folder, a newer version wrote it, or the files cannot be read or written.
pub fn examine(folder: &Path, repair: bool) -> Result<StoreReport> {
    let lock = FolderLock::take(folder)?;
    let database = DatabaseFolder { folder: folder.to_owned() };
    let mut report = StoreReport::default();
    if !exists(folder) {
        let lost = FoundDatabase::new(folder, 0, None, 0)?.check_file().err();
        report.missing = Some(lost.map_or_else(|| "There is no `postern.db`.".to_owned(), |lost| lost.to_string()));
        return Ok(report);
    }
    let (connection, log_bytes) = database.open_file()?;
    database.leave_log(&connection)?;
    let Some(found) = unless_damaged(database.identify(&connection, log_bytes), &mut report)? else {
        return Ok(report);
    };
    if found.layout > statements::LAYOUT {
        return Err(database.too_new());
    }
    let file = found.check_file().err();
    let is_own = file.is_none();
    report.missing = file.or(found.check_log().err()).map(|error| error.to_string());
    if found.layout == 0 {
        return Ok(report);
    }
    let faults = unless_damaged(database.sql(statements::structural_faults(&connection)), &mut report)?;
    report.structural.extend(faults.unwrap_or_default());
    if report.structural.is_empty() && found.id.is_some() {
        report.damaged = database.sql(statements::damaged_keys(&connection))?;
    }
    if let (true, Some(id)) = (repair && is_own && report.structural.is_empty(), found.id) {
        if !report.damaged.is_empty() {
            report.damaged = database.sql(statements::delete_damaged(&connection))?;
        }
        database.sql(statements::checkpoint(&connection, true))?;
        FolderState::saved(&id).write(folder)?;
        report.repaired = true;
    }
    drop(lock);
    Ok(report)
}

/// All entries of one revision.
pub struct Snapshot<'a> {
    database: &'a DatabaseFolder,
    transaction: &'a Transaction<'a>,
}

impl Snapshot<'_> {
    /// Reads one key.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn get(&self, key: &str) -> Result<Option<Entry>> {
        self.database.sql(statements::get(self.transaction, key))
    }
}

/// Gives every entry without a lease of a healthy store that no server uses. A store of a former version gives none.
///
/// # Errors
/// If a server uses the folder, an entry cannot be read, or `each` fails.
pub fn inspect<E: From<StoreError>>(
    folder: &Path,
    mut each: impl FnMut(&Snapshot<'_>, Entry) -> Result<(), E>,
) -> Result<(), E> {
    let _lock = FolderLock::take(folder)?;
    let database = DatabaseFolder { folder: folder.to_owned() };
    let mut connection = database.open_to_read()?;
    let transaction = database.sql(connection.transaction())?;
    let (layout, _) = database.sql(statements::identify(&transaction))?;
    if layout != statements::LAYOUT {
        return Ok(());
    }
    let snapshot = Snapshot { database: &database, transaction: &transaction };
    database.sql(statements::each_lasting(&transaction, |entry| each(&snapshot, entry)))?
}

/// Deletes entries of a store that no server uses.
///
/// # Errors
/// If a server uses the folder, or it cannot be written.
pub fn delete(folder: &Path, keys: &[String]) -> Result<()> {
    let _lock = FolderLock::take(folder)?;
    let database = DatabaseFolder { folder: folder.to_owned() };
    let (connection, _) = database.open_file()?;
    database.leave_log(&connection)?;
    database.sql(statements::delete(&connection, keys))?;
    database.sql(statements::checkpoint(&connection, true))
}

/// What was read; `None` if the damage of the database prevents it, which is reported.
fn unless_damaged<T>(read: Result<T>, report: &mut StoreReport) -> Result<Option<T>> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(StoreError::Damaged { what, .. }) => {
            report.structural.push(what);
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
