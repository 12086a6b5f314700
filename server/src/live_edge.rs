//! Live state of the edge, for the management API.

use futures::{FutureExt, future::BoxFuture};
use postern_api::{
    AnyId, Code, Timestamp,
    host::HostName,
    resource::{NodeName, RecentRequest, RequestFilter},
    traffic::{Counts, History, Traffic, TrafficQuery, TrafficRange, TrafficSeries, TrafficSum},
};
use postern_control::{
    CommandOutcome, Gathered, LiveAddress, LiveLink, LiveRefusal, LiveSession, LiveTunnel, NameHold,
};
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

    /// Updates the gauges, which count the agents of this server only.
    pub(crate) fn update_gauges(&self) {
        if let Some(edge) = self.edge() {
            let (sessions, tunnels) = edge.own_counts();
            metrics::gauge!("postern_sessions").set(sessions as f64);
            metrics::gauge!("postern_tunnels").set(tunnels as f64);
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
        self.edge()
            .map(|edge| edge.sessions().into_iter().map(|view| session(view, edge)).collect())
            .unwrap_or_default()
    }

    fn session_changes(&self) -> Option<u64> {
        Some(self.edge().map_or(0, postern_edge::Live::session_changes))
    }

    fn tunnels(&self) -> Vec<LiveTunnel> {
        let Some(edge) = self.edge() else { return Vec::new() };
        edge.tunnels().into_iter().map(|view| tunnel(view, edge)).collect()
    }

    fn refused(&self, edge: &str) -> Vec<LiveRefusal> {
        let kept = self.edge().map(|live| live.refused(edge)).unwrap_or_default();
        kept.iter().map(|entry| refusal(entry)).collect()
    }

    fn requests<'a>(&'a self, id: &'a str, filter: RequestFilter) -> BoxFuture<'a, Gathered<Vec<RecentRequest>>> {
        async move {
            match self.edge() {
                Some(edge) => edge.requests(id, filter).await,
                None => Gathered::default(),
            }
        }
        .boxed()
    }

    fn traffic(&self) -> BoxFuture<'_, Gathered<Vec<Traffic>>> {
        async move {
            match self.edge() {
                Some(edge) => edge.traffic().await,
                None => Gathered::default(),
            }
        }
        .boxed()
    }

    fn traffic_of<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Gathered<Option<Traffic>>> {
        async move {
            match self.edge() {
                Some(edge) => edge.traffic_of(id).await,
                None => Gathered::default(),
            }
        }
        .boxed()
    }

    fn traffic_in_all(&self) -> BoxFuture<'_, Gathered<(Counts, History)>> {
        async move {
            match self.edge() {
                Some(edge) => edge.traffic_in_all().await,
                None => Gathered::default(),
            }
        }
        .boxed()
    }

    fn traffic_series<'a>(&'a self, id: Option<&'a str>, range: TrafficRange) -> BoxFuture<'a, TrafficSeries> {
        async move {
            match self.edge() {
                Some(edge) => edge.traffic_series(id, range).await,
                None => TrafficSeries::empty(range, postern_api::clock::now()),
            }
        }
        .boxed()
    }

    fn traffic_sums(&self, queries: Vec<TrafficQuery>) -> BoxFuture<'_, Gathered<Vec<TrafficSum>>> {
        async move {
            match self.edge() {
                Some(edge) => edge.traffic_sums(queries).await,
                None => (vec![TrafficSum::default(); queries.len()], Vec::new()),
            }
        }
        .boxed()
    }

    fn missing_nodes(&self) -> Vec<NodeName> {
        self.edge().map(postern_edge::Live::missing_nodes).unwrap_or_default()
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

    fn restart<'a>(&'a self, session: &'a str) -> BoxFuture<'a, CommandOutcome> {
        async move {
            match self.edge() {
                Some(edge) => outcome(edge.restart(session).await),
                None => CommandOutcome::NoSession,
            }
        }
        .boxed()
    }

    fn stop<'a>(&'a self, session: &'a str) -> BoxFuture<'a, CommandOutcome> {
        async move {
            match self.edge() {
                Some(edge) => outcome(edge.stop(session).await),
                None => CommandOutcome::NoSession,
            }
        }
        .boxed()
    }
}

fn outcome(outcome: postern_edge::CommandOutcome) -> CommandOutcome {
    match outcome {
        postern_edge::CommandOutcome::Done => CommandOutcome::Done,
        postern_edge::CommandOutcome::NoSession => CommandOutcome::NoSession,
        postern_edge::CommandOutcome::Uncertain => CommandOutcome::Uncertain,
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

fn session(view: SessionView, edge: &postern_edge::Live) -> LiveSession {
    LiveSession {
        node: edge.node_name(view.node.as_deref()),
        id: view.id,
        credential: view.credential,
        agent_version: view.agent_version,
        os: view.os,
        instance: view.instance,
        host_name: view.host.as_ref().map(|host| host.name.clone()).unwrap_or_default(),
        account: view.host.map(|host| host.account).unwrap_or_default(),
        address: view.address,
        transport: view.transport,
        metadata: view.metadata,
        remote_management: view.remote_management,
        started_at: view.started_at,
    }
}

fn tunnel(view: TunnelView, edge: &postern_edge::Live) -> LiveTunnel {
    // The ports of another node are those in its URL.
    let port_of = |own: u16, default: u16| match (&view.node, &view.url) {
        (Some(_), Some(url)) => Some(url.rsplit_once(':').and_then(|(_, port)| port.parse().ok()).unwrap_or(default)),
        _ => Some(own),
    };
    let (scheme, port) = match view.kind {
        TunnelKind::Https => ("https", port_of(edge.https_port(), 443)),
        TunnelKind::Http => ("http", port_of(edge.http_port(), 80)),
        TunnelKind::Tls => ("tls", port_of(edge.https_port(), 443)),
        TunnelKind::Tcp => ("tcp", view.port),
        TunnelKind::Labels => ("", None),
    };
    let host = view.host.as_ref().unwrap_or_else(|| edge.domain());
    LiveTunnel {
        node: edge.node_name(view.node.as_deref()),
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
