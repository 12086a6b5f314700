//! The path to a server, step by step: name, connection, certificate, protocol, latency, clock.

use super::{
    clock,
    report::{self, CheckTimer, milliseconds},
};
use crate::{
    config::{AgentSettings, ServerAddress, proxy::Proxy},
    net::{proxy, resolver, server_tls},
};
use futures::future::BoxFuture;
use postern_api::{
    Code,
    local::{DiagnosisReport, DiagnosisVerdict},
};
use postern_tunnel::{BoxedTransport, ConnectError, TlsStream, connect, message::Hello, tls};
use rustls_pki_types::ServerName;
use std::{
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{net::TcpStream, time::timeout};

/// Time for each step.
const STEP_TIMEOUT: Duration = Duration::from_secs(5);
/// A longer round trip causes a warning.
const SLOW_ROUND_TRIP: Duration = Duration::from_millis(250);
/// The interval at which a measurement is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

pub(super) async fn check(report: &mut DiagnosisReport, settings: &AgentSettings, server: &ServerAddress, ipv6: bool) {
    let shown = server.to_string();
    let proxy = proxy::proxy_for(settings, server);
    let next = proxy.as_ref().map_or(server, |proxy| &proxy.address);
    let addresses = check_names(report, settings, next, ipv6).await;
    let mut reached = None;
    for address in addresses {
        let connected = check_connection(report, address, ipv6).await;
        reached = reached.or(connected);
    }
    let Some(stream) = reached else { return };
    let Some(name) = server_name(settings, server) else {
        let fix = "Set server_name to the name in the server's certificate.";
        let finding = format!("`{}` cannot stand in a certificate", server.host);
        return report::add(report, CheckTimer::start().fail("tls", &shown, finding, fix));
    };
    let Ok(peer) = stream.peer_addr() else { return };
    let Some(stream) = check_proxy(report, proxy.as_ref(), server, stream).await else { return };
    let Some(stream) = check_tls(report, settings, &shown, name.clone(), stream).await else { return };
    check_protocol(report, settings, &shown, stream).await;
    let again = proxy::connect(peer, proxy.as_ref(), server);
    clock::compare(report, settings, &shown, name, again).await;
}

async fn check_names(
    report: &mut DiagnosisReport,
    settings: &AgentSettings,
    next: &ServerAddress,
    ipv6: bool,
) -> Vec<SocketAddr> {
    let shown = &next.to_string();
    let timer = CheckTimer::start();
    let found = timeout(STEP_TIMEOUT, resolver::look_up(&next.host, next.port, &settings.dns_resolvers)).await;
    let fix = "Is server_addr right, and does this machine's name server work?";
    let mut addresses: Vec<SocketAddr> = match found {
        Ok(Ok(found)) => found,
        Ok(Err(error)) => {
            report::add(report, timer.fail("dns", shown, format!("the name was not found: {error}"), fix));
            return Vec::new();
        }
        Err(_) => {
            report::add(report, timer.fail("dns", shown, "the name server does not respond".into(), fix));
            return Vec::new();
        }
    };
    addresses.sort_unstable();
    addresses.dedup();
    let list = addresses.iter().map(|address| address.ip().to_string()).collect::<Vec<_>>().join(", ");
    if ipv6 && !addresses.iter().any(SocketAddr::is_ipv6) {
        let fix = "Give the server an AAAA record, or omit --ipv6.";
        report::add(report, timer.fail("dns", shown, format!("there is no IPv6 address, only {list}"), fix));
    } else {
        report::add(report, timer.ok("dns", shown, list));
    }
    addresses
}

async fn check_connection(report: &mut DiagnosisReport, address: SocketAddr, ipv6: bool) -> Option<TcpStream> {
    let timer = CheckTimer::start();
    let subject = address.to_string();
    let error = match timeout(STEP_TIMEOUT, TcpStream::connect(address)).await {
        Ok(Ok(stream)) => {
            report::add(report, timer.ok("tcp", &subject, "connected".into()));
            return Some(stream);
        }
        Ok(Err(error)) => error,
        Err(_) => io::ErrorKind::TimedOut.into(),
    };
    let (finding, fix) = match error.kind() {
        io::ErrorKind::ConnectionRefused => {
            ("nothing listens there".to_owned(), "Is the server running, and is the port right?")
        }
        io::ErrorKind::TimedOut => {
            ("it does not respond".to_owned(), "A firewall may drop the packets: open the port to the server.")
        }
        io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => {
            ("this machine has no route to it".to_owned(), "Is this machine online?")
        }
        _ => (error.to_string(), "Is the server running, and is server_addr right?"),
    };
    // One address that works is enough: the agent finds it.
    let only_warn = report.checks.iter().any(|check| check.name == "tcp" && check.verdict == DiagnosisVerdict::Ok)
        || (address.is_ipv6() && !ipv6);
    report::add(
        report,
        if only_warn { timer.warn("tcp", &subject, finding, fix) } else { timer.fail("tcp", &subject, finding, fix) },
    );
    None
}

/// Connects through the proxy, if there is one.
async fn check_proxy(
    report: &mut DiagnosisReport,
    proxy: Option<&Proxy>,
    server: &ServerAddress,
    stream: TcpStream,
) -> Option<BoxedTransport> {
    let Some(proxy) = proxy else { return Some(Box::new(stream)) };
    let (timer, shown) = (CheckTimer::start(), proxy.address.to_string());
    let finding = match timeout(STEP_TIMEOUT, proxy::connect_through(proxy, stream, server)).await {
        Ok(Ok(stream)) => {
            report::add(report, timer.ok("proxy", &shown, format!("it connects to {server}")));
            return Some(stream);
        }
        Ok(Err(error)) => error.to_string(),
        Err(_) => "it does not respond".to_owned(),
    };
    let fix = "Is proxy_url (or the proxy of the environment) right, with name and password if it requires them?";
    report::add(report, timer.fail("proxy", &shown, finding, fix));
    None
}

fn server_name(settings: &AgentSettings, server: &ServerAddress) -> Option<ServerName<'static>> {
    let name = settings.server_name.as_ref().unwrap_or(&server.host);
    ServerName::try_from(name.clone()).ok()
}

async fn check_tls(
    report: &mut DiagnosisReport,
    settings: &AgentSettings,
    shown: &str,
    name: ServerName<'static>,
    stream: BoxedTransport,
) -> Option<TlsStream<BoxedTransport>> {
    let timer = CheckTimer::start();
    let config = match server_tls::client_config(settings) {
        Ok(config) => config,
        Err(error) => {
            report::add(report, timer.fail("tls", shown, error.message, "Set root_cas to the server's ca.pem."));
            return None;
        }
    };
    let (stream, negotiated) = match timeout(STEP_TIMEOUT, tls::connect(stream, Arc::new(config), name)).await {
        Ok(Ok(established)) => established,
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
            report::add(report, timer.fail("tls", shown, error.to_string(), fix));
            return None;
        }
        Err(_) => {
            let fix = "What listens there may not be a Postern server, or a device in between blocks TLS.";
            report::add(report, timer.fail("tls", shown, "it accepts the connection and sends nothing".into(), fix));
            return None;
        }
    };
    if negotiated.protocol.as_deref() != Some(postern_tunnel::ALPN) {
        let fix = "Give the HTTPS port of a Postern server as server_addr.";
        report::add(report, timer.fail("tls", shown, "it does not support the agents' protocol".into(), fix));
        return None;
    }
    let suite = negotiated.suite.suite();
    report::add(report, timer.ok("tls", shown, format!("the certificate is trusted; {suite:?}")));
    Some(stream)
}

/// Opens a session under a random instance id, measures the latency, and closes it.
async fn check_protocol(
    report: &mut DiagnosisReport,
    settings: &AgentSettings,
    shown: &str,
    stream: TlsStream<BoxedTransport>,
) {
    let Some(token) = settings.authtoken.clone() else { return };
    let timer = CheckTimer::start();
    let connection: Mutex<Option<BoxedTransport>> = Mutex::new(Some(Box::new(stream)));
    // Hands out the existing connection once.
    let dial = move || -> BoxFuture<'static, io::Result<BoxedTransport>> {
        let connection = connection.lock().unwrap_or_else(PoisonError::into_inner).take();
        Box::pin(async move { connection.ok_or_else(|| io::ErrorKind::NotConnected.into()) })
    };
    let hello = Hello {
        agent_version: env!("CARGO_PKG_VERSION").into(),
        os: format!("{}/{}", std::env::consts::OS, std::env::consts::ARCH),
        // Another instance than that of the tunnels, whose session must not be replaced.
        instance: postern_api::id::random_hex(),
        token,
        ..Hello::default()
    };
    let session = match timeout(STEP_TIMEOUT, connect(Arc::new(dial), hello)).await {
        Ok(Ok((session, _incoming))) => session,
        Ok(Err(ConnectError::Refused(error))) => {
            let fix = match error.code {
                Code::TokenUnknown | Code::TokenIsApiKey | Code::TokenMissing => {
                    "Create a credential at the server and store its token: `postern config add-authtoken -`."
                }
                Code::AgentTooOld => "Install a newer agent.",
                _ => "The operator of the server can tell why.",
            };
            return report::add(
                report,
                timer.fail("protocol", shown, format!("{} ({})", error.message, error.code), fix),
            );
        }
        Ok(Err(ConnectError::Io(error))) => {
            return report::add(
                report,
                timer.fail("protocol", shown, error.to_string(), "Does the server have a compatible version?"),
            );
        }
        Err(_) => {
            let finding = "the handshake got no response".to_owned();
            return report::add(
                report,
                timer.fail("protocol", shown, finding, "The server may be overloaded; try again."),
            );
        }
    };
    let welcome = session.welcome();
    report::add(
        report,
        timer.ok("protocol", shown, format!("server {}, region {}", welcome.server_version, welcome.region)),
    );
    let timer = CheckTimer::start();
    let measured = timeout(STEP_TIMEOUT, async {
        loop {
            match session.latency() {
                Some(latency) => return latency,
                None => tokio::time::sleep(POLL_INTERVAL).await,
            }
        }
    });
    let mut check = match measured.await {
        Ok(latency) if latency <= SLOW_ROUND_TRIP => timer.ok("latency", shown, "round trip".into()),
        Ok(_) => {
            let fix = "Every response takes at least this long: is there a nearer server?";
            timer.warn("latency", shown, "round trip".into(), fix)
        }
        Err(_) => timer.fail("latency", shown, "no response".into(), "The connection was lost; try again."),
    };
    if let Some(latency) = session.latency() {
        check.milliseconds = milliseconds(latency);
    }
    report::add(report, check);
    session.goodbye().await;
}
