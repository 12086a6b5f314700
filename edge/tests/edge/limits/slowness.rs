//! Slow visitors. Their pauses are the input of these tests and wait for nothing.

use crate::kit::{
    ScriptedOrigin, WAIT_TIMEOUT, World,
    agent::Agent,
    edges::{address, below, https, to},
    frames::{self, Fate, Frames, INITIAL_WINDOW},
    in_time, until, visitor,
};
use postern_api::{Secret, module::WebhookVerification, published::Settings};
use postern_edge::Limits;
use std::time::Duration;
use tokio::{io::AsyncReadExt, net::TcpStream, time::Instant};

const SOON: Duration = Duration::from_millis(300);
const DRIP: Duration = Duration::from_millis(30);

async fn world(change: impl FnOnce(&mut Limits)) -> (World, ScriptedOrigin, Agent) {
    let world = World::with(|settings| change(&mut settings.limits)).await;
    let origin = ScriptedOrigin::with_text("ok").await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("a"), origin.address).await.unwrap();
    (world, origin, agent)
}

#[tokio::test]
async fn every_slow_handshake_times_out() {
    let (world, ..) = world(|limits| limits.handshake = SOON).await;
    for drips in [false, true] {
        let began = Instant::now();
        let mut stream = TcpStream::connect(world.edge.https_addr()).await.unwrap();
        // A record that announces more data than arrives.
        let hello = [0x16, 3, 1, 0x10, 0, 1, 0, 0x0f, 0xfc, 3, 3];
        let mut sent = hello.iter().cycle();
        let mut buffer = [0; 64];
        loop {
            if drips {
                let _ = stream.try_write(&[*sent.next().unwrap()]);
            }
            match tokio::time::timeout(DRIP, stream.read(&mut buffer)).await {
                Err(_) => assert!(began.elapsed() < WAIT_TIMEOUT, "the handshake goes on and on"),
                Ok(Ok(0) | Err(_)) => break,
                Ok(Ok(_)) => {}
            }
        }
        assert!(began.elapsed() >= SOON, "{:?}", began.elapsed());
    }
}

#[tokio::test]
async fn a_header_block_that_trickles_in_is_cut_off() {
    let (world, origin, _agent) = world(|limits| limits.head = SOON).await;
    let mut visitor = visitor::https(&world, "a.localhost").await;
    assert_eq!(visitor.request("GET / HTTP/1.1\r\nHost: a.localhost\r\n\r\n").await.status, 200);
    let began = Instant::now();
    visitor.send(b"GET / HTTP/1.1\r\nHost: a.localhost\r\n").await;
    let mut stream = visitor.stream;
    let mut buffer = [0; 64];
    loop {
        use tokio::io::AsyncWriteExt;
        let _ = stream.write_all(b"X: y\r\n").await;
        let _ = stream.flush().await;
        match tokio::time::timeout(DRIP, stream.read(&mut buffer)).await {
            Err(_) => assert!(began.elapsed() < WAIT_TIMEOUT, "every line buys more time"),
            Ok(Ok(0) | Err(_)) => break,
            Ok(Ok(_)) => panic!("there is nothing to response"),
        }
    }
    assert!(began.elapsed() >= SOON, "{:?}", began.elapsed());
    assert_eq!(origin.request_texts().len(), 1);
}

#[tokio::test]
async fn a_body_that_trickles_in_is_408() {
    let (world, _origin, _agent) = world(|limits| {
        limits.body_rate = 1000;
        limits.body_grace = SOON;
    })
    .await;
    let service = ScriptedOrigin::with_text("ok").await;
    world.backends([("bkdsc_1", address(service.address))]).await;
    let secret = Some(Secret::new("right"));
    // The head alone does not show whether the request is valid.
    let hook = WebhookVerification { enabled: true, provider: "mailgun".to_owned(), secret };
    let routes =
        [below("/", to("bkdsc_1")), below("/hook", Settings { webhook_verification: Some(hook), ..to("bkdsc_1") })];
    world.https_edge(https(&["shop.localhost"], &routes)).await;
    for (host, path) in [("a.localhost", "/"), ("shop.localhost", "/"), ("shop.localhost", "/hook")] {
        trickles_and_hears_408(&world, host, path, 1).await;
        let mut frames = Frames::open(&world, host, &[]).await;
        let fields: [(&[u8], &[u8]); 4] = [
            (b":method", b"POST"),
            (b":scheme", b"https"),
            (b":authority", host.as_bytes()),
            (b":path", path.as_bytes()),
        ];
        frames.send(frames::HEADERS, frames::END_HEADERS, 1, &frames::block(&fields)).await;
        frames.send(frames::DATA, 0, 1, b"x").await;
        assert_eq!(frames.fate(1).await, Fate::Responded(408), "{host}");
    }
    assert!(service.request_texts().is_empty(), "no whole request came");
}

/// Sends a body in small pieces until it is cut off.
async fn trickles_and_hears_408(world: &World, host: &str, path: &str, piece: usize) {
    let mut visitor = visitor::https(world, host).await;
    visitor.send(format!("POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000000\r\n\r\n").as_bytes()).await;
    let (mut reader, mut writer) = tokio::io::split(visitor.stream);
    let trickle = tokio::spawn(async move {
        use tokio::io::AsyncWriteExt;
        let piece = vec![b'x'; piece];
        while writer.write_all(&piece).await.is_ok() && writer.flush().await.is_ok() {
            tokio::time::sleep(DRIP).await;
        }
    });
    let mut response = Vec::new();
    let _ = in_time(reader.read_to_end(&mut response)).await;
    let response = String::from_utf8_lossy(&response);
    assert!(response.starts_with("HTTP/1.1 408 ") && response.contains("ERR_POSTERN_3019"), "{path}: {response}");
    trickle.abort();
}

#[tokio::test]
async fn a_buffered_body_has_a_deadline_even_at_a_steady_rate() {
    let (world, ..) = world(|limits| limits.buffering = Duration::from_secs(1)).await;
    let service = ScriptedOrigin::with_text("ok").await;
    world.backends([("bkdsc_1", address(service.address))]).await;
    let secret = Some(Secret::new("right"));
    let hook = WebhookVerification { enabled: true, provider: "mailgun".to_owned(), secret };
    let routes =
        [below("/", to("bkdsc_1")), below("/hook", Settings { webhook_verification: Some(hook), ..to("bkdsc_1") })];
    world.https_edge(https(&["shop.localhost"], &routes)).await;
    // Far above the minimum rate of bodies.
    trickles_and_hears_408(&world, "shop.localhost", "/hook", 500).await;
    assert!(service.request_texts().is_empty());
    let mut visitor = visitor::https(&world, "shop.localhost").await;
    visitor.send(b"POST / HTTP/1.1\r\nHost: shop.localhost\r\nContent-Length: 300\r\n\r\n").await;
    for _ in 0..30 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        visitor.send(b"0123456789").await;
    }
    assert_eq!(visitor.response().await.status, 200, "bodies that are passed on may take their time");
}

#[tokio::test]
async fn alternating_streams_may_pause() {
    // Two pauses are longer than the grace period, and the first part of the response arrives before it ends.
    const GRACE: Duration = Duration::from_secs(2);
    const SILENCE: Duration = Duration::from_millis(1200);
    let world = World::with(|settings| {
        settings.limits.body_rate = 1_000_000;
        settings.limits.body_grace = GRACE;
    })
    .await;
    // Responds immediately, and again when the body has arrived.
    let origin = ScriptedOrigin::serving(|mut connection| async move {
        let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n";
        connection.send(head).await.unwrap();
        connection.request().await;
        let _ = connection.send(b"3\r\nbye\r\n0\r\n\r\n").await;
    })
    .await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("a"), origin.address).await.unwrap();
    let quiet = ScriptedOrigin::responding(|_| "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngrpc".to_owned()).await;
    agent.http(Some("g"), quiet.address).await.unwrap();
    for (host, kind, first) in [("a.localhost", "text/plain", "hi"), ("g.localhost", "application/grpc+proto", "")] {
        let mut visitor = visitor::https(&world, host).await;
        let head = format!("POST / HTTP/1.1\r\nHost: {host}\r\nContent-Type: {kind}\r\nContent-Length: 2\r\n\r\n");
        visitor.send(head.as_bytes()).await;
        if !first.is_empty() {
            visitor.read_until(first.as_bytes()).await;
        }
        tokio::time::sleep(SILENCE).await;
        visitor.send(b"a").await;
        tokio::time::sleep(SILENCE).await;
        visitor.send(b"b").await;
        let last: &[u8] = if first.is_empty() { b"grpc" } else { b"bye" };
        visitor.read_until(last).await;
    }
}

/// A service with an endless response.
async fn endless() -> ScriptedOrigin {
    ScriptedOrigin::serving(|mut connection| async move {
        connection.request().await;
        let _ = connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n").await;
        while connection.send(&[b'x'; 16 * 1024]).await.is_ok() {}
    })
    .await
}

#[tokio::test]
async fn a_visitor_who_does_not_read_the_response_is_disconnected() {
    let world = World::with(|settings| settings.limits.stall = SOON).await;
    let origin = endless().await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("a"), origin.address).await.unwrap();
    let streams = || world.live().tunnels()[0].streams;
    let mut visitor = visitor::https(&world, "a.localhost").await;
    visitor.send(b"GET / HTTP/1.1\r\nHost: a.localhost\r\n\r\n").await;
    until("the response flows", || streams() == 1).await;
    until("the visitor is given up", || streams() == 0).await;
    drop(visitor);

    // On HTTP/2, the window of the stream stays closed while the connection is responsive.
    let mut frames = Frames::open(&world, "a.localhost", &[(INITIAL_WINDOW, 0)]).await;
    frames.request(1, &get("a.localhost", "/")).await;
    assert_eq!(frames.fate(1).await, Fate::Responded(200));
    until("the response is there", || streams() == 1).await;
    assert!(matches!(frames.fate(1).await, Fate::Reset(_)), "the stream is given up");
    until("nothing is held for it", || streams() == 0).await;
    frames.request(3, &get("unknown.localhost", "/")).await;
    assert!(matches!(frames.fate(3).await, Fate::Responded(_)), "the connection goes on");
}

fn get<'a>(host: &'a str, path: &'a str) -> [(&'a [u8], &'a [u8]); 4] {
    [(b":method", b"GET"), (b":scheme", b"https"), (b":authority", host.as_bytes()), (b":path", path.as_bytes())]
}

#[tokio::test]
async fn a_visitor_who_reads_slowly_but_steadily_gets_everything() {
    const LENGTH: usize = 3_000_000;
    let world = World::with(|settings| settings.limits.stall = SOON).await;
    let origin = ScriptedOrigin::serving(|mut connection| async move {
        connection.request().await;
        let _ = connection.send(format!("HTTP/1.1 200 OK\r\nContent-Length: {LENGTH}\r\n\r\n").as_bytes()).await;
        let _ = connection.send(&vec![b'x'; LENGTH]).await;
    })
    .await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("a"), origin.address).await.unwrap();
    let mut frames = Frames::open(&world, "a.localhost", &[(INITIAL_WINDOW, 0)]).await;
    frames.request(1, &get("a.localhost", "/")).await;
    assert_eq!(frames.fate(1).await, Fate::Responded(200));
    let mut read = 0;
    while read < LENGTH {
        let piece: u32 = 300_000;
        for stream in [0, 1] {
            assert!(frames.send(frames::WINDOW_UPDATE, 0, stream, &piece.to_be_bytes()).await);
        }
        let goal = (read + piece as usize).min(LENGTH);
        while read < goal {
            let frame = frames.next().await.expect("the response goes on");
            assert_ne!(frame.kind, frames::RST_STREAM, "after {read} bytes");
            if frame.kind == frames::DATA {
                read += frame.payload.len();
            }
        }
        tokio::time::sleep(SOON / 2).await;
    }
}
