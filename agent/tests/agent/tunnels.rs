use crate::world::World;
use postern_test_kit::{
    eventually, in_time, ports,
    scripted_origin::{OriginConnection, ScriptedOrigin},
    tls,
};
use postern_tunnel::{StreamKind, StreamRefused, message::BindKind};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const GET: &[u8] = b"GET /hello?x=1 HTTP/1.1\r\nHost: site.localhost\r\nX-A: 1\r\nX-a: 2\r\n\r\n";
const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nSet-Cookie: a\r\nset-cookie: b\r\n\r\nok";

#[tokio::test]
async fn an_http_tunnel_forwards_a_request_and_captures_it() {
    let world = World::start().await;
    let origin = ScriptedOrigin::closing_after_end(b"\r\n\r\n", OK).await;
    let tunnel = world.tunnel("site", "http", origin.port()).await;
    assert_eq!(tunnel["uri"], "/api/tunnels/site");
    assert_eq!(tunnel["proto"], "https");
    assert!(tunnel["public_url"].as_str().unwrap().starts_with("https://made-up-"));
    assert_eq!(tunnel["config"], json!({"addr": format!("http://localhost:{}", origin.port()), "inspect": true}));

    assert_eq!(world.server.http("site", GET).await.expect("answered"), OK);
    assert_eq!(origin.requests(), [GET], "the bytes pass unchanged");

    let metrics = world.get("/api/tunnels/site").await["metrics"].clone();
    assert_eq!(metrics["conns"]["count"], 0, "the server counts visitors, and this one tells of none");
    assert_eq!(metrics["http"]["count"], 1);
    assert!(metrics["http"]["p50"].as_u64().unwrap() > 0);
    for member in ["count", "gauge", "rate1", "rate5", "rate15", "p50", "p90", "p95", "p99"] {
        assert!(metrics["conns"][member].is_number(), "conns.{member}");
        assert_eq!(metrics["http"][member].is_number(), member != "gauge", "http.{member}");
    }
}

#[tokio::test]
async fn a_tcp_tunnel_forwards_megabytes_both_ways_and_half_closes() {
    let world = World::start().await;
    let origin = ScriptedOrigin::echo().await;
    world.tunnel("shell", "tcp", origin.port()).await;
    let stream = world.server.visit("shell", StreamKind::Tcp).await;
    let (mut read, mut write) = tokio::io::split(stream);
    let sent: Vec<u8> = (0..8_000_000u32).map(|index| (index.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let expected = sent.clone();
    let writing = tokio::spawn(async move {
        write.write_all(&sent).await.expect("written");
        write.shutdown().await.expect("half closed");
        write
    });
    let mut echoed = Vec::new();
    in_time(read.read_to_end(&mut echoed)).await.expect("read");
    assert!(echoed == expected, "what came back is what was sent");
    writing.await.expect("written");
}

#[tokio::test]
async fn both_schemes_are_two_endpoints_that_are_stopped_by_their_own_names() {
    let world = World::start().await;
    let body = json!({"name": "site", "proto": "http", "addr": "1", "schemes": ["http", "https"]});
    let (status, tunnel) = world.call("POST", "/api/tunnels", Some(body)).await;
    assert_eq!((status, tunnel["name"].as_str(), tunnel["proto"].as_str()), (201, Some("site"), Some("https")));
    let list = world.get("/api/tunnels").await;
    let names: Vec<&str> =
        list["tunnels"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["site", "site (http)"]);
    let plain = world.get("/api/tunnels/site%20(http)").await;
    assert_eq!(
        (plain["uri"].as_str(), plain["proto"].as_str()),
        (Some("/api/tunnels/site%20%28http%29"), Some("http"))
    );
    assert_eq!(world.call("DELETE", "/api/tunnels/site", None).await.0, 204);
    assert_eq!(world.get("/api/tunnels").await["tunnels"].as_array().unwrap().len(), 1);
    assert_eq!(world.call("DELETE", "/api/tunnels/site%20(http)", None).await.0, 204);
    assert_eq!(world.call("GET", "/api/tunnels/site", None).await.0, 404);
}

#[tokio::test]
async fn a_labelled_tunnel_binds_its_labels() {
    let world = World::start().await;
    let body = json!({"name": "box", "addr": "1", "labels": ["app=shop"]});
    let (status, tunnel) = world.call("POST", "/api/tunnels", Some(body)).await;
    assert_eq!((status, tunnel["labels"].clone()), (201, json!({"app": "shop"})));
    let labels = [("app".to_owned(), "shop".to_owned())].into();
    assert_eq!(world.server.binds()[0].what, BindKind::Labels { labels });
}

#[tokio::test]
async fn a_labelled_tunnel_terminates_tls_that_no_edge_has_terminated() {
    let world = World::start().await;
    let origin = ScriptedOrigin::echo().await;
    let own = tls::self_signed("localhost");
    let folder = world.folder.path();
    std::fs::write(folder.join("own.pem"), own.cert.pem()).expect("written");
    std::fs::write(folder.join("own.key"), own.signing_key.serialize_pem()).expect("written");
    let body = json!({
        "name": "box", "addr": origin.port(), "labels": ["app=shop"],
        "crt": folder.join("own.pem"), "key": folder.join("own.key"),
    });
    let (status, tunnel) = world.call("POST", "/api/tunnels", Some(body)).await;
    assert_eq!(status, 201, "{tunnel}");
    let connector = tls::connector(&[own.cert.der().clone()], &[]);
    let sealed = world.server.visit("box", StreamKind::Tls).await;
    let name = rustls_pki_types::ServerName::try_from("localhost").expect("a name");
    let mut sealed = connector.connect(name, sealed).await.expect("a handshake with the agent");
    let mut open = world.server.visit("box", StreamKind::Tcp).await;
    let mut buffer = [0; 5];
    sealed.write_all(b"hello").await.expect("written");
    sealed.flush().await.expect("flushed");
    sealed.read_exact(&mut buffer).await.expect("echoed");
    assert_eq!(&buffer, b"hello");
    open.write_all(b"plain").await.expect("written");
    open.flush().await.expect("flushed");
    open.read_exact(&mut buffer).await.expect("echoed as it is: an edge has ended TLS");
    assert_eq!(&buffer, b"plain");
}

#[tokio::test]
async fn a_local_service_that_is_down_refuses_the_visitor_with_a_code() {
    let world = World::start().await;
    world.tunnel("site", "http", ports::free_tcp_port()).await;
    let error = world.server.http("site", GET).await.expect_err("refused");
    let refused = error.get_ref().and_then(|inner| inner.downcast_ref::<StreamRefused>()).expect("with a reason");
    assert_eq!(refused.0.code, postern_api::Code::ServiceUnreachable);
}

#[tokio::test]
async fn stopping_a_tunnel_ends_its_connections_within_five_seconds() {
    let world = World::start().await;
    let origin = ScriptedOrigin::echo().await;
    world.tunnel("shell", "tcp", origin.port()).await;
    let mut stream = world.server.visit("shell", StreamKind::Tcp).await;
    stream.write_all(b"hello").await.expect("written");
    stream.flush().await.expect("flushed");
    let mut buffer = [0; 5];
    stream.read_exact(&mut buffer).await.expect("echoed");
    assert_eq!(world.get("/api/tunnels/shell").await["metrics"]["conns"]["gauge"], 1);
    let begun = tokio::time::Instant::now();
    assert_eq!(world.call("DELETE", "/api/tunnels/shell", None).await.0, 204);
    let ended = in_time(stream.read(&mut buffer)).await;
    assert!(!matches!(ended, Ok(length) if length > 0));
    assert!(begun.elapsed().as_secs_f64() < 5.0);
    assert_eq!(world.server.number("shell"), None, "the server has unbound it");
}

#[tokio::test]
async fn an_agent_cannot_be_published_through_itself() {
    let world = World::start().await;
    let port = world.agent().context().web_addr().expect("it listens").port();
    for host in
        ["localhost", "LOCALHOST", "127.0.0.1", "127.0.0.2", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "2130706433"]
    {
        for addr in [format!("{host}:{port}"), format!("https://{host}:{port}")] {
            let body = json!({"name": "me", "proto": "http", "addr": addr});
            let (status, body) = world.call("POST", "/api/tunnels", Some(body)).await;
            assert_eq!((status, body["details"]["code"].as_str()), (400, Some("ERR_POSTERN_8109")), "{addr}");
        }
    }
    assert!(world.get("/api/configured").await["tunnels"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn a_local_service_with_a_self_signed_certificate_is_reached_over_tls() {
    let world = World::start().await;
    let respond = |mut connection: OriginConnection<_>| async move {
        connection.request().await.expect("a request");
        connection.close_with(OK).await;
    };
    let origin = ScriptedOrigin::serving_tls(tls::acceptor(&tls::self_signed("localhost"), &[]), respond).await;
    let port = origin.port();
    let tunnel = world.tunnel("site", "http", format!("https://localhost:{port}")).await;
    assert_eq!(tunnel["config"]["addr"], format!("https://localhost:{port}"));
    assert_eq!(world.server.http("site", GET).await.expect("answered"), OK);
    let id = world.captured(1).await[0]["id"].clone();
    assert_eq!(world.call("POST", "/api/requests/http", Some(json!({"id": id}))).await.0, 204);
    assert_eq!(world.captured(2).await[0]["response"]["status_code"], 200);
}

#[tokio::test]
async fn a_websocket_is_forwarded_and_its_handshake_captured() {
    let world = World::start().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("listening");
    world.tunnel("site", "http", listener.local_addr().expect("bound").port()).await;
    let mut visitor = world.server.visit("site", StreamKind::Http).await;
    let handshake = b"GET /ws HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n";
    visitor.write_all(handshake).await.expect("written");
    visitor.flush().await.expect("flushed");
    let (mut local, _) = listener.accept().await.expect("connected");
    let mut head = vec![0; handshake.len()];
    local.read_exact(&mut head).await.expect("the handshake arrives");
    local
        .write_all(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\nfrom the service")
        .await
        .expect("switched");
    let mut answer = [0; 72];
    visitor.read_exact(&mut answer).await.expect("the switch arrives");
    assert!(answer.ends_with(b"from the service"));
    visitor.write_all(b"from the visitor").await.expect("written");
    visitor.flush().await.expect("flushed");
    let mut word = [0; 16];
    local.read_exact(&mut word).await.expect("it passes");
    assert_eq!(&word, b"from the visitor");
    assert_eq!(world.captured(1).await[0]["response"]["status_code"], 101);
}

#[tokio::test]
async fn websocket_messages_and_events_can_be_followed_live() {
    let world = World::start().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("listening");
    world.tunnel("site", "http", listener.local_addr().expect("bound").port()).await;
    let mut visitor = world.server.visit("site", StreamKind::Http).await;
    visitor.write_all(b"GET /ws HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\n\r\n").await.expect("written");
    visitor.flush().await.expect("flushed");
    let (mut local, _) = listener.accept().await.expect("connected");
    let mut byte = [0; 1];
    local.read_exact(&mut byte).await.expect("the handshake arrives");
    let switch = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n\x81\x05first";
    local.write_all(switch).await.expect("switched");
    let mut answer = vec![0; switch.len()];
    visitor.read_exact(&mut answer).await.expect("it arrives");
    assert_eq!(answer, switch, "nothing is changed on the way");
    let id = world.captured(1).await[0]["id"].as_str().expect("an id").to_owned();
    let path = format!("/api/requests/http/{id}/frames");
    let page = world.get(&path).await;
    assert_eq!((&page["uri"], &page["count"], &page["open"]), (&json!(path), &json!(1), &json!(true)));
    assert_eq!((&page["frames"][0]["text"], &page["frames"][0]["from"]), (&json!("first"), &json!("service")));
    local.write_all(b"\x81\x06second").await.expect("written");
    visitor.read_exact(&mut answer[..8]).await.expect("it arrives");
    let page = world.get(&format!("{path}?after=1&limit=5")).await;
    assert_eq!((&page["frames"][0]["number"], &page["frames"][0]["text"]), (&json!(2), &json!("second")));
    drop((visitor, local));
    eventually("the connection is recorded as closed", async || {
        (world.get(&path).await["open"] == false).then_some(())
    })
    .await;
    assert_eq!(world.call("GET", &format!("{path}?after=x"), None).await.0, 400);
    assert_eq!(world.call("GET", &format!("{path}?other=1"), None).await.0, 400);
    assert_eq!(world.call("GET", "/api/requests/http/0000000000000000/frames", None).await.0, 404);
}

#[tokio::test]
async fn a_service_that_does_not_run_is_named_until_it_does() {
    let world = World::start().await;
    let port = ports::free_tcp_port();
    world.tunnel("site", "http", port).await;
    let service = async || world.get("/api/configured").await["tunnels"][0]["service"].clone();
    let named =
        eventually("the service is missed", async || Some(service().await).filter(|found| !found.is_null())).await;
    assert_eq!(named["code"], "ERR_POSTERN_8012");
    let message = named["message"].as_str().unwrap();
    assert!(message.starts_with(&format!("Nothing listens on http://localhost:{port}. ")), "{message}");
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await.expect("listening");
    eventually("the service is found", async || service().await.is_null().then_some(())).await;
    let accepted = tokio::time::timeout(std::time::Duration::ZERO, listener.accept()).await;
    assert!(accepted.is_err(), "no connection was made to find out");
}
