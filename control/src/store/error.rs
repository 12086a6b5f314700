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
    /// The data was written by an older version, and was not migrated yet.
    #[error(
        "`{folder}` was written by an older version of postern-server. Start this version there once: it migrates the database and keeps a copy."
    )]
    TooOld {
        /// The data folder.
        folder: String,
    },
    /// A store that is shared does not answer; nothing was changed.
    #[error(
        "The store `{address}` does not answer: {reason}. Nothing was changed; try again when most of its members are up again."
    )]
    Unreachable {
        /// Address of the store.
        address: String,
        /// What the last member said.
        reason: String,
    },
    /// A store that is shared did not answer to a change, which may have been made.
    #[error(
        "The store `{address}` did not say whether it made the change. Look whether it was made before you try again."
    )]
    Uncertain {
        /// Address of the store.
        address: String,
    },
    /// The space of a store that is shared is used up.
    #[error(
        "The space of the store `{address}` is used up. Compact and defragment it, or raise its quota, and disarm its alarm; until then nothing can be changed."
    )]
    FullStore {
        /// Address of the store.
        address: String,
    },
    /// More than fits into one commit.
    #[error("This is more than the store takes at once. Make the change smaller, or in several parts.")]
    TooLarge,
    /// A store that is shared refuses the user.
    #[error(
        "The store `{address}` refuses this server: {reason}. Check --store-user, --store-password-file, and the rights of the user."
    )]
    Denied {
        /// Address of the store.
        address: String,
        /// What the store said.
        reason: String,
    },
    /// A file that was given for the connection cannot be used.
    #[error("`{file}` cannot be used for the connection to the store: {reason}.")]
    Unusable {
        /// The file.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The secrets of the store were sealed with another key.
    #[error(
        "The secrets in the store `{address}` were sealed with another key than `{file}`. Give this server a --join-file that `postern-server cluster invite` has made there, or copy that file from the data folder of a server of this store, or choose another prefix with --store."
    )]
    WrongKey {
        /// Address of the store.
        address: String,
        /// The file with the key.
        file: String,
    },
    /// Another server uses the same prefix of a store that is shared.
    #[error(
        "The store `{address}` is in use by another postern-server ({holder}). Stop that one first, give this one a prefix of its own with --store, or let them share it: give each of them --node-addr, and a data folder of its own. If it was killed, its claim ends within 15 seconds."
    )]
    InUse {
        /// Address of the store.
        address: String,
        /// The host and process of that server.
        holder: String,
    },
    /// The folder is that of a server whose configuration is in a store that is shared.
    #[error(
        "`{folder}` belongs to a server whose configuration is not in this folder. Start that one with the --store it had, give this one a folder of its own with --data-dir, or bring the configuration back into this folder with `postern-server store copy --from`."
    )]
    Elsewhere {
        /// The data folder.
        folder: String,
    },
    /// A store that something is copied into has entries already.
    #[error(
        "{place} is not empty. Choose an empty one, or delete what is there: for --from, move `postern.db` of the data folder away; for --to, choose another prefix."
    )]
    NotEmpty {
        /// The store, as the beginning of a sentence.
        place: String,
    },
    /// A store that something is copied into is incomplete.
    #[error(
        "{place} holds only a part of another store, because a copy was cut short. Run the same `postern-server store copy` again."
    )]
    Incomplete {
        /// The store, as the beginning of a sentence.
        place: String,
    },
    /// A backup was not restored to its end.
    #[error(
        "A backup was not restored to its end: `{folder}`. Run `postern-server restore` again with this folder, or remove the folder."
    )]
    HalfRestored {
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
            StoreError::Full { .. } | StoreError::FullStore { .. } => Code::StorageFull,
            StoreError::Unreachable { .. } | StoreError::Denied { .. } => {
                tracing::warn!(%error, "the store is away");
                Code::StorageUnreachable
            }
            StoreError::Uncertain { .. } => Code::StorageUncertain,
            StoreError::TooLarge => Code::StorageTooLarge,
            StoreError::WrongKey { .. } | StoreError::Unusable { .. } | StoreError::Elsewhere { .. } => {
                Code::Unavailable
            }
            StoreError::NotEmpty { .. } | StoreError::Incomplete { .. } | StoreError::HalfRestored { .. } => {
                Code::Unavailable
            }
            StoreError::ReadOnly { .. } => Code::StorageReadOnly,
            StoreError::Locked { .. } | StoreError::InUse { .. } => Code::StorageLocked,
            StoreError::Lost { .. } | StoreError::Damaged { .. } => {
                tracing::error!(%error, "the database is damaged");
                Code::StorageDamaged
            }
            StoreError::Closed => Code::ServerDraining,
            StoreError::TooNew { .. } | StoreError::TooOld { .. } | StoreError::Compacted(_) => Code::Unavailable,
            StoreError::Broken(reason) => {
                tracing::error!(%reason, "the database failed");
                return Error::new(Code::Internal, "The database of the server failed. The server's log says why.");
            }
        };
        Error::new(code, error.to_string())
    }
}
