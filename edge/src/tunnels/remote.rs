//! Sessions and tunnels that other nodes announce: they get their names, ports and groups here as if their agents were
//! connected to this node, and their streams lead over the link.

use super::{
    Session, Stages, Tunnel, TunnelKind, TunnelRegistry,
    directory::{OwnTunnels, PublicAddress, RemoteNode},
    registry::{EndKind, RegistryState},
};
use crate::{
    tcp::PortTarget,
    upstream::{TunnelOptions, TunnelUpstream},
};
use postern_api::{Code, Error, Timestamp, host::HostName, traffic::TrafficKind};
use postern_tunnel::{
    ServerSession,
    message::{BindKind, Scheme},
    node_link::{AnnouncedSession, AnnouncedTunnel, Announcement},
};
use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, atomic::AtomicBool},
};

/// The address of an announced tunnel.
struct AnnouncedAddress {
    kind: TunnelKind,
    host: Option<HostName>,
    port: Option<u16>,
    labels: BTreeMap<String, String>,
}

impl TunnelRegistry {
    /// What the agents of this node have bound, and the changes from then on. `None` without links.
    pub(crate) fn own_tunnels(&self) -> Option<OwnTunnels> {
        self.lock_state().subscribe()
    }

    /// Waits until the linked nodes have in force what the agents of this one have bound so far, for a limited time.
    pub(super) async fn announced_everywhere(&self) {
        let last_change = self.lock_state().last_change();
        if let Some(change) = last_change {
            self.followers.all_have(change).await;
        }
    }

    /// Tells the linked nodes that a session of this node has changed.
    pub(crate) fn session_changed(&self, session: &Arc<Session>) {
        self.lock_state().tell(|| super::OwnChange::Session(session.clone()));
    }

    /// A node has dialled this one. What an earlier link of the node announced is dropped. That link ends, unless its process
    /// is about to stop: then it carries its open streams to their end, and this returns true, because the node has a new
    /// process.
    pub(crate) async fn node_linked(&self, node: &str, link: &ServerSession) -> bool {
        let (former, dropped, is_succession) = {
            let mut state = self.lock_state();
            let Some(directory) = &mut state.directory else { return false };
            let new = RemoteNode {
                link: link.clone(),
                sessions: HashMap::new(),
                tunnels: HashMap::new(),
                is_complete: false,
                is_draining: false,
            };
            let Some(former) = directory.nodes.insert(node.to_owned(), new) else { return false };
            let dropped: Vec<Arc<Tunnel>> = former.tunnels.into_values().collect();
            self.drop_remote(&mut state, &dropped, EndKind::Unclean);
            (former.link, dropped, former.is_draining)
        };
        self.sessions_changed();
        if is_succession {
            for tunnel in &dropped {
                tunnel.upstream.retire();
                self.close_port(tunnel).await;
            }
        } else {
            former.end(Code::SessionReplaced.into());
            self.stop_remote(&dropped).await;
        }
        is_succession
    }

    /// The link that a node has dialled is lost, and what it announced with it. False if a newer link of the node has taken
    /// its place.
    pub(crate) async fn node_lost(&self, node: &str, link: &ServerSession) -> bool {
        let dropped = {
            let mut state = self.lock_state();
            let Some(directory) = &mut state.directory else { return false };
            if directory.nodes.get(node).is_none_or(|remote| remote.link.id() != link.id()) {
                return false;
            }
            let lost = directory.nodes.remove(node);
            let dropped: Vec<Arc<Tunnel>> = lost.into_iter().flat_map(|lost| lost.tunnels.into_values()).collect();
            self.drop_remote(&mut state, &dropped, EndKind::Unclean);
            dropped
        };
        self.sessions_changed();
        self.stop_remote(&dropped).await;
        true
    }

    /// The node of a link that was dialled to this one, and the link.
    pub(crate) fn node_link(&self, session: &str) -> Option<(String, ServerSession)> {
        let state = self.lock_state();
        let mut nodes = state.directory.as_ref()?.nodes.iter();
        nodes.find(|(_, remote)| remote.link.id() == session).map(|(node, remote)| (node.clone(), remote.link.clone()))
    }

    /// Number of tunnels that a node has announced.
    pub(crate) fn tunnels_of_node(&self, node: &str) -> usize {
        let state = self.lock_state();
        state.directory.as_ref().and_then(|directory| directory.nodes.get(node)).map_or(0, |node| node.tunnels.len())
    }

    /// Applies what a node announces.
    pub(crate) async fn announced(self: &Arc<Self>, node: &Arc<str>, link: &ServerSession, announcement: Announcement) {
        match announcement {
            Announcement::Session(session) => self.remote_session(node, link, *session).await,
            Announcement::SessionGone { session } => {
                self.with_node(node, link, |remote| remote.sessions.remove(&session));
                self.sessions_changed();
            }
            Announcement::Tunnel(tunnel) => self.remote_tunnel(node, link, *tunnel).await,
            Announcement::TunnelGone { number, away } => {
                let end_kind = if away { EndKind::Unclean } else { EndKind::Clean };
                self.remote_tunnel_gone(node, link, number, end_kind).await;
            }
            Announcement::Complete => {
                self.with_node(node, link, |remote| remote.is_complete = true);
                self.update_groups(&self.lock_state());
            }
            Announcement::Draining => self.node_drains(node, link).await,
            Announcement::Reached { .. }
            | Announcement::Applied { .. }
            | Announcement::Answer { .. }
            | Announcement::Unknown => {}
        }
    }

    /// The node that has announced a session, and the link that it has dialled.
    pub(crate) fn node_of_session(&self, session: &str) -> Option<(String, ServerSession)> {
        let state = self.lock_state();
        let mut nodes = state.directory.as_ref()?.nodes.iter();
        let (node, remote) = nodes.find(|(_, remote)| remote.sessions.contains_key(session))?;
        Some((node.clone(), remote.link.clone()))
    }

    /// The links that other nodes have dialled, and whether everything that was there when the link began has been
    /// announced.
    pub(crate) fn node_links(&self) -> Vec<(String, ServerSession, bool)> {
        let state = self.lock_state();
        let nodes = state.directory.iter().flat_map(|directory| &directory.nodes);
        nodes.map(|(node, remote)| (node.clone(), remote.link.clone(), remote.is_complete)).collect()
    }

    /// Ends the links that other nodes have dialled.
    pub(super) fn end_links(&self, reason: Code) {
        for remote in self.lock_state().directory.iter().flat_map(|directory| directory.nodes.values()) {
            remote.link.end(reason.into());
        }
    }

    /// Brings the holder of a tunnel's address up to date, after that tunnel came or went.
    pub(super) fn settle(&self, state: &mut RegistryState, tunnel: &Tunnel) {
        let Some(directory) = &state.directory else { return };
        let Some(address) = tunnel.address() else { return };
        let Some(elected) = directory.elect(&address) else { return };
        match address {
            PublicAddress::Host(host, scheme) => self.names.hold(&host, scheme, &elected),
            PublicAddress::Port(port) => _ = state.ports.insert(port, elected.id.clone()),
        }
    }

    /// Opens, closes or redirects a port, so that its visitors reach the tunnel that holds it. Does nothing without links.
    pub(super) async fn settle_port(&self, port: u16) {
        if !self.settings.is_linked() {
            return;
        }
        let holder = || {
            let state = self.lock_state();
            let elected = state.directory.as_ref()?.elect(&PublicAddress::Port(port))?;
            let pipeline = elected.stages.as_ref().map(|stages| stages.pipeline.clone());
            Some(PortTarget::Tunnel { upstream: elected.upstream.clone(), pipeline })
        };
        self.ports.settle_tunnel(port, holder).await;
    }

    fn with_node<T>(&self, node: &str, link: &ServerSession, change: impl FnOnce(&mut RemoteNode) -> T) -> Option<T> {
        let mut state = self.lock_state();
        let remote = state.directory.as_mut()?.nodes.get_mut(node)?;
        (remote.link.id() == link.id()).then(|| change(remote))
    }

    async fn remote_session(self: &Arc<Self>, node: &Arc<str>, link: &ServerSession, announced: AnnouncedSession) {
        let new = self.with_node(node, link, |remote| {
            if let Some(known) = remote.sessions.get(&announced.id) {
                if announced.draining {
                    known.start_draining();
                }
                return None;
            }
            let draining = AtomicBool::new(announced.draining || remote.is_draining);
            let session = Session {
                id: announced.id,
                credential_key: announced.credential_key,
                credential: announced.credential,
                owner: announced.owner,
                instance: announced.instance,
                run: announced.run,
                agent_version: announced.agent_version,
                os: announced.os,
                host: announced.host,
                metadata: announced.metadata,
                remote_management: announced.remote_management,
                peer: announced.address,
                started_at: time_of(announced.started_at),
                link: link.clone(),
                draining,
                node: Some(node.clone()),
            };
            let session = Arc::new(session);
            remote.sessions.insert(session.id.clone(), session.clone());
            // Those that were there before the link tell nothing of who came last.
            remote.is_complete.then_some(session)
        });
        self.sessions_changed();
        if let Some(new) = new.flatten() {
            self.end_superseded(&new).await;
            self.let_replaced_go(&new);
        }
    }

    /// Lets go of sessions here that their agent has replaced with a new one at another node. A node that is about to stop
    /// keeps them to its end.
    fn let_replaced_go(self: &Arc<Self>, new: &Session) {
        let state = self.lock_state();
        if state.directory.as_ref().is_some_and(|directory| directory.is_draining) {
            return;
        }
        let own = state.sessions.values();
        for entry in own.filter(|entry| entry.session.yields_to(new) && entry.session.id < new.id) {
            self.let_go(entry.session.clone(), entry.tunnels.values().cloned().collect());
        }
    }

    /// Ends the sessions here of an agent that was started again and has connected to another node.
    async fn end_superseded(&self, new: &Session) {
        let superseded: Vec<String> = {
            let state = self.lock_state();
            let own = state.sessions.values().map(|entry| &entry.session);
            own.filter(|session| session.is_superseded_by(new)).map(|session| session.id.clone()).collect()
        };
        for id in superseded {
            if let Some(session) = self.remove(&id, EndKind::Clean).await {
                tracing::info!(session = session.id, by = new.id, node = ?new.node, "session replaced by the same agent");
                session.link.end(Code::SessionReplaced.into());
            }
        }
    }

    async fn remote_tunnel(&self, node: &str, link: &ServerSession, announced: AnnouncedTunnel) {
        let session = self.with_node(node, link, |remote| remote.sessions.get(&announced.session).cloned());
        let Some(session) = session.flatten() else { return };
        let number = announced.number;
        let tunnel = match self.announced_tunnel(&session, announced) {
            Ok(tunnel) => tunnel,
            Err(error) => {
                return tracing::warn!(node, code = %error.code, "a tunnel of another node is not served: {}", error.message);
            }
        };
        let former = {
            let mut state = self.lock_state();
            let Some(directory) = &mut state.directory else { return };
            let Some(remote) = directory.nodes.get_mut(node).filter(|remote| remote.link.id() == link.id()) else {
                return;
            };
            let former = remote.tunnels.insert(number, tunnel.clone());
            let regroup = remote.is_complete && tunnel.kind == TunnelKind::Labels;
            directory.add(&tunnel);
            self.settle(&mut state, &tunnel);
            let former: Vec<Arc<Tunnel>> = former.into_iter().collect();
            self.drop_remote(&mut state, &former, EndKind::Clean);
            if regroup {
                self.update_groups(&state);
            }
            former
        };
        tracing::debug!(tunnel = tunnel.id, node, url = tunnel.url, "tunnel announced");
        self.stop_remote(&former).await;
        if let Some(port) = tunnel.port {
            self.settle_port(port).await;
        }
    }

    async fn remote_tunnel_gone(&self, node: &str, link: &ServerSession, number: u32, end_kind: EndKind) {
        let gone = {
            let mut state = self.lock_state();
            let Some(directory) = &mut state.directory else { return };
            let Some(remote) = directory.nodes.get_mut(node).filter(|remote| remote.link.id() == link.id()) else {
                return;
            };
            let Some(tunnel) = remote.tunnels.remove(&number) else { return };
            self.drop_remote(&mut state, std::slice::from_ref(&tunnel), end_kind);
            tunnel
        };
        // Its node decides how long its open streams continue.
        gone.upstream.retire();
        self.close_port(&gone).await;
    }

    /// The tunnels of a node that is about to stop are tried last, and it keeps no idle streams.
    async fn node_drains(&self, node: &str, link: &ServerSession) {
        let tunnels: Vec<Arc<Tunnel>> = self
            .with_node(node, link, |remote| {
                remote.is_draining = true;
                remote.sessions.values().for_each(|session| session.start_draining());
                remote.tunnels.values().cloned().collect()
            })
            .unwrap_or_default();
        {
            let mut state = self.lock_state();
            tunnels.iter().for_each(|tunnel| self.settle(&mut state, tunnel));
            self.update_groups(&state);
        }
        for tunnel in &tunnels {
            tunnel.upstream.retire();
            if let Some(port) = tunnel.port {
                self.settle_port(port).await;
            }
        }
    }

    /// Takes the names, ports and places in groups of tunnels that other nodes no longer announce.
    fn drop_remote(&self, state: &mut RegistryState, tunnels: &[Arc<Tunnel>], end_kind: EndKind) {
        for tunnel in tunnels {
            self.release_names(state, tunnel, end_kind);
        }
        if tunnels.iter().any(|tunnel| tunnel.kind == TunnelKind::Labels) {
            self.update_groups(state);
        }
    }

    async fn stop_remote(&self, tunnels: &[Arc<Tunnel>]) {
        for tunnel in tunnels {
            tunnel.upstream.stop();
            self.close_port(tunnel).await;
        }
    }

    fn announced_tunnel(&self, session: &Arc<Session>, announced: AnnouncedTunnel) -> Result<Arc<Tunnel>, Error> {
        let stages = Stages::of(session, &announced.bind, &self.routing)?;
        let AnnouncedTunnel { number, id, url, started_at, notes, request_notes, bind, .. } = announced;
        let AnnouncedAddress { kind, host, port, labels } = AnnouncedAddress::of(bind.what)?;
        let counter = self.access.telemetry.traffic.of(TrafficKind::Tunnel, &id);
        let options = TunnelOptions {
            app_protocol: bind.app_protocol,
            per_visitor: bind.per_visitor,
            notes,
            request_notes,
            is_hop: true,
            labels,
            agent: session.serving_agent(),
        };
        let max_idle = self.settings.limits.get().idle_upstreams;
        let upstream = Arc::new(TunnelUpstream::new(counter, session.link.clone(), number, options, max_idle));
        Ok(Arc::new(Tunnel {
            id,
            number,
            name: bind.name,
            kind,
            url,
            host,
            port,
            forwards_to: bind.forwards_to,
            metadata: bind.metadata,
            started_at: time_of(started_at),
            session: session.clone(),
            stages,
            upstream,
            announced: None,
        }))
    }
}

impl AnnouncedAddress {
    fn of(what: BindKind) -> Result<Self, Error> {
        let incomplete = || Error::new(Code::RequestInvalid, "The other node announced a tunnel without its address.");
        let named = |kind, host: Option<String>| {
            let host = HostName::parse(&host.ok_or_else(incomplete)?)?;
            Ok(AnnouncedAddress { kind, host: Some(host), port: None, labels: BTreeMap::new() })
        };
        match what {
            BindKind::Http { host, scheme: Scheme::Https, .. } => named(TunnelKind::Https, host),
            BindKind::Http { host, scheme: Scheme::Http, .. } => named(TunnelKind::Http, host),
            BindKind::Tls { host, .. } => named(TunnelKind::Tls, host),
            BindKind::Tcp { port, .. } => {
                let port = Some(port.filter(|port| *port != 0).ok_or_else(incomplete)?);
                Ok(AnnouncedAddress { kind: TunnelKind::Tcp, host: None, port, labels: BTreeMap::new() })
            }
            BindKind::Labels { labels } => {
                Ok(AnnouncedAddress { kind: TunnelKind::Labels, host: None, port: None, labels })
            }
        }
    }
}

fn time_of(seconds: i64) -> Timestamp {
    Timestamp::new(jiff::Timestamp::from_second(seconds).unwrap_or_default())
}
