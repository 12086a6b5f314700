//! The data folder: the one place of all state, closed to other accounts.

use crate::configuration::plain;
use postern_api::{Code, Error};
use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// What everybody may read: visitors' programs need it to trust the server.
const PUBLIC: &str = "ca.pem";

/// A data folder that exists and belongs to this account alone.
#[derive(Clone, Debug)]
pub(crate) struct DataFolder(PathBuf);

impl DataFolder {
    /// Makes the folder where it is missing and closes it to others (mode 0700).
    pub(crate) fn open(path: &Path) -> Result<DataFolder, Error> {
        let refuse = |what: &str, error: &io::Error| {
            Error::new(
                Code::StorageReadOnly,
                format!(
                    "The data folder {} cannot be {what}: {}. Choose another with `--data-dir DIR`, or change its owner.",
                    path.display(),
                    plain(error)
                ),
            )
        };
        fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|error| refuse("made", &error))?;
        let path = path.canonicalize().map_err(|error| refuse("opened", &error))?;
        fs::set_permissions(&path, Permissions::from_mode(0o700))
            .map_err(|error| refuse("closed to others", &error))?;
        Ok(DataFolder(path))
    }

    /// Its absolute path.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Gives every file in it mode 0600 and every folder 0700; `ca.pem` alone stays readable (0644).
    pub(crate) fn close_to_others(&self) {
        close(&self.0);
    }

    /// Replaces a file at once: written beside, flushed, renamed.
    pub(crate) fn replace(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let beside = self.0.join(format!(".{name}.new"));
        let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&beside, self.0.join(name))
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
        // A file that vanished meanwhile (a database's journal) needs no mode.
        if let Err(error) = fs::set_permissions(entry.path(), Permissions::from_mode(mode))
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(file = %entry.path().display(), %error, "a file of the data folder stays open to other accounts");
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
    fn folder_and_files_are_closed_and_the_authority_is_open() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = DataFolder::open(&parent.path().join("a/b")).expect("made");
        for name in ["postern.db", "ca.pem"] {
            fs::write(folder.path().join(name), "").expect("written");
            fs::set_permissions(folder.path().join(name), Permissions::from_mode(0o666)).expect("opened");
        }
        folder.close_to_others();
        assert_eq!(mode(folder.path()), 0o700);
        assert_eq!(mode(&folder.path().join("postern.db")), 0o600);
        assert_eq!(mode(&folder.path().join("ca.pem")), 0o644);
    }

    #[test]
    fn a_file_is_replaced_whole() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = DataFolder::open(parent.path()).expect("there");
        folder.replace("x.json", b"one").expect("written");
        folder.replace("x.json", b"two").expect("replaced");
        assert_eq!(fs::read(folder.path().join("x.json")).expect("read"), b"two");
        assert_eq!(mode(&folder.path().join("x.json")), 0o600);
        assert_eq!(fs::read_dir(folder.path()).expect("read").count(), 1, "nothing is left beside");
    }

    #[test]
    fn a_place_that_cannot_be_made_is_named_with_what_to_do() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let error = DataFolder::open(&file.path().join("below")).expect_err("refused");
        assert!(error.message.contains("--data-dir") && error.message.contains("below"), "{error}");
    }
}
