//! Data folder: all state of the server, not accessible to other accounts.

use crate::io_error::reason;
use postern_api::{Code, Error};
use std::{
    fs::{self, Permissions},
    io,
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::{Path, PathBuf},
};

/// File that other accounts may read: visitors' programs need it to trust the server.
const PUBLIC: &str = "ca.pem";

/// An existing data folder that only this account can access.
#[derive(Clone, Debug)]
pub(crate) struct DataFolder(PathBuf);

impl DataFolder {
    /// Creates the folder if it is missing and sets its mode to 0700.
    pub(crate) fn open(path: &Path) -> Result<DataFolder, Error> {
        let refuse = |what: &str, error: &io::Error| {
            Error::new(
                Code::StorageReadOnly,
                format!(
                    "The data folder {} cannot be {what}: {}. Choose another with `--data-dir DIR`, or change its owner.",
                    path.display(),
                    reason(error)
                ),
            )
        };
        fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|error| refuse("created", &error))?;
        let path = path.canonicalize().map_err(|error| refuse("opened", &error))?;
        fs::set_permissions(&path, Permissions::from_mode(0o700)).map_err(|error| refuse("made private", &error))?;
        Ok(DataFolder(path))
    }

    /// Absolute path.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Sets the mode of every file to 0600 and of every folder to 0700; only `ca.pem` stays readable (0644).
    pub(crate) fn make_private(&self) {
        close(&self.0);
    }

    /// Replaces a file atomically: writes a temporary file, syncs and renames it.
    pub(crate) fn replace(&self, name: &str, content: &[u8]) -> io::Result<()> {
        postern_config::private_file::write(&self.0.join(name), content)
    }
}

fn close(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let mode = match () {
            () if kind.is_dir() => {
                close(&entry.path());
                0o700
            }
            () if kind.is_symlink() => continue,
            () if entry.file_name() == PUBLIC => 0o644,
            () => 0o600,
        };
        // A file may have been removed meanwhile, such as a database journal.
        if let Err(error) = fs::set_permissions(entry.path(), Permissions::from_mode(mode))
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(file = %entry.path().display(), %error, "a file of the data folder stays readable by other accounts");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("there").permissions().mode() & 0o777
    }

    #[test]
    fn folder_and_files_are_private_and_the_authority_is_readable() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = DataFolder::open(&parent.path().join("a/b")).expect("made");
        for name in ["postern.db", "ca.pem"] {
            fs::write(folder.path().join(name), "").expect("written");
            fs::set_permissions(folder.path().join(name), Permissions::from_mode(0o666)).expect("opened");
        }
        folder.make_private();
        assert_eq!(mode(folder.path()), 0o700);
        assert_eq!(mode(&folder.path().join("postern.db")), 0o600);
        assert_eq!(mode(&folder.path().join("ca.pem")), 0o644);
    }

    #[test]
    fn a_file_is_replaced_atomically() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = DataFolder::open(parent.path()).expect("there");
        folder.replace("x.json", b"one").expect("written");
        folder.replace("x.json", b"two").expect("replaced");
        assert_eq!(fs::read(folder.path().join("x.json")).expect("read"), b"two");
        assert_eq!(mode(&folder.path().join("x.json")), 0o600);
        assert_eq!(fs::read_dir(folder.path()).expect("read").count(), 1, "no temporary file is left");
    }

    #[test]
    fn a_folder_that_cannot_be_created_is_reported_with_advice() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let error = DataFolder::open(&file.path().join("below")).expect_err("refused");
        assert!(error.message.contains("--data-dir") && error.message.contains("below"), "{error}");
    }
}
