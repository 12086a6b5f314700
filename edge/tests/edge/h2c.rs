//! Local services that speak HTTP/2: trailers, bidirectional streams, shared connections.

use crate::kit::{
    ScriptedOrigin, World,
    agent::Agent,
    edges::{below, failover, group, https, to},
    h2c::{H2c, send_data, stream, streaming},
    in_time, ports, until,
    visitor::{self, whole},
};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Request, StatusCode};
use postern_tunnel::message::{AppProtocol, BindKind, Scheme};
use std::{net::SocketAddr, sync::atomic::Ordering, time::Duration};

const HOST: &str = "grpc.localhost";

async fn bind(agent: &Agent, address: SocketAddr) {
    let what = BindKind::Http { host: Some(HOST.into()), scheme: Scheme::Https, previous: None };
    agent.bind_speaking(what, AppProtocol::Http2, false, address).await.unwrap();
}

async fn serving(service: &H2c) -> (World, Agent) {
    let world = World::start().await;
    let agent = Agent::connect(&world, "a").await;
    bind(&agent, service.address).await;
    (world, agent)
}

fn get(path: &str) -> Request<Full<Bytes>> {
    Request::builder().uri(format!("https://{HOST}{path}")).body(Full::default()).unwrap()
}

#[tokio::test]
async fn a_call_passes_with_its_trailers_and_the_visitor_address() {
    let service = H2c::start().await;
    let (world, _agent) = serving(&service).await;
    let mut visitor = visitor::http2(&world, HOST).await;
    let request = Request::post(format!("https://{HOST}/shop.Orders/Place"))
        .header("te", "trailers")
        .header("content-type", "application/grpc")
        .body(Full::from("an order"))
        .unwrap();
    let response = in_time(visitor.send_request(request)).await.unwrap();
    assert_eq!(
        (response.status(), &response.headers()["content-type"]),
        (StatusCode::OK, &"application/grpc".parse().unwrap())
    );
    let body = in_time(response.into_body().collect()).await.unwrap();
    let trailers = body.trailers().expect("trailers").clone();
    assert_eq!(
        (&trailers["grpc-status"], &trailers["grpc-message"]),
        (&"0".parse().unwrap(), &"fine".parse().unwrap())
    );
    assert_eq!(body.to_bytes(), "an order");
    let received = service.records.heads.lock().unwrap().pop().unwrap();
    assert_eq!(received.uri.to_string(), format!("http://{HOST}/shop.Orders/Place"));
    assert_eq!(received.headers["te"], "trailers");
    assert_eq!(received.headers["x-forwarded-for"], "127.0.0.1");
    assert_eq!(received.headers["x-forwarded-proto"], "https");
    assert!(!received.headers.contains_key("host") && !received.headers.contains_key("connection"), "{received:?}");
}

#[tokio::test]
async fn both_sides_stream_at_the_same_time() {
    let service = H2c::start().await;
    let (world, _agent) = serving(&service).await;
    let mut visitor = streaming(&world, HOST).await;
    let (mut to, body) = stream();
    let request = Request::post(format!("https://{HOST}/chat")).body(body).unwrap();
    let mut response = in_time(visitor.send_request(request)).await.unwrap().into_body();
    for word in ["one", "two", "three"] {
        send_data(&mut to, word).await;
        let frame = in_time(response.frame()).await.unwrap().unwrap();
        assert_eq!(frame.into_data().unwrap(), word, "each word comes back before the next one is sent");
    }
    drop(to);
    let last = in_time(response.frame()).await.unwrap().unwrap();
    assert_eq!(last.into_trailers().unwrap()["grpc-status"], "0");
    assert!(response.frame().await.is_none());
}

#[tokio::test]
async fn visitors_of_http1_are_served_too() {
    let service = H2c::start().await;
    let (world, _agent) = serving(&service).await;
    let mut visitor = visitor::https(&world, HOST).await;
    for (path, body) in [("/a?b=c", "hello"), ("/", "")] {
        let length = body.len();
        let request = format!("POST {path} HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: {length}\r\n\r\n{body}");
        let response = visitor.request(&request).await;
        assert_eq!(response.status, 200, "{}", response.head);
        assert!(response.text().starts_with(body), "{}", response.text());
    }
    let request = format!("GET /socket HTTP/1.1\r\nHost: {HOST}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    let response = visitor.request(&request).await;
    assert_eq!(response.status, 200, "the wish to change the protocol is not passed on, the request is");
    assert_eq!(service.connections(), 1);
}

#[tokio::test]
async fn many_requests_share_one_connection() {
    let service = H2c::start().await;
    let (world, _agent) = serving(&service).await;
    let visitor = visitor::http2(&world, HOST).await;
    let requests = (0..40).map(|_| {
        let mut visitor = visitor.clone();
        async move { whole(visitor.send_request(get("/together/40")).await.unwrap()).await }
    });
    let responses = in_time(futures::future::join_all(requests)).await;
    assert!(responses.iter().all(|(parts, _)| parts.status == StatusCode::OK));
    assert_eq!(service.connections(), 1);
}

#[tokio::test]
async fn a_service_with_few_concurrent_streams_gets_more_connections() {
    let service = H2c::allowing(Some(3)).await;
    let (world, _agent) = serving(&service).await;
    let visitor = visitor::http2(&world, HOST).await;
    let requests = (0..12).map(|_| {
        let mut visitor = visitor.clone();
        async move { whole(visitor.send_request(get("/together/12")).await.unwrap()).await }
    });
    let responses = in_time(futures::future::join_all(requests)).await;
    assert!(responses.iter().all(|(parts, _)| parts.status == StatusCode::OK));
    assert_eq!(service.connections(), 4);
}

#[tokio::test]
async fn a_service_that_does_not_speak_http2_is_reported() {
    let world = World::start().await;
    let agent = Agent::connect(&world, "a").await;
    let old = ScriptedOrigin::serving(|mut connection| async move {
        let _ = connection.send(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").await;
    })
    .await;
    let curt = ScriptedOrigin::serving(|connection| async move { drop(connection) }).await;
    for (address, code) in [
        (old.address, "ERR_POSTERN_3004"),
        (curt.address, "ERR_POSTERN_3005"),
        (ports::unused_address(), "ERR_POSTERN_8012"),
    ] {
        let what = BindKind::Http { host: None, scheme: Scheme::Https, previous: None };
        let bound = agent.bind_speaking(what, AppProtocol::Http2, false, address).await.unwrap();
        let response = visitor::get(&world, &bound.host.unwrap(), "/").await;
        assert_eq!((response.status, response.code()), (502, code), "{}", response.text());
    }
}

#[tokio::test]
async fn a_closed_connection_is_replaced() {
    let service = H2c::start().await;
    let (world, _agent) = serving(&service).await;
    for round in 1..=3 {
        assert_eq!(visitor::get(&world, HOST, "/").await.status, 200);
        assert_eq!(service.connections(), round);
        service.say_goodbye();
        until("the connection ends", || service.records.ended.load(Ordering::SeqCst) == round).await;
    }
}

#[tokio::test]
async fn a_visitor_who_leaves_cancels_only_their_own_request() {
    let service = H2c::start().await;
    let (world, _agent) = serving(&service).await;
    let (leaving, staying) = (visitor::http2(&world, HOST).await, visitor::http2(&world, HOST).await);
    let other = tokio::spawn(async move {
        let mut staying = staying;
        whole(staying.send_request(get("/together/1")).await.unwrap()).await
    });
    let request = {
        let mut leaving = leaving;
        tokio::spawn(async move { leaving.send_request(get("/never/x")).await })
    };
    until("the request is there", || {
        service.records.heads.lock().unwrap().iter().any(|head| head.uri.path() == "/never/x")
    })
    .await;
    request.abort();
    until("the request is canceled at the local service", || service.records.given_up.load(Ordering::SeqCst) == 1)
        .await;
    assert_eq!(in_time(other).await.unwrap().0.status, StatusCode::OK);
    assert_eq!(service.connections(), 1);
}

#[tokio::test]
async fn an_idle_connection_is_closed() {
    let service = H2c::start().await;
    let world = World::with(|settings| settings.limits.idle_upstream = Duration::from_millis(10)).await;
    let agent = Agent::connect(&world, "a").await;
    bind(&agent, service.address).await;
    assert_eq!(visitor::get(&world, HOST, "/").await.status, 200);
    until("it is closed", || service.records.ended.load(Ordering::SeqCst) == 1).await;
}

#[tokio::test]
async fn stopping_the_tunnel_ends_its_connections() {
    let service = H2c::start().await;
    let (world, agent) = serving(&service).await;
    let mut visitor = streaming(&world, HOST).await;
    let (_to, body) = stream();
    let request = Request::post(format!("https://{HOST}/chat")).body(body).unwrap();
    let mut response = in_time(visitor.send_request(request)).await.unwrap().into_body();
    agent.session.unbind(0);
    agent.session.unbind(1);
    let broken = in_time(response.frame()).await;
    assert!(broken.is_none_or(|frame| frame.is_err()), "the stream does not go on");
    until("nothing is left", || service.records.ended.load(Ordering::SeqCst) == 1).await;
}

#[tokio::test]
async fn groups_mix_both_kinds_and_fail_over() {
    let service = H2c::start().await;
    let world = World::start().await;
    let agent = Agent::connect(&world, "a").await;
    let labels = |word: &str| BindKind::Labels { labels: [("app".to_owned(), word.to_owned())].into() };
    agent.bind_speaking(labels("gone"), AppProtocol::Http2, false, ports::unused_address()).await.unwrap();
    agent.bind_speaking(labels("new"), AppProtocol::Http2, false, service.address).await.unwrap();
    let old = ScriptedOrigin::with_text("old").await;
    agent.labels(&[("app", "old")], old.address).await.unwrap();
    world
        .backends([
            ("gone", group(&[("app", "gone")])),
            ("new", group(&[("app", "new")])),
            ("old", group(&[("app", "old")])),
            ("to-new", failover(&["gone", "new"])),
            ("to-old", failover(&["gone", "old"])),
        ])
        .await;
    world.https_edge(https(&["e.test"], &[below("/new", to("to-new")), below("/old", to("to-old"))])).await;
    assert_eq!(visitor::get(&world, "e.test", "/old").await.text(), "old");
    assert!(old.request_texts()[0].contains("Host: e.test\r\n"), "{}", old.request_texts()[0]);
    assert_eq!(visitor::get(&world, "e.test", "/new").await.status, 200);
    assert_eq!(service.records.heads.lock().unwrap()[0].uri.to_string(), "http://e.test/new");
}

#[tokio::test]
async fn with_the_proxy_protocol_each_visitor_has_a_connection_of_its_own() {
    let world = World::start().await;
    let agent = Agent::connect(&world, "a").await;
    let (new, old) = (H2c::start().await, ScriptedOrigin::with_text("old").await);
    for (host, protocol, address) in
        [("new.localhost", AppProtocol::Http2, new.address), ("old.localhost", AppProtocol::Http1, old.address)]
    {
        let what = BindKind::Http { host: Some(host.into()), scheme: Scheme::Https, previous: None };
        agent.bind_speaking(what, protocol, true, address).await.unwrap();
        for visitors in 1..=3 {
            let mut visitor = visitor::https(&world, host).await;
            for _ in 0..3 {
                assert_eq!(visitor.request(&format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n")).await.status, 200);
            }
            let connections = if host == "new.localhost" { new.connections() } else { old.connections() };
            assert_eq!(connections, visitors, "{host}: one for each visitor, used again by the same one only");
        }
        let starts: Vec<_> = agent.starts.lock().unwrap().drain(..).collect();
        assert!(starts.iter().all(|start| start.destination == Some(world.edge.https_addr())), "{starts:?}");
        let visitors: std::collections::HashSet<_> = starts.iter().map(|start| start.visitor).collect();
        assert_eq!((visitors.len(), starts.len()), (3, 3));
    }
}
