//! The lock on a data folder: one server at a time.

use super::{Result, StoreError};
use crate::files;
use std::{
    fs::{File, TryLockError},
    io::{Read, Seek, Write},
    path::Path,
};

/// Lock held while a server uses the folder. The operating system releases it even if the process is killed.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

/// The lock's file.
pub(crate) const FILE: &str = "postern.lock";
/// Folder below a data folder that exists while a backup is restored there.
pub(crate) const RESTORING: &str = ".restoring";

impl FolderLock {
    /// Takes the lock.
    ///
    /// # Errors
    /// `Locked`, with the id of the process that holds it if that is known; `HalfRestored` if a backup was not restored to
    /// its end.
    pub fn take(folder: &Path) -> Result<Self> {
        let lock = Self::take_to_restore(folder)?;
        if folder.join(RESTORING).exists() {
            return Err(StoreError::HalfRestored { folder: folder.display().to_string() });
        }
        Ok(lock)
    }

    /// Takes the lock of a folder in which a backup is restored.
    ///
    /// # Errors
    /// `Locked`, like [`FolderLock::take`].
    pub(crate) fn take_to_restore(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        let mut file = files::open_or_create(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut pid = String::new();
                let known = file.read_to_string(&mut pid).is_ok() && pid.trim().parse::<u32>().is_ok();
                let holder = if known { format!(" (process {})", pid.trim()) } else { String::new() };
                return Err(StoreError::Locked { folder: folder.display().to_string(), holder });
            }
            Err(TryLockError::Error(error)) => return Err(StoreError::from_io(folder, &error)),
        }
        // The process id only improves the error message of another server: failing to write it is no failure.
        let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(FolderLock { _file: file })
    }
}
