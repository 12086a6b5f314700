//! This server as one of several on a store, and what they share besides its entries: the authority that visitors trust, and
//! the one by which the nodes know each other.

use crate::{
    certificates::{Authority, NodeAuthority, NodeCertificate},
    sealing::Seal,
    store::{Commit, CommitCondition, Nodes, Presence, Store, StoreError},
};
use postern_api::{
    Id, Result,
    resource::{Node, NodeState},
};
use rustls_pki_types::CertificateDer;
use std::{path::Path, sync::Arc};
use tokio::sync::watch;

/// Key of the authority of all nodes that visitors trust.
pub(crate) const AUTHORITY: &str = "cluster/authority";
/// Key of the authority of the links between nodes.
const NODE_AUTHORITY: &str = "cluster/node-authority";

/// This server as one of several on a store.
pub struct Cluster {
    presence: Arc<Presence>,
    id: Id<Node>,
    nodes: watch::Receiver<Arc<Nodes>>,
    leading: watch::Receiver<bool>,
    authority: NodeAuthority,
}

impl Cluster {
    /// Joins the others; `None` for a server that uses its store alone. The data folder gets the authority that the first of
    /// them had.
    ///
    /// # Errors
    /// If the store does not answer, or an authority cannot be opened.
    pub(crate) async fn join(
        presence: &Arc<Presence>,
        store: &dyn Store,
        seal: &Seal,
        data_dir: &Path,
    ) -> Result<Option<Cluster>> {
        let (Some(id), Some(nodes), Some(leading)) = (presence.node().cloned(), presence.nodes(), presence.leading())
        else {
            return Ok(None);
        };
        let sealed = agree(store, AUTHORITY, || Authority::sealed_pair(data_dir)).await?;
        if Authority::set_sealed_pair(data_dir, &sealed)? {
            tracing::warn!("the certificate authority of this data folder was replaced by that of the other nodes");
        }
        let sealed = agree(store, NODE_AUTHORITY, || NodeAuthority::generate(seal)).await?;
        let authority = NodeAuthority::open(seal, &sealed)?;
        Ok(Some(Cluster { presence: presence.clone(), id, nodes, leading, authority }))
    }

    /// Id of this node.
    pub fn id(&self) -> &Id<Node> {
        &self.id
    }

    /// Follows all nodes that are registered.
    pub fn nodes(&self) -> watch::Receiver<Arc<Nodes>> {
        self.nodes.clone()
    }

    /// Follows whether this node is the one that does what only one may do.
    pub fn leading(&self) -> watch::Receiver<bool> {
        self.leading.clone()
    }

    /// A new certificate of this node.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn certificate(&self) -> Result<NodeCertificate> {
        self.authority.issue(&self.id)
    }

    /// Certificate of the authority of all nodes.
    pub fn root(&self) -> &CertificateDer<'static> {
        self.authority.root()
    }

    /// Tells the other nodes what this one does.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn set_state(&self, state: NodeState) -> Result<()> {
        Ok(self.presence.set_state(state).await?)
    }
}

impl std::fmt::Debug for Cluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cluster").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Does what only one node may do, whenever this node is that one; a server that uses its store alone (`None`) always does.
/// What it has begun ends half-way when another node takes over.
pub(crate) async fn while_leading<F: Future<Output = ()>>(
    leading: Option<watch::Receiver<bool>>,
    work: impl Fn() -> F,
) {
    by_turns(leading, work, std::future::pending).await;
}

/// The same, and something else while another node is that one.
pub(crate) async fn by_turns<W, M>(
    leading: Option<watch::Receiver<bool>>,
    work: impl Fn() -> W,
    meanwhile: impl Fn() -> M,
) where
    W: Future<Output = ()>,
    M: Future<Output = ()>,
{
    let Some(mut leading) = leading else { return work().await };
    loop {
        let leads = *leading.borrow_and_update();
        let turn = async { if leads { work().await } else { meanwhile().await } };
        tokio::select! {
            () = turn => return,
            turned = leading.wait_for(|now| *now != leads) => if turned.is_err() {
                return;
            },
        }
    }
}

/// What the first node has proposed for a key.
async fn agree(store: &dyn Store, key: &str, propose: impl FnOnce() -> Result<Vec<u8>>) -> Result<Vec<u8>> {
    if let Some(entry) = store.get(key).await? {
        return Ok(entry.value);
    }
    let commit = Commit::default().put(key, propose()?).when(CommitCondition::Absent(key.to_owned()));
    store.commit(commit).await?;
    let agreed = store.get(key).await?;
    Ok(agreed.ok_or_else(|| StoreError::Broken(format!("`{key}` has gone")))?.value)
}
