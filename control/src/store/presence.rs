//! One server at a time at a store that several programs could use: a leased key says who it is. It outlives a server that
//! was killed by the duration of the lease at most; a successor in the same data folder takes it over at once.

use super::{Commit, CommitCondition, CommitOutcome, LeaseId, Result, Store, StoreError, Write, lock::FolderLock};
use crate::files;
use postern_api::{clock, id::random_hex};
use serde::{Deserialize, Serialize};
use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::task::JoinHandle;

const KEY: &str = "cluster/server";
/// File with the id of the data folder.
const ID_FILE: &str = "node.id";
const LEASE: Duration = Duration::from_secs(15);
const KEEP_INTERVAL: Duration = Duration::from_secs(5);

/// Who uses the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Holder {
    /// Id of its data folder.
    folder: String,
    /// Random for each start.
    run: String,
    host: String,
    process: u32,
}

/// The presence of this server. It ends with [`Presence::end`], or with its lease.
pub struct Presence {
    kept: Mutex<Option<Kept>>,
}

struct Kept {
    store: Arc<dyn Store>,
    lease: Arc<Mutex<LeaseId>>,
    task: JoinHandle<()>,
    _lock: FolderLock,
}

impl Presence {
    /// Takes the store for the server with this data folder, which is locked.
    ///
    /// # Errors
    /// `InUse` if another server has it.
    pub async fn begin(store: Arc<dyn Store>, folder: &Path, lock: FolderLock) -> Result<Self> {
        let holder =
            Holder { folder: folder_id(folder)?, run: random_hex(), host: host_name(), process: std::process::id() };
        let lease = Arc::new(Mutex::new(take(store.as_ref(), &holder).await?));
        let task = tokio::spawn(keep(Arc::downgrade(&store), holder, lease.clone()));
        Ok(Presence { kept: Mutex::new(Some(Kept { store, lease, task, _lock: lock })) })
    }

    /// Gives the store up, before it is closed.
    pub async fn end(&self) {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Kept { store, lease, task, _lock }) = kept else { return };
        task.abort();
        let lease = *lease.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = store.revoke(lease).await {
            tracing::warn!(%error, "the store was not given up: another server can use it in 15 seconds");
        }
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(kept) = kept {
            kept.task.abort();
        }
    }
}

/// Takes the key under a new lease.
async fn take(store: &dyn Store, holder: &Holder) -> Result<LeaseId> {
    let lease = store.grant(LEASE, clock::now()).await?;
    let taken = put(store, holder, lease).await;
    if taken.is_err() {
        let _ = store.revoke(lease).await;
    }
    taken.map(|()| lease)
}

async fn put(store: &dyn Store, holder: &Holder, lease: LeaseId) -> Result<()> {
    let value = serde_json::to_vec(holder).map_err(|error| StoreError::Broken(error.to_string()))?;
    loop {
        let condition = match store.get(KEY).await? {
            None => CommitCondition::Absent(KEY.to_owned()),
            Some(entry) => match serde_json::from_slice::<Holder>(&entry.value) {
                // The lock on the folder proves that its last server has ended.
                Ok(last) if last.folder == holder.folder => CommitCondition::Unchanged(KEY.to_owned(), entry.revision),
                Ok(other) => return Err(in_use(store, &format!("process {} at {}", other.process, other.host))),
                Err(_) => return Err(in_use(store, "an unknown one")),
            },
        };
        let writes = vec![Write::PutLeased(KEY.to_owned(), value.clone(), lease)];
        match store.commit(Commit { writes, conditions: vec![condition] }).await? {
            CommitOutcome::Done(_) => return Ok(()),
            CommitOutcome::Conflict(_) => {}
        }
    }
}

fn in_use(store: &dyn Store, holder: &str) -> StoreError {
    StoreError::InUse { address: store.shared().unwrap_or_default().to_owned(), holder: holder.to_owned() }
}

/// Keeps the lease. It can end while the store is away; the key is taken again then.
async fn keep(store: std::sync::Weak<dyn Store>, holder: Holder, lease: Arc<Mutex<LeaseId>>) {
    loop {
        tokio::time::sleep(KEEP_INTERVAL).await;
        let Some(store) = store.upgrade() else { return };
        let current = *lease.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(false) = store.keep(current, clock::now()).await {
            match take(store.as_ref(), &holder).await {
                Ok(new) => {
                    *lease.lock().unwrap_or_else(PoisonError::into_inner) = new;
                    tracing::info!(
                        "this server has taken the store again: its claim had ended while the store was away"
                    );
                }
                Err(error) => tracing::error!(%error, "this server has lost the store"),
            }
        }
    }
}

/// Whether the configuration of the server with this data folder is in a store that several programs could use.
pub(super) fn is_elsewhere(folder: &Path) -> bool {
    folder.join(ID_FILE).exists()
}

/// Id of a data folder, made the first time.
fn folder_id(folder: &Path) -> Result<String> {
    let path = folder.join(ID_FILE);
    if let Some(id) = files::read(&path)? {
        return Ok(String::from_utf8_lossy(&id).trim().to_owned());
    }
    let id = random_hex();
    files::write_private(&path, format!("{id}\n").as_bytes())?;
    Ok(id)
}

#[cfg(unix)]
fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
#[cfg(not(unix))]
fn host_name() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_else(|_| "another host".to_owned())
}
