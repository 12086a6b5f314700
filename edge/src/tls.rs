//! TLS on the HTTPS port: the ClientHello tells agents, visitors and TLS edges apart, then the handshake runs.

pub(crate) mod challenges;
mod configs;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzzing;
mod hello;
mod identity;
mod rewound;
mod uploaded;

pub use challenges::{ChallengeGuard, Challenges};
pub(crate) use configs::{HandshakeConfig, TlsConfigs, agent_provider};
pub(crate) use identity::ClientIdentity;
pub(crate) use rewound::RewoundStream;

use hello::ReceivedHello;
pub(crate) use hello::SILENT;
use postern_api::host::HostName;
use postern_tunnel::tls::{Negotiated, TlsStream};
use rustls::{ServerConfig, sign::CertifiedKey};
use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};
use tokio::{io::AsyncWriteExt, net::TcpStream};

/// Source of certificates besides the uploaded ones, which take precedence. Called during the handshake, so it must
/// not block.
pub trait Certificates: Send + Sync {
    /// The certificate for a name, or for a client that names none (`name` is `None`) on the address it
    /// reached. `None` ends the handshake with an alert.
    fn resolve(&self, name: Option<&HostName>, local: IpAddr) -> Option<Arc<CertifiedKey>>;
}

/// The result of a handshake. `D` is the destination of a connection that is not HTTP.
pub(crate) enum HandshakeOutcome<D> {
    /// An agent, about to say the session's preamble.
    Agent(TlsStream<TcpStream>),
    /// A visitor that speaks HTTP.
    Visitor {
        stream: TlsStream<TcpStream>,
        negotiated: Negotiated,
        /// The name in the ClientHello.
        server_name: Option<String>,
        /// The edge whose own rules the handshake followed.
        admission: Option<TlsAdmission>,
    },
    /// A visitor of a TLS edge or tunnel; TLS is terminated here.
    Terminated(TlsStream<TcpStream>, D),
    /// A visitor of a TLS edge or tunnel whose TLS is terminated elsewhere, and the bytes read so far.
    Passing(TcpStream, Vec<u8>, D),
    /// An ACME authority that has validated a challenge.
    Proved,
    /// A visitor that a TLS edge refuses.
    Refused,
}

/// The rules of a handshake where they differ from the default ones. `D` is the destination of a connection that is
/// not HTTP.
pub(crate) enum HandshakeRules<D> {
    /// The rules of one HTTP edge or tunnel, by its id.
    Own(Arc<str>, HandshakeConfig),
    /// The rules of a TLS edge or tunnel; without a handshake, TLS passes through.
    Tls(D, Option<HandshakeConfig>),
}

/// A connection that was made by the rules of one edge.
pub(crate) struct TlsAdmission {
    edge: Arc<str>,
    config: Arc<ServerConfig>,
    identity: ClientIdentity,
}

impl TlsAdmission {
    /// Whether the connection was made for this edge, by whatever rules.
    pub(crate) fn is_for(&self, edge: &str) -> bool {
        *self.edge == *edge
    }

    /// Whether it fulfils the rules that the edge has at the moment.
    pub(crate) fn fulfils(&self, edge: &str, handshake: &HandshakeConfig) -> bool {
        self.is_for(edge) && handshake.is(&self.config)
    }

    /// The identity of the client certificate.
    pub(crate) fn identity(&self) -> &ClientIdentity {
        &self.identity
    }
}

/// Reads the ClientHello, chooses a configuration by it and finishes the handshake, all within one deadline. `find`
/// returns the rules of a name; `admits` checks visitors of TLS edges before any response.
pub(crate) async fn handshake<D>(
    stream: TcpStream,
    configs: &TlsConfigs,
    find: impl Fn(&HostName) -> Option<HandshakeRules<D>>,
    admits: impl FnMut(&HostName, &D) -> bool,
    deadline: Duration,
) -> io::Result<HandshakeOutcome<D>> {
    tokio::time::timeout(deadline, choose(stream, configs, find, admits))
        .await
        .unwrap_or_else(|_| Err(io::Error::new(io::ErrorKind::TimedOut, "the TLS handshake took too long")))
}

async fn choose<D>(
    mut stream: TcpStream,
    configs: &TlsConfigs,
    find: impl Fn(&HostName) -> Option<HandshakeRules<D>>,
    mut admits: impl FnMut(&HostName, &D) -> bool,
) -> io::Result<HandshakeOutcome<D>> {
    let local =
        stream.local_addr().as_ref().map(SocketAddr::ip).map_or(IpAddr::from([127, 0, 0, 1]), |ip| ip.to_canonical());
    let hello = ReceivedHello::read(&mut stream).await?;
    let pair = configs.on(local);
    if hello.offers(postern_tunnel::ALPN) {
        let (stream, _) = hello.finish(stream, pair.agents).await?;
        return Ok(HandshakeOutcome::Agent(stream));
    }
    // Without a proof to show the name may still be that of a TLS edge that passes this on.
    if hello.offers(challenges::ALPN)
        && let Some(config) = hello.name().and_then(|name| configs.proof(&name))
    {
        hello.finish(stream, config).await?.0.shutdown().await?;
        return Ok(HandshakeOutcome::Proved);
    }
    let (config, edge) = match hello.name().and_then(|name| Some((find(&name)?, name))) {
        Some((HandshakeRules::Tls(destination, handshake), name)) => {
            if !admits(&name, &destination) {
                return Ok(HandshakeOutcome::Refused);
            }
            return match handshake {
                None => Ok(HandshakeOutcome::Passing(stream, hello.into_bytes(), destination)),
                Some(handshake) => {
                    let (stream, _) = hello.finish(stream, handshake.config()?).await?;
                    Ok(HandshakeOutcome::Terminated(stream, destination))
                }
            };
        }
        Some((HandshakeRules::Own(owner, handshake), _)) => (handshake.config()?, Some(owner)),
        None => (pair.visitors, None),
    };
    let server_name = hello.server_name();
    let (stream, negotiated) = hello.finish(stream, config.clone()).await?;
    let identity = negotiated.peer_certificate.as_ref().map(ClientIdentity::of).unwrap_or_default();
    let admission = edge.map(|edge| TlsAdmission { edge, config, identity });
    Ok(HandshakeOutcome::Visitor { stream, negotiated, server_name, admission })
}
