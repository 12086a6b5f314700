//! `backup` and `restore`: a data folder as one file.

use crate::{configuration::default_data_dir, io_error::reason};
use postern_api::{Code, Error, Result, Secret};
use postern_control::{KeySource, Saved};
use std::{
    io::Write,
    path::{Path, PathBuf},
};

/// Backs a folder up, and prints what was saved.
pub(crate) fn back_up(
    data_dir: Option<PathBuf>,
    file: &Path,
    with_keys: bool,
    passphrase_file: Option<&Path>,
    force: bool,
) -> Result<()> {
    let folder = data_dir.map_or_else(default_data_dir, Ok)?;
    let passphrase = if with_keys { passphrase_file.map(passphrase).transpose()? } else { None };
    let saved = postern_control::back_up(&folder, file, passphrase.as_ref(), force)?;
    let keys = if with_keys { "" } else { " Keep `seal.key` of the folder as well: the file does not have it." };
    print("Saved", saved, file, keys)
}

/// Restores a backup, and prints what was restored.
pub(crate) fn restore(
    data_dir: Option<PathBuf>,
    file: &Path,
    key_file: Option<PathBuf>,
    passphrase_file: Option<&Path>,
) -> Result<()> {
    let folder = data_dir.map_or_else(default_data_dir, Ok)?;
    let key = match (key_file, passphrase_file) {
        (Some(file), _) => KeySource::File(file),
        (None, Some(file)) => KeySource::Passphrase(passphrase(file)?),
        (None, None) => KeySource::Missing,
    };
    let saved = postern_control::restore(&folder, file, &key)?;
    print("Restored", saved, &folder, "")
}

fn passphrase(file: &Path) -> Result<Secret> {
    let refuse = |why: &str| {
        Error::new(Code::ConfigInvalid, format!("The passphrase in `{}` cannot be used: {why}.", file.display()))
    };
    let text = std::fs::read_to_string(file).map_err(|error| refuse(&reason(&error)))?;
    match text.lines().next() {
        Some(line) if !line.is_empty() => Ok(Secret::new(line)),
        _ => Err(refuse("its first line is empty")),
    }
}

fn print(done: &str, saved: Saved, place: &Path, more: &str) -> Result<()> {
    let Saved { entries, revision } = saved;
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{done} {entries} entries of revision {revision}: {}.{more}", place.display())
        .and_then(|()| stdout.flush())
        .map_err(|error| Error::new(Code::Internal, format!("It could not be printed: {error}.")))
}
