//! Examination of a store that no server uses, and removal of what is damaged.

use super::{DatabaseFolder, folder_state::FolderState, statements};
use crate::store::{Result, StoreError, lock::FolderLock};
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
/// If there is no store, a server uses the folder, or the files cannot be read or written.
pub fn examine(folder: &Path, repair: bool) -> Result<StoreReport> {
    let lock = FolderLock::take(folder)?;
    let database = DatabaseFolder { folder: folder.to_owned() };
    let (mut connection, log_bytes) = database.open_file()?;
    let mut report = StoreReport::default();
    let Some(found) = unless_damaged(database.identify(&connection, log_bytes), &mut report)? else {
        return Ok(report);
    };
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
            report.damaged = database.sql(statements::delete_damaged(&mut connection))?;
        }
        FolderState::saved(&id).write(folder)?;
        report.repaired = true;
    }
    drop(lock);
    Ok(report)
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
