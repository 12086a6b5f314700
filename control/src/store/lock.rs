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

impl FolderLock {
    /// Takes the lock.
    ///
    /// # Errors
    /// `Locked`, with the id of the process that holds it if that is known.
    pub fn take(folder: &Path) -> Result<Self> {
        let path = folder.join("postern.lock");
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
