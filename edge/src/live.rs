//! A view of the running edge: sessions, tunnels, names and ports in use.

use crate::{
    access::Access,
    routing::Routing,
    telemetry::AccessLogEntry,
    tunnels::{HeldName, PendingReservation, ReservationGuard, SessionView, TunnelRegistry, TunnelView},
};
use postern_api::{
    host::HostName,
    traffic::{Counts, History, Traffic},
};
use std::{collections::BTreeMap, net::SocketAddr, sync::Arc};
use tokio::sync::watch;

/// A view into the running edge. Cheap to clone; every query returns the current state.
#[derive(Clone)]
pub struct Live {
    pub(crate) registry: Arc<TunnelRegistry>,
    pub(crate) routing: Arc<Routing>,
    pub(crate) access: Arc<Access>,
}

impl Live {
    /// All connected agents.
    pub fn sessions(&self) -> Vec<SessionView> {
        self.registry.session_views()
    }

    /// Every tunnel that is up.
    pub fn tunnels(&self) -> Vec<TunnelView> {
        self.registry.tunnel_views()
    }

    /// Ids of the labelled tunnels that carry all of these labels.
    pub fn tunnels_with(&self, labels: &BTreeMap<String, String>) -> Vec<String> {
        self.registry.tunnels_with(labels)
    }

    /// Whether a tunnel of an agent listens on this TCP port.
    pub fn port_in_use(&self, port: u16) -> bool {
        self.registry.port_in_use(port)
    }

    /// Whether a tunnel of an agent holds exactly this name.
    pub fn host_in_use(&self, host: &HostName) -> bool {
        self.registry.host_in_use(host)
    }

    /// Whether visitors of this name are served: by a tunnel or an edge that has it, or a wildcard above it.
    pub fn serves(&self, name: &HostName) -> bool {
        if self.registry.host_in_use(name) || self.routing.table().has(name) {
            return true;
        }
        let mut rest = name.as_str();
        while let Some((_, parent)) = rest.split_once('.') {
            if HostName::parse(&format!("*.{parent}")).is_ok_and(|wildcard| self.registry.host_in_use(&wildcard)) {
                return true;
            }
            rest = parent;
        }
        false
    }

    /// The names that agents hold, and those of agents that are away for a short time.
    pub fn held_names(&self) -> Vec<HeldName> {
        self.registry.names.held()
    }

    /// Notifies of changes of [`held_names`](Self::held_names).
    pub fn name_changes(&self) -> watch::Receiver<u64> {
        self.registry.names.changes()
    }

    /// Keeps agents from binding names or ports until the guard is dropped. Queries of [`Live`] after this call see
    /// every earlier bind.
    pub fn reserve(&self, reservation: PendingReservation) -> ReservationGuard {
        self.registry.reserve(reservation)
    }

    /// The last requests and connections that an edge refused, the newest first.
    pub fn refused(&self, edge: &str) -> Vec<Arc<AccessLogEntry>> {
        self.access.telemetry.refused.of(edge)
    }

    /// Traffic of each edge, route and tunnel that has had any, unordered and without history.
    pub fn traffic(&self) -> Vec<Traffic> {
        self.access.telemetry.traffic.shown()
    }

    /// Traffic of one edge, route or tunnel, with its history.
    pub fn traffic_of(&self, id: &str) -> Option<Traffic> {
        self.access.telemetry.traffic.one(id)
    }

    /// Traffic of the whole edge.
    pub fn traffic_in_all(&self) -> (Counts, History) {
        self.access.telemetry.traffic.total()
    }

    /// The port on which visitors with HTTPS are served.
    pub fn https_port(&self) -> u16 {
        self.registry.settings.https_port
    }

    /// Asks the agent of a session to open a new one; false if the session does not exist.
    pub fn restart(&self, session: &str) -> bool {
        self.registry.restart(session)
    }

    /// Ends a session and everything it holds; false if the session does not exist.
    pub async fn stop(&self, session: &str) -> bool {
        self.registry.stop(session).await
    }

    /// The port on which visitors with plain HTTP are served.
    pub fn http_port(&self) -> u16 {
        self.registry.settings.http_port
    }

    /// The region of this server.
    pub fn region(&self) -> &str {
        &self.registry.settings.region
    }

    /// The name that TCP addresses are shown under.
    pub fn domain(&self) -> &HostName {
        &self.registry.settings.domain
    }

    /// The address TCP tunnels and edges listen on at this port, if anything does.
    pub fn listens_on(&self, port: u16) -> Option<SocketAddr> {
        self.registry.listens_on(port)
    }
}
