//! The visitor's address in the PROXY protocol, received from a proxy in front and sent to the local service, with HAProxy.

use postern_api::Code;
use postern_tests::{Agent, Origin, World, haproxy::Haproxy};
use serde_json::json;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpSocket, TcpStream},
};

/// The address of visitors, and the address of the proxy in front of the server.
const VISITOR: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 3);
const PROXY: &str = "127.0.0.2";

/// A proxy in front of a port of the server.
async fn in_front(world: &World, of: SocketAddr, version: &str) -> Haproxy {
    let server = format!("server edge {of} source {PROXY} {version}");
    Haproxy::start(world.folder(), "", &["mode tcp", &server]).await
}

/// A proxy in front of a web server. It requires the PROXY protocol and forwards the visitor's address.
async fn before(world: &World, origin: &Origin) -> Haproxy {
    let server = format!("server origin {}", origin.address());
    let tells = [
        "mode http",
        "http-request set-header X-Visitor %[src]:%[src_port]",
        "http-request set-header X-Reached %[dst]:%[dst_port]",
    ];
    Haproxy::start(world.folder(), "accept-proxy", &[tells[0], tells[1], tells[2], &server]).await
}

async fn tunnel_with_proxy_protocol(
    agent: &Agent,
    proto: &str,
    version: i32,
    address: SocketAddr,
) -> postern_tests::agent::Tunnel {
    let name = format!("{proto}-{version}");
    agent.tunnel(json!({"name": name, "proto": proto, "addr": address.to_string(), "proxy_proto": version})).await
}

async fn from(address: Ipv4Addr, to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::from((address, 0))).unwrap();
    socket.connect(to).await.unwrap()
}

#[tokio::test]
async fn an_address_passes_a_proxy_the_tunnel_and_another_proxy() {
    let world = World::with(|setup| setup.flags(&["--trusted-proxies", PROXY])).await;
    let (origin, agent) = (Origin::start("hello").await, world.agent().await);
    let behind = before(&world, &origin).await;
    for (version, sends) in [(1, "send-proxy"), (2, "send-proxy-v2")] {
        let front = in_front(&world, world.server.addresses.https, sends).await;
        let tunnel = tunnel_with_proxy_protocol(&agent, "http", version, behind.address()).await;
        let visitor = world.visitor().with(|builder| builder.local_address(IpAddr::from(VISITOR)));
        let url = format!("https://{}:{}/v{version}", tunnel.host(), front.address().port());
        assert_eq!(visitor.get(&url).await.text(), "hello");
        let received = &origin.wait_for_requests(&format!("/v{version}"), 1).await[0];
        assert!(received.header("x-visitor").starts_with("127.0.0.3:"), "{received:?}");
        assert_eq!(received.header("x-reached"), front.address().to_string(), "what the visitor reached is the proxy");
        assert_eq!(received.header("x-forwarded-for"), "127.0.0.3");
        let captured =
            agent.wait_for_capture("the request", |request| request["request"]["uri"] == format!("/v{version}")).await;
        assert!(captured["remote_addr"].as_str().unwrap().starts_with("127.0.0.3"), "{captured}");

        // A peer that is not a trusted proxy is the visitor itself.
        let direct = world.visitor().get(&tunnel.url(&format!("/direct{version}"))).await;
        assert_eq!(direct.text(), "hello");
        let received = &origin.wait_for_requests(&format!("/direct{version}"), 1).await[0];
        assert!(received.header("x-visitor").starts_with("127.0.0.1:"), "{received:?}");
    }
}

#[tokio::test]
async fn rules_use_the_address_that_a_proxy_reports() {
    let world = World::with(|setup| setup.flags(&["--trusted-proxies", PROXY])).await;
    let (operator, origin, agent) = (world.operator(), Origin::start("hello").await, world.agent().await);
    agent.labelled("shop", "app=shop", origin.address()).await;
    let (backend, policy) = (operator.group("app", "shop").await, operator.policy(&[("allow", "127.0.0.3/32")]).await);
    let edge = operator.post("/edges/https", json!({"hostports": ["shop.localhost:443"]})).await.ok();
    let route = json!({
        "match": "/", "match_type": "path_prefix", "backend": {"backend_id": backend},
        "ip_restriction": {"ip_policy_ids": [policy]},
    });
    operator.post(&format!("/edges/https/{}/routes", edge.text("id")), route).await.ok();
    let front = in_front(&world, world.server.addresses.https, "send-proxy-v2").await;
    let url = format!("https://shop.localhost:{}/", front.address().port());
    let allowed = world.visitor().with(|builder| builder.local_address(IpAddr::from(VISITOR)));
    assert_eq!(allowed.get(&url).await.text(), "hello");
    assert_eq!(world.visitor().get(&url).await.refused(), Code::AddressDenied, "others come through the same proxy");
}

#[tokio::test]
async fn a_tcp_service_receives_the_address_before_anything_else() {
    let world = World::with(|setup| setup.flags(&["--trusted-proxies", PROXY])).await;
    let agent = world.agent().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let tunnel = tunnel_with_proxy_protocol(&agent, "tcp", 1, listener.local_addr().unwrap()).await;
    let port = SocketAddr::from((Ipv4Addr::LOCALHOST, tunnel.port()));
    let front = in_front(&world, port, "send-proxy").await;
    let mut visitor = from(VISITOR, front.address()).await;
    visitor.write_all(b"hello").await.unwrap();
    let line = format!(
        "PROXY TCP4 127.0.0.3 127.0.0.1 {} {}\r\nhello",
        visitor.local_addr().unwrap().port(),
        front.address().port()
    );
    // The check whether the proxy listens was forwarded here too, and closed without a byte.
    let mut service = loop {
        let (mut service, _) = listener.accept().await.unwrap();
        let mut received = vec![0; line.len()];
        if service.read_exact(&mut received).await.is_ok() {
            assert_eq!(String::from_utf8_lossy(&received), line);
            break service;
        }
    };
    service.write_all(b"and back").await.unwrap();
    let mut back = [0; 8];
    visitor.read_exact(&mut back).await.unwrap();
    assert_eq!(&back, b"and back");
}

#[tokio::test]
async fn only_proxies_may_connect_if_the_operator_says_so() {
    let flags = ["--trusted-proxies", PROXY, "--direct-visitors", "refuse"];
    let world = World::with(|setup| setup.flags(&flags)).await;
    let mut direct = TcpStream::connect(world.server.addresses.http).await.unwrap();
    let _ = direct.write_all(b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n").await;
    let mut received = Vec::new();
    let _ = direct.read_to_end(&mut received).await;
    assert!(received.is_empty(), "{}", String::from_utf8_lossy(&received));
    let front = in_front(&world, world.server.addresses.http, "send-proxy-v2").await;
    let mut proxied = from(VISITOR, front.address()).await;
    proxied.write_all(b"GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n").await.unwrap();
    proxied.read_to_end(&mut received).await.unwrap();
    assert!(received.starts_with(b"HTTP/1.1 404"), "{}", String::from_utf8_lossy(&received));
}
