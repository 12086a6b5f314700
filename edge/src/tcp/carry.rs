//! One TCP connection: judged by its socket's address, then carried to the tunnel whose turn it is.

use crate::{
    counters,
    modules::{Column, Trace},
    published::TcpEdge,
    refusal::{Fault, Refusal},
    sessions::{Groups, Tunnel, TunnelIo},
};
use postern_api::{Code, Error};
use postern_tunnel::StreamKind;
use std::{net::SocketAddr, sync::Arc};
use tokio::net::TcpStream;

/// Where the connections of a port go.
pub(crate) enum Target {
    /// To the tunnel that holds the port.
    Tunnel(Arc<Tunnel>),
    /// To whatever the edge's backend selects.
    Edge(TcpEdge),
}

impl Target {
    /// Judges a visitor before any byte passes. Who may not come in is not answered at all.
    pub(crate) fn admits(&self, visitor: SocketAddr) -> bool {
        let Target::Edge(edge) = self else { return true };
        let mut trace = Trace::default();
        let column = Column { ip_restriction: edge.ip_restriction.as_deref() };
        match column.judge(visitor.ip(), &mut trace) {
            Ok(()) => {
                tracing::debug!(edge = edge.id, %visitor, %trace, "connection admitted");
                true
            }
            Err(refusal) => {
                counters::refusal(refusal.error.code);
                tracing::info!(edge = edge.id, %visitor, %trace, code = %refusal.error.code, "connection refused");
                false
            }
        }
    }

    /// Opens a stream to a local service.
    async fn open(&self, groups: &Groups, visitor: SocketAddr) -> Result<TunnelIo, Refusal> {
        let (backend, tunnels) = match self {
            Target::Tunnel(tunnel) => (None, vec![tunnel.clone()]),
            Target::Edge(edge) => {
                let found = edge.backend.as_deref().and_then(|backend| groups.in_turn(backend));
                (edge.backend.as_deref(), found.unwrap_or_default())
            }
        };
        let mut why = "no tunnel is up".to_owned();
        for tunnel in tunnels {
            match tunnel.open(StreamKind::Tcp, visitor, false).await {
                Ok(stream) => return Ok(stream),
                Err(error) => why = error.to_string(),
            }
        }
        let code = if backend.is_some() { Code::BackendOffline } else { Code::AgentOffline };
        Err(Refusal::new(Fault::Agent, Error::new(code, format!("The connection cannot be carried: {why}."))))
    }
}

/// Carries one connection to its end.
pub(crate) async fn carry(stream: TcpStream, visitor: SocketAddr, target: Arc<Target>, groups: Arc<Groups>) {
    let tunnel = match target.open(&groups, visitor).await {
        Ok(tunnel) => tunnel,
        Err(refusal) => {
            counters::refusal(refusal.error.code);
            return tracing::info!(%visitor, code = %refusal.error.code, "{}", refusal.error.message);
        }
    };
    // From here on a change of configuration does not concern this connection.
    drop(target);
    let end = postern_tunnel::relay(stream, tunnel).await;
    let refused = end.error.as_ref().and_then(crate::http::refused_by_agent);
    match (refused, &end.error) {
        (Some(error), _) => {
            counters::refusal(error.code);
            tracing::info!(%visitor, code = %error.code, "{}", error.message);
        }
        (None, Some(error)) => tracing::debug!(%visitor, %error, "connection broke"),
        (None, None) => tracing::debug!(%visitor, up = end.a_to_b, down = end.b_to_a, "connection ended"),
    }
}
