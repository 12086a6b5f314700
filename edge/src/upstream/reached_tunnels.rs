//! The tunnels that requests of one visitor's connection have reached: each counts the connection once, and keeps no
//! connection to the local service for it afterwards.

use super::{OriginServer, TunnelUpstream};
use postern_tunnel::CountedVisitor;
use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError, Weak},
};

/// Counts a visitor's connection at the tunnels it reaches, until it is dropped.
#[derive(Default)]
pub(crate) struct ReachedTunnels(Mutex<Vec<ReachedTunnel>>);

struct ReachedTunnel {
    id: Arc<str>,
    _counted: Option<CountedVisitor>,
    /// Set if the tunnel reserves connections to the local service for the visitor.
    reserving: Option<(Weak<TunnelUpstream>, SocketAddr)>,
}

impl ReachedTunnels {
    /// Counts the connection at this upstream if it is a tunnel that no earlier request was sent to.
    pub(crate) fn add(&self, origin: &OriginServer, visitor: SocketAddr) {
        let OriginServer::Tunnel(tunnel) = origin else { return };
        let mut reached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if reached.iter().any(|known| Arc::ptr_eq(&known.id, tunnel.id())) {
            return;
        }
        if reached.is_empty() {
            // Most visitors reach one.
            reached.reserve_exact(1);
        }
        reached.push(ReachedTunnel {
            id: tunnel.id().clone(),
            _counted: tunnel.count_visitor(),
            reserving: tunnel.is_per_visitor().then(|| (Arc::downgrade(tunnel), visitor)),
        });
    }
}

impl Drop for ReachedTunnel {
    fn drop(&mut self) {
        if let Some((tunnel, visitor)) = &self.reserving
            && let Some(tunnel) = tunnel.upgrade()
        {
            tunnel.pool.forget(*visitor);
        }
    }
}
