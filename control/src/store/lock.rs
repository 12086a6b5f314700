//! The lock on a data folder: one server at a time.

use super::{Result, StoreError};
use crate::files;
use std::{
    fs::{File, TryLockError},
    io::{Read, Seek, Write},
    path::Path,
};

/// Held as long as a server works in the folder; the system releases it even after a kill.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Takes the lock, or says who has it.
    pub fn take(folder: &Path) -> Result<Self> {
        let path = folder.join("postern.lock");
        let mut file = files::ensure(&path, files::PRIVATE)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut pid = String::new();
                let known = file.read_to_string(&mut pid).is_ok() && pid.trim().parse::<u32>().is_ok();
                let holder = if known { format!(" (process {})", pid.trim()) } else { String::new() };
                return Err(StoreError::Locked { folder: folder.display().to_string(), holder });
            }
            Err(TryLockError::Error(error)) => return Err(StoreError::of_io(folder, &error)),
        }
        // Who holds the lock is a courtesy to whoever is refused: failing to note it down is no failure.
        let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(FolderLock { _file: file })
    }
}
