//! Whether anything listens at the local address of a tunnel, as far as the system's list of sockets says. No connection is
//! made to find out: some services serve only one.

use super::{TunnelEndpoint, Tunnels, TunnelsInner};
use crate::ports;
use arc_swap::ArcSwapOption;
use postern_api::{Code, Error};
use std::{
    collections::HashSet,
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::{sync::Mutex, time::Instant};

/// Interval in which a service that does not run is searched at first. It doubles, because the list can be long, and a
/// visitor's connection finds the service as well.
const FIRST_INTERVAL: Duration = Duration::from_secs(2);
/// The longest such interval.
const MAX_INTERVAL: Duration = Duration::from_secs(30);
/// Time for which a list of sockets is used again: many tunnels may be started at once.
const LIST_LIFETIME: Duration = Duration::from_secs(1);

/// What is known about the local service of a tunnel.
#[derive(Debug, Default)]
pub struct ServiceStatus(ArcSwapOption<Error>);

impl ServiceStatus {
    /// Why no connection can succeed; `None` if the service runs, or if nothing is known about it.
    pub fn error(&self) -> Option<Arc<Error>> {
        self.0.load_full()
    }

    /// `true` if the service was said to be missing until now. Without a write otherwise: every connection tells it.
    fn set_found(&self) -> bool {
        self.0.load().is_some() && self.0.swap(None).is_some()
    }

    /// `false` if it was known already.
    fn set_missing(&self, error: Error) -> bool {
        self.0.swap(Some(Arc::new(error))).is_none()
    }
}

/// The ports on which loopback addresses are served, and when they were listed.
#[derive(Default)]
pub(super) struct ListeningPorts(Mutex<Option<(Instant, Arc<HashSet<u16>>)>>);

impl ListeningPorts {
    /// `true` as well where the system has no such list.
    async fn contains(&self, port: u16) -> bool {
        let mut list = self.0.lock().await;
        if let Some((_, ports)) = list.as_ref().filter(|(listed, _)| listed.elapsed() < LIST_LIFETIME) {
            return ports.contains(&port);
        }
        let Some(ports) = ports::loopback_ports().await else { return true };
        let is_served = ports.contains(&port);
        *list = Some((Instant::now(), Arc::new(ports)));
        is_served
    }
}

impl Tunnels {
    /// Says so if nothing listens at the local address of a tunnel, until something does.
    pub(super) fn watch_service(&self, endpoint: &Arc<TunnelEndpoint>) {
        let Some(port) = endpoint.definition.upstream.loopback_port() else { return };
        tokio::spawn(watch(Arc::downgrade(&self.0), endpoint.clone(), port));
    }

    /// Records that a connection to the local service of a tunnel has succeeded.
    pub(super) fn service_found(&self, endpoint: &TunnelEndpoint) {
        if endpoint.service.set_found() {
            tracing::info!(tunnel = endpoint.name, "the local service listens now");
            self.notify_change();
        }
    }
}

/// Ends with the tunnel, and with the agent, which must not wait for it.
async fn watch(tunnels: Weak<TunnelsInner>, endpoint: Arc<TunnelEndpoint>, port: u16) {
    let is_served = async || {
        let tunnels = Tunnels(tunnels.upgrade()?);
        let found = tunnels.0.listening.contains(port).await;
        Some((tunnels, found))
    };
    let Some((tunnels, false)) = is_served().await else { return };
    let address = endpoint.displayed_address();
    let message = format!("Nothing listens on {address}. Start the local service, or correct `addr` of the tunnel.");
    if !endpoint.service.set_missing(Error::new(Code::ServiceUnreachable, message.clone())) {
        return;
    }
    tracing::warn!(tunnel = endpoint.name, "{message}");
    tunnels.notify_change();
    drop(tunnels);
    let mut interval = FIRST_INTERVAL;
    loop {
        tokio::select! {
            () = endpoint.stop.cancelled() => return,
            () = tokio::time::sleep(interval) => {}
        }
        if endpoint.service.error().is_none() {
            return;
        }
        match is_served().await {
            None => return,
            Some((_, false)) => interval = MAX_INTERVAL.min(2 * interval),
            Some((tunnels, true)) => return tunnels.service_found(&endpoint),
        }
    }
}
