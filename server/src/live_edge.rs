//! Live state of the edge, for the management API.

use futures::{FutureExt, future::BoxFuture};
use postern_api::{
    AnyId, Code, Timestamp,
    host::HostName,
    traffic::{Counts, History, Traffic},
};
use postern_control::{LiveAddress, LiveLink, LiveRefusal, LiveSession, LiveTunnel, NameHold};
use postern_edge::{AccessLogEntry, LinkView, NodeLinks, PendingReservation, SessionView, TunnelKind, TunnelView};
use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::time::Instant;

/// Longest wait for other nodes by those who are not waited for themselves.
const IN_FORCE_TIMEOUT: Duration = Duration::from_secs(2);

/// Live state of the edge. Empty until the edge has started, which is after the management API is opened.
#[derive(Clone, Default)]
pub(crate) struct LiveEdge {
    edge: Arc<OnceLock<Arc<postern_edge::Live>>>,
    links: Arc<OnceLock<Arc<NodeLinks>>>,
}

impl LiveEdge {
    /// Connects it to the started edge.
    pub(crate) fn set(&self, edge: Arc<postern_edge::Live>) {
        let _ = self.edge.set(edge);
    }

    /// Connects it to the links with other servers.
    pub(crate) fn set_links(&self, links: Arc<NodeLinks>) {
        let _ = self.links.set(links);
    }

    /// The edge, once it has started.
    pub(crate) fn edge(&self) -> Option<&postern_edge::Live> {
        self.edge.get().map(Arc::as_ref)
    }

    /// Updates the gauges.
    pub(crate) fn update_gauges(&self) {
        if let Some(edge) = self.edge() {
            metrics::gauge!("postern_sessions").set(edge.sessions().len() as f64);
            metrics::gauge!("postern_tunnels").set(edge.tunnels().len() as f64);
        }
    }
}

impl postern_control::LiveState for LiveEdge {
    fn tunnels_with(&self, labels: &BTreeMap<String, String>) -> Vec<AnyId> {
        let found = self.edge().map(|edge| edge.tunnels_with(labels)).unwrap_or_default();
        found.into_iter().map(AnyId::from_text).collect()
    }

    fn port_in_use(&self, port: u16) -> bool {
        self.edge().is_some_and(|edge| edge.port_in_use(port))
    }

    fn host_in_use(&self, host: &HostName) -> bool {
        self.edge().is_some_and(|edge| edge.host_in_use(host))
    }

    fn hold_names(&self, hold: NameHold) -> Box<dyn Send> {
        let NameHold { names, ports, owner } = hold;
        let reservation = PendingReservation { names, ports, owner: owner.map(|owner| owner.to_string()) };
        Box::new(self.edge().map(|edge| edge.reserve(reservation)))
    }

    fn https_port(&self) -> u16 {
        self.edge().map_or(443, postern_edge::Live::https_port)
    }

    fn region(&self) -> String {
        self.edge().map(|edge| edge.region().to_owned()).unwrap_or_default()
    }

    fn sessions(&self) -> Vec<LiveSession> {
        self.edge().map(|edge| edge.sessions().into_iter().map(session).collect()).unwrap_or_default()
    }

    fn tunnels(&self) -> Vec<LiveTunnel> {
        let Some(edge) = self.edge() else { return Vec::new() };
        edge.tunnels().into_iter().map(|view| tunnel(view, edge)).collect()
    }

    fn refused(&self, edge: &str) -> Vec<LiveRefusal> {
        let kept = self.edge().map(|live| live.refused(edge)).unwrap_or_default();
        kept.iter().map(|entry| refusal(entry)).collect()
    }

    fn traffic(&self) -> Vec<Traffic> {
        self.edge().map(postern_edge::Live::traffic).unwrap_or_default()
    }

    fn traffic_of(&self, id: &str) -> Option<Traffic> {
        self.edge()?.traffic_of(id)
    }

    fn traffic_in_all(&self) -> (Counts, History) {
        self.edge().map(postern_edge::Live::traffic_in_all).unwrap_or_default()
    }

    fn links(&self) -> Vec<LiveLink> {
        self.links.get().map(|links| links.views().into_iter().map(link).collect()).unwrap_or_default()
    }

    fn in_force(&self, revision: i64) -> BoxFuture<'_, ()> {
        async move {
            if let Some(links) = self.links.get() {
                links.applied_everywhere(revision.unsigned_abs(), Instant::now() + IN_FORCE_TIMEOUT).await;
            }
        }
        .boxed()
    }

    fn restart(&self, session: &str) -> bool {
        self.edge().is_some_and(|edge| edge.restart(session))
    }

    fn stop<'a>(&'a self, session: &'a str) -> BoxFuture<'a, bool> {
        async move {
            match self.edge() {
                Some(edge) => edge.stop(session).await,
                None => false,
            }
        }
        .boxed()
    }
}

fn refusal(entry: &AccessLogEntry) -> LiveRefusal {
    LiveRefusal {
        id: entry.id.clone(),
        at: Timestamp::new(entry.time),
        address: entry.visitor.ip(),
        scheme: entry.scheme,
        host: entry.host.clone(),
        method: entry.method.clone(),
        path: entry.path.clone(),
        status: entry.status,
        code: entry.error_code.unwrap_or(Code::Internal),
        message: entry.message.clone(),
        route: entry.route.clone(),
        decisions: entry.decisions.clone(),
        duration_microseconds: entry.duration_microseconds,
    }
}

fn link(view: LinkView) -> LiveLink {
    LiveLink {
        node: view.peer,
        connected: view.up,
        applied: view.revision.map(|revision| i64::try_from(revision).unwrap_or(i64::MAX)),
    }
}

fn session(view: SessionView) -> LiveSession {
    LiveSession {
        id: view.id,
        credential: view.credential,
        agent_version: view.agent_version,
        os: view.os,
        address: view.address,
        transport: view.transport,
        metadata: view.metadata,
        remote_management: view.remote_management,
        started_at: view.started_at,
    }
}

fn tunnel(view: TunnelView, edge: &postern_edge::Live) -> LiveTunnel {
    let (scheme, port) = match view.kind {
        TunnelKind::Https => ("https", Some(edge.https_port())),
        TunnelKind::Http => ("http", Some(edge.http_port())),
        TunnelKind::Tls => ("tls", Some(edge.https_port())),
        TunnelKind::Tcp => ("tcp", view.port),
        TunnelKind::Labels => ("", None),
    };
    let host = view.host.as_ref().unwrap_or_else(|| edge.domain());
    LiveTunnel {
        address: port.map(|port| LiveAddress { scheme, host: host.to_string(), port }),
        id: view.id,
        session: view.session,
        credential: view.credential,
        name: view.name,
        labels: view.labels,
        forwards_to: view.forwards_to,
        metadata: view.metadata,
        started_at: view.started_at,
    }
}
