//! TLS connections to the server: the way is found once for a session, and all its connections take it.

use super::names::Names;
use crate::{
    config::{ServerAddress, Settings, proxy::Proxy},
    net::{proxy, race::race, server_tls},
};
use futures::future::BoxFuture;
use postern_api::{Code, Error};
use postern_tunnel::{BoxedTransport, Dial, Transport};
use rustls_pki_types::ServerName;
use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{net::TcpStream, time::timeout};
use tokio_rustls::TlsConnector;

/// The next address of a name is tried so long after the one before.
const NEXT_ADDRESS: Duration = Duration::from_millis(250);
/// The next server is tried so long after the one before: it is to be taken only if that one does not answer.
const NEXT_SERVER: Duration = Duration::from_millis(750);
/// A server that takes connections and is slow to greet is given more time, up to this.
const LONGEST_HANDSHAKE: Duration = Duration::from_secs(10);

/// How long the steps of a try may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// Until the connection stands.
    pub(super) connect: Duration,
    /// Until TLS is agreed.
    pub(super) handshake: Duration,
}

impl Patience {
    /// As configured. After `slow` tries in a row that came through to a server which did not greet in time, it gets
    /// more: else a server that is busy with a crowd would be busy with greetings nobody waits for, for ever.
    pub(super) fn new(configured: Duration, slow: u32) -> Self {
        let longer = configured.saturating_mul(1 << slow.min(4));
        Patience { connect: configured, handshake: longer.min(LONGEST_HANDSHAKE.max(configured)) }
    }
}

/// Makes the connections of one session.
pub(super) struct ServerDial {
    way: Way,
    target: Target,
    patience: Patience,
    /// The connection by which the way was found.
    first: Mutex<Option<BoxedTransport>>,
}

/// How the server was reached.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// The server, as configured.
    pub(super) server: ServerAddress,
    /// This end's address.
    pub(super) local: IpAddr,
    remote: SocketAddr,
}

/// Why a server was not reached.
#[derive(Debug)]
pub(super) struct Unreached {
    server: ServerAddress,
    why: Why,
}

#[derive(Debug)]
enum Why {
    /// The name has no address.
    Name(io::Error),
    /// The proxy on the way has no address, is not there, or refuses.
    Proxy(ServerAddress, io::Error),
    /// There is no connection.
    Connection(io::Error),
    /// There is one, and the server does not greet.
    Silent,
    /// What was said is not what a server says.
    Stranger(io::Error),
}

/// A server, ready to be verified.
#[derive(Clone)]
struct Target {
    server: ServerAddress,
    name: ServerName<'static>,
    connector: TlsConnector,
    proxy: Option<Arc<Proxy>>,
    resolvers: Arc<[SocketAddr]>,
}

impl ServerDial {
    /// Finds a way to one of the servers, beginning with the `first`.
    ///
    /// # Errors
    /// `ServerUntrusted` if the authorities cannot be read or a server's name cannot stand in a certificate; else the
    /// failures of all servers.
    pub(super) async fn reach(
        settings: &Settings,
        first: usize,
        patience: Patience,
        names: &Names,
    ) -> Result<Result<ServerDial, Vec<Unreached>>, Error> {
        let connector = TlsConnector::from(Arc::new(server_tls::client_config(settings)?));
        let mut targets = Vec::with_capacity(settings.servers.len());
        for server in &settings.servers {
            let name = settings.server_name.as_ref().unwrap_or(&server.host);
            let name = ServerName::try_from(name.clone()).map_err(|_| {
                Error::new(
                    Code::ServerUntrusted,
                    format!(
                        "`{name}` cannot stand in a certificate. Set server_name to the name in the server's certificate."
                    ),
                )
            })?;
            targets.push(Target {
                server: server.clone(),
                name,
                connector: connector.clone(),
                proxy: proxy::on_the_way(settings, server).map(Arc::new),
                resolvers: settings.dns_resolvers.clone().into(),
            });
        }
        let count = targets.len().max(1);
        targets.rotate_left(first % count);
        let tries = targets.into_iter().map(|target| target.reach(patience, names));
        Ok(race(tries, NEXT_SERVER).await.map_err(|failures| failures.into_iter().flatten().collect()))
    }

    /// How the server was reached.
    pub(super) fn way(&self) -> &Way {
        &self.way
    }
}

impl Dial for ServerDial {
    fn dial(&self) -> BoxFuture<'_, io::Result<BoxedTransport>> {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner).take();
        Box::pin(async move {
            match first {
                Some(transport) => Ok(transport),
                None => match self.target.connect(self.way.remote, self.patience).await {
                    Ok((transport, _)) => Ok(transport),
                    Err(unreached) => Err(unreached.into()),
                },
            }
        })
    }
}

impl Target {
    /// Finds a way over any of the name's addresses.
    async fn reach(self, patience: Patience, names: &Names) -> Result<ServerDial, Vec<Unreached>> {
        let next = self.proxy.as_ref().map_or(&self.server, |proxy| &proxy.address);
        let addresses = match names.look_up(next, &self.resolvers, patience.connect).await {
            Ok(addresses) => addresses,
            Err(error) => return Err(vec![self.off_the_way(Why::Name, error)]),
        };
        let tries = addresses.into_iter().map(|remote| {
            let target = self.clone();
            async move {
                let (transport, local) = target.connect(remote, patience).await?;
                let way = Way { server: target.server.clone(), local, remote };
                Ok(ServerDial { way, target, patience, first: Mutex::new(Some(transport)) })
            }
        });
        race(tries, NEXT_ADDRESS).await
    }

    async fn connect(&self, remote: SocketAddr, patience: Patience) -> Result<(BoxedTransport, IpAddr), Unreached> {
        let connection = |error| self.off_the_way(Why::Connection, error);
        let stream = match timeout(patience.connect, TcpStream::connect(remote)).await {
            Ok(connected) => connected.map_err(connection)?,
            Err(_) => return Err(connection(io::ErrorKind::TimedOut.into())),
        };
        postern_tunnel::sockets::tune(&stream);
        let local = stream.local_addr().map_err(connection)?.ip();
        let Some(proxy) = &self.proxy else { return Ok((self.agree(stream, patience).await?, local)) };
        match timeout(patience.handshake, proxy::through(proxy, stream, &self.server)).await {
            Ok(Ok(stream)) => Ok((self.agree(stream, patience).await?, local)),
            Ok(Err(error)) => Err(connection(error)),
            Err(_) => Err(connection(io::ErrorKind::TimedOut.into())),
        }
    }

    /// Agrees upon TLS with the server, and upon what is spoken inside.
    async fn agree(&self, stream: impl Transport, patience: Patience) -> Result<BoxedTransport, Unreached> {
        let mut stream = match timeout(patience.handshake, self.connector.connect(self.name.clone(), stream)).await {
            Ok(agreed) => agreed.map_err(|error| self.unreached(Why::Stranger(error)))?,
            Err(_) => return Err(self.unreached(Why::Silent)),
        };
        if stream.get_ref().1.alpn_protocol() != Some(postern_tunnel::ALPN) {
            let stranger = io::Error::new(io::ErrorKind::InvalidData, "what listens there is not a Postern server");
            return Err(self.unreached(Why::Stranger(stranger)));
        }
        postern_tunnel::io::transport::limit_buffers(stream.get_mut().1);
        Ok(Box::new(stream))
    }

    /// What failed before the server was spoken to: if there is a proxy, it is that one's affair.
    fn off_the_way(&self, why: fn(io::Error) -> Why, error: io::Error) -> Unreached {
        self.unreached(match &self.proxy {
            Some(proxy) => Why::Proxy(proxy.address.clone(), error),
            None => why(error),
        })
    }

    fn unreached(&self, why: Why) -> Unreached {
        Unreached { server: self.server.clone(), why }
    }
}

impl From<Unreached> for io::Error {
    fn from(unreached: Unreached) -> Self {
        match unreached.why {
            Why::Name(error) | Why::Proxy(_, error) | Why::Connection(error) | Why::Stranger(error) => error,
            Why::Silent => io::ErrorKind::TimedOut.into(),
        }
    }
}

impl Unreached {
    /// Whether a server took the connection and then did not greet.
    pub(super) fn is_silent(&self) -> bool {
        matches!(self.why, Why::Silent)
    }

    /// What is wrong with the certificate, if that is it.
    fn untrusted(&self) -> Option<&rustls::CertificateError> {
        let Why::Stranger(error) = &self.why else { return None };
        match error.get_ref()?.downcast_ref()? {
            rustls::Error::InvalidCertificate(why) => Some(why),
            _ => None,
        }
    }

    fn sentence(&self) -> String {
        match &self.why {
            Why::Name(error) => format!("the name `{}` could not be looked up ({error})", self.server.host),
            Why::Proxy(proxy, error) => format!("the proxy at {proxy} is no way there ({error})"),
            Why::Connection(error) => match error.kind() {
                io::ErrorKind::ConnectionRefused => "nothing listens there".to_owned(),
                io::ErrorKind::TimedOut => "it does not answer".to_owned(),
                io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => {
                    "this machine has no way there; is it online?".to_owned()
                }
                _ => error.to_string(),
            },
            Why::Silent => "it takes the connection and then says nothing".to_owned(),
            Why::Stranger(error) => error.to_string(),
        }
    }

    /// What says most comes first: a server that answered wrongly, then one that did not answer, then a name.
    fn rank(&self) -> u8 {
        match self.why {
            Why::Stranger(_) => 0,
            Why::Silent => 1,
            Why::Proxy(..) => 2,
            Why::Connection(_) => 3,
            Why::Name(_) => 4,
        }
    }
}

/// A failed try as a sentence with a fix.
pub(super) fn explain(mut failures: Vec<Unreached>) -> Error {
    failures.sort_by_key(Unreached::rank);
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

    fn failed(host: &str, why: Why) -> Unreached {
        Unreached { server: ServerAddress { host: host.into(), port: 4443 }, why }
    }

    #[test]
    fn every_server_is_named_once_with_what_says_most() {
        let refused = || Why::Connection(io::ErrorKind::ConnectionRefused.into());
        let timed_out = Why::Connection(io::ErrorKind::TimedOut.into());
        let error = explain(vec![failed("a", timed_out), failed("b", refused()), failed("b", Why::Silent)]);
        assert_eq!(
            error.message,
            "The server at b:4443 cannot be reached: it takes the connection and then says nothing. \
             Nor can a:4443: it does not answer. Is it running, and is server_addr right?"
        );
        let one = explain(vec![failed("a", refused()), failed("a", refused())]);
        assert_eq!(
            one.message,
            "The server at a:4443 cannot be reached: nothing listens there. Is it running, and is server_addr right?"
        );
    }

    #[test]
    fn a_server_that_is_slow_to_greet_is_given_more_time_within_bounds() {
        let patience = |configured, slow| Patience::new(Duration::from_secs(configured), slow).handshake.as_secs();
        assert_eq!((patience(2, 0), patience(2, 1), patience(2, 2), patience(2, 9)), (2, 4, 8, 10));
        assert_eq!((patience(30, 0), patience(30, 5)), (30, 30));
        assert_eq!(Patience::new(Duration::from_secs(2), 9).connect, Duration::from_secs(2));
    }
}
