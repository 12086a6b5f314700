//! What listens on this machine and could be published: which process, what it speaks, and what it probably is.

#[cfg_attr(not(target_os = "linux"), path = "elsewhere.rs")]
#[cfg_attr(target_os = "linux", path = "linux.rs")]
mod found;
mod known;
mod probe;

use probe::Voice;
use serde::Serialize;
use std::{
    collections::{BTreeMap, HashMap},
    net::{IpAddr, SocketAddr},
    sync::{Mutex, PoisonError},
};

/// More are not looked at: no machine has them.
const MOST: usize = 1000;
/// Where programs for developers listen if nobody tells them otherwise.
const USUAL: std::ops::RangeInclusive<u16> = 3000..=9999;
/// Of our own programs nothing is to be published this way.
const OWN: [&str; 3] = ["postern", "postern-server", "postern-desktop"];

/// A socket that listens, as the system tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Found {
    address: Option<SocketAddr>,
    /// Tells this socket from a later one on the same port.
    socket: u64,
    pid: Option<u32>,
    /// The process's short name; unknown for processes of other users.
    process: Option<String>,
    /// The words it was started with. They never leave this module: a secret may stand in them.
    words: Vec<String>,
}

/// Something to publish.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listening {
    /// Its port.
    pub port: u16,
    /// Where it listens.
    pub address: String,
    /// What to write as `addr` of a tunnel.
    pub target: String,
    /// What kind of tunnel fits: `http` or `tcp`.
    pub proto: &'static str,
    /// What it speaks: `http`, `https`, `tcp`; `None` where it was not asked or did not say.
    pub speaks: Option<&'static str>,
    /// The process's name.
    pub process: Option<String>,
    /// The process's number.
    pub pid: Option<u32>,
    /// What it probably is: `Vite`, `PostgreSQL`.
    pub service: Option<String>,
}

/// Looks for what listens, and remembers what it has asked: a socket that has answered is not spoken to again.
#[derive(Default)]
pub struct Finder {
    asked: Mutex<HashMap<(u16, u64), Voice>>,
}

impl Finder {
    /// What listens, what is most likely to be published first. Nobody is spoken to.
    pub async fn look(&self) -> Vec<Listening> {
        let found = self.found().await;
        let mut listening: Vec<Listening> = found.into_iter().map(|(port, one)| self.judge(port, one)).collect();
        listening.sort_by_key(|one| (rank(one), one.port));
        listening
    }

    /// Asks what listens on one port what it speaks; `None` where nothing does.
    pub async fn look_at(&self, port: u16) -> Option<Listening> {
        let (_, one) = self.found().await.into_iter().find(|(known, _)| *known == port)?;
        self.ask((port, one.socket), reachable(one.address?)).await;
        Some(self.judge(port, one))
    }

    async fn ask(&self, socket: (u16, u64), address: SocketAddr) {
        if self.voice(socket.0, socket).is_none_or(|voice| voice.silent) {
            let voice = probe::ask(address).await;
            self.asked().insert(socket, voice);
        }
    }

    async fn found(&self) -> Vec<(u16, Found)> {
        let found = tokio::task::spawn_blocking(found::all).await.unwrap_or_default();
        let found = one_for_each_port(found);
        let alive: Vec<(u16, u64)> = found.iter().map(|(port, one)| (*port, one.socket)).collect();
        self.asked().retain(|socket, _| alive.contains(socket));
        found
    }

    /// What a socket has said, or need not be asked.
    fn voice(&self, port: u16, socket: (u16, u64)) -> Option<Voice> {
        // What is known not to speak HTTP is not disturbed: a printer prints what it hears.
        if known::by_port(port).is_some() {
            return Some(Voice::of("tcp"));
        }
        self.asked().get(&socket).cloned()
    }

    fn judge(&self, port: u16, found: Found) -> Listening {
        let address = found.address.unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], port)));
        let voice = self.voice(port, (port, found.socket)).unwrap_or_default();
        let started_as = known::by_words(found.process.as_deref(), &found.words);
        let speaks = voice.speaks.or_else(|| started_as.filter(|(_, pages)| *pages).map(|_| "http"));
        let service = started_as
            .map(|(name, _)| name.to_owned())
            .or(voice.software)
            .or_else(|| known::by_port(port).map(str::to_owned));
        let local = address.ip().is_unspecified() || address.ip() == IpAddr::from([127, 0, 0, 1]);
        let target = match speaks {
            Some("https") if local => format!("https://localhost:{port}"),
            Some("https") => format!("https://{address}"),
            _ if local => port.to_string(),
            _ => address.to_string(),
        };
        let proto = if speaks == Some("tcp") { "tcp" } else { "http" };
        Listening {
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

    fn asked(&self) -> std::sync::MutexGuard<'_, HashMap<(u16, u64), Voice>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One of the sockets of each port: the one that `localhost` reaches, if there is one.
fn one_for_each_port(found: Vec<Found>) -> Vec<(u16, Found)> {
    let mut ports: BTreeMap<u16, Found> = BTreeMap::new();
    for one in found {
        let Some(address) = one.address else { continue };
        let own =
            one.pid == Some(std::process::id()) || one.process.as_deref().is_some_and(|process| OWN.contains(&process));
        let known = ports.get(&address.port()).and_then(|known| known.address);
        if !own && known.is_none_or(|known| nearness(address) < nearness(known)) {
            ports.insert(address.port(), one);
        }
    }
    ports.into_iter().take(MOST).collect()
}

/// Smaller is nearer to what `localhost` means.
fn nearness(address: SocketAddr) -> u8 {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_loopback() => 0,
        IpAddr::V4(ip) if ip.is_unspecified() => 1,
        IpAddr::V6(ip) if ip.is_unspecified() => 2,
        IpAddr::V6(ip) if ip.is_loopback() => 3,
        _ => 4,
    }
}

/// Where to connect to reach a socket that listens everywhere.
fn reachable(address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() { SocketAddr::from(([127, 0, 0, 1], address.port())) } else { address }
}

/// Pages first, then what may be some, then what is known to be something else.
fn rank(one: &Listening) -> u8 {
    match one.speaks {
        Some("http" | "https") => 0,
        // Programs that people start by hand listen here.
        None if USUAL.contains(&one.port) && one.process.is_some() => 1,
        None if one.process.is_some() => 2,
        None => 3,
        Some(_) => 4,
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

    fn at(address: &str, process: &str) -> Found {
        Found { address: Some(address.parse().expect("valid")), process: Some(process.into()), ..Found::default() }
    }

    #[test]
    fn each_port_stands_once_and_our_own_not_at_all() {
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

    /// A server of HTTP that counts whom it has heard.
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
    async fn what_was_silent_is_asked_again() {
        let (address, heard) = example().await;
        let finder = Finder::default();
        let socket = (address.port(), 7);
        finder.asked().insert(socket, probe::Voice { silent: true, ..probe::Voice::of("tcp") });
        finder.ask(socket, address).await;
        assert_eq!(finder.voice(socket.0, socket).expect("asked").speaks, Some("http"));
        assert_eq!(heard.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn a_socket_is_asked_once_however_often_somebody_looks() {
        let (address, heard) = example().await;
        let finder = Finder::default();
        let found = Found { address: Some(address), socket: 7, ..Found::default() };
        assert_eq!(finder.judge(address.port(), found.clone()).speaks, None);
        for _ in 0..3 {
            finder.ask((address.port(), 7), address).await;
        }
        let judged = finder.judge(address.port(), found);
        assert_eq!((judged.speaks, judged.proto), (Some("http"), "http"));
        assert_eq!(judged.service.as_deref(), Some("Example"));
        assert_eq!(judged.target, address.port().to_string());
        assert_eq!(heard.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn a_database_is_known_by_its_port_and_not_spoken_to() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listening");
        let finder = Finder::default();
        finder.ask((5432, 1), listener.local_addr().expect("bound")).await;
        assert!(finder.asked().is_empty());
        let found = Found { address: Some("127.0.0.1:5432".parse().expect("valid")), ..Found::default() };
        let judged = finder.judge(5432, found);
        assert_eq!((judged.service.as_deref(), judged.proto), (Some("PostgreSQL"), "tcp"));
    }

    #[test]
    fn what_is_started_as_a_web_server_is_taken_for_one() {
        let found = Found { words: vec!["node".into(), "/x/bin/vite".into()], ..at("[::1]:5173", "node") };
        let judged = Finder::default().judge(5173, found);
        assert_eq!((judged.service.as_deref(), judged.speaks), (Some("Vite"), Some("http")));
        assert_eq!(judged.target, "[::1]:5173");
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn the_system_tells_of_a_listener_with_its_process() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listening");
        let port = listener.local_addr().expect("bound").port();
        let found = found::all().into_iter().find(|one| one.address.is_some_and(|address| address.port() == port));
        let found = found.expect("listed");
        assert_eq!(found.pid, Some(std::process::id()));
        assert!(found.process.is_some() && found.socket != 0);
    }
}
