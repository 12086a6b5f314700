//! Errors of the store.

use crate::files::FileError;
use postern_api::{Code, Error};
use std::{io, path::Path};

/// A result of the store.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// A failure of the engine. Conflicts between commits are not failures.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk is full; nothing was written.
    #[error("The disk that holds `{folder}` is full. Free some space; until then nothing can be changed.")]
    Full {
        /// The data folder.
        folder: String,
    },
    /// The folder cannot be written.
    #[error(
        "`{folder}` cannot be written: {reason}. Give the server's user write permission there, or choose another folder with --data-dir."
    )]
    ReadOnly {
        /// The data folder.
        folder: String,
        /// Error of the operating system.
        reason: String,
    },
    /// Another server uses the folder.
    #[error(
        "`{folder}` is in use by another postern-server{holder}. Stop that one first, or give this one a folder of its own with --data-dir."
    )]
    Locked {
        /// The data folder.
        folder: String,
        /// ` (process 123)`, or empty if unknown.
        holder: String,
    },
    /// Stored data is missing.
    #[error(
        "{what}: `{folder}`. Restore the folder from a backup, or move it away to begin with an empty one. `postern-server doctor` tells more."
    )]
    Lost {
        /// The data folder.
        folder: String,
        /// What is missing, as the beginning of a sentence.
        what: String,
    },
    /// Stored data is damaged.
    #[error(
        "The database in `{folder}` is damaged: {what}. Restore the folder from a backup; `postern-server doctor` lists what is damaged and can remove it."
    )]
    Damaged {
        /// The data folder.
        folder: String,
        /// What is damaged.
        what: String,
    },
    /// The log no longer holds the changes after this revision.
    #[error("The log no longer reaches back to revision {0}.")]
    Compacted(i64),
    /// The data was written by a newer version.
    #[error(
        "`{folder}` was written by a newer version of postern-server. Install that version, or choose another folder."
    )]
    TooNew {
        /// The data folder.
        folder: String,
    },
    /// The store was closed, because the server shuts down.
    #[error("The server is shutting down. Ask again in a moment; a new one may be starting.")]
    Closed,
    /// Any other failure; for the log.
    #[error("The database failed: {0}.")]
    Broken(String),
}

impl StoreError {
    /// Classifies a failed operation on a file of a folder.
    pub fn from_io(folder: &Path, error: &io::Error) -> Self {
        let shown = folder.display().to_string();
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full { folder: shown },
            _ => StoreError::ReadOnly { folder: shown, reason: error.to_string() },
        }
    }
}

impl From<FileError> for StoreError {
    fn from(FileError { folder, error }: FileError) -> Self {
        StoreError::from_io(&folder, &error)
    }
}

impl From<FileError> for Error {
    fn from(error: FileError) -> Self {
        StoreError::from(error).into()
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        let code = match &error {
            StoreError::Full { .. } => Code::StorageFull,
            StoreError::ReadOnly { .. } => Code::StorageReadOnly,
            StoreError::Locked { .. } => Code::StorageLocked,
            StoreError::Lost { .. } | StoreError::Damaged { .. } => {
                tracing::error!(%error, "the database is damaged");
                Code::StorageDamaged
            }
            StoreError::Closed => Code::ServerDraining,
            StoreError::TooNew { .. } | StoreError::Compacted(_) => Code::Unavailable,
            StoreError::Broken(reason) => {
                tracing::error!(%reason, "the database failed");
                return Error::new(Code::Internal, "The database of the server failed. The server's log says why.");
            }
        };
        Error::new(code, error.to_string())
    }
}
