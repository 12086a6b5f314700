//! Files that only their owner may read, replaced atomically.

use std::{
    io::{self, Write},
    path::Path,
};

/// Replaces the content of a file atomically: a temporary file with mode 0600 is written beside it, synced to disk and
/// renamed. The folder must exist.
///
/// # Errors
/// [`io::Error`] if the file cannot be written or renamed; the old file is unchanged then.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut file = tempfile::Builder::new().prefix(&format!(".{name}.")).suffix(".new").tempfile_in(folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_file_is_replaced_and_readable_by_its_owner_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("key");
        write(&path, b"first").expect("written");
        write(&path, b"second").expect("replaced");
        assert_eq!(std::fs::read(&path).expect("read"), b"second");
        assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(folder.path()).expect("read").count(), 1, "no temporary file is left");
    }
}
