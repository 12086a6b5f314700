//! TLS connections to the server: a working path is found once for a session, and all its connections use it.

use super::{
    address_cache::AddressCache,
    session_set::{Beside, Candidate},
};
use crate::{
    config::{AgentSettings, ServerAddress, proxy::Proxy},
    net::{proxy, server_tls, staggered_race::staggered_race},
};
use futures::future::BoxFuture;
use postern_api::{Code, Error};
use postern_tunnel::{BoxedTransport, Dial, Transport, tls};
use rustls::ClientConfig;
use rustls_pki_types::ServerName;
use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{net::TcpStream, time::timeout};

/// Delay before the next address of a name is tried (RFC 8305, section 5).
const ADDRESS_STAGGER: Duration = Duration::from_millis(250);
/// Delay before the next server is tried; longer, because it is only a fallback.
const SERVER_STAGGER: Duration = Duration::from_millis(750);
/// Upper bound of the handshake timeout for a server that accepts connections but responds slowly.
const MAX_HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// Timeouts of the steps of a connection attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConnectTimeouts {
    /// Until the TCP connection is established.
    pub(super) connect: Duration,
    /// Until the TLS handshake is complete.
    pub(super) handshake: Duration,
}

impl ConnectTimeouts {
    /// The configured timeout. After `slow` consecutive attempts that reached a server which did not respond in time,
    /// the handshake gets more: otherwise an overloaded server would spend its time on handshakes that clients have
    /// already given up.
    pub(super) fn new(configured: Duration, slow: u32) -> Self {
        let longer = configured.saturating_mul(1 << slow.min(4));
        ConnectTimeouts { connect: configured, handshake: longer.min(MAX_HANDSHAKE_TIMEOUT.max(configured)) }
    }
}

/// Opens the connections of one session.
pub(super) struct ServerDialer {
    path: ConnectionPath,
    target: ServerTarget,
    timeouts: ConnectTimeouts,
    /// The connection that was opened to find the path.
    first: Mutex<Option<BoxedTransport>>,
}

/// The path on which the server was reached.
#[derive(Clone, Debug)]
pub(super) struct ConnectionPath {
    /// The server, as configured.
    pub(super) server: ServerAddress,
    /// The local address.
    pub(super) local: IpAddr,
    remote: SocketAddr,
}

/// The failure to reach one server.
#[derive(Debug)]
pub(super) struct ConnectFailure {
    server: ServerAddress,
    cause: FailureCause,
}

#[derive(Debug)]
enum FailureCause {
    /// The name has no address.
    Lookup(io::Error),
    /// The proxy has no address, cannot be reached, or refuses.
    Proxy(ServerAddress, io::Error),
    /// The TCP connection failed.
    Connect(io::Error),
    /// The server accepted the connection but did not complete the handshake in time.
    HandshakeTimeout,
    /// The handshake failed, or the peer is not a Postern server.
    Handshake(io::Error),
}

/// A server with everything that is needed to connect to it.
#[derive(Clone)]
struct ServerTarget {
    server: ServerAddress,
    name: ServerName<'static>,
    tls: Arc<ClientConfig>,
    proxy: Option<Arc<Proxy>>,
    resolvers: Arc<[SocketAddr]>,
}

impl ConnectionPath {
    /// The address that connections lead to.
    pub(super) fn remote(&self) -> SocketAddr {
        self.remote
    }
}

impl ServerDialer {
    /// Finds a path to one of the servers, in their order. Addresses at which other sessions of the agent were reached are
    /// tried last.
    ///
    /// # Errors
    /// `ServerUntrusted` if the authorities cannot be read or a server's name is not valid in a certificate; otherwise
    /// the failures of all servers.
    pub(super) async fn connect_any(
        settings: &AgentSettings,
        candidates: Vec<Candidate>,
        beside: &Beside,
        timeouts: ConnectTimeouts,
        names: &AddressCache,
    ) -> Result<Result<ServerDialer, Vec<ConnectFailure>>, Error> {
        let tls = Arc::new(server_tls::client_config(settings)?);
        let mut targets = Vec::with_capacity(candidates.len());
        for Candidate { server, name } in candidates {
            let name = ServerName::try_from(name.clone()).map_err(|_| {
                Error::new(
                    Code::ServerUntrusted,
                    format!(
                        "`{name}` is not a valid name in a certificate. Set server_name to the name in the server's certificate."
                    ),
                )
            })?;
            targets.push(ServerTarget {
                name,
                tls: tls.clone(),
                proxy: proxy::proxy_for(settings, &server).map(Arc::new),
                server,
                resolvers: settings.dns_resolvers.clone().into(),
            });
        }
        let attempts = targets.into_iter().map(|target| target.connect_any(timeouts, names, &beside.taken));
        Ok(staggered_race(attempts, SERVER_STAGGER).await.map_err(|failures| failures.into_iter().flatten().collect()))
    }

    /// The path on which the server was reached.
    pub(super) fn path(&self) -> &ConnectionPath {
        &self.path
    }
}

impl Dial for ServerDialer {
    fn dial(&self) -> BoxFuture<'_, io::Result<BoxedTransport>> {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner).take();
        Box::pin(async move {
            match first {
                Some(transport) => Ok(transport),
                None => match self.target.connect(self.path.remote, self.timeouts).await {
                    Ok((transport, _)) => Ok(transport),
                    Err(failure) => Err(failure.into()),
                },
            }
        })
    }
}

impl ServerTarget {
    /// Finds a path over any of the name's addresses.
    async fn connect_any(
        self,
        timeouts: ConnectTimeouts,
        names: &AddressCache,
        taken: &[SocketAddr],
    ) -> Result<ServerDialer, Vec<ConnectFailure>> {
        let next = self.proxy.as_ref().map_or(&self.server, |proxy| &proxy.address);
        let mut addresses = match names.look_up(next, &self.resolvers, timeouts.connect).await {
            Ok(addresses) => addresses,
            Err(error) => return Err(vec![self.failure_before_server(FailureCause::Lookup, error)]),
        };
        addresses.sort_by_key(|address| taken.contains(address));
        let attempts = addresses.into_iter().map(|remote| {
            let target = self.clone();
            async move {
                let (transport, local) = target.connect(remote, timeouts).await?;
                let path = ConnectionPath { server: target.server.clone(), local, remote };
                Ok(ServerDialer { path, target, timeouts, first: Mutex::new(Some(transport)) })
            }
        });
        staggered_race(attempts, ADDRESS_STAGGER).await
    }

    async fn connect(
        &self,
        remote: SocketAddr,
        timeouts: ConnectTimeouts,
    ) -> Result<(BoxedTransport, IpAddr), ConnectFailure> {
        let connection = |error| self.failure_before_server(FailureCause::Connect, error);
        let stream = match timeout(timeouts.connect, TcpStream::connect(remote)).await {
            Ok(connected) => connected.map_err(connection)?,
            Err(_) => return Err(connection(io::ErrorKind::TimedOut.into())),
        };
        postern_tunnel::sockets::tune(&stream);
        let local = stream.local_addr().map_err(connection)?.ip();
        let Some(proxy) = &self.proxy else { return Ok((self.tls_handshake(stream, timeouts).await?, local)) };
        match timeout(timeouts.handshake, proxy::connect_through(proxy, stream, &self.server)).await {
            Ok(Ok(stream)) => Ok((self.tls_handshake(stream, timeouts).await?, local)),
            Ok(Err(error)) => Err(connection(error)),
            Err(_) => Err(connection(io::ErrorKind::TimedOut.into())),
        }
    }

    /// Completes the TLS handshake and checks the application protocol (ALPN).
    async fn tls_handshake(
        &self,
        stream: impl Transport,
        timeouts: ConnectTimeouts,
    ) -> Result<BoxedTransport, ConnectFailure> {
        let connecting = tls::connect(stream, self.tls.clone(), self.name.clone());
        let (stream, negotiated) = match timeout(timeouts.handshake, connecting).await {
            Ok(established) => established.map_err(|error| self.failure(FailureCause::Handshake(error)))?,
            Err(_) => return Err(self.failure(FailureCause::HandshakeTimeout)),
        };
        if negotiated.protocol.as_deref() != Some(postern_tunnel::ALPN) {
            let stranger = io::Error::new(io::ErrorKind::InvalidData, "the peer is not a Postern server");
            return Err(self.failure(FailureCause::Handshake(stranger)));
        }
        Ok(Box::new(stream))
    }

    /// A failure before the server was reached: with a proxy, it is the proxy's.
    fn failure_before_server(&self, why: fn(io::Error) -> FailureCause, error: io::Error) -> ConnectFailure {
        self.failure(match &self.proxy {
            Some(proxy) => FailureCause::Proxy(proxy.address.clone(), error),
            None => why(error),
        })
    }

    fn failure(&self, cause: FailureCause) -> ConnectFailure {
        ConnectFailure { server: self.server.clone(), cause }
    }
}

impl From<ConnectFailure> for io::Error {
    fn from(failure: ConnectFailure) -> Self {
        match failure.cause {
            FailureCause::Lookup(error)
            | FailureCause::Proxy(_, error)
            | FailureCause::Connect(error)
            | FailureCause::Handshake(error) => error,
            FailureCause::HandshakeTimeout => io::ErrorKind::TimedOut.into(),
        }
    }
}

impl ConnectFailure {
    /// Whether the server accepted the connection but did not complete the handshake in time.
    pub(super) fn is_handshake_timeout(&self) -> bool {
        matches!(self.cause, FailureCause::HandshakeTimeout)
    }

    /// The certificate error, if that is the cause.
    fn untrusted(&self) -> Option<&rustls::CertificateError> {
        let FailureCause::Handshake(error) = &self.cause else { return None };
        match error.get_ref()?.downcast_ref()? {
            rustls::Error::InvalidCertificate(why) => Some(why),
            _ => None,
        }
    }

    fn sentence(&self) -> String {
        match &self.cause {
            FailureCause::Lookup(error) => format!("the name `{}` could not be looked up ({error})", self.server.host),
            FailureCause::Proxy(proxy, error) => format!("the proxy at {proxy} failed ({error})"),
            FailureCause::Connect(error) => match error.kind() {
                io::ErrorKind::ConnectionRefused => "nothing listens there".to_owned(),
                io::ErrorKind::TimedOut => "it does not respond".to_owned(),
                io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => {
                    "this machine has no route to it; is it online?".to_owned()
                }
                _ => error.to_string(),
            },
            FailureCause::HandshakeTimeout => "it accepts the connection but does not respond".to_owned(),
            FailureCause::Handshake(error) => error.to_string(),
        }
    }

    /// Sort order: a wrong response first, then a missing one, then a failed lookup.
    fn rank(&self) -> u8 {
        match self.cause {
            FailureCause::Handshake(_) => 0,
            FailureCause::HandshakeTimeout => 1,
            FailureCause::Proxy(..) => 2,
            FailureCause::Connect(_) => 3,
            FailureCause::Lookup(_) => 4,
        }
    }
}

/// Turns failures into an error that says what to do.
pub(super) fn to_error(mut failures: Vec<ConnectFailure>) -> Error {
    failures.sort_by_key(ConnectFailure::rank);
    failures.dedup_by(|one, other| one.server == other.server && one.sentence() == other.sentence());
    let untrusted = failures.iter().find_map(|failure| Some((&failure.server, failure.untrusted()?)));
    if let Some((server, why)) = untrusted {
        return Error::new(
            Code::ServerUntrusted,
            format!(
                "The certificate of the server at {server} is not trusted ({why}). Set root_cas to the server's ca.pem, or server_name to the name in its certificate."
            ),
        );
    }
    let Some((first, others)) = failures.split_first() else { return Code::ServerUnreachable.into() };
    let mut text = format!("The server at {} cannot be reached: {}.", first.server, first.sentence());
    let mut named = vec![&first.server];
    for other in others {
        if !named.contains(&&other.server) {
            named.push(&other.server);
            text.push_str(&format!(" Nor can {}: {}.", other.server, other.sentence()));
        }
    }
    text.push_str(" Is it running, and is server_addr right?");
    Error::new(Code::ServerUnreachable, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(host: &str, cause: FailureCause) -> ConnectFailure {
        ConnectFailure { server: ServerAddress { host: host.into(), port: 4443 }, cause }
    }

    #[test]
    fn every_server_is_named_once_with_its_most_specific_failure() {
        let refused = || FailureCause::Connect(io::ErrorKind::ConnectionRefused.into());
        let timed_out = FailureCause::Connect(io::ErrorKind::TimedOut.into());
        let error =
            to_error(vec![failed("a", timed_out), failed("b", refused()), failed("b", FailureCause::HandshakeTimeout)]);
        assert_eq!(
            error.message,
            "The server at b:4443 cannot be reached: it accepts the connection but does not respond. \
             Nor can a:4443: it does not respond. Is it running, and is server_addr right?"
        );
        let one = to_error(vec![failed("a", refused()), failed("a", refused())]);
        assert_eq!(
            one.message,
            "The server at a:4443 cannot be reached: nothing listens there. Is it running, and is server_addr right?"
        );
    }

    #[test]
    fn a_slow_server_gets_a_longer_handshake_timeout_within_bounds() {
        let timeouts =
            |configured, slow| ConnectTimeouts::new(Duration::from_secs(configured), slow).handshake.as_secs();
        assert_eq!((timeouts(2, 0), timeouts(2, 1), timeouts(2, 2), timeouts(2, 9)), (2, 4, 8, 10));
        assert_eq!((timeouts(30, 0), timeouts(30, 5)), (30, 30));
        assert_eq!(ConnectTimeouts::new(Duration::from_secs(2), 9).connect, Duration::from_secs(2));
    }
}
