//! This node as one of several: its id, and the others.

use postern_tunnel::message::OtherNode;
use std::sync::Arc;
use tokio::sync::watch;

/// This node and the others of its cluster.
#[derive(Clone)]
pub(crate) struct Membership {
    /// Id of this node, `nd_…`.
    pub(crate) node: String,
    pub(crate) peers: watch::Receiver<Arc<[Peer]>>,
}

/// Another node of the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its id, `nd_…`.
    pub id: String,
    /// Its name, for people.
    pub name: String,
    /// Where it is dialled by other nodes, `host:port`.
    pub address: String,
    /// Where exactly this node is dialled by agents, `host:port`, if it has told so.
    pub agent_address: Option<String>,
    /// Whether it is about to stop: changes are not waited for there, its ways are tried last, and agents are not sent there.
    pub draining: bool,
}

impl Membership {
    /// The nodes that an agent of this one can have another session with.
    pub(crate) fn other_nodes(&self) -> Vec<OtherNode> {
        let peers = self.peers.borrow();
        let serving = peers.iter().filter(|peer| !peer.draining && peer.id != self.node);
        serving.map(|peer| OtherNode { id: peer.id.clone(), address: peer.agent_address.clone() }).collect()
    }
}
