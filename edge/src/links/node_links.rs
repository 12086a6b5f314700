//! The state of all links of this node, for views and for changes that wait until other nodes have applied them.

use crate::tunnels::Peer;
use postern_api::{AnyId, Timestamp, resource::NodeName};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::{sync::watch, time::Instant};

/// The links of this node with all others. Each pair of nodes has two: either end dials the other.
pub struct NodeLinks {
    node: String,
    name: String,
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
    /// Whether the list of peers says that the node drains.
    is_listed_draining: bool,
    is_listed: bool,
    revision: Option<u64>,
    tunnels: usize,
    /// How often a new process of the node has taken the place of one that was about to stop.
    successions: u64,
}

/// Which end dialled a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DialledBy {
    This,
    Other,
}

impl NodeLinks {
    pub(super) fn new(node: &str, name: &str) -> Arc<Self> {
        let (peers, applied, changes) = (Mutex::default(), watch::Sender::new(0), watch::Sender::new(0));
        Arc::new(NodeLinks { node: node.to_owned(), name: name.to_owned(), peers, applied, changes })
    }

    /// Id of this node.
    pub fn node(&self) -> &str {
        &self.node
    }

    /// The name of a node; `None` is this one.
    pub fn named(&self, node: Option<&str>) -> NodeName {
        let id = node.unwrap_or(&self.node);
        let peers = self.peers();
        let name = if id == self.node { Some(&self.name) } else { peers.get(id).map(|state| &state.name) };
        NodeName { id: AnyId::from_text(id), name: name.cloned().unwrap_or_default() }
    }

    /// The other nodes that are in the list or linked, but for those with these ids.
    pub(super) fn others(&self, present: &[String]) -> Vec<NodeName> {
        let peers = self.peers();
        let others = peers.iter().filter(|(id, state)| state.is_present() && !present.contains(id));
        others.map(|(id, state)| NodeName { id: AnyId::from_text(id), name: state.name.clone() }).collect()
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

    /// Receives the revisions that this node has applied.
    pub(super) fn applied(&self) -> watch::Receiver<u64> {
        self.applied.subscribe()
    }

    /// A link is up.
    pub(super) fn up(&self, peer: &str, name: &str, by: DialledBy) {
        self.change(peer, |state| {
            name.clone_into(&mut state.name);
            if !state.dialled && !state.accepted {
                // It may be another process than before.
                (state.revision, state.draining) = (None, state.is_listed_draining);
            }
            state.error = None;
            state.set(by, true);
        });
    }

    /// A link is down, or cannot be made.
    pub(super) fn down(&self, peer: &str, by: DialledBy, error: Option<String>) {
        self.change(peer, |state| {
            state.error = error.or(state.error.take());
            state.set(by, false);
        });
        self.peers().retain(|id, state| id != peer || state.is_present());
    }

    /// A peer is in the list.
    pub(super) fn peer_listed(&self, peer: &Peer) {
        if peer.id != self.node {
            self.change(&peer.id, |state| {
                peer.name.clone_into(&mut state.name);
                state.is_listed = true;
                state.is_listed_draining = peer.draining;
                state.draining |= peer.draining;
            });
        }
    }

    /// A peer has left the list, and the link that was dialled to it is down.
    pub(super) fn peer_unlisted(&self, peer: &str) {
        self.peers().retain(|id, state| {
            if id == peer {
                state.is_listed = false;
            }
            id != peer || state.is_present()
        });
        self.changes.send_modify(|changes| *changes += 1);
    }

    /// A node is about to stop.
    pub(super) fn drains(&self, peer: &str) {
        self.change(peer, |state| state.draining = true);
    }

    /// A new process of a node has taken the place of one that is about to stop.
    pub(super) fn succeeded(&self, peer: &str) {
        self.change(peer, |state| {
            (state.revision, state.draining) = (None, false);
            state.successions += 1;
        });
    }

    /// How often that has happened.
    pub(super) fn successions(&self, peer: &str) -> u64 {
        self.peers().get(peer).map_or(0, |state| state.successions)
    }

    /// Waits until it has happened again.
    pub(super) async fn succession_after(&self, peer: &str, known: u64) {
        let mut changes = self.changes.subscribe();
        while self.successions(peer) <= known {
            // The sender lives as long as this.
            let _ = changes.changed().await;
        }
    }

    /// A node has applied a revision.
    pub(super) fn applied_by(&self, peer: &str, revision: u64) {
        self.change(peer, |state| state.revision = state.revision.max(Some(revision)));
    }

    /// A node has announced so many tunnels.
    pub(super) fn announced_by(&self, peer: &str, tunnels: usize) {
        self.change(peer, |state| state.tunnels = tunnels);
    }

    fn change(&self, peer: &str, change: impl FnOnce(&mut PeerState)) {
        {
            let mut peers = self.peers();
            match peers.get_mut(peer) {
                Some(state) => change(state),
                None => change(peers.entry(peer.to_owned()).or_insert_with(PeerState::new)),
            }
        }
        self.changes.send_modify(|changes| *changes += 1);
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
    fn new() -> Self {
        PeerState {
            name: String::new(),
            dialled: false,
            accepted: false,
            since: Timestamp::now(),
            error: None,
            draining: false,
            is_listed_draining: false,
            is_listed: false,
            revision: None,
            tunnels: 0,
            successions: 0,
        }
    }

    fn set(&mut self, by: DialledBy, up: bool) {
        let was_up = self.is_up();
        match by {
            DialledBy::This => self.dialled = up,
            DialledBy::Other => self.accepted = up,
        }
        if self.is_up() != was_up {
            self.since = Timestamp::now();
        }
    }

    fn is_present(&self) -> bool {
        self.is_listed || self.dialled || self.accepted
    }

    fn is_up(&self) -> bool {
        self.dialled && self.accepted
    }
}
