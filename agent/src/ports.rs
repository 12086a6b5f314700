//! Listening sockets on this machine that could be published: their processes, protocols and probable software.

mod known_services;
mod probe;
#[cfg_attr(not(target_os = "linux"), path = "ports/other_systems.rs")]
#[cfg_attr(target_os = "linux", path = "ports/linux.rs")]
mod sockets;

use postern_api::local::{ListeningPort, PortProtocol, TunnelProtocol};
use probe::ProbeResult;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    net::{IpAddr, SocketAddr},
    sync::{Mutex, PoisonError},
};

/// The most ports that are listed.
const MAX_PORTS: usize = 1000;
/// The default ports of development servers.
const DEVELOPMENT_PORTS: std::ops::RangeInclusive<u16> = 3000..=9999;
/// Our own programs, which are not listed.
const OWN_PROGRAMS: [&str; 3] = ["postern", "postern-server", "postern-desktop"];

/// The ports on which loopback addresses of this machine are served; `None` if the system does not say so cheaply.
pub async fn loopback_ports() -> Option<HashSet<u16>> {
    let listening = tokio::task::spawn_blocking(sockets::listening).await.ok().flatten()?;
    let is_loopback = |address: &SocketAddr| address.ip().is_unspecified() || address.ip().is_loopback();
    Some(listening.into_iter().filter(is_loopback).map(|address| address.port()).collect())
}

/// A listening socket as the system reports it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FoundSocket {
    address: Option<SocketAddr>,
    /// Distinguishes this socket from a later one on the same port.
    socket: u64,
    pid: Option<u32>,
    /// The process's short name; `None` for processes of other users.
    process: Option<String>,
    /// The command line of the process. It never leaves this module, because it may contain secrets.
    words: Vec<String>,
}

/// Lists listening sockets and caches probe results: a socket that has responded is not probed again.
#[derive(Default)]
pub struct PortScanner {
    probed: Mutex<HashMap<(u16, u64), ProbeResult>>,
}

impl PortScanner {
    /// Lists listening sockets, the most likely ones to be published first. Probes nothing.
    pub async fn list(&self) -> Vec<ListeningPort> {
        let found = self.found().await;
        let mut listening: Vec<ListeningPort> = found.into_iter().map(|(port, one)| self.describe(port, one)).collect();
        listening.sort_by_key(|one| (rank(one), one.port));
        listening
    }

    /// Probes the socket on one port; `None` if nothing listens there.
    pub async fn probe(&self, port: u16) -> Option<ListeningPort> {
        let (_, one) = self.found().await.into_iter().find(|(known, _)| *known == port)?;
        self.probe_socket((port, one.socket), reachable(one.address?)).await;
        Some(self.describe(port, one))
    }

    async fn probe_socket(&self, socket: (u16, u64), address: SocketAddr) {
        if self.known_result(socket.0, socket).is_none_or(|result| result.silent) {
            let result = probe::probe(address).await;
            self.probed().insert(socket, result);
        }
    }

    async fn found(&self) -> Vec<(u16, FoundSocket)> {
        let found = tokio::task::spawn_blocking(sockets::all).await.unwrap_or_default();
        let found = one_for_each_port(found);
        let alive: Vec<(u16, u64)> = found.iter().map(|(port, one)| (*port, one.socket)).collect();
        self.probed().retain(|socket, _| alive.contains(socket));
        found
    }

    /// The cached result for a socket, or the fixed one for a port that must not be probed.
    fn known_result(&self, port: u16, socket: (u16, u64)) -> Option<ProbeResult> {
        // Services that are known not to speak HTTP are left alone: a printer would print the request.
        if known_services::by_port(port).is_some() {
            return Some(ProbeResult::new(PortProtocol::Tcp));
        }
        self.probed().get(&socket).cloned()
    }

    fn describe(&self, port: u16, found: FoundSocket) -> ListeningPort {
        let address = found.address.unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], port)));
        let result = self.known_result(port, (port, found.socket)).unwrap_or_default();
        let started_as = known_services::by_command_line(found.process.as_deref(), &found.words);
        let speaks = result.speaks.or_else(|| started_as.filter(|(_, pages)| *pages).map(|_| PortProtocol::Http));
        let service = started_as
            .map(|(name, _)| name.to_owned())
            .or(result.software)
            .or_else(|| known_services::by_port(port).map(str::to_owned));
        let local = address.ip().is_unspecified() || address.ip() == IpAddr::from([127, 0, 0, 1]);
        let target = match speaks {
            Some(PortProtocol::Https) if local => format!("https://localhost:{port}"),
            Some(PortProtocol::Https) => format!("https://{address}"),
            _ if local => port.to_string(),
            _ => address.to_string(),
        };
        let proto = if speaks == Some(PortProtocol::Tcp) { TunnelProtocol::Tcp } else { TunnelProtocol::Http };
        ListeningPort {
            port,
            address: address.to_string(),
            target,
            proto,
            speaks,
            process: found.process,
            pid: found.pid,
            service,
        }
    }

    fn probed(&self) -> std::sync::MutexGuard<'_, HashMap<(u16, u64), ProbeResult>> {
        self.probed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One socket of each port: the one that `localhost` reaches, if there is one.
fn one_for_each_port(found: Vec<FoundSocket>) -> Vec<(u16, FoundSocket)> {
    let mut ports: BTreeMap<u16, FoundSocket> = BTreeMap::new();
    for one in found {
        let Some(address) = one.address else { continue };
        let own = one.pid == Some(std::process::id())
            || one.process.as_deref().is_some_and(|process| OWN_PROGRAMS.contains(&process));
        let known = ports.get(&address.port()).and_then(|known| known.address);
        if !own && known.is_none_or(|known| localhost_rank(address) < localhost_rank(known)) {
            ports.insert(address.port(), one);
        }
    }
    ports.into_iter().take(MAX_PORTS).collect()
}

/// The rank of an address for `localhost`; 0 is the best.
fn localhost_rank(address: SocketAddr) -> u8 {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_loopback() => 0,
        IpAddr::V4(ip) if ip.is_unspecified() => 1,
        IpAddr::V6(ip) if ip.is_unspecified() => 2,
        IpAddr::V6(ip) if ip.is_loopback() => 3,
        _ => 4,
    }
}

/// The address to connect to for a socket that listens on all addresses.
fn reachable(address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() { SocketAddr::from(([127, 0, 0, 1], address.port())) } else { address }
}

/// Web servers first, then unknown services, then services that are known not to speak HTTP.
fn rank(one: &ListeningPort) -> u8 {
    match one.speaks {
        Some(PortProtocol::Http | PortProtocol::Https) => 0,
        // Programs that developers start listen here.
        None if DEVELOPMENT_PORTS.contains(&one.port) && one.process.is_some() => 1,
        None if one.process.is_some() => 2,
        None => 3,
        Some(PortProtocol::Tcp) => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    fn at(address: &str, process: &str) -> FoundSocket {
        FoundSocket {
            address: Some(address.parse().expect("valid")),
            process: Some(process.into()),
            ..FoundSocket::default()
        }
    }

    #[test]
    fn each_port_is_listed_once_and_our_own_not_at_all() {
        let found = vec![
            at("[::]:3000", "node"),
            at("127.0.0.1:3000", "node"),
            at("0.0.0.0:4443", "postern-server"),
            at("192.168.1.5:22", "sshd"),
        ];
        let ports: Vec<(u16, String)> = one_for_each_port(found)
            .into_iter()
            .map(|(port, one)| (port, one.address.expect("there is one").ip().to_string()))
            .collect();
        assert_eq!(ports, [(22, "192.168.1.5".to_owned()), (3000, "127.0.0.1".to_owned())]);
    }

    /// An HTTP server that counts its connections.
    async fn example() -> (SocketAddr, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listening");
        let address = listener.local_addr().expect("bound");
        let heard = Arc::new(AtomicUsize::new(0));
        let counted = heard.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                let mut head = [0; 512];
                let _ = stream.read(&mut head).await;
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nServer: Example/1.0\r\nContent-Length: 0\r\n\r\n").await;
            }
        });
        (address, heard)
    }

    #[tokio::test]
    async fn a_silent_socket_is_probed_again() {
        let (address, heard) = example().await;
        let scanner = PortScanner::default();
        let socket = (address.port(), 7);
        scanner.probed().insert(socket, ProbeResult { silent: true, ..ProbeResult::new(PortProtocol::Tcp) });
        scanner.probe_socket(socket, address).await;
        assert_eq!(scanner.known_result(socket.0, socket).expect("probed").speaks, Some(PortProtocol::Http));
        assert_eq!(heard.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn a_socket_that_responded_is_probed_once() {
        let (address, heard) = example().await;
        let scanner = PortScanner::default();
        let found = FoundSocket { address: Some(address), socket: 7, ..FoundSocket::default() };
        assert_eq!(scanner.describe(address.port(), found.clone()).speaks, None);
        for _ in 0..3 {
            scanner.probe_socket((address.port(), 7), address).await;
        }
        let port_view = scanner.describe(address.port(), found);
        assert_eq!((port_view.speaks, port_view.proto), (Some(PortProtocol::Http), TunnelProtocol::Http));
        assert_eq!(port_view.service.as_deref(), Some("Example"));
        assert_eq!(port_view.target, address.port().to_string());
        assert_eq!(heard.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn a_database_is_recognized_by_its_port_and_not_probed() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listening");
        let scanner = PortScanner::default();
        scanner.probe_socket((5432, 1), listener.local_addr().expect("bound")).await;
        assert!(scanner.probed().is_empty());
        let found = FoundSocket { address: Some("127.0.0.1:5432".parse().expect("valid")), ..FoundSocket::default() };
        let port_view = scanner.describe(5432, found);
        assert_eq!((port_view.service.as_deref(), port_view.proto), (Some("PostgreSQL"), TunnelProtocol::Tcp));
    }

    #[test]
    fn a_process_with_the_command_line_of_a_web_server_is_one() {
        let found = FoundSocket { words: vec!["node".into(), "/x/bin/vite".into()], ..at("[::1]:5173", "node") };
        let port_view = PortScanner::default().describe(5173, found);
        assert_eq!((port_view.service.as_deref(), port_view.speaks), (Some("Vite"), Some(PortProtocol::Http)));
        assert_eq!(port_view.target, "[::1]:5173");
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn the_system_reports_a_listener_with_its_process() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listening");
        let port = listener.local_addr().expect("bound").port();
        let found = sockets::all().into_iter().find(|one| one.address.is_some_and(|address| address.port() == port));
        let found = found.expect("listed");
        assert_eq!(found.pid, Some(std::process::id()));
        assert!(found.process.is_some() && found.socket != 0);
    }
}
