//! `store.json` beside the database: which database belongs to the folder, and whether its log has changes that are
//! nowhere else. With it a database that was emptied, replaced or robbed of its log is noticed.

use crate::{
    files,
    store::{Result, StoreError},
};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const FILE: &str = "store.json";
/// Exists from the first start on; older servers wrote no `store.json`.
const SEAL_KEY: &str = "seal.key";

/// The state of a folder's database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FolderState {
    /// Id of the database, which is stored in it too.
    id: String,
    /// The write-ahead log holds changes that may not be in the database file.
    log_needed: bool,
}

/// A database as it was found, before anything is written.
pub(super) struct FoundDatabase {
    folder: PathBuf,
    /// The state of its folder.
    state: Option<FolderState>,
    /// Version of the tables; 0 if there are none.
    pub(super) layout: i64,
    /// Id stored in the database; `None` if it is new, or older than these ids.
    pub(super) id: Option<String>,
    /// Size of the write-ahead log before the database was opened.
    log_bytes: u64,
}

impl FoundDatabase {
    /// A database with the state of its folder.
    ///
    /// # Errors
    /// [`StoreError::ReadOnly`] if the state cannot be read.
    pub(super) fn new(folder: &Path, layout: i64, id: Option<String>, log_bytes: u64) -> Result<Self> {
        Ok(FoundDatabase { folder: folder.to_owned(), state: FolderState::read(folder)?, layout, id, log_bytes })
    }

    /// Compares the database and its log with the state of its folder.
    ///
    /// # Errors
    /// [`StoreError::Lost`] if something that was there is missing.
    pub(super) fn check(&self) -> Result<()> {
        self.check_file()?;
        self.check_log()
    }

    /// Compares the database with the state of its folder.
    pub(super) fn check_file(&self) -> Result<()> {
        let had_store = self.state.is_some() || self.folder.join(SEAL_KEY).exists();
        if self.layout == 0 && had_store {
            return Err(self.lost("`postern.db` is missing or empty, but the folder had a store"));
        }
        if self.state.as_ref().zip(self.id.as_ref()).is_some_and(|(state, id)| state.id != *id) {
            return Err(self.lost("`postern.db` is not the database of this folder"));
        }
        Ok(())
    }

    /// Compares the log with the state of its folder.
    pub(super) fn check_log(&self) -> Result<()> {
        if self.state.as_ref().is_some_and(|state| state.log_needed) && self.log_bytes == 0 {
            return Err(self.lost("`postern.db-wal` is missing or empty, but it held the latest changes"));
        }
        Ok(())
    }

    fn lost(&self, what: &str) -> StoreError {
        StoreError::Lost { folder: self.folder.display().to_string(), what: what.to_owned() }
    }
}

impl FolderState {
    /// State of a database without unsaved changes.
    pub(super) fn saved(id: &str) -> Self {
        FolderState { id: id.to_owned(), log_needed: false }
    }

    /// State of a database whose log is needed.
    pub(super) fn unsaved(id: &str) -> Self {
        FolderState { id: id.to_owned(), log_needed: true }
    }

    /// Reads the state; `None` if there is none, or if it cannot be understood.
    ///
    /// # Errors
    /// [`StoreError::ReadOnly`] if the file cannot be read.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>> {
        let bytes = files::read(&Self::path(folder))?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }

    /// Writes the state, if it differs from what is there.
    ///
    /// # Errors
    /// [`StoreError::Full`] or [`StoreError::ReadOnly`] if the file cannot be written.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        if Self::read(folder)?.as_ref() == Some(self) {
            return Ok(());
        }
        let text = serde_json::to_vec(self).map_err(|error| StoreError::Broken(error.to_string()))?;
        Ok(files::write_private(&Self::path(folder), &text)?)
    }

    fn path(folder: &Path) -> PathBuf {
        folder.join(FILE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(folder: &Path, id: Option<&str>, log_bytes: u64) -> FoundDatabase {
        let layout = if id.is_some() { 2 } else { 0 };
        FoundDatabase::new(folder, layout, id.map(str::to_owned), log_bytes).expect("readable")
    }

    #[test]
    fn a_new_folder_and_a_closed_database_need_no_log() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(found(folder.path(), None, 0).check().is_ok());
        FolderState::saved("one").write(folder.path()).expect("written");
        assert!(found(folder.path(), Some("one"), 0).check().is_ok());
    }

    #[test]
    fn what_is_missing_or_foreign_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        FolderState::unsaved("one").write(folder.path()).expect("written");
        for (found, named) in [
            (found(folder.path(), None, 0), "`postern.db` is missing"),
            (found(folder.path(), Some("two"), 9), "not the database"),
            (found(folder.path(), Some("one"), 0), "`postern.db-wal` is missing"),
        ] {
            let error = found.check().expect_err(named).to_string();
            assert!(error.contains(named) && error.contains("backup"), "{error}");
        }
        assert!(found(folder.path(), Some("one"), 9).check().is_ok());
    }

    #[test]
    fn a_folder_of_a_server_without_this_file_is_known_by_its_seal() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(SEAL_KEY), "x").expect("written");
        assert!(found(folder.path(), None, 0).check().is_err());
    }
}
