//! The state of all links of this node, for views and for changes that wait until other nodes have applied them.

use postern_api::Timestamp;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::{sync::watch, time::Instant};

/// The links of this node with all others. Each pair of nodes has two: either end dials the other.
pub struct NodeLinks {
    node: String,
    peers: Mutex<BTreeMap<String, PeerState>>,
    /// Revision of the configuration that this node has applied.
    applied: watch::Sender<u64>,
    /// Counts the changes of `peers`.
    changes: watch::Sender<u64>,
}

/// The links with one other node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkView {
    /// Id of the other node.
    pub peer: String,
    /// Name of the other node.
    pub name: String,
    /// Whether a link is up in both directions.
    pub up: bool,
    /// Since when `up` is as it is.
    pub since: Timestamp,
    /// Why the other node could not be reached the last time, while it is not.
    pub error: Option<String>,
    /// Whether the other node is about to stop.
    pub draining: bool,
    /// Revision of the configuration that the other node has applied; `None` if it is not known.
    pub revision: Option<u64>,
    /// Number of tunnels that the other node has announced.
    pub tunnels: usize,
}

#[derive(Clone, Debug)]
struct PeerState {
    name: String,
    /// Whether the link that this node dialled is up.
    dialled: bool,
    /// Whether the link that the other node dialled is up.
    accepted: bool,
    since: Timestamp,
    error: Option<String>,
    draining: bool,
    revision: Option<u64>,
    tunnels: usize,
}

impl NodeLinks {
    pub(crate) fn new(node: String) -> Arc<Self> {
        let (peers, applied, changes) = (Mutex::default(), watch::Sender::new(0), watch::Sender::new(0));
        Arc::new(NodeLinks { node, peers, applied, changes })
    }

    /// Id of this node.
    pub fn node(&self) -> &str {
        &self.node
    }

    /// Tells all linked nodes that this node has applied the configuration of this revision.
    pub fn set_applied(&self, revision: u64) {
        self.applied.send_if_modified(|applied| {
            let is_newer = revision > *applied;
            *applied = revision.max(*applied);
            is_newer
        });
    }

    /// Waits until all linked nodes that serve visitors have applied the configuration of this revision, or the deadline
    /// passes. Returns the number of those that have not. Nodes without a link and nodes that drain are not waited for.
    pub async fn applied_everywhere(&self, revision: u64, deadline: Instant) -> usize {
        let mut changes = self.changes.subscribe();
        loop {
            changes.mark_unchanged();
            let behind = self.behind(revision);
            if behind == 0 {
                return 0;
            }
            match tokio::time::timeout_at(deadline, changes.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) | Err(_) => return self.behind(revision),
            }
        }
    }

    /// The links with every node that is or was dialled, by id.
    pub fn views(&self) -> Vec<LinkView> {
        let view = |(peer, state): (&String, &PeerState)| LinkView {
            peer: peer.clone(),
            name: state.name.clone(),
            up: state.is_up(),
            since: state.since,
            error: state.error.clone(),
            draining: state.draining,
            revision: state.revision,
            tunnels: state.tunnels,
        };
        self.peers().iter().map(view).collect()
    }

    /// Notifies of changes of [`views`](Self::views).
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn behind(&self, revision: u64) -> usize {
        let is_behind = |state: &&PeerState| {
            (state.dialled || state.accepted) && !state.draining && state.revision.is_none_or(|has| has < revision)
        };
        self.peers().values().filter(is_behind).count()
    }

    fn peers(&self) -> MutexGuard<'_, BTreeMap<String, PeerState>> {
        self.peers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PeerState {
    fn is_up(&self) -> bool {
        self.dialled && self.accepted
    }
}
