//! HTTPS and TLS edges: names, routes, backends, and changes during use.

use crate::kit::{
    Http1Client, ScriptedOrigin, World,
    agent::Agent,
    edges::{address, below, exactly, failover, group, https, response, tls, to, weighted},
    ports, until, visitor,
};
use postern_api::{
    module::{TerminateAt, TlsVersion},
    published::{Listed, Login, Settings, Termination},
};
use rustls::pki_types::ServerName;
use serde_json::json;
use std::{collections::HashMap, sync::Arc};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

#[tokio::test]
async fn the_route_of_the_path_decides_and_the_path_is_forwarded_as_it_was_sent() {
    let world = World::start().await;
    let origin = ScriptedOrigin::responding(|request| {
        let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{path}", path.len())
    })
    .await;
    world
        .backends([
            ("bkdsc_1", address(origin.address)),
            ("bkdhr_app", response(200, "app")),
            ("bkdhr_exact", response(418, "teapot")),
        ])
        .await;
    let routes =
        [below("/files", to("bkdsc_1")), below("/app", to("bkdhr_app")), exactly("/app/tea", to("bkdhr_exact"))];
    world.https_edge(https(&["shop.localhost", "*.shops.localhost"], &routes)).await;
    for (path, status, body) in [
        ("/app", 200, "app"),
        ("/app/x", 200, "app"),
        ("/app/tea", 418, "teapot"),
        ("/app/tea/", 200, "app"),
        ("/app/./x/../tea", 418, "teapot"),
        ("/%61pp", 200, "app"),
        ("/files/a%2Fb/./c?d=/app", 200, "/files/a%2Fb/./c?d=/app"),
    ] {
        let response = visitor::get(&world, "shop.localhost", path).await;
        assert_eq!((response.status, response.text().as_str()), (status, body), "{path}");
    }
    let response = visitor::get(&world, "shop.localhost", "/app").await;
    assert_eq!(response.header("x-from"), Some("the edge"));
    assert_eq!(visitor::get(&world, "a.b.shops.localhost", "/app").await.status, 200);
    for path in ["/", "/apple", "/file"] {
        let response = visitor::get(&world, "shop.localhost", path).await;
        assert_eq!((response.status, response.code()), (404, "ERR_POSTERN_3015"), "{path}");
    }
    for path in ["/app/..%00/", "/../app", "/app/%zz"] {
        let response = visitor::get(&world, "shop.localhost", path).await;
        assert_eq!((response.status, response.code()), (400, "ERR_POSTERN_3010"), "{path}");
    }
}

#[tokio::test]
async fn plain_http_leads_to_https_and_a_route_without_a_backend_says_so() {
    let world = World::start().await;
    world.https_edge(https(&["shop.localhost"], &[below("/", Settings::default())])).await;
    let mut plain = visitor::plain(&world).await;
    let response = plain.request("GET /x HTTP/1.1\r\nHost: shop.localhost\r\n\r\n").await;
    let port = world.edge.https_addr().port();
    assert_eq!(response.status, 308);
    assert_eq!(response.header("location"), Some(format!("https://shop.localhost:{port}/x").as_str()));
    let response = visitor::get(&world, "shop.localhost", "/").await;
    assert_eq!((response.status, response.code()), (503, "ERR_POSTERN_724"));
    world.backends([("bkdtg_1", group(&[("app", "shop")]))]).await;
    world.https_edge(https(&["shop.localhost"], &[below("/", to("bkdtg_1"))])).await;
    let response = visitor::get(&world, "shop.localhost", "/").await;
    assert_eq!((response.status, response.code()), (503, "ERR_POSTERN_6515"));
    assert!(response.header("retry-after").is_some());
}

#[tokio::test]
async fn a_group_shares_requests_equally_and_follows_its_tunnels() {
    let world = World::start().await;
    let (one, two) = (ScriptedOrigin::with_text("one").await, ScriptedOrigin::with_text("two").await);
    world.backends([("bkdtg_1", group(&[("app", "shop")]))]).await;
    world.https_edge(https(&["shop.localhost"], &[below("/", to("bkdtg_1"))])).await;
    let first = Agent::connect(&world, "one").await;
    first.labels(&[("app", "shop"), ("zone", "a")], one.address).await.unwrap();
    assert_eq!(visitor::get(&world, "shop.localhost", "/").await.text(), "one");
    let second = Agent::connect(&world, "two").await;
    second.labels(&[("app", "shop")], two.address).await.unwrap();
    let mut visitor = visitor::https(&world, "shop.localhost").await;
    let mut counts: HashMap<String, u32> = HashMap::new();
    for _ in 0..10 {
        let response = visitor.request("GET / HTTP/1.1\r\nHost: shop.localhost\r\n\r\n").await;
        *counts.entry(response.text()).or_default() += 1;
    }
    assert_eq!((counts["one"], counts["two"]), (5, 5), "each request is balanced on its own");
    second.vanish().await;
    until("the second tunnel is gone", || world.live().tunnels().len() == 1).await;
    for _ in 0..4 {
        let response = visitor.request("GET / HTTP/1.1\r\nHost: shop.localhost\r\n\r\n").await;
        assert_eq!(response.text(), "one");
    }
}

#[tokio::test]
async fn weights_one_to_three_hold_over_four_thousand_requests() {
    let world = World::start().await;
    world
        .backends([
            ("bkdhr_1", response(200, "one")),
            ("bkdhr_3", response(200, "three")),
            ("bkdhr_0", response(200, "never")),
            ("bkdwd_1", weighted(&[("bkdhr_1", 1), ("bkdhr_3", 3), ("bkdhr_0", 0)])),
        ])
        .await;
    world.https_edge(https(&["shop.localhost"], &[below("/", to("bkdwd_1"))])).await;
    let mut visitor = visitor::https(&world, "shop.localhost").await;
    let (mut one, mut three) = (0.0_f64, 0.0_f64);
    for _ in 0..4000 {
        let response = visitor.request("GET / HTTP/1.1\r\nHost: shop.localhost\r\n\r\n").await;
        match response.text().as_str() {
            "one" => one += 1.0,
            "three" => three += 1.0,
            other => panic!("{other}"),
        }
    }
    let chi_square = (one - 1000.0).powi(2) / 1000.0 + (three - 3000.0).powi(2) / 3000.0;
    // One degree of freedom; a fair split exceeds 15.1 once in ten thousand runs.
    assert!(chi_square < 15.1, "{one} to {three}");
    world.backends([("bkdwd_1", weighted(&[("bkdhr_1", 0)]))]).await;
    let response = visitor::get(&world, "shop.localhost", "/").await;
    assert_eq!((response.status, response.code()), (503, "ERR_POSTERN_6515"), "no backend has a weight");
}

#[tokio::test]
async fn failover_continues_only_when_a_backend_cannot_be_dialed() {
    let world = World::start().await;
    let failing = ScriptedOrigin::responding(|_| "HTTP/1.1 500 Oops\r\nContent-Length: 3\r\n\r\nown".to_owned()).await;
    let second = ScriptedOrigin::responding(|request| {
        let body = request.rsplit("\r\n\r\n").next().unwrap_or_default().to_owned();
        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
    })
    .await;
    world
        .backends([
            ("bkdtg_1", group(&[("app", "shop")])),
            ("bkdsc_1", address(ports::unused_address())),
            ("bkdsc_2", address(second.address)),
            ("bkdhr_1", response(503, "sorry")),
            ("bkdfo_1", failover(&["bkdtg_1", "bkdsc_1", "bkdsc_2", "bkdhr_1"])),
            ("bkdfo_2", failover(&["bkdtg_1", "bkdhr_1"])),
        ])
        .await;
    let routes = [below("/", to("bkdfo_1")), below("/page", to("bkdfo_2"))];
    world.https_edge(https(&["shop.localhost"], &routes)).await;
    let post = "POST / HTTP/1.1\r\nHost: shop.localhost\r\nContent-Length: 5\r\n\r\nhello";
    let mut visitor = visitor::https(&world, "shop.localhost").await;
    assert_eq!(
        visitor.request(post).await.text(),
        "hello",
        "neither the first nor the second is up: the third is tried"
    );
    let response = visitor.request("GET /page HTTP/1.1\r\nHost: shop.localhost\r\n\r\n").await;
    assert_eq!((response.status, response.text().as_str()), (503, "sorry"));

    let agent = Agent::connect(&world, "one").await;
    let tunnel = agent.labels(&[("app", "shop")], ports::unused_address()).await.unwrap();
    assert_eq!(visitor.request(post).await.text(), "hello", "the agent is up, its local service is not");
    agent.session.unbind(tunnel.number);
    agent.labels(&[("app", "shop")], failing.address).await.unwrap();
    until("the old tunnel is gone", || world.live().tunnels().len() == 1).await;
    let response = visitor.request(post).await;
    assert_eq!((response.status, response.text().as_str()), (500, "own"), "what was reached has responded");
}

#[tokio::test]
async fn a_change_applies_to_the_next_request_and_closes_no_connection() {
    let world = World::start().await;
    world.backends([("bkdhr_1", response(200, "old")), ("bkdhr_2", response(200, "new"))]).await;
    world.https_edge(https(&["shop.localhost"], &[below("/", to("bkdhr_1"))])).await;
    let mut visitor = visitor::https(&world, "shop.localhost").await;
    let request = "GET / HTTP/1.1\r\nHost: shop.localhost\r\n\r\n";
    assert_eq!(visitor.request(request).await.text(), "old");
    world.https_edge(https(&["shop.localhost"], &[below("/", to("bkdhr_2"))])).await;
    assert_eq!(visitor.request(request).await.text(), "new", "on the same connection");
    world.change(|published| published.https_edges = Listed::default());
    world.applied().await;
    let response = visitor.request(request).await;
    assert_eq!((response.status, response.code()), (404, "ERR_POSTERN_3200"));
}

#[tokio::test]
async fn the_most_specific_name_wins_be_it_of_an_edge_or_a_tunnel() {
    let world = World::start().await;
    let origin = ScriptedOrigin::with_text("tunnel").await;
    let agent = Agent::connect(&world, "one").await;
    world.backends([("bkdhr_1", response(200, "edge"))]).await;
    world.https_edge(https(&["*.shop.localhost", "x.wide.localhost"], &[below("/", to("bkdhr_1"))])).await;
    agent.http(Some("own.shop.localhost"), origin.address).await.unwrap();
    agent.http(Some("*.wide.localhost"), origin.address).await.unwrap();
    for (host, expected) in [
        ("own.shop.localhost", "tunnel"),
        ("other.shop.localhost", "edge"),
        ("x.wide.localhost", "edge"),
        ("y.wide.localhost", "tunnel"),
    ] {
        assert_eq!(visitor::get(&world, host, "/").await.text(), expected, "{host}");
    }
}

#[tokio::test]
async fn an_unreadable_module_refuses_everyone() {
    let world = World::start().await;
    world.backends([("bkdhr_1", response(200, "in"))]).await;
    let settings = Settings { unreadable: true, ..to("bkdhr_1") };
    world.https_edge(https(&["shop.localhost"], &[below("/", settings)])).await;
    let response = visitor::get(&world, "shop.localhost", "/").await;
    assert_eq!((response.status, response.code()), (503, "ERR_POSTERN_3016"));
}

#[tokio::test]
async fn a_required_login_cannot_be_bypassed() {
    let world = World::start().await;
    world.backends([("bkdhr_1", response(200, "in"))]).await;
    let module = json!({"issuer": "http://127.0.0.1:9", "client_id": "a", "client_secret": "b"});
    let login = Login::Oidc(serde_json::from_value(module).expect("an OIDC module"));
    let settings = Settings { oidc: Some(Arc::new(login)), ..to("bkdhr_1") };
    world.https_edge(https(&["shop.localhost"], &[below("/", to("bkdhr_1")), below("/private", settings)])).await;
    let mut program = visitor::https(&world, "shop.localhost").await;
    let request = "GET /private/x HTTP/1.1\r\nHost: shop.localhost\r\nAccept: application/json\r\n\r\n";
    let response = program.request(request).await;
    assert_eq!((response.status, response.code()), (401, "ERR_POSTERN_3100"));
    let response = visitor::get(&world, "shop.localhost", "/private/x").await;
    assert_eq!((response.status, response.code()), (502, "ERR_POSTERN_5208"), "no backend is reachable");
    assert_eq!(visitor::get(&world, "shop.localhost", "/").await.text(), "in");
}

#[tokio::test]
async fn a_tls_edge_passes_tls_through_or_ends_it() {
    let world = World::start().await;
    let echo = ScriptedOrigin::echo().await;
    world.backends([("bkdsc_1", address(echo.address))]).await;
    let termination = Termination { at: TerminateAt::Edge, oldest: Some(TlsVersion::Tls12) };
    let settings = Settings { tls_termination: Some(termination), ..to("bkdsc_1") };
    world.tls_edge(tls("ended.localhost", settings)).await;
    let mut stream = visitor::tls(&world, "ended.localhost", &[]).await;
    stream.write_all(b"hello").await.unwrap();
    let mut received = [0; 5];
    stream.read_exact(&mut received).await.unwrap();
    assert_eq!(&received, b"hello", "the backend received what was inside");

    // A backend with its own TLS: the edge of another world.
    let inner = World::start().await;
    inner.backends([("bkdhr_1", response(200, "inside"))]).await;
    inner.https_edge(https(&["passed.localhost"], &[below("/", to("bkdhr_1"))])).await;
    world.backends([("bkdsc_2", address(inner.edge.https_addr()))]).await;
    world.tls_edge(tls("passed.localhost", to("bkdsc_2"))).await;
    // The certificate is the inner edge's, so a client that trusts only the outer one fails.
    let connector = crate::kit::connector(&inner, &[b"http/1.1"]);
    let stream = tokio::net::TcpStream::connect(world.edge.https_addr()).await.unwrap();
    let stream = connector.connect(ServerName::try_from("passed.localhost").unwrap(), stream).await.unwrap();
    let response = Http1Client::new(stream).request("GET / HTTP/1.1\r\nHost: passed.localhost\r\n\r\n").await;
    assert_eq!((response.status, response.text().as_str()), (200, "inside"));

    // The body of an HTTP response backend is sent where the server speaks for the backend.
    world.backends([("bkdhr_3", crate::kit::edges::response(200, "220 closed for today\r\n"))]).await;
    let termination = Termination { at: TerminateAt::Edge, oldest: Some(TlsVersion::Tls12) };
    let settings = Settings { tls_termination: Some(termination), ..to("bkdhr_3") };
    world.tls_edge(tls("closed.localhost", settings)).await;
    let mut stream = visitor::tls(&world, "closed.localhost", &[]).await;
    stream.write_all(b"HELO").await.unwrap();
    let mut received = Vec::new();
    stream.read_to_end(&mut received).await.unwrap();
    assert_eq!(received, b"220 closed for today\r\n");

    // A connection made for another name does not reach a TLS edge.
    let mut visitor = visitor::https(&world, "localhost").await;
    let response = visitor.request("GET / HTTP/1.1\r\nHost: ended.localhost\r\n\r\n").await;
    assert_eq!((response.status, response.code()), (421, "ERR_POSTERN_3013"));
}

#[tokio::test]
async fn acme_challenges_are_served_while_there_are_any_and_forwarded_otherwise() {
    let challenges = postern_edge::Challenges::default();
    let mut world = World::with(|settings| settings.challenges = challenges.clone()).await;
    let showing = challenges.text("token", "token.thumb");
    let request = "GET /.well-known/acme-challenge/token HTTP/1.1\r\nHost: new.test\r\n\r\n";
    let response = visitor::plain(&world).await.request(request).await;
    assert_eq!((response.status, response.text().as_str()), (200, "token.thumb"));
    drop(showing);
    assert_eq!(visitor::plain(&world).await.request(request).await.status, 404);

    // The name of a TLS passthrough edge: its backend may have challenges of its own.
    let challenges = postern_edge::Challenges::default();
    let behind = World::with(|settings| settings.challenges = challenges.clone()).await;
    world.backends([("bkdsc_1", address(behind.edge.https_addr()))]).await;
    world.tls_edge(tls("passed.localhost", to("bkdsc_1"))).await;
    let name = crate::kit::edges::name("passed.localhost");
    let key = rcgen::KeyPair::generate().unwrap();
    let made = rcgen::CertificateParams::new(vec![name.to_string()]).unwrap().self_signed(&key).unwrap();
    let private = rustls::pki_types::PrivateKeyDer::Pkcs8(key.serialize_der().into());
    let signing = rustls::crypto::aws_lc_rs::sign::any_supported_type(&private).unwrap();
    let proof = Arc::new(rustls::sign::CertifiedKey::new(vec![made.der().clone()], signing));
    let showing = challenges.certificate(&name, proof);
    world.authority = made.der().clone();
    let stream = visitor::tls(&world, "passed.localhost", &[b"acme-tls/1"]).await;
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"acme-tls/1"[..]));
    drop(showing);
    let connector = crate::kit::connector(&world, &[b"acme-tls/1"]);
    let stream = tokio::net::TcpStream::connect(world.edge.https_addr()).await.unwrap();
    let refused = connector.connect(ServerName::try_from("passed.localhost").unwrap(), stream).await;
    assert!(refused.is_err(), "no proof is pending");
}
