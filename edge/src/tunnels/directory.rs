//! The directory of a cluster, at each node: what the agents of this node have bound, told to the linked nodes, and what
//! those have told this one. Without links there is none.

use super::{
    Session, Tunnel, TunnelKind,
    registry::{EndKind, RegistryState, SessionEntry},
};
use crate::upstream::TunnelUpstream;
use postern_api::host::HostName;
use postern_tunnel::{ServerSession, message::Scheme};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    hash::Hash,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::sync::broadcast;

/// Changes kept for a link whose peer reads slowly. A link that misses some compares everything.
const MAX_KEPT_CHANGES: usize = 4096;

/// Tunnels of all nodes.
pub(crate) struct Directory {
    changes: broadcast::Sender<(u64, OwnChange)>,
    /// Number of the last change.
    last_change: AtomicU64,
    pub(super) is_draining: bool,
    /// What other nodes have announced, by node.
    pub(super) nodes: HashMap<String, RemoteNode>,
    /// The tunnels of each address, at any node.
    holders: HashMap<PublicAddress, Vec<Arc<Tunnel>>>,
    /// The tunnels with labels that other nodes have announced, by the instance of their agent.
    labelled: HashMap<String, Vec<Arc<Tunnel>>>,
}

/// A change among the agents of this node.
#[derive(Clone)]
pub(crate) enum OwnChange {
    /// An agent has connected, or its session has changed.
    Session(Arc<Session>),
    /// A session has ended, after its tunnels.
    SessionGone(Arc<Session>),
    /// A tunnel is bound.
    Tunnel(Arc<Tunnel>),
    /// A tunnel is gone.
    TunnelGone { tunnel: Arc<Tunnel>, end_kind: EndKind },
    /// This node is about to stop.
    Draining,
}

/// What the agents of this node have bound, and the changes from then on.
pub(crate) struct OwnTunnels {
    pub(crate) sessions: Vec<Arc<Session>>,
    pub(crate) tunnels: Vec<Arc<Tunnel>>,
    pub(crate) is_draining: bool,
    /// Number of the last change before.
    pub(crate) last_change: u64,
    /// Each with its number.
    pub(crate) changes: broadcast::Receiver<(u64, OwnChange)>,
}

/// What another node has announced over its link.
pub(super) struct RemoteNode {
    pub(super) link: ServerSession,
    pub(super) sessions: HashMap<String, Arc<Session>>,
    /// By number on the link.
    pub(super) tunnels: HashMap<u32, Arc<Tunnel>>,
    /// Whether everything that was there when the link began has been announced.
    pub(super) is_complete: bool,
    pub(super) is_draining: bool,
}

/// An address that one agent holds in the whole cluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum PublicAddress {
    Host(HostName, Scheme),
    Port(u16),
}

impl Tunnel {
    /// Its address, unless it has labels.
    pub(super) fn address(&self) -> Option<PublicAddress> {
        let host = self.host.as_ref().map(|host| PublicAddress::Host(host.clone(), self.scheme()));
        host.or_else(|| self.port.map(PublicAddress::Port))
    }

    /// The order in which the ways to one tunnel are tried.
    fn preference(&self) -> impl Ord + use<> {
        (self.session.is_draining(), self.session.is_remote(), Reverse(self.id.clone()))
    }

    fn is_way_to(&self, other: &Tunnel) -> bool {
        self.id == other.id || self.session.same_agent(&other.session)
    }
}

impl Directory {
    pub(super) fn new() -> Self {
        let (changes, _) = broadcast::channel(MAX_KEPT_CHANGES);
        Directory {
            changes,
            last_change: AtomicU64::new(0),
            is_draining: false,
            nodes: HashMap::new(),
            holders: HashMap::new(),
            labelled: HashMap::new(),
        }
    }

    /// Called under the registry's lock, so that changes are sent in the order of their numbers.
    pub(super) fn tell(&self, change: OwnChange) {
        let number = self.last_change.fetch_add(1, Ordering::Relaxed) + 1;
        // Without links there is no receiver.
        let _ = self.changes.send((number, change));
    }

    /// Number of the last change among the agents of this node.
    fn last_change(&self) -> u64 {
        self.last_change.load(Ordering::Relaxed)
    }

    /// Adds a tunnel, and tells the linked nodes about it if its agent is connected here.
    pub(super) fn add(&mut self, tunnel: &Arc<Tunnel>) {
        if let Some(address) = tunnel.address() {
            self.holders.entry(address).or_default().push(tunnel.clone());
        } else if tunnel.session.is_remote() {
            self.labelled.entry(tunnel.session.instance.clone()).or_default().push(tunnel.clone());
        }
        if !tunnel.session.is_remote() {
            self.tell(OwnChange::Tunnel(tunnel.clone()));
        }
    }

    /// Removes a tunnel, and tells the linked nodes if its agent is connected here. It keeps its other ways for requests
    /// that have found it before.
    pub(super) fn remove(&mut self, tunnel: &Arc<Tunnel>, end_kind: EndKind) {
        if let Some(address) = tunnel.address() {
            forget(&mut self.holders, &address, tunnel);
        } else if tunnel.session.is_remote() {
            forget(&mut self.labelled, &tunnel.session.instance, tunnel);
        }
        if !tunnel.session.is_remote() {
            self.tell(OwnChange::TunnelGone { tunnel: tunnel.clone(), end_kind });
        }
    }

    /// The tunnel that serves an address, connected with its other ways. Where several agents hold the address, because
    /// two nodes gave it away at the same time, all nodes choose the one with the lowest tunnel id, the oldest.
    pub(super) fn elect(&self, address: &PublicAddress) -> Option<Arc<Tunnel>> {
        let holders = self.holders.get(address)?;
        let oldest = holders.iter().min_by(|one, other| one.id.cmp(&other.id))?;
        let (ways, shadowed): (Vec<_>, Vec<_>) = holders.iter().cloned().partition(|holder| holder.is_way_to(oldest));
        for shadowed in shadowed {
            tracing::warn!(
                tunnel = shadowed.id,
                by = oldest.id,
                ?address,
                "two agents hold this address at different nodes; the older tunnel serves it"
            );
            shadowed.upstream.set_other_ways(Vec::new());
        }
        connect_ways(ways)
    }

    /// The tunnel of this name and address that the agent of a session has bound at another node.
    pub(super) fn same_tunnel(&self, session: &Session, name: &str, address: &PublicAddress) -> Option<&Tunnel> {
        find_remote(self.holders.get(address)?, session, |tunnel| tunnel.name == name)
    }

    /// The tunnel of this name with these labels that the agent of a session has bound at another node.
    pub(super) fn same_labels(
        &self,
        session: &Session,
        name: &str,
        labels: &BTreeMap<String, String>,
    ) -> Option<&Tunnel> {
        let is_same = |tunnel: &Tunnel| tunnel.name == name && tunnel.upstream.labels() == labels;
        find_remote(self.labelled.get(&session.instance)?, session, is_same)
    }

    /// Whether any node holds this port.
    pub(super) fn has_port(&self, port: u16) -> bool {
        self.holders.contains_key(&PublicAddress::Port(port))
    }

    /// Whether other nodes hold this port for the agent of this session, and for none besides.
    pub(super) fn is_way_for(&self, session: &Session, port: u16) -> bool {
        let is_way = |holder: &Arc<Tunnel>| holder.session.is_remote() && holder.session.same_agent(session);
        self.holders.get(&PublicAddress::Port(port)).is_some_and(|holders| holders.iter().all(is_way))
    }

    /// All tunnels that other nodes have announced.
    pub(super) fn remote_tunnels(&self) -> impl Iterator<Item = &Arc<Tunnel>> {
        self.nodes.values().flat_map(|node| node.tunnels.values())
    }

    /// The sessions of other nodes' agents.
    pub(super) fn remote_sessions(&self) -> impl Iterator<Item = &Arc<Session>> {
        self.nodes.values().flat_map(|node| node.sessions.values())
    }

    /// All labelled tunnels, each once, with its ways: those of one agent with the same name and labels, in different
    /// sessions.
    fn labelled<'a>(&'a self, own: impl Iterator<Item = &'a Arc<Tunnel>>) -> Vec<Arc<TunnelUpstream>> {
        type Key<'a> = (&'a str, &'a str, &'a str, &'a BTreeMap<String, String>);
        let mut places: HashMap<Key<'_>, Vec<usize>> = HashMap::new();
        let mut tunnels: Vec<Vec<Arc<Tunnel>>> = Vec::new();
        let labelled = own.chain(self.remote_tunnels()).filter(|tunnel| tunnel.kind == TunnelKind::Labels);
        for tunnel in labelled {
            let session = &tunnel.session;
            let key = (&*session.credential_key, &*session.instance, &*tunnel.name, tunnel.upstream.labels());
            let same = places.entry(key).or_default();
            let in_other_sessions =
                |ways: &[Arc<Tunnel>]| ways.iter().all(|way| way.is_way_to(tunnel) && way.session.id != session.id);
            match same.iter().find(|place| in_other_sessions(&tunnels[**place])) {
                Some(place) => tunnels[*place].push(tunnel.clone()),
                None => {
                    same.push(tunnels.len());
                    tunnels.push(vec![tunnel.clone()]);
                }
            }
        }
        tunnels.into_iter().filter_map(connect_ways).map(|tunnel| tunnel.upstream.clone()).collect()
    }
}

fn forget<K: Eq + Hash>(places: &mut HashMap<K, Vec<Arc<Tunnel>>>, place: &K, tunnel: &Arc<Tunnel>) {
    let Some(tunnels) = places.get_mut(place) else { return };
    tunnels.retain(|known| !Arc::ptr_eq(known, tunnel));
    if tunnels.is_empty() {
        places.remove(place);
    }
}

fn find_remote<'a>(
    tunnels: &'a [Arc<Tunnel>],
    session: &Session,
    is_same: impl Fn(&Tunnel) -> bool,
) -> Option<&'a Tunnel> {
    let of_agent = |tunnel: &Tunnel| tunnel.session.is_remote() && tunnel.session.same_agent(session);
    tunnels.iter().map(|tunnel| &**tunnel).find(|tunnel| of_agent(tunnel) && is_same(tunnel))
}

/// Sorts the ways to one tunnel. The first is returned and knows the others.
fn connect_ways(mut ways: Vec<Arc<Tunnel>>) -> Option<Arc<Tunnel>> {
    ways.sort_by_cached_key(|way| way.preference());
    let (first, others) = ways.split_first()?;
    // Only the first knows others, so that no two refer to each other.
    others.iter().for_each(|way| way.upstream.set_other_ways(Vec::new()));
    first.upstream.set_other_ways(others.iter().map(|way| way.upstream.clone()).collect());
    Some(first.clone())
}

impl RegistryState {
    /// All tunnels, those of other nodes included.
    pub(super) fn tunnels(&self) -> impl Iterator<Item = &Arc<Tunnel>> {
        self.own_tunnels().chain(self.directory.iter().flat_map(|directory| directory.remote_tunnels()))
    }

    /// The tunnels of the agents that are connected here.
    pub(super) fn own_tunnels(&self) -> impl Iterator<Item = &Arc<Tunnel>> {
        self.sessions.values().flat_map(|entry| entry.tunnels.values())
    }

    /// All labelled tunnels, each once.
    pub(super) fn labelled(&self) -> Vec<Arc<TunnelUpstream>> {
        if let Some(directory) = &self.directory {
            return directory.labelled(self.own_tunnels());
        }
        let labelled = self.own_tunnels().filter(|tunnel| tunnel.kind == TunnelKind::Labels);
        labelled.map(|tunnel| tunnel.upstream.clone()).collect()
    }

    /// What the agents of this node have bound, and the changes from then on. `None` without links.
    pub(super) fn subscribe(&self) -> Option<OwnTunnels> {
        let directory = self.directory.as_ref()?;
        Some(OwnTunnels {
            sessions: self.sessions.values().map(|entry| entry.session.clone()).collect(),
            tunnels: self.own_tunnels().cloned().collect(),
            is_draining: directory.is_draining,
            last_change: directory.last_change(),
            changes: directory.changes.subscribe(),
        })
    }

    /// Number of the last change among the agents of this node. `None` without links.
    pub(super) fn last_change(&self) -> Option<u64> {
        self.directory.as_ref().map(|directory| directory.last_change())
    }

    /// Whether other nodes hold this port for the agent of this session, and for none besides.
    pub(super) fn is_way_for(&self, session: &Session, port: u16) -> bool {
        self.directory.as_ref().is_some_and(|directory| directory.is_way_for(session, port))
    }

    /// Whether the agent of this session cannot have this port, because a tunnel holds it.
    pub(super) fn is_port_taken(&self, session: &Session, port: u16) -> bool {
        self.ports.contains_key(&port) && !self.is_way_for(session, port)
    }

    /// Whether the agent of a session has bound everything that it holds in this session at other nodes as well.
    pub(super) fn holds_elsewhere(&self, entry: &SessionEntry) -> bool {
        let Some(directory) = &self.directory else { return false };
        let session = &entry.session;
        entry.tunnels.values().all(|tunnel| match tunnel.address() {
            Some(address) => directory.same_tunnel(session, &tunnel.name, &address).is_some(),
            None => directory.same_labels(session, &tunnel.name, tunnel.upstream.labels()).is_some(),
        })
    }

    /// The tunnel of this node that has taken the place of another one in a newer session of the same agent.
    pub(super) fn successor(&self, of: &Tunnel) -> Option<Arc<Tunnel>> {
        let succeeds = |tunnel: &&Arc<Tunnel>| {
            !tunnel.session.is_remote()
                && tunnel.session.same_agent(&of.session)
                && (tunnel.kind, &tunnel.name, tunnel.upstream.labels()) == (of.kind, &of.name, of.upstream.labels())
        };
        match of.address() {
            Some(address) => self.directory.as_ref()?.holders.get(&address)?.iter().find(succeeds).cloned(),
            None => self.own_tunnels().find(succeeds).cloned(),
        }
    }

    pub(super) fn tell(&self, change: impl FnOnce() -> OwnChange) {
        if let Some(directory) = &self.directory {
            directory.tell(change());
        }
    }

    /// Tells the linked nodes that this one is about to stop.
    pub(super) fn start_draining(&mut self) {
        if let Some(directory) = &mut self.directory {
            directory.is_draining = true;
            directory.tell(OwnChange::Draining);
        }
    }
}
