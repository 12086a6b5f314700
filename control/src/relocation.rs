//! Moves what a stopped server stores between the database of its data folder and a store that several servers can share.

use crate::{
    certificates::Authority,
    cluster::AUTHORITY,
    sealing::Seal,
    store::{self, Copied, Hold, SharedLocation, Store},
};
use postern_api::{Code, Error, Result};
use std::path::Path;

/// Which way a store is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the database of the data folder.
    ToShared,
    /// Into the database of the data folder.
    FromShared,
}

/// Copies everything but what the servers themselves keep there. No server may use the folder or the store. Afterwards the
/// folder of a server that moved to a shared store has no database: it is renamed.
///
/// # Errors
/// `StorageLocked` if a server uses one of them, `Unavailable` if the new store is not empty or has another sealing key, or if
/// one of the two fails.
pub async fn relocate(
    direction: Direction,
    data_dir: &Path,
    join_file: Option<&Path>,
    location: &SharedLocation,
) -> Result<Copied> {
    if direction == Direction::ToShared && !store::has_database(data_dir) {
        let message =
            format!("`{}` has no database to copy. Name the data folder with --data-dir.", data_dir.display());
        return Err(Error::new(Code::ConfigInvalid, message));
    }
    let shared = store::open_shared(location).await?;
    // The database locks the folder.
    let database = store::open_database(data_dir)?;
    let copied = between(direction, data_dir, join_file, (database.as_ref(), shared.as_ref())).await;
    database.close().await;
    shared.close().await;
    if copied.is_ok() && direction == Direction::ToShared {
        store::set_database_aside(data_dir)?;
    }
    copied
}

async fn between(
    direction: Direction,
    data_dir: &Path,
    join_file: Option<&Path>,
    (database, shared): (&dyn Store, &dyn Store),
) -> Result<Copied> {
    let mut hold = Hold::begin(shared, data_dir).await?;
    let copied = async {
        // Secrets are copied as they are, so both ends need the same key.
        Seal::open_shared(data_dir, join_file, shared).await?;
        match direction {
            Direction::ToShared => Ok(store::copy(database, shared, async || hold.keep().await).await?),
            Direction::FromShared => {
                let copied = store::copy(shared, database, async || hold.keep().await).await?;
                if let Some(sealed) = shared.get(AUTHORITY).await? {
                    Authority::set_sealed_pair(data_dir, &sealed.value)?;
                }
                Ok(copied)
            }
        }
    }
    .await;
    // Without it, the lease ends by itself.
    let _ = hold.end().await;
    copied
}
