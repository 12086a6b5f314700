//! The registry of connected agents and of the names and ports they hold.
//!
//! One lock guards writes; it is never held across an await. Visitors' requests take no lock: they read [`TunnelNames`] and
//! [`Backends`].

use crate::{
    access::Access,
    limits::CurrentLimits,
    routing::Routing,
    tcp::Ports,
    tunnels::{
        AddressClaims, Membership, NameLookup, PendingReservation, ReservationGuard, Session, SessionView, Tunnel,
        TunnelView, authenticate,
        directory::{Directory, OwnChange},
        followers::Followers,
        names::{NameHolder, TunnelNames},
        reservations::PendingReservations,
    },
    upstream::Backends,
};
use postern_api::{
    Code, Error,
    host::HostName,
    published::{Changed, Published},
};
use postern_tunnel::message::Scheme;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, hash_map::Entry},
    net::{IpAddr, SocketAddr},
    ops::RangeInclusive,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::{sync::watch, time::Instant};

/// Everything that agents have bound.
pub(crate) struct TunnelRegistry {
    pub(crate) settings: RegistrySettings,
    pub(crate) published: watch::Receiver<Arc<Published>>,
    pub(crate) names: TunnelNames,
    pub(crate) backends: Arc<Backends>,
    pub(crate) routing: Arc<Routing>,
    pub(crate) ports: Ports,
    pub(crate) access: Arc<Access>,
    /// Names and ports that the management API is about to give away.
    pub(crate) reservations: PendingReservations,
    /// The nodes that follow what this one announces.
    pub(crate) followers: Followers,
    /// Changes of the sessions of all nodes so far.
    session_changes: AtomicU64,
    state: Mutex<RegistryState>,
}

/// The settings that sessions and tunnels need.
pub(crate) struct RegistrySettings {
    /// The real ports of the listeners, port 0 resolved.
    pub(crate) https_port: u16,
    pub(crate) http_port: u16,
    /// The address of TCP tunnels and edges.
    pub(crate) tcp_addr: IpAddr,
    /// Ports for TCP tunnels. `0..=0` lets the system choose.
    pub(crate) tcp_ports: RangeInclusive<u16>,
    /// The parent of generated names; TCP addresses are shown under it.
    pub(crate) domain: HostName,
    /// Names that belong to the server itself: no tunnel can take them.
    pub(crate) own_names: Vec<HostName>,
    /// The region that agents are told.
    pub(crate) region: String,
    /// The version that agents are told.
    pub(crate) server_version: String,
    pub(crate) limits: CurrentLimits,
    /// This node and those that it is linked with, if there are any.
    pub(crate) membership: Option<Membership>,
    /// Where names and ports are claimed, if other nodes give them away too.
    pub(crate) claims: Option<Arc<dyn AddressClaims>>,
}

impl RegistrySettings {
    /// Whether this node is linked with others.
    pub(crate) fn is_linked(&self) -> bool {
        self.membership.is_some()
    }
}

/// State that only writers use.
#[derive(Default)]
pub(crate) struct RegistryState {
    pub(crate) sessions: HashMap<String, SessionEntry>,
    /// Ports that tunnels hold or are about to hold.
    pub(crate) ports: HashMap<u16, String>,
    /// The tunnels of all nodes; only where nodes are linked.
    pub(super) directory: Option<Box<Directory>>,
}

/// A session and its tunnels.
pub(crate) struct SessionEntry {
    pub(crate) session: Arc<Session>,
    pub(crate) tunnels: BTreeMap<u32, Arc<Tunnel>>,
    pub(crate) next_number: u32,
    /// Whether its tunnels are unpublished for good: what it still binds would be gone at once, after it has taken the names of an older
    /// session.
    pub(crate) is_withdrawn: bool,
}

/// How a session or tunnel ended. Determines the response that later visitors get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndKind {
    /// On purpose: its names are unknown from now on.
    Clean,
    /// The agent vanished: its names are remembered, since it will be back.
    Unclean,
}

impl TunnelRegistry {
    pub(crate) fn new(
        settings: RegistrySettings,
        published: watch::Receiver<Arc<Published>>,
        backends: Arc<Backends>,
        routing: Arc<Routing>,
        ports: Ports,
        access: Arc<Access>,
    ) -> Self {
        let names = TunnelNames::default();
        let directory = settings.is_linked().then(|| Box::new(Directory::new()));
        let state = RegistryState { directory, ..RegistryState::default() };
        TunnelRegistry {
            settings,
            published,
            names,
            backends,
            routing,
            ports,
            access,
            reservations: PendingReservations::default(),
            followers: Followers::default(),
            session_changes: AtomicU64::new(0),
            state: Mutex::new(state),
        }
    }

    pub(crate) fn lock_state(&self) -> MutexGuard<'_, RegistryState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number that grows whenever a session at any node comes or goes.
    pub(crate) fn session_changes(&self) -> u64 {
        self.session_changes.load(Ordering::Relaxed)
    }

    /// To be called after a change of the sessions.
    pub(super) fn sessions_changed(&self) {
        self.session_changes.fetch_add(1, Ordering::Relaxed);
    }

    /// Finds the tunnel of a host by a name that covers more than `covered` bytes of it.
    pub(crate) fn find_beyond(&self, covered: usize, host: &str, scheme: Scheme) -> NameLookup {
        self.names.find_beyond(covered, host, scheme)
    }

    /// The session with this id.
    pub(crate) fn session(&self, id: &str) -> Option<Arc<Session>> {
        self.lock_state().sessions.get(id).map(|entry| entry.session.clone())
    }

    /// Registers a session. An older one of the same agent instance ends at the same time, or in peace if the agent
    /// drains it: it has said so there, or here by naming it as the one that is replaced.
    pub(crate) async fn admit(self: &Arc<Self>, session: Arc<Session>, replaces: &str) {
        let replaced = {
            let mut state = self.lock_state();
            let older = |entry: &&SessionEntry| entry.session.same_agent(&session);
            let replaced: Vec<Arc<Session>> =
                state.sessions.values().filter(older).map(|entry| entry.session.clone()).collect();
            let entry = SessionEntry {
                session: session.clone(),
                tunnels: BTreeMap::new(),
                next_number: 1,
                is_withdrawn: false,
            };
            state.sessions.insert(session.id.clone(), entry);
            state.tell(|| OwnChange::Session(session.clone()));
            replaced
        };
        self.sessions_changed();
        for older in replaced {
            if older.id == replaces {
                older.start_draining();
            }
            if older.is_draining() {
                self.retire(older).await;
            } else if let Some(older) = self.remove(&older.id, EndKind::Unclean).await {
                tracing::info!(session = older.id, by = session.id, "session replaced by the same agent");
                older.link.end(Code::SessionReplaced.into());
            }
        }
    }

    /// Removes a session and everything it holds. `None` if it is gone already.
    pub(crate) async fn remove(&self, id: &str, end_kind: EndKind) -> Option<Arc<Session>> {
        let entry = {
            let mut state = self.lock_state();
            let entry = state.sessions.remove(id)?;
            for tunnel in entry.tunnels.values() {
                self.release_names(&mut state, tunnel, end_kind);
            }
            self.update_groups(&state);
            state.tell(|| OwnChange::SessionGone(entry.session.clone()));
            entry
        };
        self.sessions_changed();
        for tunnel in entry.tunnels.values() {
            tunnel.upstream.stop();
            self.close_port(tunnel).await;
        }
        Some(entry.session)
    }

    /// Ends one tunnel on purpose. Its open connections may finish within the grace period.
    pub(crate) async fn unbind(&self, session: &str, number: u32) {
        let tunnel = {
            let mut state = self.lock_state();
            let Some(entry) = state.sessions.get_mut(session) else { return };
            let Some(tunnel) = entry.tunnels.remove(&number) else { return };
            self.release_names(&mut state, &tunnel, EndKind::Clean);
            self.update_groups(&state);
            tunnel
        };
        self.close_port(&tunnel).await;
        tracing::info!(tunnel = tunnel.id, name = tunnel.name, "tunnel stopped");
        let grace = self.settings.limits.get().stop_grace;
        tokio::spawn(async move {
            tokio::time::sleep(grace).await;
            tunnel.upstream.stop();
        });
    }

    /// Applies the backends of a configuration, and ends sessions whose credentials are no longer valid. With
    /// `changed`, only changed records are compared.
    pub(crate) async fn follow(&self, published: &Published, changed: Option<&Changed>) {
        let orphans: Vec<String> = {
            let state = self.lock_state();
            if changed.is_none_or(|changed| !changed.backends.is_empty()) {
                let changed = changed.map(|changed| &changed.backends);
                self.backends.follow(&published.backends, changed, &state.labelled());
            }
            if changed.is_some_and(|changed| !changed.credentials) {
                return;
            }
            let orphan = |entry: &&SessionEntry| !published.credentials.contains_key(&entry.session.credential_key);
            state.sessions.values().filter(orphan).map(|entry| entry.session.id.clone()).collect()
        };
        for orphan in orphans {
            if let Some(session) = self.remove(&orphan, EndKind::Clean).await {
                let reason = authenticate::revocation_error(published, &session.credential_key);
                tracing::info!(
                    session = session.id,
                    credential = session.credential,
                    code = %reason.code,
                    "credential is no longer valid; the session ends"
                );
                session.link.end(reason);
            }
        }
    }

    /// Ends a session of this node, and waits until linked nodes know it. `false` if it is gone already.
    pub(crate) async fn stop_own(&self, id: &str) -> bool {
        let Some(session) = self.remove(id, EndKind::Clean).await else { return false };
        tracing::info!(session = session.id, "session stopped through the management API");
        session.link.end(Code::SessionStopped.into());
        self.announced_everywhere().await;
        true
    }

    /// Drops idle connections, and forgets names of agents that have been away for too long.
    pub(crate) fn sweep(&self) {
        let tunnels: Vec<Arc<Tunnel>> = {
            let state = self.lock_state();
            self.names.purge();
            state.tunnels().cloned().collect()
        };
        for tunnel in &tunnels {
            tunnel.upstream.tidy(self.settings.limits.get().idle_upstream);
        }
        self.backends.tidy(self.settings.limits.get().idle_upstream);
        let owners = tunnels.iter().filter_map(|tunnel| tunnel.stages.as_deref()).map(|stages| &*stages.owner);
        self.routing.forget_tunnels_except(owners);
    }

    /// Ends everything without waiting for anything.
    pub(crate) fn abandon(&self) {
        self.ports.abandon();
        self.end_links(Code::ServerDraining);
        for entry in self.lock_state().sessions.values() {
            entry.session.link.end(Code::ServerDraining.into());
        }
    }

    /// Ends every session because the server stops.
    pub(crate) async fn close(&self) {
        let all: Vec<String> = self.lock_state().sessions.keys().cloned().collect();
        for id in all {
            if let Some(session) = self.remove(&id, EndKind::Unclean).await {
                session.link.end(Code::ServerDraining.into());
            }
        }
        self.end_links(Code::ServerDraining);
    }

    pub(super) fn release_names(&self, state: &mut RegistryState, tunnel: &Arc<Tunnel>, end_kind: EndKind) {
        self.release_claim(tunnel, end_kind);
        if let Some(directory) = &mut state.directory {
            directory.remove(tunnel, end_kind);
            self.settle(state, tunnel);
        }
        if let Some(host) = &tunnel.host {
            let scheme = tunnel.scheme();
            if self.names.holder(host, scheme).live().is_some_and(|holder| Arc::ptr_eq(holder, tunnel)) {
                let slot = match end_kind {
                    EndKind::Clean => NameHolder::Vacant,
                    EndKind::Unclean => NameHolder::Offline(Instant::now() + self.settings.limits.get().offline_memory),
                };
                self.names.set(host, scheme, slot);
            }
        }
        if let Some(port) = tunnel.port
            && state.ports.get(&port) == Some(&tunnel.id)
            // The same tunnel may be bound in another session.
            && !state.directory.as_ref().is_some_and(|directory| directory.has_port(port))
        {
            state.ports.remove(&port);
        }
    }

    pub(super) async fn close_port(&self, tunnel: &Tunnel) {
        match tunnel.port {
            Some(port) if self.settings.is_linked() => self.settle_port(port).await,
            Some(port) => self.ports.close_tunnel(port, &tunnel.id).await,
            None => {}
        }
    }

    /// Selects the members of all groups again, under the registry's lock.
    pub(crate) fn update_groups(&self, state: &RegistryState) {
        self.backends.regroup(&state.labelled());
    }

    /// The credential's rules as they are at the moment.
    pub(crate) fn acl_of(&self, session: &Session) -> Result<postern_api::acl::Acl, Error> {
        let published = self.published.borrow();
        let credential = published.credentials.get(&session.credential_key);
        credential
            .map(|credential| credential.acl.clone())
            .ok_or_else(|| authenticate::revocation_error(&published, &session.credential_key))
    }

    pub(crate) fn session_views(&self) -> Vec<SessionView> {
        let state = self.lock_state();
        let remote = state.directory.iter().flat_map(|directory| directory.remote_sessions());
        state.sessions.values().map(|entry| &entry.session).chain(remote).map(|session| session.view()).collect()
    }

    /// All tunnels, each once: in the oldest session that has it, at whichever node, so that all nodes show the same.
    pub(crate) fn tunnel_views(&self) -> Vec<TunnelView> {
        let state = self.lock_state();
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut views: Vec<TunnelView> = Vec::new();
        for tunnel in state.tunnels() {
            match places.entry(&tunnel.id) {
                Entry::Vacant(place) => {
                    place.insert(views.len());
                    views.push(tunnel.view());
                }
                Entry::Occupied(place) => {
                    let known = &mut views[*place.get()];
                    let (streams, ways) = (known.streams + tunnel.upstream.open_streams(), known.ways + 1);
                    if tunnel.session.id < known.session {
                        *known = tunnel.view();
                    }
                    (known.streams, known.ways) = (streams, ways);
                }
            }
        }
        views
    }

    /// Number of sessions and tunnels of the agents that are connected to this node.
    pub(crate) fn own_counts(&self) -> (usize, usize) {
        let state = self.lock_state();
        (state.sessions.len(), state.own_tunnels().count())
    }

    pub(crate) fn tunnels_with(&self, labels: &BTreeMap<String, String>) -> Vec<String> {
        let state = self.lock_state();
        let ids = state.tunnels().filter(|tunnel| tunnel.carries(labels)).map(|tunnel| tunnel.id.clone());
        ids.collect::<BTreeSet<_>>().into_iter().collect()
    }

    pub(crate) fn port_in_use(&self, port: u16) -> bool {
        self.lock_state().ports.contains_key(&port)
    }

    pub(crate) fn host_in_use(&self, host: &HostName) -> bool {
        [Scheme::Https, Scheme::Http].into_iter().any(|scheme| self.names.holder(host, scheme).live().is_some())
    }

    /// Keeps agents from binding names or ports until the guard is dropped. Later queries see every earlier bind.
    pub(crate) fn reserve(&self, reservation: PendingReservation) -> ReservationGuard {
        let _book = self.lock_state();
        self.reservations.add(reservation)
    }

    /// Whether a host is reserved: its agent is expected to come back.
    pub(crate) fn expects(&self, host: &str) -> bool {
        self.published.borrow().names.expects(host)
    }

    pub(crate) fn listens_on(&self, port: u16) -> Option<SocketAddr> {
        self.ports.is_open(port).then(|| SocketAddr::new(self.settings.tcp_addr, port))
    }
}
