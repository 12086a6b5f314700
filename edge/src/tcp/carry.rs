//! One connection: judged by its socket's address, then carried to whoever serves it.

use crate::{
    backends::{self, Backends, Candidate, Candidates, For, OriginIo},
    counters,
    gatehouse::Gatehouse,
    modules::{Column, Trace},
    refusal::{Fault, Refusal},
    sessions::Tunnel,
};
use postern_api::{Code, Error, published::TcpEdge};
use postern_tunnel::StreamKind;
use std::{net::SocketAddr, sync::Arc};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};

/// Where the connections of a port go.
pub(crate) enum Target {
    /// To the tunnel that holds the port.
    Tunnel(Arc<Tunnel>),
    /// To whatever the edge's backend selects.
    Edge { id: Arc<str>, edge: Arc<TcpEdge>, column: Box<Column> },
}

impl Target {
    pub(crate) fn edge(edge: &Arc<TcpEdge>) -> Self {
        Target::Edge {
            id: edge.id.as_str().into(),
            edge: edge.clone(),
            column: Box::new(Column::of_connections(&edge.settings)),
        }
    }

    /// Judges a visitor before any byte passes. Who may not come in is not answered at all.
    pub(crate) fn admits(&self, gatehouse: &Gatehouse, visitor: SocketAddr) -> bool {
        match self {
            Target::Tunnel(_) => admits(gatehouse, None, visitor),
            Target::Edge { id, column, .. } => admits(gatehouse, Some((id, column)), visitor),
        }
    }

    fn candidates(&self, backends: &Backends) -> Result<Candidates, Refusal> {
        match self {
            Target::Tunnel(tunnel) => Ok(backends::only(tunnel.clone())),
            Target::Edge { edge, .. } => backends.candidates(edge.settings.backend.as_deref()),
        }
    }
}

/// Judges a visitor before any byte passes: of an edge with its stages, or of a tunnel, which has none.
pub(crate) fn admits(gatehouse: &Gatehouse, edge: Option<(&Arc<str>, &Column)>, visitor: SocketAddr) -> bool {
    let mut trace = Trace::default();
    if let Some((id, _)) = edge {
        trace.at_edge(id);
    }
    let judged = gatehouse
        .restrictions
        .visitor(visitor.ip(), &mut trace)
        .and_then(|()| edge.map_or(Ok(()), |(_, column)| column.connection(visitor.ip(), &mut trace)));
    match judged {
        Ok(()) => {
            tracing::debug!(%visitor, %trace, "connection admitted");
            true
        }
        Err(refusal) => {
            counters::refusal(refusal.error.code);
            tracing::info!(%visitor, %trace, code = %refusal.error.code, "connection refused");
            false
        }
    }
}

/// Opens a stream to the first candidate that can be dialled. With `certain` even the last one stands only when the
/// local service has taken it.
pub(crate) async fn open(candidates: Candidates, whom: For, certain: bool) -> Result<OriginIo, Refusal> {
    let mut left = candidates.len();
    let mut last = None;
    for candidate in candidates {
        left -= 1;
        let Candidate::Dial(origin) = candidate else {
            let message = "An HTTP response backend cannot serve connections that are not HTTP.";
            last = Some(Refusal::new(Fault::Route, Error::new(Code::BackendMissing, message)));
            continue;
        };
        match origin.open(whom, certain || left > 0).await {
            Ok(stream) => return Ok(stream),
            Err(refusal) => last = Some(refusal),
        }
    }
    Err(last.unwrap_or_else(|| Refusal::new(Fault::Route, Code::BackendMissing)))
}

/// Carries one connection of a port to its end.
pub(crate) async fn carry(stream: TcpStream, visitor: SocketAddr, target: Arc<Target>, backends: Arc<Backends>) {
    let candidates = target.candidates(&backends);
    // From here on a change of configuration does not concern this connection.
    drop((target, backends));
    let whom = For { kind: StreamKind::Tcp, visitor, tls: false, reached: stream.local_addr().ok() };
    join(stream, whom, candidates).await;
}

/// Carries a stream to the first candidate that can be dialled, until both sides have ended.
pub(crate) async fn join<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    whom: For,
    candidates: Result<Candidates, Refusal>,
) {
    let visitor = whom.visitor;
    let opened = match candidates {
        Ok(candidates) => open(candidates, whom, false).await,
        Err(refusal) => Err(refusal),
    };
    let origin = match opened {
        Ok(origin) => origin,
        Err(refusal) => {
            counters::refusal(refusal.error.code);
            return tracing::info!(%visitor, code = %refusal.error.code, "{}", refusal.error.message);
        }
    };
    let end = postern_tunnel::relay(stream, origin).await;
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
