//! Proxies in front of the edge: whom it believes about who a visitor is, and what counts then.

use crate::kit::{Http1Client, ScriptedOrigin, World, agent::Agent, connector, in_time, ports, until, visitor};
use postern_api::{
    ip_rules::{Action, IpRule, IpRules, parse_cidr},
    published::{Backend, Settings as EdgeSettings, TcpEdge},
    resource::TunnelGroupBackend,
};
use postern_edge::Settings;
use postern_tunnel::{
    message::{AppProtocol, BindKind, Scheme},
    proxy::{ProxyVersion, encode},
};
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    io::AsyncWriteExt,
    net::{TcpSocket, TcpStream},
};

/// Where the proxy is. Everybody else in these tests is at 127.0.0.1.
const PROXY: &str = "127.0.0.2";
const VISITOR: &str = "203.0.113.9:5000";
const REACHED: &str = "192.0.2.1:443";

fn behind_a_proxy(settings: &mut Settings) {
    settings.proxies.trusted = vec![parse_cidr("127.0.0.2").unwrap()];
    settings.proxies.header_timeout = Duration::from_millis(300);
}

async fn from_proxy(to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(format!("{PROXY}:0").parse().unwrap()).unwrap();
    socket.connect(to).await.unwrap()
}

fn header(version: ProxyVersion) -> Vec<u8> {
    encode(version, VISITOR.parse().unwrap(), Some(REACHED.parse().unwrap()))
}

async fn introduced(to: SocketAddr, version: ProxyVersion) -> TcpStream {
    let mut stream = from_proxy(to).await;
    stream.write_all(&header(version)).await.unwrap();
    stream
}

#[tokio::test]
async fn local_services_hear_the_address_that_a_trusted_proxy_says() {
    let world = World::with(behind_a_proxy).await;
    let origin = ScriptedOrigin::with_text("hello").await;
    let agent = Agent::connect(&world, "a").await;
    for (scheme, host) in [(Scheme::Http, "plain.localhost"), (Scheme::Https, "a.localhost")] {
        let what = BindKind::Http { host: Some(host.into()), scheme, previous: None };
        agent.bind_speaking(what, AppProtocol::Http1, true, origin.address).await.unwrap();
    }
    let request = |host: &str| format!("GET / HTTP/1.1\r\nHost: {host}\r\nX-Forwarded-For: 10.9.9.9\r\n\r\n");
    for version in [ProxyVersion::V1, ProxyVersion::V2] {
        let mut plain = Http1Client::new(introduced(world.edge.http_addr(), version).await);
        assert_eq!(plain.request(&request("plain.localhost")).await.text(), "hello");
        let stream = introduced(world.edge.https_addr(), version).await;
        let name = rustls::pki_types::ServerName::try_from("a.localhost").unwrap();
        let stream = connector(&world, &[b"http/1.1"]).connect(name, stream).await.unwrap();
        assert_eq!(Http1Client::new(stream).request(&request("a.localhost")).await.text(), "hello");
    }
    let received = origin.request_texts();
    assert_eq!(received.len(), 4);
    for request in received {
        assert!(request.contains("X-Forwarded-For: 203.0.113.9\r\n") && !request.contains("10.9.9.9"), "{request}");
    }
    for start in agent.starts.lock().unwrap().iter() {
        assert_eq!((start.visitor.to_string(), start.destination), (VISITOR.into(), Some(REACHED.parse().unwrap())));
    }
}

#[tokio::test]
async fn a_trusted_proxy_must_say_whose_a_connection_is() {
    let world = World::with(behind_a_proxy).await;
    let origin = ScriptedOrigin::with_text("hello").await;
    let agent = Agent::connect(&world, "a").await;
    let bound = agent.http_on(Scheme::Http, Some("plain.localhost"), None, origin.address).await.unwrap();
    let tunnel = agent.tcp(None, origin.address).await.unwrap();
    let tcp = SocketAddr::from(([127, 0, 0, 1], tunnel.port.unwrap()));
    let request = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", bound.host.unwrap());
    let mut flawed = header(ProxyVersion::V1);
    flawed[8] = b'x';
    for to in [world.edge.http_addr(), world.edge.https_addr(), tcp] {
        for first in [request.as_bytes(), &flawed, &header(ProxyVersion::V2)[..20], b""] {
            let mut silent = Http1Client::new(from_proxy(to).await);
            silent.try_send(first).await;
            assert_eq!(silent.rest().await, b"", "{to} after {:?}", String::from_utf8_lossy(first));
        }
    }
    assert!(origin.request_texts().is_empty() && origin.connections() == 0);
    // One that looks after us is no visitor, and yet may speak.
    let mut own = Http1Client::new(from_proxy(world.edge.http_addr()).await);
    own.send(b"PROXY UNKNOWN\r\n").await;
    assert_eq!(own.request(&request).await.text(), "hello");
    assert!(origin.request_texts()[0].contains("X-Forwarded-For: 127.0.0.2\r\n"));
}

#[tokio::test]
async fn others_are_not_believed() {
    let world = World::with(behind_a_proxy).await;
    let origin = ScriptedOrigin::with_text("hello").await;
    let agent = Agent::connect(&world, "a").await;
    agent.http_on(Scheme::Http, Some("plain.localhost"), None, origin.address).await.unwrap();
    let request = "GET / HTTP/1.1\r\nHost: plain.localhost\r\n\r\n";
    let mut liar = visitor::plain(&world).await;
    liar.send(&header(ProxyVersion::V1)).await;
    assert_eq!(liar.request(request).await.status, 400);
    assert!(origin.request_texts().is_empty());
    assert_eq!(visitor::plain(&world).await.request(request).await.text(), "hello");
    assert!(origin.request_texts()[0].contains("X-Forwarded-For: 127.0.0.1\r\n"));
}

#[tokio::test]
async fn others_may_be_kept_out() {
    let world = World::with(|settings| {
        behind_a_proxy(settings);
        settings.proxies.only = true;
    })
    .await;
    for to in [world.edge.http_addr(), world.edge.https_addr()] {
        let mut direct = Http1Client::new(TcpStream::connect(to).await.unwrap());
        direct.try_send(b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n").await;
        assert_eq!(direct.rest().await, b"");
    }
    let mut proxied = Http1Client::new(introduced(world.edge.http_addr(), ProxyVersion::V2).await);
    assert_eq!(proxied.request("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n").await.code(), "ERR_POSTERN_3200");
}

#[tokio::test]
async fn rules_of_tcp_edges_judge_the_visitor_and_not_the_proxy() {
    let world = World::with(behind_a_proxy).await;
    let echo = ScriptedOrigin::echo().await;
    let agent = Agent::connect(&world, "a").await;
    agent.labels(&[("app", "echo")], echo.address).await.unwrap();
    let port = ports::free_tcp_port();
    let rule = IpRule { network: parse_cidr("203.0.113.0/24").unwrap(), action: Action::Allow, id: "ipr_1".into() };
    let labels = [("app".to_owned(), "echo".to_owned())].into();
    world.backends([("group", Backend::TunnelGroup(TunnelGroupBackend { labels }))]).await;
    world.change(|published| {
        let settings = EdgeSettings {
            backend: Some("group".into()),
            ip_restriction: Some(Arc::new(IpRules::new([rule]))),
            ..EdgeSettings::default()
        };
        let edge = TcpEdge { id: "edgtcp_1".into(), ports: vec![port], settings };
        published.tcp_edges.insert_mut(edge.id.clone(), Arc::new(edge));
    });
    until("the edge listens", || world.live().listens_on(port).is_some()).await;
    let to = SocketAddr::from(([127, 0, 0, 1], port));
    let mut proxied = Http1Client::new(introduced(to, ProxyVersion::V2).await);
    proxied.send(b"hello").await;
    assert_eq!(proxied.read_exactly(5).await, b"hello");
    let mut stranger = Http1Client::new(from_proxy(to).await);
    stranger.try_send(b"PROXY TCP4 198.51.100.7 192.0.2.1 5000 443\r\nhello").await;
    assert_eq!(stranger.rest().await, b"");
    let mut direct = Http1Client::new(TcpStream::connect(to).await.unwrap());
    direct.try_send(&[&header(ProxyVersion::V2)[..], b"hello"].concat()).await;
    assert_eq!(direct.rest().await, b"");
    assert_eq!(agent.starts.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn connections_are_counted_by_visitor() {
    let world = World::with(|settings| {
        behind_a_proxy(settings);
        settings.limits.connections_per_address = 2;
    })
    .await;
    let request = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n";
    let mut open = Vec::new();
    for _ in 0..2 {
        let mut proxied = Http1Client::new(introduced(world.edge.http_addr(), ProxyVersion::V1).await);
        assert_eq!(proxied.request(request).await.status, 404);
        open.push(proxied);
    }
    let mut third = Http1Client::new(introduced(world.edge.http_addr(), ProxyVersion::V1).await);
    let response = third.request(request).await;
    assert_eq!((response.status, response.code()), (503, "ERR_POSTERN_3020"), "{}", response.text());
    assert_eq!(response.header("retry-after"), Some("1"));
    assert_eq!(in_time(third.rest()).await, b"");
    let mut another = Http1Client::new(from_proxy(world.edge.http_addr()).await);
    another.send(b"PROXY TCP4 198.51.100.7 192.0.2.1 5000 443\r\n").await;
    assert_eq!(another.request(request).await.status, 404);
}
