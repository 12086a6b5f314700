//! TLS on the HTTPS port: one look at the ClientHello tells agents from visitors, then the handshake.

mod configs;

pub(crate) use configs::Configs;

use postern_api::host::HostName;
use rustls::sign::CertifiedKey;
use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};
use tokio::net::TcpStream;
use tokio_rustls::{LazyConfigAcceptor, server::TlsStream};

/// Where certificates come from. Asked inside the handshake: it must answer from memory.
pub trait Certificates: Send + Sync {
    /// The certificate for a name, or for a client that names none (`name` is `None`) on the address it
    /// reached. `None` ends the handshake with an alert.
    fn resolve(&self, name: Option<&HostName>, local: IpAddr) -> Option<Arc<CertifiedKey>>;
}

/// Who came through the handshake.
pub(crate) enum Caller {
    /// An agent, about to say the session's preamble.
    Agent(TlsStream<TcpStream>),
    /// A visitor, and whether HTTP/2 was agreed upon.
    Visitor { stream: TlsStream<TcpStream>, http2: bool },
}

/// Reads the ClientHello, chooses by its ALPN and finishes the handshake, all within one deadline.
pub(crate) async fn handshake(stream: TcpStream, configs: &Configs, deadline: Duration) -> io::Result<Caller> {
    tokio::time::timeout(deadline, choose(stream, configs))
        .await
        .unwrap_or_else(|_| Err(io::Error::new(io::ErrorKind::TimedOut, "the TLS handshake took too long")))
}

async fn choose(stream: TcpStream, configs: &Configs) -> io::Result<Caller> {
    let local =
        stream.local_addr().as_ref().map(SocketAddr::ip).map_or(IpAddr::from([127, 0, 0, 1]), |ip| ip.to_canonical());
    let hello = LazyConfigAcceptor::new(rustls::server::Acceptor::default(), stream).await?;
    let agent = hello.client_hello().alpn().is_some_and(|mut offered| offered.any(|name| name == postern_tunnel::ALPN));
    let pair = configs.on(local);
    if agent {
        return hello.into_stream(pair.agents).await.map(Caller::Agent);
    }
    let stream = hello.into_stream(pair.visitors).await?;
    let http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
    Ok(Caller::Visitor { stream, http2 })
}
