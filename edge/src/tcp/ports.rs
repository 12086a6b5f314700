//! The listening TCP ports. The target of a port can change at any time; open connections are not affected.

use super::{PortTarget, relay::relay};
use crate::{
    access::Access,
    modules::RateTable,
    net::{self, ConnectionLimiter, IdentifiedConnection},
    telemetry::metrics::ConnectionGauge,
    upstream::Backends,
};
use arc_swap::ArcSwap;
use postern_api::{
    Error,
    published::{Listed, TcpEdge},
};
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// All listening TCP ports of tunnels and edges.
pub(crate) struct Ports {
    address: IpAddr,
    limiter: Arc<ConnectionLimiter>,
    backends: Arc<Backends>,
    access: Arc<Access>,
    rate_limits: Arc<RateTable>,
    open: Mutex<HashMap<u16, Port>>,
    /// Serializes opening and closing.
    order: tokio::sync::Mutex<()>,
    connections: TaskTracker,
}

struct Port {
    target: Arc<ArcSwap<PortTarget>>,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

/// A port that listens and has no target yet. Dropping it closes it.
pub(crate) struct ReservedPort<'a> {
    ports: &'a Ports,
    port: u16,
    listener: TcpListener,
}

impl Ports {
    pub(crate) fn new(
        address: IpAddr,
        limiter: Arc<ConnectionLimiter>,
        backends: Arc<Backends>,
        access: Arc<Access>,
        rate_limits: Arc<RateTable>,
    ) -> Self {
        let (open, order, connections) = (Mutex::default(), tokio::sync::Mutex::default(), TaskTracker::new());
        Ports { address, limiter, backends, access, rate_limits, open, order, connections }
    }

    fn open(&self) -> MutexGuard<'_, HashMap<u16, Port>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_open(&self, port: u16) -> bool {
        self.open().contains_key(&port)
    }

    /// Opens a port for a tunnel; 0 takes any free one.
    pub(crate) async fn reserve(&self, port: u16) -> Result<ReservedPort<'_>, Error> {
        let _order = self.order.lock().await;
        let listener = net::listen(SocketAddr::new(self.address, port), "Ask for another port")?;
        let port = listener.local_addr().map_or(port, |address| address.port());
        Ok(ReservedPort { ports: self, port, listener })
    }

    /// Closes the port of a tunnel, unless it has another target by now.
    pub(crate) async fn close_tunnel(&self, port: u16, tunnel: &str) {
        let _order = self.order.lock().await;
        let closing = {
            let mut open = self.open();
            let own = |port: &Port| matches!(&**port.target.load(), PortTarget::Tunnel { upstream, .. } if **upstream.id() == *tunnel);
            if open.get(&port).is_some_and(own) { open.remove(&port) } else { None }
        };
        if let Some(port) = closing {
            port.close().await;
        }
    }

    /// Opens or closes a port for tunnels, or redirects it, as `holder` tells at that moment. A port of an edge is left
    /// alone. Failures are logged.
    pub(crate) async fn settle_tunnel(&self, port: u16, holder: impl FnOnce() -> Option<PortTarget>) {
        let _order = self.order.lock().await;
        let Some(target) = holder() else { return self.close_unless_edge(port).await };
        if let Some(open) = self.open().get(&port) {
            match &**open.target.load() {
                PortTarget::Tunnel { .. } => open.target.store(Arc::new(target)),
                PortTarget::Edge { edge, .. } => {
                    tracing::warn!(edge = edge.id, port, "the port of a tunnel of another node belongs to an edge");
                }
            }
            return;
        }
        match net::listen(SocketAddr::new(self.address, port), "Stop that program") {
            Ok(listener) => self.start(port, listener, target),
            Err(error) => {
                tracing::warn!(port, "a tunnel of another node has no port at this one: {}", error.message);
            }
        }
    }

    async fn close_unless_edge(&self, port: u16) {
        let closing = {
            let mut open = self.open();
            let has_tunnel = |port: &Port| matches!(&**port.target.load(), PortTarget::Tunnel { .. });
            if open.get(&port).is_some_and(has_tunnel) { open.remove(&port) } else { None }
        };
        if let Some(port) = closing {
            port.close().await;
        }
    }

    /// Opens and closes ports for the changed edges, or for all. Failures are logged; returns whether there were any,
    /// in which case all edges must be checked again.
    pub(crate) async fn follow(&self, edges: &Listed<TcpEdge>, changed: Option<&BTreeSet<String>>) -> bool {
        if changed.is_some_and(BTreeSet::is_empty) {
            return false;
        }
        let _order = self.order.lock().await;
        let edges_to_check: Vec<&Arc<TcpEdge>> = match changed {
            Some(changed) => changed.iter().filter_map(|id| edges.get(id)).collect(),
            None => edges.values().collect(),
        };
        let ports: HashSet<u16> = edges_to_check.iter().flat_map(|edge| edge.ports.iter().copied()).collect();
        let closing: Vec<Port> = {
            let mut open = self.open();
            let unused = |(port, open): (&u16, &Port)| match &**open.target.load() {
                PortTarget::Edge { edge, .. } if changed.is_none_or(|changed| changed.contains(&edge.id)) => {
                    (!ports.contains(port)).then_some(*port)
                }
                _ => None,
            };
            let unused: Vec<u16> = open.iter().filter_map(unused).collect();
            unused.iter().filter_map(|port| open.remove(port)).collect()
        };
        for port in closing {
            port.close().await;
        }
        let mut failed = false;
        for edge in edges_to_check {
            for port in &edge.ports {
                failed |= !self.point_at(*port, edge);
            }
        }
        failed
    }

    /// Makes an edge the target of a port, opening the port if needed.
    fn point_at(&self, port: u16, edge: &Arc<TcpEdge>) -> bool {
        if let Some(open) = self.open().get(&port) {
            return match &**open.target.load() {
                PortTarget::Edge { edge: now, .. } if Arc::ptr_eq(now, edge) => true,
                PortTarget::Edge { .. } => {
                    open.target.store(Arc::new(self.target(edge)));
                    true
                }
                PortTarget::Tunnel { upstream, .. } => {
                    tracing::warn!(
                        edge = edge.id,
                        port,
                        tunnel = %upstream.id(),
                        "the port of this edge is held by a tunnel"
                    );
                    false
                }
            };
        }
        match net::listen(SocketAddr::new(self.address, port), "Stop that program, or give the edge another port") {
            Ok(listener) => {
                self.start(port, listener, self.target(edge));
                true
            }
            Err(error) => {
                tracing::error!(edge = edge.id, port, "{}", error.message);
                false
            }
        }
    }

    fn target(&self, edge: &Arc<TcpEdge>) -> PortTarget {
        PortTarget::edge(edge, &self.access.telemetry.traffic, &self.rate_limits)
    }

    fn start(&self, port: u16, listener: TcpListener, target: PortTarget) {
        let target = Arc::new(ArcSwap::from_pointee(target));
        let stop = CancellationToken::new();
        let (target_of, backends, connections) = (target.clone(), self.backends.clone(), self.connections.clone());
        let access = self.access.clone();
        let accepting = net::accept(listener, self.limiter.clone(), stop.clone(), move |accepted| {
            let (target, backends, access) = (target_of.load_full(), backends.clone(), access.clone());
            connections.spawn(async move {
                let Some(IdentifiedConnection { stream, visitor, reached, permit: _permit }) =
                    accepted.identify().await
                else {
                    return;
                };
                let Some(record) = target.admits(&access, visitor) else { return };
                let _connected = ConnectionGauge::new("tcp");
                relay(stream, reached, record, target, backends).await;
            });
        });
        self.open().insert(port, Port { target, stop, task: tokio::spawn(accepting) });
    }

    /// Closes every port; open connections continue.
    pub(crate) async fn stop_accepting(&self) {
        let _order = self.order.lock().await;
        let all: Vec<Port> = self.open().drain().map(|(_, port)| port).collect();
        for port in all {
            port.close().await;
        }
        self.connections.close();
    }

    /// Stops accepting without waiting.
    pub(crate) fn abandon(&self) {
        for port in self.open().values() {
            port.stop.cancel();
        }
    }

    /// Waits until the last connection has ended.
    pub(crate) async fn finished(&self) {
        self.connections.wait().await;
    }
}

impl Port {
    /// Returns once the socket is closed, so that the port can be opened again.
    async fn close(self) {
        self.stop.cancel();
        let _ = self.task.await;
    }
}

impl ReservedPort<'_> {
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// From now on connections are accepted for the target.
    pub(crate) fn serve(self, target: PortTarget) {
        self.ports.start(self.port, self.listener, target);
    }
}
