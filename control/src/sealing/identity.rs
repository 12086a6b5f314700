//! What a shared store is: its id, the format of what it holds, and a text that only its own sealing key opens. The first
//! server writes it, and every other start checks it before anything else is read or written.

use super::{FILE, Seal, invitation::Invitation};
use crate::{
    files,
    store::{Commit, CommitCondition, CommitOutcome, Store, StoreError},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use postern_api::{Code, Error, Result, Secret};
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
    /// Opens the key of a data folder, and checks that it is that of a shared store. A store without an identity gets one; a
    /// folder without a key gets that of the invitation in `join_file`.
    ///
    /// # Errors
    /// `WrongKey` if the store was begun with another key, `TooNew` if a newer version wrote it, or if the invitation is not
    /// one to this store.
    pub(crate) async fn open_shared(data_dir: &Path, join_file: Option<&Path>, store: &dyn Store) -> Result<Seal> {
        if let Some(join_file) = join_file
            && files::read(&data_dir.join(FILE))?.is_none()
        {
            accept(&Invitation::read(join_file)?, data_dir, store).await?;
        }
        loop {
            if let Some(identity) = read(store).await? {
                return check(data_dir, store, &identity);
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

/// The text that lets another server join those of a store, with the key in a data folder.
///
/// # Errors
/// If the store is not a shared one.
pub(crate) async fn invite(data_dir: &Path, store: &dyn Store) -> Result<Secret> {
    let Some(identity) = read(store).await? else {
        return Err(Error::new(
            Code::ConfigInvalid,
            "This server keeps its configuration in a database of its own, which no other server can use. Start it with `--store etcd://…` and `--node-addr HOST:PORT` first.",
        ));
    };
    Ok(Invitation::text(&identity.id, &super::read_key(data_dir)?))
}

/// Writes the key of an invitation, if it is one to this store.
async fn accept(invitation: &Invitation, data_dir: &Path, store: &dyn Store) -> Result<()> {
    let identity = read(store).await?.filter(|identity| identity.id == invitation.cluster);
    let Some(identity) = identity else {
        let address = store.shared().unwrap_or_default();
        let message = format!(
            "--join-file is an invitation to another store than `{address}`. Give --store the address that the inviting server has, prefix included."
        );
        return Err(Error::new(Code::ConfigInvalid, message));
    };
    if !opens(&Seal::from_key(&invitation.key)?, &identity) {
        let message = "The key in --join-file does not open the secrets of the store. Make a new file with `postern-server cluster invite`.";
        return Err(Error::new(Code::ConfigInvalid, message));
    }
    Ok(files::write_private(&data_dir.join(FILE), &invitation.key)?)
}

async fn read(store: &dyn Store) -> Result<Option<Identity>> {
    let Some(entry) = store.get(KEY).await? else { return Ok(None) };
    let folder = store.shared().unwrap_or_default().to_owned();
    let Ok(identity) = serde_json::from_slice::<Identity>(&entry.value) else {
        return Err(StoreError::Damaged { folder, what: format!("`{KEY}` cannot be read") }.into());
    };
    if identity.format > FORMAT { Err(StoreError::TooNew { folder }.into()) } else { Ok(Some(identity)) }
}

fn check(data_dir: &Path, store: &dyn Store, identity: &Identity) -> Result<Seal> {
    let address = store.shared().unwrap_or_default().to_owned();
    let file = data_dir.join(FILE);
    let wrong = || StoreError::WrongKey { address, file: file.display().to_string() };
    // A key that was made now would only be in the way of the right one.
    if files::read(&file)?.is_none() {
        return Err(wrong().into());
    }
    let seal = Seal::open(data_dir)?;
    if opens(&seal, identity) { Ok(seal) } else { Err(wrong().into()) }
}

/// Whether a key is the one that the store was begun with.
fn opens(seal: &Seal, identity: &Identity) -> bool {
    let sealed = STANDARD.decode(&identity.check).unwrap_or_default();
    seal.unseal(&sealed, KEY).is_some_and(|id| id.as_slice() == identity.id.as_bytes())
}
