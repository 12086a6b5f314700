//! A TCP service gets a public port.

use postern_api::Code;
use postern_tests::{
    World, eventually,
    tcp::{Echo, EchoClient},
};
use serde_json::json;

#[tokio::test]
async fn a_port_of_the_range_carries_bytes_both_ways() {
    let world = World::start().await;
    let echo = Echo::named("echo").await;
    let agent = world.agent().await;
    let tunnel = agent.tcp("echo", &echo).await;
    let (first, last) = world.server.tcp_ports();
    assert!(tunnel.public_url.starts_with("tcp://localhost:"), "{}", tunnel.public_url);
    assert!((first..=last).contains(&tunnel.port()));
    let (mut line, greeting) = EchoClient::connect(tunnel.port()).await.expect("open");
    assert_eq!(greeting, "echo", "the service may speak first");
    assert_eq!(line.echo("hello").await.as_deref(), Some("hello"));
}

#[tokio::test]
async fn a_requested_port_is_given_once() {
    let world = World::start().await;
    let echo = Echo::named("echo").await;
    let agent = world.agent().await;
    let wanted = world.server.tcp_ports().0 + 3;
    let definition = |name: &str, port: u16| json!({ "name": name, "proto": "tcp", "addr": echo.to_string(), "remote_addr": port.to_string() });
    assert_eq!(agent.tunnel(definition("one", wanted)).await.port(), wanted);
    let taken = agent.request_tunnel(definition("two", wanted)).await;
    assert_eq!(taken.code(), Code::NameTaken, "{taken:?}");
    let outside = agent.request_tunnel(definition("three", 9)).await;
    assert_eq!(outside.code(), Code::PortOutOfRange, "{outside:?}");
}

#[tokio::test]
async fn a_stopped_tunnel_closes_its_port_and_its_connections() {
    let world = World::start().await;
    let echo = Echo::named("echo").await;
    let agent = world.agent().await;
    let tunnel = agent.tcp("echo", &echo).await;
    let (mut line, _) = EchoClient::connect(tunnel.port()).await.expect("open");
    assert_eq!(agent.delete("/api/tunnels/echo").await.status, 204);
    eventually("the port is closed", async || EchoClient::connect(tunnel.port()).await.is_none().then_some(())).await;
    postern_tests::within(std::time::Duration::from_secs(5), "the open connection ends", async || {
        line.echo("still there?").await.is_none().then_some(())
    })
    .await;
}
