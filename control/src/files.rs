//! Files below the data folder: private, and written whole or not at all.

use postern_config::private_file;
use std::{
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
};

/// Mode of files with secrets.
const PRIVATE: u32 = 0o600;

pub(crate) type Result<T> = std::result::Result<T, FileError>;

/// A failed operation on a file.
#[derive(Debug)]
pub(crate) struct FileError {
    /// Folder of the file.
    pub(crate) folder: PathBuf,
    pub(crate) error: io::Error,
}

/// Creates the data folder with mode 0700, or gives an existing one that mode.
pub(crate) fn create_private_folder(folder: &Path) -> Result<()> {
    let create = || -> io::Result<()> {
        fs::create_dir_all(folder)?;
        set_mode(folder, 0o700)
    };
    create().map_err(|error| FileError { folder: folder.to_owned(), error })
}

/// Replaces a private file atomically.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> Result<()> {
    private_file::write(path, bytes).map_err(|error| failed(path, error))
}

/// Replaces atomically a file that every user of the machine may read.
pub(crate) fn write_public(path: &Path, bytes: &[u8]) -> Result<()> {
    private_file::write_public(path, bytes).map_err(|error| failed(path, error))
}

/// Writes the new content of a private file beside it, to be renamed by [`publish_staged`].
pub(crate) fn stage(path: &Path, bytes: &[u8]) -> Result<()> {
    private_file::write(&staged_path(path), bytes).map_err(|error| failed(path, error))
}

/// Renames staged content to its final path.
pub(crate) fn publish_staged(path: &Path) -> Result<()> {
    rename(&staged_path(path), path)
}

/// Renames a file within its folder, for good.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<()> {
    let sync = || to.parent().map_or(Ok(()), private_file::sync_folder);
    fs::rename(from, to).and_then(|()| sync()).map_err(|error| failed(to, error))
}

/// Path that [`stage`] writes to.
pub(crate) fn staged_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().map(std::ffi::OsStr::to_owned).unwrap_or_default();
    name.push(".new");
    path.with_file_name(name)
}

/// Size of the files of a folder in bytes, without subfolders. Unreadable files count as empty.
pub(crate) fn folder_size(folder: &Path) -> u64 {
    let sizes = fs::read_dir(folder).into_iter().flatten().flatten().filter_map(|entry| entry.metadata().ok());
    sizes.filter(fs::Metadata::is_file).map(|metadata| metadata.len()).sum()
}

/// Reads a small file; `None` if it does not exist.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(path, error)),
    }
}

/// Opens a private file and creates it if it does not exist.
pub(crate) fn open_or_create(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    with_mode(&mut options, PRIVATE);
    let open = || -> io::Result<File> {
        let file = options.open(path)?;
        set_mode(path, PRIVATE)?;
        Ok(file)
    };
    open().map_err(|error| failed(path, error))
}

fn failed(path: &Path, error: io::Error) -> FileError {
    FileError { folder: path.parent().unwrap_or(path).to_owned(), error }
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
