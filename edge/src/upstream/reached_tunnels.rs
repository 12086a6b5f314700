//! The tunnels that requests of one visitor's connection have reached, so that each tunnel counts the connection once.

use super::{OriginServer, TunnelUpstream};
use postern_tunnel::CountedVisitor;
use std::sync::{Arc, Mutex, PoisonError};

/// Counts a visitor's connection at the tunnels it reaches, until it is dropped.
#[derive(Default)]
pub(crate) struct ReachedTunnels(Mutex<Vec<ReachedTunnel>>);

struct ReachedTunnel {
    id: Arc<str>,
    _counted: Option<CountedVisitor>,
}

impl ReachedTunnels {
    /// Counts the connection at this upstream if it is a tunnel that no earlier request was sent to.
    pub(crate) fn add(&self, origin: &OriginServer) {
        if let OriginServer::Tunnel(tunnel) = origin {
            self.add_tunnel(tunnel);
        }
    }

    fn add_tunnel(&self, tunnel: &TunnelUpstream) {
        let mut reached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !reached.iter().any(|known| Arc::ptr_eq(&known.id, tunnel.id())) {
            reached.push(ReachedTunnel { id: tunnel.id().clone(), _counted: tunnel.count_visitor() });
        }
    }
}
