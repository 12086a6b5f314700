//! Files below the data folder: private, and written whole or not at all.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Mode of files with secrets.
pub(crate) const PRIVATE: u32 = 0o600;
/// Mode of files that every user of the machine may read.
pub(crate) const PUBLIC: u32 = 0o644;

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

/// Replaces a file atomically: writes the content beside it, syncs it to disk and renames it.
pub(crate) fn write_atomic(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    stage(path, bytes, mode)?;
    publish_staged(path)
}

/// Writes the new content of a file beside it, to be renamed by [`publish_staged`].
pub(crate) fn stage(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    let staged = staged_path(path);
    let write = || -> io::Result<()> {
        match fs::remove_file(&staged) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = create_new(&staged, mode)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().map_err(|error| failed(path, error))
}

/// Renames staged content to its final path.
pub(crate) fn publish_staged(path: &Path) -> Result<()> {
    fs::rename(staged_path(path), path).and_then(|()| sync_folder(path)).map_err(|error| failed(path, error))
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

/// Opens a file, creating it with its mode if it does not exist.
pub(crate) fn open_or_create(path: &Path, mode: u32) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    with_mode(&mut options, mode);
    let open = || -> io::Result<File> {
        let file = options.open(path)?;
        set_mode(path, mode)?;
        Ok(file)
    };
    open().map_err(|error| failed(path, error))
}

fn failed(path: &Path, error: io::Error) -> FileError {
    FileError { folder: path.parent().unwrap_or(path).to_owned(), error }
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
