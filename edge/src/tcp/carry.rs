//! One connection: judged by its socket's address, then carried to whoever serves it.

use crate::{
    access::{Access, Passage},
    modules::Column,
    refusal::Refusal,
    telemetry::{
        metrics::Kind,
        traffic::{Tally, Traffic},
    },
    upstream::{self, Backends, Candidates, For, TunnelUpstream},
};
use postern_api::{published::TcpEdge, traffic::TrafficKind};
use postern_tunnel::StreamKind;
use std::{net::SocketAddr, sync::Arc};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};

/// Where the connections of a port go.
pub(crate) enum Target {
    /// To the tunnel that holds the port.
    Tunnel { upstream: Arc<TunnelUpstream>, column: Option<Arc<Column>> },
    /// To whatever the edge's backend selects.
    Edge { tally: Arc<Tally>, backend: Option<Arc<str>>, edge: Arc<TcpEdge>, column: Box<Column> },
}

impl Target {
    pub(crate) fn edge(edge: &Arc<TcpEdge>, traffic: &Traffic) -> Self {
        let (tally, backend) =
            (traffic.of(TrafficKind::TcpEdge, &edge.id), edge.settings.backend.as_deref().map(Into::into));
        Target::Edge { tally, backend, edge: edge.clone(), column: Box::new(Column::of_connections(&edge.settings)) }
    }

    /// Judges a visitor before any byte passes. Who may not come in is not answered at all.
    pub(crate) fn admits(&self, access: &Arc<Access>, visitor: SocketAddr) -> Option<Passage> {
        let mut passage = Passage::of(access, visitor, "tcp");
        match self {
            Target::Tunnel { upstream, .. } => passage.trace.at_tunnel(upstream.tally()),
            Target::Edge { tally, backend, .. } => {
                passage.trace.at_edge(Kind::TcpEdge, tally);
                passage.trace.leads_to(backend.as_ref());
            }
        }
        let column = match self {
            Target::Tunnel { column, .. } => column.as_deref(),
            Target::Edge { column, .. } => Some(&**column),
        };
        passage.judged(column)
    }

    fn candidates(&self, backends: &Backends) -> Result<Candidates, Refusal> {
        match self {
            Target::Tunnel { upstream, .. } => Ok(upstream::only(upstream.clone())),
            Target::Edge { backend, .. } => backends.candidates(backend.as_deref()),
        }
    }
}

/// Carries one connection of a port to its end.
pub(crate) async fn carry(
    stream: TcpStream,
    reached: Option<SocketAddr>,
    passage: Passage,
    target: Arc<Target>,
    backends: Arc<Backends>,
) {
    let candidates = target.candidates(&backends);
    // From here on a change of configuration does not concern this connection.
    drop((target, backends));
    let whom = For { kind: StreamKind::Tcp, visitor: passage.visitor, tls: false, reached };
    join(stream, whom, passage, candidates).await;
}

/// Carries a stream to the first candidate that can be dialled, until both sides have ended.
pub(crate) async fn join<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    whom: For,
    mut passage: Passage,
    candidates: Result<Candidates, Refusal>,
) {
    let visitor = passage.visitor;
    let opened = match candidates {
        Ok(candidates) => upstream::open(candidates, whom, false).await,
        Err(refusal) => Err(refusal),
    };
    let (stream_there, origin) = match opened {
        Ok(opened) => opened,
        Err(refusal) => return passage.refused(&refusal),
    };
    origin.mark_served(&mut passage.trace);
    passage.carried();
    drop(origin);
    let end = postern_tunnel::relay(stream, stream_there).await;
    passage.moved(end.a_to_b, end.b_to_a);
    let refused = end.error.as_ref().and_then(upstream::refused_by_agent);
    match (refused, &end.error) {
        (Some(error), _) => return passage.refused(&Refusal::from_agent(error)),
        (None, Some(error)) => tracing::debug!(%visitor, %error, "connection broke"),
        (None, None) => tracing::debug!(%visitor, up = end.a_to_b, down = end.b_to_a, "connection ended"),
    }
    passage.ended();
}
