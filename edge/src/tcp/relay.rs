//! One TCP connection: checked by the address of its socket, then relayed to an upstream.

use crate::{
    access::{Access, ConnectionRecord},
    modules::{Pipeline, RateTable},
    refusal::Refusal,
    telemetry::{
        metrics::TargetKind,
        traffic::{Traffic, TrafficCounter},
    },
    upstream::{self, Backends, Candidates, OpenedUpstream, StreamSpec, TunnelUpstream},
};
use postern_api::{published::TcpEdge, traffic::TrafficKind};
use postern_tunnel::StreamKind;
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
};

/// Time for a visitor to take the body of a fixed response, and then to close the connection.
const RESPOND_TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes of a visitor that are read before its connection is closed.
const MAX_IGNORED_BYTES: u64 = 256 << 10;

/// Where the connections of a port go.
pub(crate) enum PortTarget {
    /// To the tunnel that holds the port.
    Tunnel { upstream: Arc<TunnelUpstream>, pipeline: Option<Arc<Pipeline>> },
    /// To whatever the edge's backend selects.
    Edge { counter: Arc<TrafficCounter>, backend: Option<Arc<str>>, edge: Arc<TcpEdge>, pipeline: Box<Pipeline> },
}

impl PortTarget {
    pub(crate) fn edge(edge: &Arc<TcpEdge>, traffic: &Traffic, rate_limits: &Arc<RateTable>) -> Self {
        let (counter, backend) =
            (traffic.of(TrafficKind::TcpEdge, &edge.id), edge.settings.backend.as_deref().map(Into::into));
        PortTarget::Edge {
            counter,
            backend,
            edge: edge.clone(),
            pipeline: Box::new(Pipeline::for_connections(&edge.id, &edge.settings, rate_limits)),
        }
    }

    /// Checks a visitor before any byte passes. A refused connection is closed without a response.
    pub(crate) fn admits(&self, access: &Arc<Access>, visitor: SocketAddr) -> Option<ConnectionRecord> {
        let mut record = ConnectionRecord::of(access, visitor, "tcp");
        match self {
            PortTarget::Tunnel { upstream, .. } => record.trace.at_tunnel(upstream.counter()),
            PortTarget::Edge { counter, backend, .. } => {
                record.trace.at_edge(TargetKind::TcpEdge, counter);
                record.trace.leads_to(backend.as_ref());
            }
        }
        let pipeline = match self {
            PortTarget::Tunnel { pipeline, .. } => pipeline.as_deref(),
            PortTarget::Edge { pipeline, .. } => Some(&**pipeline),
        };
        record.checked(pipeline)
    }

    fn candidates(&self, backends: &Backends) -> Result<Candidates, Refusal> {
        match self {
            PortTarget::Tunnel { upstream, .. } => Ok(upstream::only(upstream.clone())),
            PortTarget::Edge { backend, .. } => backends.candidates(backend.as_deref()),
        }
    }
}

/// Carries one connection of a port to its end.
pub(crate) async fn relay(
    stream: TcpStream,
    reached: Option<SocketAddr>,
    record: ConnectionRecord,
    target: Arc<PortTarget>,
    backends: Arc<Backends>,
) {
    let candidates = target.candidates(&backends);
    // From here on a change of configuration does not concern this connection.
    drop((target, backends));
    let spec = StreamSpec { kind: StreamKind::Tcp, visitor: record.visitor, tls: false, reached };
    relay_stream(stream, spec, record, candidates).await;
}

/// Relays a stream to the first candidate that can be dialed, until both sides have ended.
pub(crate) async fn relay_stream<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    spec: StreamSpec,
    mut record: ConnectionRecord,
    candidates: Result<Candidates, Refusal>,
) {
    let visitor = record.visitor;
    let opened = match candidates {
        Ok(candidates) => upstream::open(candidates, spec).await,
        Err(refusal) => Err(refusal),
    };
    let (stream_there, origin) = match opened {
        Ok(OpenedUpstream::Stream(stream, origin)) => (stream, origin),
        Ok(OpenedUpstream::Fixed(fixed)) => return respond(stream, fixed.body(), record).await,
        Err(refusal) => return record.refused(&refusal),
    };
    origin.mark_served(&mut record.trace);
    record.mark_started();
    drop(origin);
    let end = postern_tunnel::relay(stream, stream_there).await;
    record.add_bytes(end.a_to_b, end.b_to_a);
    let refused = end.error.as_ref().and_then(upstream::refused_by_agent);
    match (refused, &end.error) {
        (Some(error), _) => return record.refused(&Refusal::from_agent(error)),
        (None, Some(error)) => tracing::debug!(%visitor, %error, "connection broke"),
        (None, None) => tracing::debug!(%visitor, up = end.a_to_b, down = end.b_to_a, "connection ended"),
    }
    record.ended();
}

/// Sends the body of a fixed response and closes the connection.
async fn respond<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S, body: &[u8], mut record: ConnectionRecord) {
    record.mark_started();
    let sent = tokio::time::timeout(RESPOND_TIMEOUT, async {
        stream.write_all(body).await?;
        stream.shutdown().await
    });
    if matches!(sent.await, Ok(Ok(()))) {
        record.add_bytes(0, body.len() as u64);
        // A socket that is closed with unread bytes is reset, and the visitor could lose the body.
        let ignored = &mut (&mut stream).take(MAX_IGNORED_BYTES);
        _ = tokio::time::timeout(RESPOND_TIMEOUT, tokio::io::copy(ignored, &mut tokio::io::sink())).await;
    }
    record.ended();
}
