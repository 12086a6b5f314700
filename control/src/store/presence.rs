//! What says that this server uses a store that several programs could use: a key under a lease. It outlives a server that
//! was killed by the duration of the lease at most; a successor in the same data folder takes it over at once.

mod claim;
mod folder_id;
mod hold;
mod leadership;

pub use claim::Usage;
pub use folder_id::host_name;
pub(super) use folder_id::is_elsewhere;
pub(crate) use hold::Hold;

use super::{LeaseId, Result, Store, lock::FolderLock, nodes::Nodes};
use claim::Claim;
use futures::future::OptionFuture;
use postern_api::{
    Id, clock,
    resource::{Node, NodeState},
};
use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};
use tokio::{
    sync::watch,
    task::JoinHandle,
    time::{Instant, sleep, timeout},
};

const LEASE: Duration = Duration::from_secs(15);
const KEEP_INTERVAL: Duration = Duration::from_secs(5);
/// Between two attempts when something was lost.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);
const KEEP_TIMEOUT: Duration = Duration::from_secs(3);
/// What is not written when the server ends must not hold it up.
const END_TIMEOUT: Duration = Duration::from_secs(2);
/// Between two looks at a node that has the id of this one.
const COPY_POLL_INTERVAL: Duration = Duration::from_millis(200);

/// The presence of this server. It ends with [`Presence::end`], or with its lease.
pub struct Presence {
    node: Option<Id<Node>>,
    nodes: Option<watch::Receiver<Arc<Nodes>>>,
    registered: watch::Receiver<bool>,
    leading: Option<watch::Receiver<bool>>,
    kept: Mutex<Option<Kept>>,
}

struct Kept {
    store: Arc<dyn Store>,
    claim: Arc<Claim>,
    lease: Arc<Mutex<LeaseId>>,
    tasks: Vec<JoinHandle<()>>,
    _lock: FolderLock,
}

/// Keeps the lease.
struct Keeping {
    store: Weak<dyn Store>,
    claim: Arc<Claim>,
    lease: Arc<Mutex<LeaseId>>,
    nodes: Option<watch::Receiver<Arc<Nodes>>>,
    registered: watch::Sender<bool>,
    /// The lease lasts until then at least.
    valid_until: watch::Sender<Instant>,
}

impl Presence {
    /// Takes the store for the server with this data folder, which is locked.
    ///
    /// # Errors
    /// `InUse` if others use it in a way that excludes this server.
    pub async fn begin(store: Arc<dyn Store>, folder: &Path, usage: Usage, lock: FolderLock) -> Result<Self> {
        let is_shared = usage != Usage::Alone;
        let claim = Arc::new(Claim::new(folder, folder_id::folder_id(folder)?, usage)?);
        let nodes = if is_shared { Some(Nodes::follow(store.as_ref()).await?) } else { None };
        if let (Some(nodes), Some(id)) = (&nodes, claim.node()) {
            wait_for_copy(&claim, id, nodes.clone()).await;
        }
        let began = Instant::now();
        let lease = take(store.as_ref(), &claim).await?;
        claim.lead(store.as_ref(), lease).await?;
        let lease = Arc::new(Mutex::new(lease));
        let (announce_registered, registered) = watch::channel(true);
        let (announce_valid, valid_until) = watch::channel(began + LEASE);
        let keeping = Keeping {
            store: Arc::downgrade(&store),
            claim: claim.clone(),
            lease: lease.clone(),
            nodes: nodes.clone(),
            registered: announce_registered,
            valid_until: announce_valid,
        };
        let mut tasks = vec![tokio::spawn(keeping.run())];
        let leading = nodes.clone().map(|nodes| {
            let leads = nodes.borrow().keeper.as_ref().is_some_and(|keeper| claim.is(keeper));
            let (announce, leading) = watch::channel(leads);
            tasks.push(tokio::spawn(leadership::follow(claim.clone(), nodes, valid_until, announce)));
            leading
        });
        let node = claim.node().cloned();
        let kept = Mutex::new(Some(Kept { store, claim, lease, tasks, _lock: lock }));
        Ok(Presence { node, nodes, registered, leading, kept })
    }

    /// Id of this server as a node.
    pub fn node(&self) -> Option<&Id<Node>> {
        self.node.as_ref()
    }

    /// Follows all nodes; `None` for a server that uses the store alone.
    pub fn nodes(&self) -> Option<watch::Receiver<Arc<Nodes>>> {
        self.nodes.clone()
    }

    /// Follows whether the store knows of this server.
    pub fn registered(&self) -> watch::Receiver<bool> {
        self.registered.clone()
    }

    /// Follows whether this node does what only one may do; `None` for a server that uses the store alone, which does.
    pub fn leading(&self) -> Option<watch::Receiver<bool>> {
        self.leading.clone()
    }

    /// Tells the other nodes what this one does.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn set_state(&self, state: NodeState) -> Result<()> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|kept| {
            kept.claim.set_state(state);
            (kept.store.clone(), kept.claim.clone(), *kept.lease.lock().unwrap_or_else(PoisonError::into_inner))
        });
        match kept {
            Some((store, claim, lease)) if claim.node().is_some() => claim.take(store.as_ref(), lease).await,
            _ => Ok(()),
        }
    }

    /// Gives the store up, before it is closed.
    pub async fn end(&self) {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Kept { store, lease, tasks, _lock, .. }) = kept else { return };
        tasks.iter().for_each(JoinHandle::abort);
        let lease = *lease.lock().unwrap_or_else(PoisonError::into_inner);
        match timeout(END_TIMEOUT, store.revoke(lease)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(%error, "the store does not know that this server has ended for 15 seconds")
            }
            Err(_) => tracing::warn!("the store does not know that this server has ended for 15 seconds"),
        }
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(kept) = kept {
            kept.tasks.iter().for_each(JoinHandle::abort);
        }
    }
}

/// Waits for the lease of a process on another host that has this node's id: it may have been killed, and this one have its
/// data folder now.
async fn wait_for_copy(claim: &Claim, id: &Id<Node>, nodes: watch::Receiver<Arc<Nodes>>) {
    let deadline = Instant::now() + LEASE + RETRY_INTERVAL;
    let is_there = || nodes.borrow().records.get(id.as_str()).is_some_and(|other| claim.is_copied(other));
    let mut told = false;
    while is_there() && Instant::now() < deadline {
        if !std::mem::replace(&mut told, true) {
            tracing::info!("waiting for the lease of this node on another host to end");
        }
        sleep(COPY_POLL_INTERVAL).await;
    }
}

/// Takes the claim under a new lease.
async fn take(store: &dyn Store, claim: &Claim) -> Result<LeaseId> {
    let lease = store.grant(LEASE, clock::now()).await?;
    let taken = claim.take(store, lease).await;
    if taken.is_err() {
        let _ = store.revoke(lease).await;
    }
    taken.map(|()| lease)
}

impl Keeping {
    async fn run(self) {
        loop {
            let registered = *self.registered.borrow();
            // Whatever is lost again and again, the store is asked once in a while only.
            sleep(RETRY_INTERVAL).await;
            tokio::select! {
                () = sleep(KEEP_INTERVAL - RETRY_INTERVAL), if registered => {}
                Some(()) = OptionFuture::from(self.nodes.clone().map(|nodes| self.lost(nodes))) => {}
                () = std::future::ready(()), if !registered => {}
            }
            let Some(store) = self.store.upgrade() else { return };
            if self.keep(store.as_ref()).await
                && let Err(error) = self.claim.lead(store.as_ref(), self.lease()).await
            {
                tracing::debug!(%error, "no keeper was chosen");
            }
        }
    }

    fn lease(&self) -> LeaseId {
        *self.lease.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is no keeper, or the store has no record of this node.
    async fn lost(&self, mut nodes: watch::Receiver<Arc<Nodes>>) {
        let missing = |nodes: &Arc<Nodes>| nodes.keeper.is_none() || !self.is_in(nodes);
        if nodes.wait_for(missing).await.is_err() {
            std::future::pending().await
        }
    }

    fn is_in(&self, nodes: &Nodes) -> bool {
        self.claim.node().is_none_or(|id| nodes.records.contains_key(id.as_str()))
    }

    /// Extends the lease, or takes the claim again under another one: a lease can end while the store is away. Gives whether
    /// the store knows of this server.
    async fn keep(&self, store: &dyn Store) -> bool {
        let (began, lease) = (Instant::now(), self.lease());
        let has_record = self.nodes.as_ref().is_none_or(|nodes| self.is_in(&nodes.borrow()));
        match timeout(KEEP_TIMEOUT, store.keep(lease, clock::now())).await {
            Ok(Ok(true)) if has_record => {
                self.valid_until.send_replace(began + LEASE);
                self.registered.send_replace(true);
                return true;
            }
            Ok(Ok(_)) => {}
            Ok(Err(_)) | Err(_) => {
                if Instant::now() > *self.valid_until.borrow() && self.registered.send_replace(false) {
                    tracing::warn!("the store may have forgotten this server, because it has been away for 15 seconds");
                }
                return false;
            }
        }
        let was_registered = self.registered.send_replace(false);
        match self.take_again(store, lease).await {
            Ok(()) => {
                tracing::info!("this server has taken the store again: its claim had ended while the store was away");
                true
            }
            Err(error) if was_registered => {
                tracing::error!(%error, "this server has lost the store");
                false
            }
            Err(_) => false,
        }
    }

    async fn take_again(&self, store: &dyn Store, former: LeaseId) -> Result<()> {
        // First, so that nothing is left under it: the keeper must not count on another lease than its key has.
        store.revoke(former).await?;
        let began = Instant::now();
        *self.lease.lock().unwrap_or_else(PoisonError::into_inner) = take(store, &self.claim).await?;
        self.valid_until.send_replace(began + LEASE);
        self.registered.send_replace(true);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
