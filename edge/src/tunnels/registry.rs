//! The book of who is connected and who holds what.
//!
//! One lock guards writing; it is never held across an await. Requests of visitors take no lock at all: they
//! read [`Names`] and [`Backends`].

use crate::{
    access::Access,
    limits::Limits,
    routing::Routing,
    tcp::Ports,
    telemetry::metrics,
    tunnels::{
        NameLookup, PendingReservation, ReservationGuard, Session, SessionView, Tunnel, TunnelKind, TunnelView,
        authenticate,
        names::{NameHolder, Names},
        reservations::PendingReservations,
    },
    upstream::{Backends, TunnelUpstream},
};
use postern_api::{
    Code, Error,
    host::HostName,
    published::{Changed, Published},
};
use postern_tunnel::message::Scheme;
use std::{
    collections::{BTreeMap, HashMap},
    net::{IpAddr, SocketAddr},
    ops::RangeInclusive,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::{sync::watch, time::Instant};

/// Everything that agents have bound.
pub(crate) struct Registry {
    pub(crate) settings: RegistrySettings,
    pub(crate) published: watch::Receiver<Arc<Published>>,
    pub(crate) names: Names,
    pub(crate) backends: Arc<Backends>,
    pub(crate) routing: Arc<Routing>,
    pub(crate) ports: Ports,
    pub(crate) access: Arc<Access>,
    /// What the management API is about to give away.
    pub(crate) reservations: PendingReservations,
    book: Mutex<RegistryState>,
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
    /// The region agents are told.
    pub(crate) region: String,
    /// The version agents are told.
    pub(crate) server_version: String,
    pub(crate) limits: Limits,
}

/// What only writers look at.
#[derive(Default)]
pub(crate) struct RegistryState {
    pub(crate) sessions: HashMap<String, SessionEntry>,
    /// Ports that tunnels hold or are about to hold.
    pub(crate) ports: HashMap<u16, String>,
}

/// A session and what it holds.
pub(crate) struct SessionEntry {
    pub(crate) session: Arc<Session>,
    pub(crate) tunnels: BTreeMap<u32, Arc<Tunnel>>,
    pub(crate) next_number: u32,
}

/// How a session or tunnel came to its end, which decides what visitors hear afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndKind {
    /// On purpose: its names are unknown from now on.
    Clean,
    /// The agent vanished: its names are remembered, since it will be back.
    Unclean,
}

impl Registry {
    pub(crate) fn new(
        settings: RegistrySettings,
        published: watch::Receiver<Arc<Published>>,
        backends: Arc<Backends>,
        routing: Arc<Routing>,
        ports: Ports,
        access: Arc<Access>,
    ) -> Self {
        let names = Names::default();
        Registry {
            settings,
            published,
            names,
            backends,
            routing,
            ports,
            access,
            reservations: PendingReservations::default(),
            book: Mutex::default(),
        }
    }

    pub(crate) fn book(&self) -> MutexGuard<'_, RegistryState> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Which tunnel has a host, by a name that covers more of it than so many bytes.
    pub(crate) fn find_beyond(&self, covered: usize, host: &str, scheme: Scheme) -> NameLookup {
        self.names.find_beyond(covered, host, scheme)
    }

    /// The session with this id.
    pub(crate) fn session(&self, id: &str) -> Option<Arc<Session>> {
        self.book().sessions.get(id).map(|held| held.session.clone())
    }

    /// Takes a new session in. An older one of the same agent instance ends in the same moment.
    pub(crate) async fn admit(&self, session: Arc<Session>) {
        let replaced = {
            let mut book = self.book();
            let older = |held: &&SessionEntry| held.session.same_agent(&session);
            let replaced: Vec<String> =
                book.sessions.values().filter(older).map(|held| held.session.id.clone()).collect();
            let held = SessionEntry { session: session.clone(), tunnels: BTreeMap::new(), next_number: 1 };
            book.sessions.insert(session.id.clone(), held);
            replaced
        };
        for older in replaced {
            if let Some(older) = self.leave(&older, EndKind::Unclean).await {
                tracing::info!(session = older.id, by = session.id, "session replaced by the same agent");
                older.link.end(Code::SessionReplaced.into());
            }
        }
        self.recount();
    }

    /// Takes a session and all it holds out. `None` if it has gone already.
    pub(crate) async fn leave(&self, id: &str, ending: EndKind) -> Option<Arc<Session>> {
        let held = {
            let mut book = self.book();
            let held = book.sessions.remove(id)?;
            for tunnel in held.tunnels.values() {
                self.release(&mut book, tunnel, ending);
            }
            self.regroup(&book);
            held
        };
        for tunnel in held.tunnels.values() {
            tunnel.upstream.stop();
            self.close_port(tunnel).await;
        }
        self.recount();
        Some(held.session)
    }

    /// Ends one tunnel on purpose. Its open connections may finish within the grace period.
    pub(crate) async fn unbind(&self, session: &str, number: u32) {
        let tunnel = {
            let mut book = self.book();
            let Some(held) = book.sessions.get_mut(session) else { return };
            let Some(tunnel) = held.tunnels.remove(&number) else { return };
            self.release(&mut book, &tunnel, EndKind::Clean);
            self.regroup(&book);
            tunnel
        };
        self.close_port(&tunnel).await;
        self.recount();
        tracing::info!(tunnel = tunnel.id, name = tunnel.name, "tunnel stopped");
        let grace = self.settings.limits.stop_grace;
        tokio::spawn(async move {
            tokio::time::sleep(grace).await;
            tunnel.upstream.stop();
        });
    }

    /// Takes the backends of a configuration, and ends the sessions whose credentials are not accepted any more. Where
    /// it is known what has changed, nothing else is looked at.
    pub(crate) async fn follow(&self, published: &Published, changed: Option<&Changed>) {
        let orphans: Vec<String> = {
            let book = self.book();
            if changed.is_none_or(|changed| !changed.backends.is_empty()) {
                let changed = changed.map(|changed| &changed.backends);
                self.backends.follow(&published.backends, changed, &labelled(&book));
            }
            if changed.is_some_and(|changed| !changed.credentials) {
                return;
            }
            let orphan = |held: &&SessionEntry| !published.credentials.contains_key(&held.session.credential_key);
            book.sessions.values().filter(orphan).map(|held| held.session.id.clone()).collect()
        };
        for orphan in orphans {
            if let Some(session) = self.leave(&orphan, EndKind::Clean).await {
                let reason = authenticate::lost(published, &session.credential_key);
                tracing::info!(
                    session = session.id,
                    credential = session.credential,
                    code = %reason.code,
                    "credential not accepted any more; session ends"
                );
                session.link.end(reason);
            }
        }
    }

    /// Ends a session because somebody who may do so wants it. `false` if it has gone already.
    pub(crate) async fn stop(&self, id: &str) -> bool {
        let Some(session) = self.leave(id, EndKind::Clean).await else { return false };
        tracing::info!(session = session.id, "session stopped through the management API");
        session.link.end(Code::SessionStopped.into());
        true
    }

    /// Forgets what has been idle or away for too long.
    pub(crate) fn tidy(&self) {
        let tunnels: Vec<Arc<Tunnel>> = {
            let book = self.book();
            self.names.purge();
            book.sessions.values().flat_map(|held| held.tunnels.values()).cloned().collect()
        };
        for tunnel in &tunnels {
            tunnel.upstream.pool.tidy(self.settings.limits.idle_upstream);
            tunnel.upstream.h2_connections.tidy(self.settings.limits.idle_upstream);
        }
        self.backends.tidy(self.settings.limits.idle_upstream);
        let owners = tunnels.iter().filter_map(|tunnel| tunnel.stages.as_deref()).map(|stages| &*stages.owner);
        self.routing.forget_tunnels_but(owners);
    }

    /// Asks every agent to connect elsewhere.
    pub(crate) fn drain(&self) {
        for held in self.book().sessions.values() {
            held.session.link.drain();
        }
    }

    /// Ends everything without waiting for anything.
    pub(crate) fn abandon(&self) {
        self.ports.abandon();
        for held in self.book().sessions.values() {
            held.session.link.end(Code::ServerDraining.into());
        }
    }

    /// Ends every session because the server stops.
    pub(crate) async fn close(&self) {
        let all: Vec<String> = self.book().sessions.keys().cloned().collect();
        for id in all {
            if let Some(session) = self.leave(&id, EndKind::Unclean).await {
                session.link.end(Code::ServerDraining.into());
            }
        }
    }

    fn release(&self, book: &mut RegistryState, tunnel: &Arc<Tunnel>, ending: EndKind) {
        if let Some(host) = &tunnel.host {
            let scheme = if tunnel.kind == TunnelKind::Http { Scheme::Http } else { Scheme::Https };
            if self.names.holder(host, scheme).live().is_some_and(|holder| Arc::ptr_eq(holder, tunnel)) {
                let slot = match ending {
                    EndKind::Clean => NameHolder::Vacant,
                    EndKind::Unclean => NameHolder::Offline(Instant::now() + self.settings.limits.offline_memory),
                };
                self.names.set(host, scheme, slot);
            }
        }
        if let Some(port) = tunnel.port
            && book.ports.get(&port) == Some(&tunnel.id)
        {
            book.ports.remove(&port);
        }
    }

    async fn close_port(&self, tunnel: &Tunnel) {
        if let Some(port) = tunnel.port {
            self.ports.close_tunnel(port, &tunnel.id).await;
        }
    }

    /// Selects the members of all groups again, under the book's lock.
    pub(crate) fn regroup(&self, book: &RegistryState) {
        self.backends.regroup(&labelled(book));
    }

    pub(crate) fn recount(&self) {
        let book = self.book();
        metrics::sessions(book.sessions.len(), book.sessions.values().map(|held| held.tunnels.len()).sum());
    }

    /// The credential's rules as they are at the moment.
    pub(crate) fn acl_of(&self, session: &Session) -> Result<postern_api::acl::Acl, Error> {
        let published = self.published.borrow();
        let credential = published.credentials.get(&session.credential_key);
        credential
            .map(|credential| credential.acl.clone())
            .ok_or_else(|| authenticate::lost(&published, &session.credential_key))
    }

    pub(crate) fn session_views(&self) -> Vec<SessionView> {
        let view = |held: &SessionEntry| SessionView {
            id: held.session.id.clone(),
            credential: held.session.credential.clone(),
            instance: held.session.instance.clone(),
            agent_version: held.session.agent_version.clone(),
            os: held.session.os.clone(),
            address: held.session.peer.ip(),
            started_at: held.session.started_at,
            transport: String::from_utf8_lossy(postern_tunnel::ALPN).into_owned(),
            metadata: held.session.metadata.clone(),
            remote_management: held.session.remote_management,
            latency: held.session.link.latency(),
        };
        self.book().sessions.values().map(view).collect()
    }

    pub(crate) fn tunnel_views(&self) -> Vec<TunnelView> {
        self.book().sessions.values().flat_map(|held| held.tunnels.values()).map(|tunnel| tunnel.view()).collect()
    }

    pub(crate) fn tunnels_with(&self, labels: &BTreeMap<String, String>) -> Vec<String> {
        let book = self.book();
        let all = book.sessions.values().flat_map(|held| held.tunnels.values());
        all.filter(|tunnel| tunnel.carries(labels)).map(|tunnel| tunnel.id.clone()).collect()
    }

    pub(crate) fn port_in_use(&self, port: u16) -> bool {
        self.book().ports.contains_key(&port)
    }

    pub(crate) fn host_in_use(&self, host: &HostName) -> bool {
        [Scheme::Https, Scheme::Http].into_iter().any(|scheme| self.names.holder(host, scheme).live().is_some())
    }

    /// Keeps agents from taking something until the answer is dropped. Who looks now sees everything that was taken
    /// before.
    pub(crate) fn reserve(&self, reservation: PendingReservation) -> ReservationGuard {
        let _book = self.book();
        self.reservations.add(reservation)
    }

    /// Whether a host is reserved, so that who asks for it may come again.
    pub(crate) fn expects(&self, host: &str) -> bool {
        self.published.borrow().names.expects(host)
    }

    pub(crate) fn listens_on(&self, port: u16) -> Option<SocketAddr> {
        self.ports.is_open(port).then(|| SocketAddr::new(self.settings.tcp_addr, port))
    }
}

/// All tunnels with labels.
fn labelled(book: &RegistryState) -> Vec<Arc<TunnelUpstream>> {
    let all = book.sessions.values().flat_map(|held| held.tunnels.values());
    all.filter(|tunnel| tunnel.kind == TunnelKind::Labels).map(|tunnel| tunnel.upstream.clone()).collect()
}
