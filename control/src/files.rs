//! Files below the data folder: private ones, written whole or not at all.

use crate::store::StoreError;
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// For files with secrets.
pub(crate) const PRIVATE: u32 = 0o600;
/// For files that everybody on the machine may read.
pub(crate) const PUBLIC: u32 = 0o644;

/// Makes the data folder with mode 0700, or gives an existing one that mode.
pub(crate) fn private_folder(folder: &Path) -> Result<(), StoreError> {
    let make = || -> io::Result<()> {
        fs::create_dir_all(folder)?;
        set_mode(folder, 0o700)
    };
    make().map_err(|error| StoreError::of_io(folder, &error))
}

/// Writes a file beside its place, brings it to disk and moves it there.
pub(crate) fn write_whole(path: &Path, bytes: &[u8], mode: u32) -> Result<(), StoreError> {
    let beside = beside(path);
    write_beside(path, bytes, mode)?;
    fs::rename(&beside, path).and_then(|()| sync_folder(path)).map_err(|error| of(path, &error))
}

/// Writes the new content beside a file's place, to be moved there with [`settle`].
pub(crate) fn write_beside(path: &Path, bytes: &[u8], mode: u32) -> Result<(), StoreError> {
    let beside = beside(path);
    let write = || -> io::Result<()> {
        match fs::remove_file(&beside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = create_new(&beside, mode)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().map_err(|error| of(path, &error))
}

/// Moves what was written beside into its place.
pub(crate) fn settle(path: &Path) -> Result<(), StoreError> {
    fs::rename(beside(path), path).and_then(|()| sync_folder(path)).map_err(|error| of(path, &error))
}

/// Where [`write_beside`] writes.
pub(crate) fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().map(std::ffi::OsStr::to_owned).unwrap_or_default();
    name.push(".new");
    path.with_file_name(name)
}

/// What the files of a folder take, those in folders below it left out. What cannot be read counts as nothing.
pub(crate) fn room(folder: &Path) -> u64 {
    let sizes = fs::read_dir(folder).into_iter().flatten().flatten().filter_map(|entry| entry.metadata().ok());
    sizes.filter(fs::Metadata::is_file).map(|metadata| metadata.len()).sum()
}

/// Reads a small file; `None` if there is none.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(of(path, &error)),
    }
}

/// Makes sure a file exists and has its mode before anybody else opens it.
pub(crate) fn ensure(path: &Path, mode: u32) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    with_mode(&mut options, mode);
    let open = || -> io::Result<File> {
        let file = options.open(path)?;
        set_mode(path, mode)?;
        Ok(file)
    };
    open().map_err(|error| of(path, &error))
}

fn of(path: &Path, error: &io::Error) -> StoreError {
    StoreError::of_io(path.parent().unwrap_or(path), error)
}

fn create_new(path: &Path, mode: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    with_mode(&mut options, mode);
    let file = options.open(path)?;
    set_mode(path, mode)?;
    Ok(file)
}

#[cfg(unix)]
fn with_mode(options: &mut OpenOptions, mode: u32) {
    std::os::unix::fs::OpenOptionsExt::mode(options, mode);
}
#[cfg(not(unix))]
fn with_mode(_options: &mut OpenOptions, _mode: u32) {}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    if fs::metadata(path)?.permissions().mode() & 0o777 == mode {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}
#[cfg(not(unix))]
fn set_mode(_path: &Path, _mode: u32) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}
#[cfg(not(unix))]
fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}
