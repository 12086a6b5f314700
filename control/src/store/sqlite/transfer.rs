//! All entries of a database of one revision, read beside a running server, and written into a new one.

use super::{
    DatabaseFolder, FILE,
    folder_state::{FolderState, FoundDatabase},
    statements,
};
use crate::{
    files,
    store::{Entry, Revision, StoreError, lock::FolderLock},
};
use rusqlite::{Connection, OpenFlags, config::DbConfig};
use std::path::Path;

/// Reads all entries that have no lease, of one revision. A server may use the folder: it is not held up.
///
/// # Errors
/// If there is no database of this version, it cannot be read, or one of the functions fails.
pub fn read_all<E: From<StoreError>>(
    folder: &Path,
    begin: impl FnOnce(Revision) -> Result<(), E>,
    each: impl FnMut(Entry) -> Result<(), E>,
) -> Result<(), E> {
    let database = DatabaseFolder { folder: folder.to_owned() };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = database.sql(Connection::open_with_flags(folder.join(FILE), flags))?;
    // The log of a server that was killed stays as it is.
    database.sql(connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true))?;
    let transaction = database.sql(connection.transaction())?;
    let (layout, id) = database.sql(statements::identify(&transaction))?;
    FoundDatabase::new(folder, layout, id, 0)?.check_file()?;
    if layout > statements::LAYOUT {
        return Err(database.too_new().into());
    }
    if layout < statements::LAYOUT {
        let what = "an older version wrote it; start the server once before the backup";
        return Err(StoreError::Broken(what.to_owned()).into());
    }
    begin(database.sql(statements::newest(&transaction))?)?;
    database.sql(statements::each_lasting(&transaction, each))?
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
