//! `doctor`: examines the store of a data folder, and repairs what can be repaired.

use crate::configuration::default_data_dir;
use postern_api::{Code, Error, Result};
use postern_control::{
    RecordReport, examine_records,
    store::{self, StoreReport},
};
use std::{
    io::Write,
    path::{Path, PathBuf},
};

/// Prints what is wrong with the store of a folder, and with its records if the store is healthy.
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
    let is_sound = report.is_healthy() || report.repaired;
    let records = if is_sound { examine_records(&folder, repair)? } else { RecordReport::default() };
    let mut stdout = std::io::stdout();
    write!(stdout, "{}{}", describe(&folder, &report, records.is_healthy()), describe_records(&records))
        .and_then(|()| stdout.flush())
        .map_err(|error| Error::new(Code::Internal, format!("The report could not be printed: {error}.")))?;
    if is_sound && records.is_healthy() {
        return Ok(());
    }
    let advice = if is_sound && records.broken.is_empty() {
        "Delete the orphaned entries with `postern-server doctor --repair`"
    } else if is_sound {
        "Start the server, and delete or correct the records that are named; or restore the folder from a backup"
    } else if !report.structural.is_empty() {
        "Restore the folder from a backup: damage of this kind cannot be repaired"
    } else if report.missing.is_some() {
        "Restore the folder from a backup. If only the log is missing, `postern-server doctor --repair` accepts its loss"
    } else {
        "Restore the folder from a backup, or delete the damaged entries with `postern-server doctor --repair`"
    };
    Err(Error::new(Code::StorageDamaged, format!("The store needs attention. {advice}.")))
}

fn describe(folder: &Path, report: &StoreReport, has_sound_records: bool) -> String {
    if report.is_healthy() && !has_sound_records {
        return String::new();
    }
    if report.is_healthy() {
        return format!("The store in {} is healthy.\n", folder.display());
    }
    let done = if report.repaired { "deleted" } else { "damaged" };
    let missing = report.missing.iter().map(|what| format!("missing: {what}\n"));
    let structural = report.structural.iter().map(|what| format!("structure: {what}\n"));
    let entries = report.damaged.iter().map(|key| format!("{done}: {key}\n"));
    missing.chain(structural).chain(entries).collect()
}

fn describe_records(report: &RecordReport) -> String {
    let done = if report.repaired { "deleted" } else { "orphaned" };
    let broken = report.broken.iter().map(|what| format!("broken: {what}\n"));
    let orphaned = report.orphaned.iter().map(|key| format!("{done}: {key}\n"));
    let more = (report.unlisted > 0).then(|| format!("and {} more\n", report.unlisted));
    let files = report.left_over.iter().map(|name| format!("left over, can be deleted: {name}\n"));
    broken.chain(orphaned).chain(more).chain(files).collect()
}
