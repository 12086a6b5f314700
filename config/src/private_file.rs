//! Files that are replaced atomically, most of them readable by their owner only.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::Path,
};

/// Creates a folder and its missing parents with mode 0700.
///
/// # Errors
/// [`io::Error`] if the folder cannot be created.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Replaces the content of a file atomically: a temporary file with mode 0600 is written beside it, synced to disk and
/// renamed. A missing folder is created with mode 0700.
///
/// # Errors
/// [`io::Error`] if the file cannot be written or renamed; the old file is unchanged then.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    replace(path, content, |_| Ok(()))
}

/// Replaces the content of a file like [`write`], but with mode 0644: for certificates and other public content.
///
/// # Errors
/// The errors of [`write`].
pub fn write_public(path: &Path, content: &[u8]) -> io::Result<()> {
    replace(path, content, make_public)
}

/// Makes a rename in this folder durable.
///
/// # Errors
/// [`io::Error`] if the folder cannot be synced to disk.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    // Elsewhere a folder cannot be opened as a file.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

fn replace(path: &Path, content: &[u8], set_mode: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    create_folder(folder)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut file = tempfile::Builder::new().prefix(&format!(".{name}.")).suffix(".new").tempfile_in(folder)?;
    set_mode(file.as_file())?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    sync_folder(folder)
}

#[cfg(unix)]
fn make_public(file: &File) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
}
#[cfg(not(unix))]
fn make_public(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("there").permissions().mode() & 0o777
    }

    #[test]
    fn a_file_is_replaced_and_readable_by_its_owner_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("below/key");
        write(&path, b"first").expect("written");
        write(&path, b"second").expect("replaced");
        assert_eq!(fs::read(&path).expect("read"), b"second");
        let below = path.parent().expect("a folder");
        assert_eq!((mode(&path), mode(below)), (0o600, 0o700));
        assert_eq!(fs::read_dir(below).expect("read").count(), 1, "no temporary file is left");
    }

    #[test]
    fn a_public_file_is_readable_by_every_user() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ca.pem");
        write(&path, b"private").expect("written");
        write_public(&path, b"public").expect("replaced");
        assert_eq!((fs::read(&path).expect("read").as_slice(), mode(&path)), (&b"public"[..], 0o644));
    }
}
