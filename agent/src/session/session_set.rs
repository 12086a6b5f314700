//! The sessions of one agent, each with another node of the server: which are up, which one leads, and what is shown of
//! them. The oldest leads; another one takes over when it ends.

use super::{StatusPublisher, server_dialer::ConnectionPath};
use crate::config::{AgentSettings, ServerAddress};
use arc_swap::ArcSwapOption;
use postern_api::Error;
use postern_tunnel::{AgentSession, message::OtherNode};
use rand::seq::SliceRandom;
use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::{self, watch};

/// The sessions of an agent.
pub struct SessionSet {
    /// Random for each start of the agent.
    run: String,
    up: Mutex<Vec<Established>>,
    /// The nodes that the last session has named.
    known: Mutex<Vec<OtherNode>>,
    changes: watch::Sender<u64>,
    /// Why the operator of the server has stopped the agent, until its settings change.
    stopped: watch::Sender<Option<Error>>,
    /// One connects at a time, so that no two of them choose the same node.
    connecting: sync::Mutex<()>,
    status: Arc<StatusPublisher>,
    leading: Arc<ArcSwapOption<AgentSession>>,
}

/// A session that is up.
struct Established {
    slot: usize,
    session: AgentSession,
    path: ConnectionPath,
}

/// What the other sessions of the agent mean for one that is to be established.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Beside {
    /// Ids of their nodes.
    pub(super) at: Vec<String>,
    /// Addresses at which they were reached, to be tried last.
    pub(super) taken: Vec<SocketAddr>,
    /// Their servers, to be tried last.
    servers: Vec<ServerAddress>,
}

/// A server to connect to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) server: ServerAddress,
    /// Name in its certificate.
    pub(super) name: String,
}

impl SessionSet {
    /// A set without sessions, which publishes the state of the leading one.
    pub fn new(status: Arc<StatusPublisher>, leading: Arc<ArcSwapOption<AgentSession>>) -> Self {
        SessionSet {
            run: postern_api::id::random_hex(),
            up: Mutex::default(),
            known: Mutex::default(),
            changes: watch::Sender::new(0),
            stopped: watch::Sender::new(None),
            connecting: sync::Mutex::default(),
            status,
            leading,
        }
    }

    /// Random for each start of the agent.
    pub(super) fn run(&self) -> &str {
        &self.run
    }

    /// The status of the agent.
    pub(super) fn status(&self) -> &StatusPublisher {
        &self.status
    }

    /// Waits until no other session is being established.
    pub(super) async fn connecting(&self) -> sync::MutexGuard<'_, ()> {
        self.connecting.lock().await
    }

    /// What the sessions mean for another one.
    pub(super) fn beside(&self, slot: usize) -> Beside {
        let mut beside = Beside::default();
        for other in self.lock_up().iter().filter(|other| other.slot != slot) {
            beside.at.extend(Some(other.session.welcome().node.clone()).filter(|node| !node.is_empty()));
            beside.taken.push(other.path.remote());
            beside.servers.push(other.path.server.clone());
        }
        beside
    }

    /// Whether no other session is up.
    pub(super) fn is_alone(&self, slot: usize) -> bool {
        self.lock_up().iter().all(|other| other.slot == slot)
    }

    /// Whether another session is up, and its server has a node at which none is.
    pub(super) fn has_room(&self, slot: usize) -> bool {
        let up = self.lock_up();
        let others = || up.iter().filter(|other| other.slot != slot);
        let at: Vec<&str> = others().map(|other| other.session.welcome().node.as_str()).collect();
        let is_free = |node: &OtherNode| !at.contains(&node.id.as_str());
        others().any(|other| other.session.welcome().nodes.iter().any(is_free))
    }

    /// The servers to try, in this order.
    pub(super) fn candidates(&self, settings: &AgentSettings, first: usize, beside: &Beside) -> Vec<Candidate> {
        let name_of = |server: &ServerAddress| settings.server_name.clone().unwrap_or_else(|| server.host.clone());
        let mut configured: Vec<Candidate> =
            settings.servers.iter().map(|server| Candidate { server: server.clone(), name: name_of(server) }).collect();
        let count = configured.len().max(1);
        configured.rotate_left(first % count);
        let Some(name) = settings.servers.first().map(name_of) else { return configured };
        let mut nodes: Vec<Candidate> = lock(&self.known)
            .iter()
            .filter(|node| !beside.at.contains(&node.id))
            .filter_map(|node| ServerAddress::parse(node.address.as_ref()?, false))
            .map(|server| Candidate { server, name: name.clone() })
            .collect();
        nodes.shuffle(&mut rand::rng());
        // The configured address leads to any node; another session needs a certain one.
        let mut candidates =
            if beside.servers.is_empty() { [configured, nodes].concat() } else { [nodes, configured].concat() };
        candidates.sort_by_key(|candidate| beside.servers.contains(&candidate.server));
        candidates
    }

    /// A session is up.
    pub(super) fn established(&self, slot: usize, session: AgentSession, path: ConnectionPath) {
        let welcome = session.welcome();
        if !welcome.nodes.is_empty() {
            let mut known = welcome.nodes.clone();
            known.extend(lock(&self.known).iter().find(|node| node.id == welcome.node).cloned());
            *lock(&self.known) = known;
        }
        let mut up = self.lock_up();
        up.push(Established { slot, session, path });
        if let [leading] = up.as_slice() {
            self.show(leading);
        }
        drop(up);
        self.changes.send_modify(|changes| *changes += 1);
    }

    /// A session has ended.
    pub(super) fn ended(&self, slot: usize) {
        let mut up = self.lock_up();
        let Some(index) = up.iter().position(|known| known.slot == slot) else { return };
        up.remove(index);
        match up.first() {
            None => self.leading.store(None),
            Some(next) if index == 0 => self.show(next),
            Some(_) => {}
        }
        drop(up);
        self.changes.send_modify(|changes| *changes += 1);
    }

    /// Notifies of sessions that come and go.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Resolves when no other session is up.
    pub(super) async fn alone(&self, slot: usize) {
        let mut changes = self.changes();
        while !self.is_alone(slot) {
            // The sender lives as long as this.
            let _ = changes.changed().await;
        }
    }

    /// Ends all sessions until the settings change.
    pub(super) fn stop(&self, why: Error) {
        self.stopped.send_replace(Some(why));
    }

    /// Lets sessions be established again.
    pub(super) fn resume(&self) {
        self.stopped.send_replace(None);
    }

    /// Resolves when all sessions shall end.
    pub(super) async fn until_stopped(&self) {
        let _ = self.stopped.subscribe().wait_for(Option::is_some).await;
    }

    /// Resolves when sessions may be established.
    pub(super) async fn until_resumed(&self) {
        let _ = self.stopped.subscribe().wait_for(Option::is_none).await;
    }

    /// Shows a session as that of the agent.
    fn show(&self, leading: &Established) {
        self.leading.store(Some(Arc::new(leading.session.clone())));
        let welcome = leading.session.welcome();
        let server = leading.path.server.to_string();
        self.status.online(server, welcome.region.clone(), welcome.server_version.clone());
    }

    fn lock_up(&self) -> MutexGuard<'_, Vec<Established>> {
        lock(&self.up)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
