//! Whatever can be dialled, and the stream that comes of it.

use crate::{
    refusal::{Fault, Refusal},
    telemetry::Trace,
    upstream::{
        Lines, Pool, TunnelIo, TunnelUpstream,
        address::{Address, Dialled},
        refused_by_agent,
    },
};
use postern_api::{Code, Error};
use postern_tunnel::{Notes, StreamKind, message::AppProtocol};
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
pub(crate) enum Origin {
    /// Through an agent's tunnel.
    Tunnel(Arc<TunnelUpstream>),
    /// To an address, from here.
    Address(Arc<Address>),
}

/// For whom a stream is opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct For {
    pub(crate) kind: StreamKind,
    pub(crate) visitor: SocketAddr,
    /// Whether the visitor's side is encrypted.
    pub(crate) tls: bool,
    /// The public address that the visitor reached.
    pub(crate) reached: Option<SocketAddr>,
}

impl Origin {
    /// Opens a stream. With `certain`, it stands only when the local service has taken it, which costs a round trip:
    /// wanted where somebody else could be asked instead.
    pub(crate) async fn open(&self, whom: For, certain: bool) -> Result<OriginIo, Refusal> {
        match self {
            Origin::Tunnel(tunnel) => {
                let lost = |error: io::Error| match refused_by_agent(&error) {
                    Some(refused) => Refusal::from_agent(refused),
                    None => {
                        let message = format!("The agent's session cannot carry the request: {error}.");
                        let error = Error::new(Code::AgentOffline, message);
                        Refusal::new(Fault::Agent, error).retry_after(Duration::from_secs(5))
                    }
                };
                let mut stream = tunnel.open(whom).await.map_err(lost)?;
                if certain {
                    stream.accepted().await.map_err(lost)?;
                }
                Ok(OriginIo::Tunnel(stream))
            }
            Origin::Address(address) => match address.dial().await {
                Ok(Dialled::Clear(stream)) => Ok(OriginIo::Clear(stream)),
                Ok(Dialled::Tls(stream)) => Ok(OriginIo::Tls(stream)),
                Err(error) => {
                    tracing::info!(backend = %address.id, %error, "a static backend cannot be reached");
                    // Where it lies is the operator's affair: visitors learn no inner addresses.
                    let message = "The backend of this address cannot be reached at the moment.";
                    Err(Refusal::new(Fault::Service, Error::new(Code::ServiceUnreachable, message)))
                }
            },
        }
    }

    /// Idle HTTP connections to it.
    pub(crate) fn pool(&self) -> &Pool {
        match self {
            Origin::Tunnel(tunnel) => &tunnel.pool,
            Origin::Address(address) => &address.pool,
        }
    }

    /// Its connections of HTTP/2, if that is what it speaks.
    pub(crate) fn lines(&self) -> Option<&Lines> {
        match self {
            Origin::Tunnel(tunnel) => (tunnel.app_protocol() == AppProtocol::Http2).then_some(&tunnel.lines),
            Origin::Address(_) => None,
        }
    }

    /// Whose a connection for this visitor is, if it must not be another one's later.
    pub(crate) fn key(&self, whom: For) -> Option<SocketAddr> {
        match self {
            Origin::Tunnel(tunnel) => tunnel.is_per_visitor().then_some(whom.visitor),
            Origin::Address(_) => None,
        }
    }

    /// Whether an agent there captures requests and accepts notes about them.
    pub(crate) fn accepts_notes(&self) -> bool {
        matches!(self, Origin::Tunnel(tunnel) if tunnel.accepts_notes())
    }

    /// Its id in logs: that of the tunnel or of the static backend.
    pub(crate) fn id(&self) -> &Arc<str> {
        match self {
            Origin::Tunnel(tunnel) => tunnel.id(),
            Origin::Address(address) => &address.id,
        }
    }

    /// Names it in a trace as the upstream that is tried, whatever the outcome.
    pub(crate) fn mark_tried(&self, trace: &mut Trace) {
        if let Origin::Tunnel(tunnel) = self {
            trace.tries_tunnel(tunnel.tally());
        }
    }

    /// Names it in a trace as the upstream that responded.
    pub(crate) fn mark_served(&self, trace: &mut Trace) {
        self.mark_tried(trace);
        trace.served_by(self.id().clone());
    }
}

impl OriginIo {
    /// Where to put notes about what is sent next.
    pub(crate) fn notes(&mut self) -> Option<Notes> {
        match self {
            OriginIo::Tunnel(stream) => Some(stream.notes()),
            OriginIo::Clear(_) | OriginIo::Tls(_) => None,
        }
    }
}

/// A stream to wherever it is.
#[expect(clippy::large_enum_variant, reason = "nearly all are tunnels, and a box would cost each an allocation")]
pub(crate) enum OriginIo {
    Tunnel(TunnelIo),
    Clear(tokio::net::TcpStream),
    Tls(Box<tokio_rustls::client::TlsStream<tokio::net::TcpStream>>),
}

macro_rules! each {
    ($self:ident, $stream:ident => $call:expr) => {
        match $self.get_mut() {
            OriginIo::Tunnel($stream) => $call,
            OriginIo::Clear($stream) => $call,
            OriginIo::Tls($stream) => $call,
        }
    };
}

impl AsyncRead for OriginIo {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        each!(self, stream => Pin::new(stream).poll_read(cx, buffer))
    }
}

impl AsyncWrite for OriginIo {
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
            OriginIo::Tunnel(stream) => stream.is_write_vectored(),
            OriginIo::Clear(stream) => stream.is_write_vectored(),
            OriginIo::Tls(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        each!(self, stream => Pin::new(stream).poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        each!(self, stream => Pin::new(stream).poll_shutdown(cx))
    }
}
