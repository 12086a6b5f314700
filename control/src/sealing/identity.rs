//! What a shared store is: its id, the format of what it holds, and a text that only its own sealing key opens. The first
//! server writes it, and every other start checks it before anything else is read or written.

use super::{FILE, Seal};
use crate::{
    files,
    store::{Commit, CommitCondition, CommitOutcome, Entry, Store, StoreError},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use postern_api::Result;
use serde::{Deserialize, Serialize};
use std::path::Path;

const KEY: &str = "cluster/identity";
/// Format of the entries that this version writes.
const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Identity {
    id: String,
    /// The id, sealed.
    check: String,
    format: u32,
}

impl Seal {
    /// Opens the key of a data folder, and checks that it is that of a shared store. A store without an identity gets one.
    ///
    /// # Errors
    /// `WrongKey` if the store was begun with another key, `TooNew` if a newer version wrote it.
    pub(crate) async fn open_shared(data_dir: &Path, store: &dyn Store) -> Result<Seal> {
        loop {
            if let Some(entry) = store.get(KEY).await? {
                return check(data_dir, store, &entry);
            }
            let seal = Seal::open(data_dir)?;
            let id = postern_api::id::random_hex();
            let check = STANDARD.encode(seal.seal(id.as_bytes(), KEY)?);
            let identity = serde_json::to_vec(&Identity { id, check, format: FORMAT })
                .map_err(|error| StoreError::Broken(error.to_string()))?;
            let begin = Commit::default().put(KEY, identity).when(CommitCondition::Absent(KEY.to_owned()));
            if let CommitOutcome::Done(_) = store.commit(begin).await? {
                return Ok(seal);
            }
        }
    }
}

fn check(data_dir: &Path, store: &dyn Store, entry: &Entry) -> Result<Seal> {
    let address = store.shared().unwrap_or_default().to_owned();
    let Ok(identity) = serde_json::from_slice::<Identity>(&entry.value) else {
        return Err(StoreError::Damaged { folder: address, what: format!("`{KEY}` cannot be read") }.into());
    };
    if identity.format > FORMAT {
        return Err(StoreError::TooNew { folder: address }.into());
    }
    let file = data_dir.join(FILE);
    let wrong = || StoreError::WrongKey { address, file: file.display().to_string() };
    // A key that was made now would only be in the way of the right one.
    if files::read(&file)?.is_none() {
        return Err(wrong().into());
    }
    let seal = Seal::open(data_dir)?;
    let sealed = STANDARD.decode(&identity.check).unwrap_or_default();
    match seal.unseal(&sealed, KEY) {
        Some(id) if id.as_slice() == identity.id.as_bytes() => Ok(seal),
        _ => Err(wrong().into()),
    }
}
