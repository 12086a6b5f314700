//! Where connections of TLS go that are not HTTP: to an edge's backend, or to the tunnel that has the name.

use crate::{
    modules::Pipeline,
    refusal::Refusal,
    routing::TlsEndpoint,
    telemetry::{Trace, metrics::TargetKind},
    tunnels::Tunnel,
    upstream::{self, Backends, Candidates},
};
use std::sync::Arc;

/// An edge, or a tunnel.
#[derive(Clone)]
pub(crate) enum TlsDestination {
    Edge(Arc<TlsEndpoint>),
    Tunnel(Arc<Tunnel>),
}

impl TlsDestination {
    /// Names the destination in a trace.
    pub(crate) fn mark(&self, trace: &mut Trace) {
        match self {
            TlsDestination::Edge(edge) => {
                trace.at_edge(TargetKind::TlsEdge, &edge.counter);
                trace.leads_to(edge.backend_id());
            }
            TlsDestination::Tunnel(tunnel) => trace.at_tunnel(tunnel.upstream.counter()),
        }
    }

    /// The modules in front of the destination.
    pub(crate) fn pipeline(&self) -> Option<&Pipeline> {
        match self {
            TlsDestination::Edge(edge) => Some(&edge.pipeline),
            TlsDestination::Tunnel(tunnel) => tunnel.stages.as_ref().map(|stages| &*stages.pipeline),
        }
    }

    /// The upstreams that may serve a visitor.
    pub(crate) fn candidates(&self, backends: &Backends) -> Result<Candidates, Refusal> {
        match self {
            TlsDestination::Edge(edge) => backends.candidates(edge.backend()),
            TlsDestination::Tunnel(tunnel) => Ok(upstream::only(tunnel.upstream.clone())),
        }
    }
}
