//! The upstreams that can be dialed, and the streams to them.

use crate::{
    refusal::{Fault, Refusal},
    telemetry::Trace,
    upstream::{
        H1Pool, H2Connections, TunnelIo, TunnelUpstream, refused_by_agent,
        static_address::{AddressStream, StaticAddress},
    },
};
use postern_api::{Code, Error};
use postern_tunnel::{StreamKind, StreamMetadata, message::AppProtocol};
use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Somewhere a visitor can be carried to.
#[derive(Clone)]
pub(crate) enum OriginServer {
    /// Through an agent's tunnel.
    Tunnel(Arc<TunnelUpstream>),
    /// To an address, from here.
    StaticAddress(Arc<StaticAddress>),
}

/// The visitor and protocol that a stream is opened for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamSpec {
    pub(crate) kind: StreamKind,
    pub(crate) visitor: SocketAddr,
    /// Whether the visitor's side is encrypted.
    pub(crate) tls: bool,
    /// The public address that the visitor reached.
    pub(crate) reached: Option<SocketAddr>,
}

impl OriginServer {
    /// Opens a stream. With `certain`, it counts only when the local service has accepted it. This costs a round
    /// trip, and is used where another candidate is left.
    pub(crate) async fn open(&self, spec: StreamSpec, certain: bool) -> Result<OriginStream, Refusal> {
        match self {
            OriginServer::Tunnel(tunnel) => {
                let mut stream = tunnel.open(spec).await.map_err(lost)?;
                if certain {
                    stream.accepted().await.map_err(lost)?;
                }
                Ok(OriginStream::Tunnel(stream))
            }
            OriginServer::StaticAddress(address) => match address.dial().await {
                Ok(AddressStream::Clear(stream)) => Ok(OriginStream::Clear(stream)),
                Ok(AddressStream::Tls(stream)) => Ok(OriginStream::Tls(stream)),
                Err(error) => {
                    tracing::info!(backend = %address.id, %error, "a static backend cannot be reached");
                    // Visitors must not learn internal addresses.
                    let message = "The backend of this address cannot be reached at the moment.";
                    Err(Refusal::new(Fault::Service, Error::new(Code::ServiceUnreachable, message)))
                }
            },
        }
    }

    /// Opens a stream in another way than the preferred one, after that has broken.
    pub(crate) async fn open_elsewhere(&self, spec: StreamSpec) -> Result<OriginStream, Refusal> {
        match self {
            OriginServer::Tunnel(tunnel) => tunnel.open_elsewhere(spec).await.map(OriginStream::Tunnel).map_err(lost),
            OriginServer::StaticAddress(_) => self.open(spec, true).await,
        }
    }

    /// Whether it is a tunnel that can be reached in another way than the preferred one.
    pub(crate) fn has_other_ways(&self) -> bool {
        matches!(self, OriginServer::Tunnel(tunnel) if tunnel.has_other_ways())
    }

    /// Idle HTTP connections to it.
    pub(crate) fn pool(&self) -> &H1Pool {
        match self {
            OriginServer::Tunnel(tunnel) => &tunnel.pool,
            OriginServer::StaticAddress(address) => &address.pool,
        }
    }

    /// Number of streams that could be opened now with a connection of their own, without a wait.
    pub(crate) fn idle_connections(&self) -> usize {
        match self {
            OriginServer::Tunnel(tunnel) => tunnel.idle_connections(),
            OriginServer::StaticAddress(_) => 0,
        }
    }

    /// Its HTTP/2 connections, if the local service speaks HTTP/2.
    pub(crate) fn h2_connections(&self) -> Option<&H2Connections> {
        match self {
            OriginServer::Tunnel(tunnel) => {
                (tunnel.app_protocol() == AppProtocol::Http2).then_some(&tunnel.h2_connections)
            }
            OriginServer::StaticAddress(_) => None,
        }
    }

    /// The visitor a connection must be reserved for; `None` if all may share it.
    pub(crate) fn key(&self, spec: StreamSpec) -> Option<SocketAddr> {
        match self {
            OriginServer::Tunnel(tunnel) => tunnel.is_per_visitor().then_some(spec.visitor),
            OriginServer::StaticAddress(_) => None,
        }
    }

    /// Whether an agent there captures requests and accepts notes about them.
    pub(crate) fn accepts_notes(&self) -> bool {
        matches!(self, OriginServer::Tunnel(tunnel) if tunnel.accepts_notes())
    }

    /// Whether an agent there captures requests and accepts notes about those that share a connection.
    pub(crate) fn accepts_request_notes(&self) -> bool {
        matches!(self, OriginServer::Tunnel(tunnel) if tunnel.accepts_request_notes())
    }

    /// Its id in logs: that of the tunnel or of the static backend.
    pub(crate) fn id(&self) -> &Arc<str> {
        match self {
            OriginServer::Tunnel(tunnel) => tunnel.id(),
            OriginServer::StaticAddress(address) => &address.id,
        }
    }

    /// Names it in a trace as the upstream that is tried, whatever the outcome.
    pub(crate) fn mark_tried(&self, trace: &mut Trace) {
        if let OriginServer::Tunnel(tunnel) = self {
            trace.tries_tunnel(tunnel.counter(), tunnel.agent());
        }
    }

    /// Names it in a trace as the upstream that responded.
    pub(crate) fn mark_served(&self, trace: &mut Trace) {
        self.mark_tried(trace);
        trace.served_by(self.id().clone());
    }
}

fn lost(error: io::Error) -> Refusal {
    match refused_by_agent(&error) {
        Some(refused) => Refusal::from_agent(refused),
        None => {
            let message = format!("The agent's session cannot carry the request: {error}.");
            let error = Error::new(Code::AgentOffline, message);
            Refusal::new(Fault::Agent, error).retry_after(Duration::from_secs(5))
        }
    }
}

impl OriginStream {
    /// Takes notes about the requests on this stream.
    pub(crate) fn notes(&mut self) -> Option<StreamMetadata> {
        match self {
            OriginStream::Tunnel(stream) => Some(stream.notes()),
            OriginStream::Clear(_) | OriginStream::Tls(_) => None,
        }
    }

    /// Whether an agent's control connection carries it.
    pub(crate) fn is_overflow(&self) -> bool {
        matches!(self, OriginStream::Tunnel(stream) if stream.is_overflow())
    }

    /// Whether other streams share its connection to the agent.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self, OriginStream::Tunnel(stream) if stream.is_shared())
    }
}

/// A stream to an upstream.
#[expect(clippy::large_enum_variant, reason = "nearly all are tunnels, and a box would cost each an allocation")]
pub(crate) enum OriginStream {
    Tunnel(TunnelIo),
    Clear(tokio::net::TcpStream),
    Tls(Box<tokio_rustls::client::TlsStream<tokio::net::TcpStream>>),
}

macro_rules! each {
    ($self:ident, $stream:ident => $call:expr) => {
        match $self.get_mut() {
            OriginStream::Tunnel($stream) => $call,
            OriginStream::Clear($stream) => $call,
            OriginStream::Tls($stream) => $call,
        }
    };
}

impl AsyncRead for OriginStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        each!(self, stream => Pin::new(stream).poll_read(cx, buffer))
    }
}

impl AsyncWrite for OriginStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        each!(self, stream => Pin::new(stream).poll_write(cx, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        each!(self, stream => Pin::new(stream).poll_write_vectored(cx, slices))
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            OriginStream::Tunnel(stream) => stream.is_write_vectored(),
            OriginStream::Clear(stream) => stream.is_write_vectored(),
            OriginStream::Tls(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        each!(self, stream => Pin::new(stream).poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        each!(self, stream => Pin::new(stream).poll_shutdown(cx))
    }
}
