//! Too many headers, connections or requests.

use crate::kit::{
    Http1Response, ScriptedOrigin, World,
    access_log::Lines,
    agent::Agent,
    edges::{below, https, response, tls, to},
    eventually, in_time, until, visitor,
};
use bytes::Bytes;
use http_body_util::Empty;
use hyper::Request;
use postern_api::Code;
use postern_edge::AccessLog;
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::{io::AsyncReadExt, net::TcpStream, sync::Notify, time::timeout};

#[tokio::test]
async fn more_header_lines_than_allowed_are_431() {
    for limit in [20, 100, 150] {
        let world = World::with(|settings| settings.limits.headers = limit).await;
        let origin = ScriptedOrigin::with_text("ok").await;
        let agent = Agent::connect(&world, "one").await;
        agent.http(Some("a"), origin.address).await.unwrap();
        let request = |lines: usize| {
            let more: String = (1..lines).map(|number| format!("X-{number}: x\r\n")).collect();
            format!("GET / HTTP/1.1\r\nHost: a.localhost\r\n{more}\r\n")
        };
        let mut polite = visitor::https(&world, "a.localhost").await;
        let response = polite.request(&request(limit)).await;
        assert_eq!(response.status, 200, "{limit}: {}", response.text());
        let response = polite.request(&request(limit + 1)).await;
        assert_eq!((response.status, response.code()), (431, "ERR_POSTERN_3011"), "{limit}");
        let two = |lines: usize| {
            let request = Request::get("https://a.localhost/");
            let with = (0..lines).fold(request, |request, number| request.header(format!("x-{number}"), "x"));
            with.body(Empty::<Bytes>::new().boxed()).unwrap()
        };
        use http_body_util::BodyExt;
        let stream = visitor::tls(&world, "a.localhost", &[b"h2"]).await;
        let (mut sender, connection) = hyper::client::conn::http2::handshake(
            hyper_util::rt::TokioExecutor::new(),
            hyper_util::rt::TokioIo::new(stream),
        )
        .await
        .unwrap();
        tokio::spawn(connection);
        assert_eq!(sender.send_request(two(limit)).await.unwrap().status(), 200, "{limit}");
        assert_eq!(sender.send_request(two(limit + 1)).await.unwrap().status(), 431, "{limit}");
        assert_eq!(origin.request_texts().len(), 2, "{limit}");
    }
}

/// A service that responds when a test tells it to.
async fn waiting() -> (ScriptedOrigin, Arc<Notify>) {
    let go = Arc::new(Notify::new());
    let held = go.clone();
    let origin = ScriptedOrigin::serving(move |mut connection| {
        let go = held.clone();
        async move {
            while connection.request().await.is_some() {
                go.notified().await;
                let _ = connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await;
            }
        }
    })
    .await;
    (origin, go)
}

#[tokio::test]
async fn excess_requests_get_an_early_503_and_the_rest_are_served() {
    let (log, reader) = AccessLog::new();
    let mut entries = Lines::new(reader);
    let world = World::with(|settings| {
        settings.limits.requests = 2;
        settings.access_log = Some(log);
    })
    .await;
    let (origin, go) = waiting().await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("a"), origin.address).await.unwrap();
    let request = "GET / HTTP/1.1\r\nHost: a.localhost\r\n\r\n";
    let mut served = [visitor::https(&world, "a.localhost").await, visitor::https(&world, "a.localhost").await];
    for (count, visitor) in served.iter_mut().enumerate() {
        visitor.send(request.as_bytes()).await;
        until("the request has arrived", || origin.request_texts().len() == count + 1).await;
    }
    for _ in 0..3 {
        let mut visitor = visitor::https(&world, "a.localhost").await;
        let response = visitor.request(request).await;
        assert_eq!((response.status, response.code()), (503, "ERR_POSTERN_3018"), "{}", response.text());
        assert_eq!(response.header("retry-after"), Some("1"));
        assert_eq!(response.header("connection"), Some("close"));
        assert!(visitor.rest().await.is_empty());
    }
    let mut sender = visitor::http2(&world, "a.localhost").await;
    let two = Request::get("https://a.localhost/").body(http_body_util::Full::default()).unwrap();
    assert_eq!(sender.send_request(two).await.unwrap().status(), 503);
    let written: Vec<_> = entries.all().into_iter().map(|entry| (entry.status, entry.error_code)).collect();
    assert_eq!(written, [(503, Some(Code::EdgeBusy)); 4], "each of them is written down");
    for visitor in &mut served {
        go.notify_one();
        assert_eq!(visitor.response().await.status, 200, "who was there first is served");
    }
    for visitor in &mut served {
        go.notify_one();
        assert_eq!(visitor.request(request).await.status, 200, "there is room again");
    }
    assert_eq!(origin.request_texts().len(), 4, "nothing of the rest reached the local service");
}

/// As many connections as are permitted.
async fn all_places(address: SocketAddr) -> [TcpStream; 3] {
    let places = [(); 3].map(|()| TcpStream::connect(address));
    let [first, second, third] = places;
    [first.await.unwrap(), second.await.unwrap(), third.await.unwrap()]
}

const REQUEST: &str = "GET /page HTTP/1.1\r\nHost: a.localhost\r\n\r\n";

fn told_to_come_back(response: &Http1Response) {
    assert_eq!((response.status, response.code()), (503, "ERR_POSTERN_3018"), "{}", response.text());
    assert_eq!((response.header("retry-after"), response.header("connection")), (Some("1"), Some("close")));
}

#[tokio::test]
async fn a_connection_beyond_the_limit_gets_a_503_immediately() {
    let (log, reader) = AccessLog::new();
    let mut entries = Lines::new(reader);
    let world = World::with(|settings| {
        settings.limits.connections = 3;
        settings.access_log = Some(log);
    })
    .await;
    world.backends([("bkdhr_1", response(200, "fixed"))]).await;
    world.https_edge(https(&["a.localhost"], &[below("/", to("bkdhr_1"))])).await;
    let taken = all_places(world.edge.https_addr()).await;
    for _ in 0..2 {
        let mut late = visitor::https(&world, "a.localhost").await;
        told_to_come_back(&late.request(REQUEST).await);
        assert!(in_time(late.rest()).await.is_empty(), "the connection is over");
    }
    // The other port has a limit of its own.
    assert_eq!(visitor::plain(&world).await.request(REQUEST).await.status, 308);
    let taken_there = all_places(world.edge.http_addr()).await;
    told_to_come_back(&visitor::plain(&world).await.request(REQUEST).await);
    let mut sender = visitor::http2(&world, "a.localhost").await;
    let request = || Request::get("https://a.localhost/page").body(http_body_util::Full::default()).unwrap();
    assert_eq!(sender.send_request(request()).await.unwrap().status(), 503);
    until("the connection is over", || sender.is_closed()).await;
    let refused: Vec<_> = entries.all().into_iter().filter(|entry| entry.status == 503).collect();
    assert_eq!(refused.len(), 4, "each of them is written down");
    for entry in refused {
        assert_eq!((entry.kind.as_str(), entry.error_code), ("request", Some(Code::EdgeBusy)));
        assert_eq!((entry.host.as_str(), entry.path.as_str()), ("a.localhost", "/page"));
    }
    drop((taken, taken_there));
    eventually("there is room again", async || {
        (visitor::get(&world, "a.localhost", "/page").await.status == 200).then_some(())
    })
    .await;
}

#[tokio::test]
async fn excess_connections_that_cannot_be_answered_are_closed() {
    let world = World::with(|settings| settings.limits.connections = 3).await;
    world.backends([("bkdhr_1", response(200, "fixed"))]).await;
    world.tls_edge(tls("raw.localhost", to("bkdhr_1"))).await;
    let _taken = all_places(world.edge.https_addr()).await;
    let stream = TcpStream::connect(world.edge.https_addr()).await.unwrap();
    let name = rustls::pki_types::ServerName::try_from("raw.localhost").unwrap();
    assert!(crate::kit::connector(&world, &[]).connect(name, stream).await.is_err(), "TLS has no words for it");
    let kept = world.live().refused("edgtls_raw.localhost");
    assert_eq!((kept.len(), kept[0].error_code), (1, Some(Code::EdgeBusy)), "the edge's owner sees it");
    // Silent connections occupy the overflow handlers; no one waits behind them.
    let mut listened_to = Vec::new();
    loop {
        let mut late = TcpStream::connect(world.edge.https_addr()).await.unwrap();
        if timeout(Duration::from_millis(50), late.read(&mut [0; 16])).await.is_ok() {
            break;
        }
        listened_to.push(late);
        assert!(listened_to.len() < 500, "everybody is listened to");
    }
    assert!(!listened_to.is_empty());
}
