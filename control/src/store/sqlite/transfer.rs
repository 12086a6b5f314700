//! All entries of a database of one revision, read beside a running server, and written into a new one.

use super::{
    DatabaseFolder, LOG_FILE,
    folder_state::{FolderState, FoundDatabase},
    statements,
};
use crate::{
    files,
    store::{Entry, Revision, StoreError, lock::FolderLock},
};
use std::path::Path;

/// Reads all entries that have no lease, of one revision, into what `begin` gives. A server may use the folder: it is not
/// held up. What a killed server left in the log is read as well.
///
/// # Errors
/// If there is no database of this version, it or its log cannot be read, or one of the functions fails.
pub fn read_all<T, E: From<StoreError>>(
    folder: &Path,
    begin: impl FnOnce(Revision) -> Result<T, E>,
    mut each: impl FnMut(&mut T, Entry) -> Result<(), E>,
) -> Result<T, E> {
    let database = DatabaseFolder { folder: folder.to_owned() };
    let log_bytes = database.size(LOG_FILE);
    let mut connection = database.open_to_read()?;
    let transaction = database.sql(connection.transaction())?;
    let (layout, id) = database.sql(statements::identify(&transaction))?;
    let found = FoundDatabase::new(folder, layout, id, log_bytes)?;
    found.check_file()?;
    // A server that just started announces its log before it writes there.
    if let (Err(lost), Ok(_)) = (found.check_log(), FolderLock::take(folder)) {
        return Err(lost.into());
    }
    if layout > statements::LAYOUT {
        return Err(database.too_new().into());
    }
    if layout < statements::LAYOUT {
        return Err(StoreError::TooOld { folder: folder.display().to_string() }.into());
    }
    let mut begun = begin(database.sql(statements::newest(&transaction))?)?;
    database.sql(statements::each_lasting(&transaction, |entry| each(&mut begun, entry)))??;
    Ok(begun)
}

/// Writes entries into the new database of a folder: all or none.
///
/// # Errors
/// If a server uses the folder, it cannot be written, or `next` fails.
pub fn write_all<E: From<StoreError>>(
    folder: &Path,
    revision: Revision,
    next: impl FnMut() -> Result<Option<Entry>, E>,
) -> Result<(), E> {
    files::create_private_folder(folder).map_err(StoreError::from)?;
    let _lock = FolderLock::take(folder)?;
    let database = DatabaseFolder { folder: folder.to_owned() };
    let (mut connection, _) = database.open_file()?;
    database.sql(statements::configure(&connection, None))?;
    let prepared = database.sql(statements::prepare(&mut connection))?.ok_or_else(|| database.too_new())?;
    database.sql(statements::fill(&mut connection, revision, next))??;
    database.sql(statements::checkpoint(&connection, true))?;
    FolderState::saved(&prepared.id).write(folder)?;
    Ok(())
}
