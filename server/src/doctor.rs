//! `doctor`: examines the store of a data folder, and repairs what can be repaired.

use crate::configuration::default_data_dir;
use postern_api::{Code, Error, Result};
use postern_control::store::{self, StoreReport};
use std::{
    io::Write,
    path::{Path, PathBuf},
};

/// Prints what is wrong with the store of a folder.
///
/// # Errors
/// [`Code::StorageDamaged`] if something is wrong and was not repaired, [`Code::StorageLocked`] if a server uses the
/// folder, or if its files cannot be read.
pub(crate) fn run(data_dir: Option<PathBuf>, repair: bool) -> Result<()> {
    let folder = data_dir.map_or_else(default_data_dir, Ok)?;
    if !folder.is_dir() {
        return Err(Error::new(Code::StorageReadOnly, format!("`{}` is not a data folder.", folder.display())));
    }
    let report = store::examine(&folder, repair)?;
    let mut stdout = std::io::stdout();
    write!(stdout, "{}", describe(&folder, &report))
        .and_then(|()| stdout.flush())
        .map_err(|error| Error::new(Code::Internal, format!("The report could not be printed: {error}.")))?;
    if report.is_healthy() || report.repaired {
        return Ok(());
    }
    let advice = if !report.structural.is_empty() {
        "Restore the folder from a backup: damage of this kind cannot be repaired"
    } else if report.missing.is_some() {
        "Restore the folder from a backup. If only the log is missing, `postern-server doctor --repair` accepts its loss"
    } else {
        "Restore the folder from a backup, or delete the damaged entries with `postern-server doctor --repair`"
    };
    Err(Error::new(Code::StorageDamaged, format!("The store needs attention. {advice}.")))
}

fn describe(folder: &Path, report: &StoreReport) -> String {
    if report.is_healthy() {
        return format!("The store in {} is healthy.\n", folder.display());
    }
    let done = if report.repaired { "deleted" } else { "damaged" };
    let missing = report.missing.iter().map(|what| format!("missing: {what}\n"));
    let structural = report.structural.iter().map(|what| format!("structure: {what}\n"));
    let entries = report.damaged.iter().map(|key| format!("{done}: {key}\n"));
    missing.chain(structural).chain(entries).collect()
}
