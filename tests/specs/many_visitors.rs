//! Many visitors that hold connections without using them.

#![allow(clippy::print_stdout, reason = "what was measured is shown")]

use futures::{StreamExt, stream};
use postern_tests::{Origin, Visitor, World, agent::Tunnel};
use rustix::process::{Resource, getrlimit, setrlimit};
use std::{io::ErrorKind, net::SocketAddr, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::Instant,
};
use tokio_rustls::client::TlsStream;

/// Raises the limit of open files: each connection is one of this process too.
fn allow_connections(count: u64) {
    let mut limit = getrlimit(Resource::Nofile);
    assert!(limit.maximum.is_none_or(|most| most > count + 200), "the system allows {:?} open files", limit.maximum);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).expect("raising the limit to the maximum needs no permission");
}

/// A visitor that begins a request and stops.
enum Half {
    /// In the middle of the handshake, or of a header block without TLS.
    Plain(TcpStream),
    /// In the middle of a header block.
    Encrypted(Box<TlsStream<TcpStream>>),
}

const HELLO: &[u8] = &[0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3];

impl Half {
    async fn in_handshake(https: SocketAddr) -> Half {
        let mut stream = TcpStream::connect(https).await.expect("connected");
        stream.write_all(HELLO).await.expect("taken");
        Half::Plain(stream)
    }

    async fn in_head(http: SocketAddr, host: &str) -> Half {
        let mut stream = TcpStream::connect(http).await.expect("connected");
        stream.write_all(format!("GET / HTTP/1.1\r\nHost: {host}\r\nX-A: ").as_bytes()).await.expect("taken");
        Half::Plain(stream)
    }

    async fn in_encrypted_head(visitor: &Visitor, host: &str) -> Half {
        let mut stream = visitor.tls(host, &[b"http/1.1"]).await.expect("a handshake");
        stream.write_all(format!("GET / HTTP/1.1\r\nHost: {host}\r\nX-A: ").as_bytes()).await.expect("taken");
        stream.flush().await.expect("taken");
        Half::Encrypted(Box::new(stream))
    }

    /// One more byte.
    async fn drips(&mut self) {
        let _ = match self {
            Half::Plain(stream) => stream.write_all(b"a").await,
            Half::Encrypted(stream) => stream.write_all(b"a").await,
        };
    }

    /// Whether the server keeps the connection open.
    fn is_held(&self) -> bool {
        let stream = match self {
            Half::Plain(stream) => stream,
            Half::Encrypted(stream) => stream.get_ref().0,
        };
        match stream.try_read(&mut [0; 4096]) {
            Err(error) => error.kind() == ErrorKind::WouldBlock,
            // Tickets of the handshake may still lie there.
            Ok(read) => read > 0,
        }
    }
}

fn p99(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() * 99 / 100]
}

/// A published service with a greeting.
struct Site {
    world: World,
    tunnel: Tunnel,
    visitor: Visitor,
    _held: (Origin, postern_tests::Agent),
}

impl Site {
    async fn open(flags: &[&str]) -> Site {
        let world = World::with(|setup| setup.flags(flags)).await;
        let origin = Origin::start("hello").await;
        let agent = world.agent().await;
        let tunnel = agent.https("site", &origin).await;
        let visitor = world.visitor().with(|client| client.http1_only());
        Site { world, tunnel, visitor, _held: (origin, agent) }
    }

    /// The time of one request.
    async fn time_request(&self) -> Duration {
        let began = Instant::now();
        let reply = self.visitor.get(&self.tunnel.url("/")).await;
        assert_eq!((reply.status, reply.text().as_str()), (200, "hello"));
        began.elapsed()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_thousand_slow_visitors_do_not_delay_the_others() {
    const SLOW_VISITORS: usize = 2000;
    const REQUESTS: usize = 500;
    const MAX_ATTEMPTS: usize = 6;
    allow_connections(SLOW_VISITORS as u64);
    let patient = ["--header-timeout", "1h", "--handshake-timeout", "1h"];
    // Asked in turns, so that whatever else happens on this machine happens to both of them.
    let (quiet, attacked) = (Site::open(&patient).await, Site::open(&patient).await);
    let (https, http) = (attacked.world.server.addresses.https, attacked.world.server.addresses.http);
    let host = attacked.tunnel.host();
    let mut slow_visitors: Vec<Half> = stream::iter(0..SLOW_VISITORS)
        .map(async |number| match number % 4 {
            0 | 1 => Half::in_handshake(https).await,
            2 => Half::in_head(http, &host).await,
            _ => Half::in_encrypted_head(&attacked.visitor, &host).await,
        })
        .buffer_unordered(32)
        .collect()
        .await;
    let mut ratios = Vec::new();
    for _ in 0..MAX_ATTEMPTS {
        let (mut alone, mut together) = (Vec::new(), Vec::new());
        for number in 0..REQUESTS {
            alone.push(quiet.time_request().await);
            slow_visitors[number * SLOW_VISITORS / REQUESTS].drips().await;
            together.push(attacked.time_request().await);
        }
        let (alone, together) = (p99(&mut alone), p99(&mut together));
        ratios.push(together.as_secs_f64() / alone.as_secs_f64());
        println!("p99 alone {alone:?}, with {SLOW_VISITORS} half-open connections {together:?}");
        if ratios.last().is_some_and(|ratio| *ratio < 2.0) {
            break;
        }
    }
    let held = slow_visitors.iter().filter(|half| half.is_held()).count();
    assert_eq!(held, SLOW_VISITORS, "no visitor was refused");
    assert!(
        ratios.iter().any(|ratio| *ratio < 2.0),
        "the others wait, in every one of {MAX_ATTEMPTS} tries: {ratios:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_visitor_is_disconnected_in_time() {
    let site = Site::open(&["--header-timeout", "1s", "--handshake-timeout", "1s"]).await;
    let (https, http) = (site.world.server.addresses.https, site.world.server.addresses.http);
    let host = site.tunnel.host();
    let mut slow_visitors = Vec::new();
    for _ in 0..20 {
        slow_visitors.push(Half::in_handshake(https).await);
        slow_visitors.push(Half::in_head(http, &host).await);
        slow_visitors.push(Half::in_encrypted_head(&site.visitor, &host).await);
    }
    postern_tests::eventually("all of them are cut off, although each says something now and then", async || {
        for half in &mut slow_visitors {
            half.drips().await;
        }
        slow_visitors.iter().all(|half| !half.is_held()).then_some(())
    })
    .await;
    site.time_request().await;
}

/// The resident memory of a process in bytes.
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("resident memory");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_idle_visitors_are_held() {
    const VISITORS: usize = 10_000;
    allow_connections(VISITORS as u64);
    let site = Site::open(&["--idle-timeout", "1h"]).await;
    let host = site.tunnel.host();
    let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let send_request = async |stream: &mut TlsStream<TcpStream>| {
        stream.write_all(request.as_bytes()).await.expect("taken");
        stream.flush().await.expect("taken");
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\nhello") {
            assert_ne!(stream.read_buf(&mut answer).await.expect("an answer"), 0, "the connection is held");
        }
        assert!(answer.starts_with(b"HTTP/1.1 200 OK\r\n"));
    };
    site.time_request().await;
    let process = site.world.server.process.pid();
    let before = resident(process);
    let mut visitors: Vec<TlsStream<TcpStream>> = stream::iter(0..VISITORS)
        .map(async |_| {
            let mut stream = site.visitor.tls(&host, &[b"http/1.1"]).await.expect("a handshake");
            send_request(&mut stream).await;
            stream
        })
        .buffer_unordered(32)
        .collect()
        .await;
    let each = resident(process).saturating_sub(before) / VISITORS as u64;
    println!("{VISITORS} idle visitors, {:.1} KiB each", each as f64 / 1024.0);
    assert!(each < 100 * 1024, "{each} bytes for each of them");
    for stream in visitors.iter_mut().step_by(100) {
        send_request(stream).await;
    }
    site.time_request().await;
    let numbers = reqwest::get(format!("http://{}/metrics", site.world.server.addresses.api)).await.expect("numbers");
    let numbers = numbers.text().await.expect("text");
    let open = numbers.lines().find_map(|line| line.strip_prefix("postern_edge_connections{listener=\"https\"} "));
    let open: f64 = open.expect("connections are counted").parse().expect("a number");
    assert!(open >= VISITORS as f64, "{open} are open");
}
