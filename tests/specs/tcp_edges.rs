//! A TCP edge: its backend and its rules change while connections are open.

use postern_api::Code;
use postern_tests::{
    World, eventually,
    tcp::{Echo, EchoClient},
};
use serde_json::json;

/// Waits until the edge responds with this greeting.
async fn greeted(port: u16, name: &str) -> EchoClient {
    eventually(&format!("the edge leads to {name}"), async || {
        EchoClient::connect(port).await.filter(|(_, greeting)| greeting == name).map(|(line, _)| line)
    })
    .await
}

/// Waits until visitors are refused.
async fn turned_away(port: u16) {
    eventually("visitors are refused", async || EchoClient::connect(port).await.is_none().then_some(())).await;
}

#[tokio::test]
pub(crate) async fn backend_and_rules_change_under_open_connections() {
    let world = World::start().await;
    let operator = world.operator();
    let (blue, green) = (Echo::named("blue").await, Echo::named("green").await);
    let agent = world.agent().await;
    agent.labelled("blue", "colour=blue", &blue).await;
    agent.labelled("green", "colour=green", &green).await;
    let (to_blue, to_green) = (operator.group("colour", "blue").await, operator.group("colour", "green").await);
    let port = world.server.tcp_ports().1;
    let made = operator
        .post("/edges/tcp", json!({ "hostports": [format!("localhost:{port}")], "backend": { "backend_id": to_blue } }))
        .await
        .ok();
    let edge = format!("/edges/tcp/{}", made.text("id"));

    let mut first = greeted(port, "blue").await;
    operator.put(&format!("{edge}/backend"), json!({ "backend_id": to_green })).await.ok();
    let mut second = greeted(port, "green").await;
    assert_eq!(first.echo("still blue").await.as_deref(), Some("still blue"), "an open connection stays");

    let elsewhere = operator.policy(&[("allow", "203.0.113.0/24")]).await;
    operator.put(&format!("{edge}/ip_restriction"), json!({ "ip_policy_ids": [elsewhere] })).await.ok();
    turned_away(port).await;
    assert_eq!(second.echo("still green").await.as_deref(), Some("still green"), "an open connection stays");

    operator
        .post("/ip_policy_rules", json!({ "ip_policy_id": elsewhere, "action": "allow", "cidr": "127.0.0.0/8" }))
        .await
        .ok();
    greeted(port, "green").await;
    operator.delete(&format!("/ip_policies/{elsewhere}")).await.ok();
    turned_away(port).await;
    operator.delete(&format!("{edge}/ip_restriction")).await.ok();
    greeted(port, "green").await;
    operator.delete(&edge).await.ok();
    turned_away(port).await;
    assert_eq!(first.echo("to the end").await.is_some(), second.echo("to the end").await.is_some());
}

#[tokio::test]
async fn a_backend_lists_the_tunnels_that_serve_it() {
    let world = World::start().await;
    let operator = world.operator();
    let echo = Echo::named("echo").await;
    let agent = world.agent().await;
    let group = format!("/backends/tunnel_group/{}", operator.group("app", "shop").await);
    assert_eq!(operator.get(&group).await.ok().body["tunnels"], json!([]));
    agent.labelled("shop", "app=shop", &echo).await;
    let tunnels = operator.get(&group).await.ok().body["tunnels"].clone();
    assert!(tunnels[0]["id"].as_str().is_some_and(|id| id.starts_with("tn_")), "{tunnels}");
    agent.delete("/api/tunnels/shop").await;
    eventually("the tunnel has ended", async || {
        (operator.get(&group).await.ok().body["tunnels"] == json!([])).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_port_belongs_to_an_edge_or_to_a_tunnel() {
    let world = World::start().await;
    let operator = world.operator();
    let echo = Echo::named("echo").await;
    let agent = world.agent().await;
    let tunnel = agent.tcp("echo", &echo).await;
    let edge_on = |port: u16| json!({ "hostports": [format!("localhost:{port}")] });
    let bound = operator.post("/edges/tcp", edge_on(tunnel.port())).await;
    assert_eq!(bound.code(), Code::HostportBound);
    let (first, last) = world.server.tcp_ports();
    let port = if tunnel.port() == first { last } else { first };
    operator.post("/edges/tcp", edge_on(port)).await.ok();
    assert_eq!(operator.post("/edges/tcp", edge_on(port)).await.code(), Code::HostportTaken);
    let definition =
        json!({ "name": "mine", "proto": "tcp", "addr": echo.to_string(), "remote_addr": port.to_string() });
    assert_eq!(agent.request_tunnel(definition).await.code(), Code::NameOfEdge);
}
