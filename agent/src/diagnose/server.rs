//! The way to a server, step by step: name, connection, certificate, protocol, latency, clock.

use super::{
    clock,
    report::{Report, Verdict, Watch, milliseconds},
};
use crate::{
    config::{AgentSettings, ServerAddress, proxy::Proxy},
    net::{proxy, resolver, server_tls},
};
use futures::future::BoxFuture;
use postern_api::Code;
use postern_tunnel::{BoxedTransport, ConnectError, connect, message::Hello};
use rustls_pki_types::ServerName;
use std::{
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{net::TcpStream, time::timeout};
use tokio_rustls::{TlsConnector, client::TlsStream};

/// How long each step may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// A way there and back that people notice.
const SLOW: Duration = Duration::from_millis(250);
/// Between two looks at what is still being measured.
const LOOK: Duration = Duration::from_millis(10);

pub(super) async fn look_at(report: &mut Report, settings: &AgentSettings, server: &ServerAddress, ipv6: bool) {
    let shown = server.to_string();
    let proxy = proxy::proxy_for(settings, server);
    let next = proxy.as_ref().map_or(server, |proxy| &proxy.address);
    let addresses = names(report, settings, next, ipv6).await;
    let mut reached = None;
    for address in addresses {
        let connected = connection(report, address, ipv6).await;
        reached = reached.or(connected);
    }
    let Some(stream) = reached else { return };
    let Some(name) = server_name(settings, server) else {
        let fix = "Set server_name to the name in the server's certificate.";
        let finding = format!("`{}` cannot stand in a certificate", server.host);
        return report.add(Watch::start().fail("tls", &shown, finding, fix));
    };
    let Ok(peer) = stream.peer_addr() else { return };
    let Some(stream) = passage(report, proxy.as_ref(), server, stream).await else { return };
    let Some(stream) = encryption(report, settings, &shown, name.clone(), stream).await else { return };
    protocol(report, settings, &shown, stream).await;
    let again = proxy::connect(peer, proxy.as_ref(), server);
    clock::compare(report, settings, &shown, name, again).await;
}

async fn names(report: &mut Report, settings: &AgentSettings, next: &ServerAddress, ipv6: bool) -> Vec<SocketAddr> {
    let shown = &next.to_string();
    let watch = Watch::start();
    let found = timeout(PATIENCE, resolver::look_up(&next.host, next.port, &settings.dns_resolvers)).await;
    let fix = "Is server_addr right, and does this machine's name server work?";
    let mut addresses: Vec<SocketAddr> = match found {
        Ok(Ok(found)) => found,
        Ok(Err(error)) => {
            report.add(watch.fail("dns", shown, format!("the name was not found: {error}"), fix));
            return Vec::new();
        }
        Err(_) => {
            report.add(watch.fail("dns", shown, "the name server does not answer".into(), fix));
            return Vec::new();
        }
    };
    addresses.sort_unstable();
    addresses.dedup();
    let list = addresses.iter().map(|address| address.ip().to_string()).collect::<Vec<_>>().join(", ");
    if ipv6 && !addresses.iter().any(SocketAddr::is_ipv6) {
        let fix = "Give the server an AAAA record, or leave --ipv6 away.";
        report.add(watch.fail("dns", shown, format!("there is no IPv6 address, only {list}"), fix));
    } else {
        report.add(watch.ok("dns", shown, list));
    }
    addresses
}

async fn connection(report: &mut Report, address: SocketAddr, ipv6: bool) -> Option<TcpStream> {
    let watch = Watch::start();
    let subject = address.to_string();
    let error = match timeout(PATIENCE, TcpStream::connect(address)).await {
        Ok(Ok(stream)) => {
            report.add(watch.ok("tcp", &subject, "connected".into()));
            return Some(stream);
        }
        Ok(Err(error)) => error,
        Err(_) => io::ErrorKind::TimedOut.into(),
    };
    let (finding, fix) = match error.kind() {
        io::ErrorKind::ConnectionRefused => {
            ("nothing listens there".to_owned(), "Is the server running, and is the port right?")
        }
        io::ErrorKind::TimedOut => (
            "it does not answer".to_owned(),
            "A firewall on the way may drop the packets: open the port to the server.",
        ),
        io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => {
            ("this machine has no way there".to_owned(), "Is this machine online?")
        }
        _ => (error.to_string(), "Is the server running, and is server_addr right?"),
    };
    // Of several addresses one that works is enough: the agent finds it.
    let lesser = report.checks.iter().any(|check| check.name == "tcp" && check.verdict == Verdict::Ok)
        || (address.is_ipv6() && !ipv6);
    report.add(if lesser {
        watch.warn("tcp", &subject, finding, fix)
    } else {
        watch.fail("tcp", &subject, finding, fix)
    });
    None
}

/// The way behind the proxy, if there is one.
async fn passage(
    report: &mut Report,
    proxy: Option<&Proxy>,
    server: &ServerAddress,
    stream: TcpStream,
) -> Option<BoxedTransport> {
    let Some(proxy) = proxy else { return Some(Box::new(stream)) };
    let (watch, shown) = (Watch::start(), proxy.address.to_string());
    let finding = match timeout(PATIENCE, proxy::connect_through(proxy, stream, server)).await {
        Ok(Ok(stream)) => {
            report.add(watch.ok("proxy", &shown, format!("it leads to {server}")));
            return Some(stream);
        }
        Ok(Err(error)) => error.to_string(),
        Err(_) => "it does not answer".to_owned(),
    };
    let fix = "Is proxy_url (or the proxy of the environment) right, with name and password if it asks for them?";
    report.add(watch.fail("proxy", &shown, finding, fix));
    None
}

fn server_name(settings: &AgentSettings, server: &ServerAddress) -> Option<ServerName<'static>> {
    let name = settings.server_name.as_ref().unwrap_or(&server.host);
    ServerName::try_from(name.clone()).ok()
}

async fn encryption(
    report: &mut Report,
    settings: &AgentSettings,
    shown: &str,
    name: ServerName<'static>,
    stream: BoxedTransport,
) -> Option<TlsStream<BoxedTransport>> {
    let watch = Watch::start();
    let config = match server_tls::client_config(settings) {
        Ok(config) => config,
        Err(error) => {
            report.add(watch.fail("tls", shown, error.message, "Set root_cas to the server's ca.pem."));
            return None;
        }
    };
    let agreed = timeout(PATIENCE, TlsConnector::from(Arc::new(config)).connect(name, stream)).await;
    let stream = match agreed {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => {
            let untrusted = matches!(
                error.get_ref().and_then(|inner| inner.downcast_ref()),
                Some(rustls::Error::InvalidCertificate(_))
            );
            let fix = if untrusted {
                "Set root_cas to the server's ca.pem, or server_name to the name in its certificate. A company's proxy that \
                 opens TLS has this effect as well."
            } else {
                "What listens there may not be a Postern server; is server_addr right?"
            };
            report.add(watch.fail("tls", shown, error.to_string(), fix));
            return None;
        }
        Err(_) => {
            let fix = "What listens there may not be a Postern server, or something on the way holds TLS back.";
            report.add(watch.fail("tls", shown, "it takes the connection and says nothing".into(), fix));
            return None;
        }
    };
    let session = stream.get_ref().1;
    if session.alpn_protocol() != Some(postern_tunnel::ALPN) {
        let fix = "Give the HTTPS port of a Postern server as server_addr.";
        report.add(watch.fail("tls", shown, "it does not know the agents' protocol".into(), fix));
        return None;
    }
    let suite = session.negotiated_cipher_suite().map(|suite| format!("{:?}", suite.suite())).unwrap_or_default();
    report.add(watch.ok("tls", shown, format!("the certificate is trusted; {suite}")));
    Some(stream)
}

/// Introduces itself as an agent of its own, measures, and leaves.
async fn protocol(report: &mut Report, settings: &AgentSettings, shown: &str, mut stream: TlsStream<BoxedTransport>) {
    let Some(token) = settings.authtoken.clone() else { return };
    let watch = Watch::start();
    postern_tunnel::limit_buffers(stream.get_mut().1);
    let made: Mutex<Option<BoxedTransport>> = Mutex::new(Some(Box::new(stream)));
    // The one connection that is there; no other is made.
    let dial = move || -> BoxFuture<'static, io::Result<BoxedTransport>> {
        let made = made.lock().unwrap_or_else(PoisonError::into_inner).take();
        Box::pin(async move { made.ok_or_else(|| io::ErrorKind::NotConnected.into()) })
    };
    let hello = Hello {
        protocol: Default::default(),
        agent_version: env!("CARGO_PKG_VERSION").into(),
        os: format!("{}/{}", std::env::consts::OS, std::env::consts::ARCH),
        // Not the instance that tunnels run under: its session must not be taken away.
        instance: format!("{:032x}", rand::random::<u128>()),
        token,
        metadata: String::new(),
        remote_management: false,
    };
    let session = match timeout(PATIENCE, connect(Arc::new(dial), hello)).await {
        Ok(Ok((session, _incoming))) => session,
        Ok(Err(ConnectError::Refused(error))) => {
            let fix = match error.code {
                Code::TokenUnknown | Code::TokenIsApiKey | Code::TokenMissing => {
                    "Create a credential at the server and store its token: `postern config add-authtoken -`."
                }
                Code::AgentTooOld => "Install a newer agent.",
                _ => "The operator of the server can say why.",
            };
            return report.add(watch.fail("protocol", shown, format!("{} ({})", error.message, error.code), fix));
        }
        Ok(Err(ConnectError::Io(error))) => {
            return report.add(watch.fail("protocol", shown, error.to_string(), "Is the server of a fitting version?"));
        }
        Err(_) => {
            let finding = "the greeting was not answered".to_owned();
            return report.add(watch.fail("protocol", shown, finding, "The server may be overloaded; try again."));
        }
    };
    let welcome = session.welcome();
    report.add(watch.ok("protocol", shown, format!("server {}, region {}", welcome.server_version, welcome.region)));
    let watch = Watch::start();
    let measured = timeout(PATIENCE, async {
        loop {
            match session.latency() {
                Some(latency) => return latency,
                None => tokio::time::sleep(LOOK).await,
            }
        }
    });
    let mut check = match measured.await {
        Ok(latency) if latency <= SLOW => watch.ok("latency", shown, "there and back".into()),
        Ok(_) => {
            let fix = "Visitors wait this long for every answer, at least: is there a server that is nearer?";
            watch.warn("latency", shown, "there and back".into(), fix)
        }
        Err(_) => watch.fail("latency", shown, "no answer".into(), "The connection is lost on the way; try again."),
    };
    if let Some(latency) = session.latency() {
        check.milliseconds = milliseconds(latency);
    }
    report.add(check);
    session.goodbye().await;
}
