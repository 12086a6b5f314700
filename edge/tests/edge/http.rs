//! Visitors over HTTP/1.1 and HTTP/2, through a real session to a real local service.

use crate::kit::{Http1Client, ScriptedOrigin, World, agent::Agent, connector, in_time, ports, until, visitor};
use bytes::Bytes;
use http_body_util::Full;
use hyper::Request;
use postern_logins::IdentityHeaders;
use postern_tunnel::message::Scheme;
use rustls::pki_types::ServerName;
use std::{sync::Arc, time::Duration};
use tokio::{net::TcpStream, sync::Notify};

#[tokio::test]
async fn a_page_is_served_under_a_generated_name() {
    let world = World::start().await;
    let origin = ScriptedOrigin::with_text("hello").await;
    let agent = Agent::connect(&world, "one").await;
    let bound = agent.http(None, origin.address).await.unwrap();
    let host = bound.host.unwrap();
    assert_eq!(bound.url.unwrap(), format!("https://{host}:{}", world.edge.https_addr().port()));
    let mut visitor = visitor::https(&world, &host).await;
    for _ in 0..5 {
        let response =
            visitor.request(&format!("GET /x?y=z HTTP/1.1\r\nHost: {host}\r\nX-Odd-CASE: yes\r\n\r\n")).await;
        assert_eq!((response.status, response.text().as_str()), (200, "hello"));
        assert!(
            response.head.contains("Content-Type: text/plain"),
            "the response's names keep their case: {}",
            response.head
        );
    }
    let received = origin.request_texts();
    assert_eq!(received.len(), 5);
    assert!(
        received[0].starts_with("GET /x?y=z HTTP/1.1\r\n") && received[0].contains("X-Odd-CASE: yes\r\n"),
        "{}",
        received[0]
    );
    assert!(received[0].contains(&format!("Host: {host}\r\n")), "{}", received[0]);
    assert_eq!(origin.connections(), 1, "one connection to the local service is used again");
}

#[tokio::test]
async fn http2_visitors_get_the_same() {
    let world = World::start().await;
    let origin = ScriptedOrigin::responding(|request| {
        let body = request.rsplit("\r\n\r\n").next().unwrap_or_default().len();
        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.to_string().len())
    })
    .await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("two"), origin.address).await.unwrap();
    let mut sender = visitor::http2(&world, "two.localhost").await;
    let request = |path: &str| {
        Request::builder()
            .uri(format!("https://two.localhost{path}"))
            .header("cookie", "a=1")
            .header("cookie", "b=2")
            .body(Full::new(Bytes::from_static(b"0123456789")))
            .unwrap()
    };
    let both =
        futures::future::join(sender.send_request(request("/1")), sender.clone().send_request(request("/2"))).await;
    for response in [both.0.unwrap(), both.1.unwrap()] {
        let (parts, body) = visitor::whole(response).await;
        assert_eq!((parts.status.as_u16(), &body[..]), (200, &b"10"[..]));
    }
    let received = origin.request_texts().concat();
    assert!(received.contains("Cookie: a=1; b=2\r\n") && received.contains("Host: two.localhost\r\n"), "{received}");
}

#[tokio::test]
async fn clients_that_offer_only_http1_0_are_served() {
    let world = World::start().await;
    let origin = ScriptedOrigin::with_text("hello").await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("old"), origin.address).await.unwrap();
    let stream = visitor::tls(&world, "old.localhost", &[b"http/1.0"]).await;
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"http/1.0"[..]));
    let response = Http1Client::new(stream).request("GET / HTTP/1.0\r\nHost: old.localhost\r\n\r\n").await;
    assert_eq!((response.status, response.text().as_str()), (200, "hello"));
    let stream = visitor::tls(&world, "old.localhost", &[b"http/1.0", b"http/1.1"]).await;
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
    let stream = TcpStream::connect(world.edge.https_addr()).await.unwrap();
    let name = ServerName::try_from("old.localhost").unwrap();
    assert!(connector(&world, &[b"http/0.9"]).connect(name, stream).await.is_err(), "it frames no response");
}

#[tokio::test]
async fn headers_about_the_visitor_are_replaced() {
    let world = World::start().await;
    let origin = ScriptedOrigin::responding(|_| {
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nPostern-Error-Code: ERR_POSTERN_1\r\npostern-request-id: x\r\n\r\n"
            .into()
    })
    .await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("spoof"), origin.address).await.unwrap();
    let mut visitor = visitor::https(&world, "spoof.localhost").await;
    let response = visitor
        .request(
            "GET / HTTP/1.1\r\nHost: Spoof.LOCALHOST.:4443\r\nX-Forwarded-For: 1.2.3.4\r\nx-forwarded-proto: gopher\r\n\
             X-FORWARDED-HOST: evil\r\nForwarded: for=1.2.3.4\r\nX-Real-IP: 1.2.3.4\r\nPostern-Anything: x\r\n\
             X-Forwarded-Uri: /admin\r\nConnection: x-hop\r\nX-Hop: 1\r\nProxy-Authorization: Basic x\r\n\r\n",
        )
        .await;
    assert_eq!((response.status, response.code()), (200, "none"), "a local service cannot speak as the edge");
    assert!(response.header("postern-request-id").is_none());
    let received = origin.request_texts().remove(0).to_ascii_lowercase();
    for expected in [
        "x-forwarded-for: 127.0.0.1\r\n",
        "x-forwarded-proto: https\r\n",
        "x-forwarded-host: spoof.localhost.:4443\r\n",
        "forwarded: for=127.0.0.1;host=\"spoof.localhost.:4443\";proto=https\r\n",
        "via: 1.1 postern\r\n",
    ] {
        assert_eq!(received.matches(expected).count(), 1, "{expected} in {received}");
    }
    for gone in ["1.2.3.4", "gopher", "evil", "postern-", "x-forwarded-uri", "x-hop", "proxy-auth", "x-real-ip"] {
        assert!(!received.contains(gone), "{gone} in {received}");
    }
}

#[tokio::test]
async fn identity_headers_in_trailers_are_removed_too() {
    let own = IdentityHeaders::new("X-Auth").expect("a prefix");
    let world = World::with(|settings| settings.identity_headers = own).await;
    let origin = ScriptedOrigin::with_text("hello").await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("spoof"), origin.address).await.unwrap();
    let mut visitor = visitor::https(&world, "spoof.localhost").await;
    let response = visitor
        .request(
            "POST / HTTP/1.1\r\nHost: spoof.localhost\r\nTransfer-Encoding: chunked\r\n\
             Trailer: x-auth-user-id, x_auth_user_name, postern-auth-user-id, x-sum\r\n\r\n\
             2\r\nhi\r\n0\r\nX-Auth-User-Id: root\r\nX_Auth_User_Name: root\r\nPostern-Auth-User-Id: root\r\nX-Sum: 1\r\n\r\n",
        )
        .await;
    assert_eq!(response.status, 200);
    let received = origin.request_texts().remove(0).to_ascii_lowercase();
    assert!(received.contains("x-sum: 1\r\n"), "other trailers pass: {received}");
    assert!(!received.contains("root"), "{received}");
}

#[tokio::test]
async fn the_first_event_arrives_while_the_rest_is_held_back() {
    let world = World::start().await;
    let go = Arc::new(Notify::new());
    let held = go.clone();
    let origin = ScriptedOrigin::serving(move |mut connection| {
        let go = held.clone();
        async move {
            connection.request().await;
            let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
            connection.send(head).await.unwrap();
            connection.send(b"a\r\ndata: 1\n\n\n\r\n").await.unwrap();
            go.notified().await;
            connection.send(b"a\r\ndata: 2\n\n\n\r\n0\r\n\r\n").await.unwrap();
        }
    })
    .await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("sse"), origin.address).await.unwrap();
    let mut visitor = visitor::https(&world, "sse.localhost").await;
    visitor.send(b"GET / HTTP/1.1\r\nHost: sse.localhost\r\n\r\n").await;
    visitor.read_until(b"data: 1").await;
    go.notify_one();
    visitor.read_until(b"data: 2").await;
    visitor.read_until(b"0\r\n\r\n").await;
}

#[tokio::test]
async fn a_websocket_is_joined_both_ways_and_early_bytes_arrive() {
    let world = World::start().await;
    let origin = ScriptedOrigin::serving(|mut connection| async move {
        let request = connection.request().await.unwrap().to_ascii_lowercase();
        assert!(request.contains("connection: upgrade\r\n") && request.contains("upgrade: websocket\r\n"), "{request}");
        let response =
            b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Y: z\r\n\r\nearly";
        connection.send(response).await.unwrap();
        let (mut reader, mut writer) = connection.stream.into_split();
        let _ = tokio::io::copy(&mut reader, &mut writer).await;
    })
    .await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("ws"), origin.address).await.unwrap();
    let mut visitor = visitor::https(&world, "ws.localhost").await;
    let response = visitor
        .request("GET /chat HTTP/1.1\r\nHost: ws.localhost\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n")
        .await;
    assert_eq!((response.status, response.header("upgrade")), (101, Some("websocket")), "{}", response.head);
    assert_eq!(visitor.read_exactly(5).await, b"early");
    for size in [1usize, 1000, 100_000] {
        let message: Vec<u8> = (0..size).map(|index| index as u8).collect();
        visitor.send(&message).await;
        assert_eq!(visitor.read_exactly(size).await, message);
    }
    until("the tunnel counts the open stream", || world.live().tunnels()[0].streams == 1).await;
    drop(visitor);
    until("the stream ends with the visitor", || world.live().tunnels()[0].streams == 0).await;
}

#[tokio::test]
async fn an_upgrade_that_is_not_granted_closes_the_connection() {
    let world = World::start().await;
    let origin = ScriptedOrigin::with_text("no").await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("ws"), origin.address).await.unwrap();
    let mut visitor = visitor::https(&world, "ws.localhost").await;
    let request = "GET / HTTP/1.1\r\nHost: ws.localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n\r\n";
    let response = visitor.request(request).await;
    assert_eq!((response.status, response.header("connection")), (200, Some("close")));
    assert!(visitor.rest().await.is_empty());
    let received = origin.request_texts().remove(0).to_ascii_lowercase();
    assert!(!received.contains("h2c") && !received.contains("http2-settings"), "{received}");
}

#[tokio::test]
async fn trailers_and_expect_continue_pass() {
    let world = World::start().await;
    let origin = ScriptedOrigin::responding(|_| {
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 42\r\n\r\n"
            .into()
    })
    .await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("t"), origin.address).await.unwrap();
    let mut visitor = visitor::https(&world, "t.localhost").await;
    let head =
        "POST / HTTP/1.1\r\nHost: t.localhost\r\nTE: trailers\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n";
    let first = visitor.request(head).await;
    assert_eq!(first.status, 100);
    visitor.send(b"body").await;
    let response = visitor.response().await;
    assert_eq!(response.status, 200);
    assert!(response.text().to_ascii_lowercase().contains("x-sum: 42"), "{}", response.text());
    let received = origin.request_texts().remove(0);
    assert!(received.ends_with("\r\n\r\nbody") && received.contains("Expect: 100-continue\r\n"), "{received}");
}

#[tokio::test]
async fn failures_name_their_cause() {
    let world = World::with(|settings| settings.limits.answer = Duration::from_secs(1)).await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("down"), ports::unused_address()).await.unwrap();
    let slow = ScriptedOrigin::serving(|mut connection| async move {
        connection.request().await;
        std::future::pending::<()>().await;
    })
    .await;
    agent.http(Some("slow"), slow.address).await.unwrap();
    let babble = ScriptedOrigin::greeting("SSH-2.0-babble\r\n\r\n").await;
    agent.http(Some("babble"), babble.address).await.unwrap();
    let rude = ScriptedOrigin::serving(|mut connection| async move {
        connection.request().await;
    })
    .await;
    agent.http(Some("rude"), rude.address).await.unwrap();
    for (host, status, code) in [
        ("unknown.localhost", 404, "ERR_POSTERN_3200"),
        ("down.localhost", 502, "ERR_POSTERN_8012"),
        ("slow.localhost", 504, "ERR_POSTERN_3008"),
        ("babble.localhost", 502, "ERR_POSTERN_3004"),
        ("rude.localhost", 502, "ERR_POSTERN_3005"),
    ] {
        let response = visitor::get(&world, host, "/").await;
        assert_eq!((response.status, response.code()), (status, code), "{host}: {}", response.text());
        assert!(response.header("postern-request-id").is_some_and(|id| id.starts_with("op_")), "{}", response.head);
        let body: serde_json::Value = serde_json::from_slice(&response.body).unwrap();
        assert_eq!((body["error_code"].as_str(), body["status_code"].as_u64()), (Some(code), Some(status.into())));
    }
    let mut browser = visitor::https(&world, "down.localhost").await;
    let response = browser
        .request("GET / HTTP/1.1\r\nHost: down.localhost\r\nAccept: text/html\r\nOrigin: https://app.test\r\n\r\n")
        .await;
    assert_eq!(response.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(response.header("access-control-allow-origin"), Some("*"));
    assert!(response.text().contains("Nothing listens on"), "{}", response.text());
}

#[tokio::test]
async fn a_stale_connection_is_replaced_without_the_visitor_noticing() {
    let world = World::start().await;
    // Each connection serves one response and closes when the next request arrives.
    let origin = ScriptedOrigin::serving(|mut connection| async move {
        connection.request().await;
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await.unwrap();
        connection.request().await;
    })
    .await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("stale"), origin.address).await.unwrap();
    for _ in 0..4 {
        let response = visitor::get(&world, "stale.localhost", "/").await;
        assert_eq!((response.status, response.text().as_str()), (200, "ok"));
    }
    let mut visitor = visitor::https(&world, "stale.localhost").await;
    let response = visitor.request("POST / HTTP/1.1\r\nHost: stale.localhost\r\nContent-Length: 1\r\n\r\nx").await;
    assert_eq!(response.status, 502, "what may have been acted on is not sent twice");
}

#[tokio::test]
async fn plain_http_redirects_to_https_where_only_https_is_published() {
    let world = World::start().await;
    let origin = ScriptedOrigin::with_text("plain").await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("secure"), origin.address).await.unwrap();
    let bound = agent.http_on(Scheme::Http, Some("open"), None, origin.address).await.unwrap();
    assert_eq!(bound.url.unwrap(), format!("http://open.localhost:{}", world.edge.http_addr().port()));
    let mut visitor = visitor::plain(&world).await;
    let response = visitor.request("GET /a?b HTTP/1.1\r\nHost: secure.localhost:80\r\n\r\n").await;
    let port = world.edge.https_addr().port();
    assert_eq!(response.status, 308);
    assert_eq!(response.header("location"), Some(format!("https://secure.localhost:{port}/a?b").as_str()));
    let response = visitor.request("GET / HTTP/1.1\r\nHost: open.localhost\r\n\r\n").await;
    assert_eq!((response.status, response.text().as_str()), (200, "plain"));
    assert!(origin.request_texts()[0].contains("X-Forwarded-Proto: http\r\n"), "{}", origin.request_texts()[0]);
    assert_eq!(visitor::get(&world, "open.localhost", "/").await.status, 404, "it is not published over https");
}

#[tokio::test]
async fn large_bodies_pass_unchanged_in_both_directions() {
    let world = World::start().await;
    let origin = ScriptedOrigin::serving(|mut connection| async move {
        while let Some(request) = connection.request().await {
            let body = request.split_once("\r\n\r\n").unwrap().1;
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            connection.send(head.as_bytes()).await.unwrap();
            connection.send(body.as_bytes()).await.unwrap();
        }
    })
    .await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("big"), origin.address).await.unwrap();
    let body: String = (0..3_000_000u32).map(|index| char::from(b'a' + (index % 23) as u8)).collect();
    let visitor = visitor::https(&world, "big.localhost").await;
    let (reader, writer) = tokio::io::split(visitor.stream);
    let sent = body.clone();
    tokio::spawn(async move {
        use tokio::io::AsyncWriteExt;
        let mut writer = writer;
        let head = format!("POST / HTTP/1.1\r\nHost: big.localhost\r\nContent-Length: {}\r\n\r\n", sent.len());
        writer.write_all(head.as_bytes()).await.unwrap();
        writer.write_all(sent.as_bytes()).await.unwrap();
        writer.flush().await.unwrap();
        std::future::pending::<()>().await;
    });
    use tokio::io::AsyncReadExt;
    let (mut reader, mut received) = (reader, Vec::new());
    let mut piece = vec![0; 65536];
    while received.len() < body.len() {
        let read = in_time(reader.read(&mut piece)).await.unwrap();
        assert!(read > 0, "ended after {} bytes", received.len());
        received.extend_from_slice(&piece[..read]);
        if received.len() > body.len() {
            break;
        }
    }
    let start = received.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 4;
    let mut echoed = received.split_off(start);
    while echoed.len() < body.len() {
        let read = in_time(reader.read(&mut piece)).await.unwrap();
        assert!(read > 0);
        echoed.extend_from_slice(&piece[..read]);
    }
    assert!(echoed == body.as_bytes(), "the body came back unchanged");
}

#[tokio::test]
async fn draining_lets_open_requests_finish_and_takes_no_new_visitors() {
    let world = World::start().await;
    let go = Arc::new(Notify::new());
    let held = go.clone();
    let origin = ScriptedOrigin::serving(move |mut connection| {
        let go = held.clone();
        async move {
            connection.request().await;
            go.notified().await;
            let _ = connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone").await;
            connection.request().await;
        }
    })
    .await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("slow"), origin.address).await.unwrap();
    let address = world.edge.https_addr();
    let mut visitor = visitor::https(&world, "slow.localhost").await;
    visitor.send(b"GET / HTTP/1.1\r\nHost: slow.localhost\r\n\r\n").await;
    until("the request has arrived", || !origin.request_texts().is_empty()).await;
    let draining = tokio::spawn(world.edge.drain(crate::kit::WAIT_TIMEOUT));
    while tokio::net::TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    go.notify_one();
    let response = visitor.response().await;
    assert_eq!((response.status, response.text().as_str()), (200, "done"));
    draining.await.unwrap();
    assert!(!agent.ended().await.reason.to_string().is_empty());
}

#[tokio::test]
async fn the_management_api_responds_under_its_own_name() {
    let service = tower::service_fn(|request: Request<postern_edge::ApiRequestBody>| async move {
        let visitor = request.extensions().get::<std::net::SocketAddr>().is_some();
        let text = format!("api {} {visitor}", request.uri().path());
        let body = http_body_util::BodyExt::map_err(Full::new(Bytes::from(text)), |never| match never {});
        Ok::<_, std::convert::Infallible>(hyper::Response::new(http_body_util::BodyExt::boxed_unsync(body)))
    });
    let name = postern_api::host::HostName::parse("api.localhost").unwrap();
    let service = tower::util::BoxCloneSyncService::new(service);
    let world = World::with(|settings| settings.api = Some(postern_edge::ApiHost { name, service })).await;
    let agent = Agent::connect(&world, "one").await;
    let origin = ScriptedOrigin::with_text("x").await;
    let taken = agent.http(Some("api"), origin.address).await.unwrap_err();
    assert_eq!(taken.code, postern_api::Code::NameOfEdge);
    assert_eq!(visitor::get(&world, "api.localhost", "/edges").await.text(), "api /edges true");
    let mut plain = visitor::plain(&world).await;
    assert_eq!(plain.request("GET / HTTP/1.1\r\nHost: api.localhost\r\n\r\n").await.status, 308);
}
