//! TCP tunnels and TCP edges: ports, rules, groups, and changes during connections.

use crate::kit::{Http1Client, ScriptedOrigin, World, agent::Agent, edges, ports, until};
use postern_api::{
    Code,
    ip_rules::{Action, IpRule, IpRules, parse_cidr},
    published::{Backend, Listed, Settings, TcpEdge, listed},
    resource::TunnelGroupBackend,
};
use std::{collections::BTreeMap, sync::Arc};
use tokio::net::TcpStream;

pub(crate) async fn connect(port: u16) -> Http1Client<TcpStream> {
    Http1Client::new(TcpStream::connect(("127.0.0.1", port)).await.unwrap())
}

fn rules(cidr: &str, action: Action) -> Option<Arc<IpRules>> {
    let network = parse_cidr(cidr).unwrap();
    Some(Arc::new(IpRules::new([IpRule { network, action, id: "ipr_1".into() }])))
}

fn edge(port: u16, ip_restriction: Option<Arc<IpRules>>) -> TcpEdge {
    let settings = Settings { backend: Some("bkdtg_1".into()), ip_restriction, ..Settings::default() };
    TcpEdge { id: "edgtcp_1".into(), ports: vec![port], settings }
}

fn labels(value: &str) -> BTreeMap<String, String> {
    BTreeMap::from([("app".to_owned(), value.to_owned())])
}

/// Publishes the edge with its group, and waits until the port listens.
async fn publish(world: &World, port: u16, selects: &str, ip_restriction: Option<Arc<IpRules>>) {
    world.change(|published| {
        let group = Backend::TunnelGroup(TunnelGroupBackend { labels: labels(selects) });
        published.backends.insert_mut("bkdtg_1".into(), Arc::new(group));
        published.tcp_edges = listed([("edgtcp_1".to_owned(), edge(port, ip_restriction))]);
    });
    until("the edge listens", || world.live().listens_on(port).is_some()).await;
}

#[tokio::test]
async fn a_service_that_speaks_first_is_heard_and_half_closing_works() {
    let world = World::start().await;
    let (greeter, echo) = (ScriptedOrigin::greeting("220 ready\r\n").await, ScriptedOrigin::echo().await);
    let agent = Agent::connect(&world, "one").await;
    let bound = agent.tcp(None, greeter.address).await.unwrap();
    assert_eq!(bound.url.unwrap(), format!("tcp://localhost:{}", bound.port.unwrap()));
    assert_eq!(connect(bound.port.unwrap()).await.rest().await, b"220 ready\r\n");
    let bound = agent.tcp(None, echo.address).await.unwrap();
    let mut visitor = connect(bound.port.unwrap()).await;
    let sent: Vec<u8> = (0..500_000u32).map(|index| (index % 251) as u8).collect();
    let (mut reader, mut writer) = tokio::io::split(visitor.stream);
    let writing = {
        let sent = sent.clone();
        async move {
            use tokio::io::AsyncWriteExt;
            writer.write_all(&sent).await.unwrap();
            writer.shutdown().await.unwrap();
            writer
        }
    };
    let mut received = Vec::new();
    let reading = tokio::io::AsyncReadExt::read_to_end(&mut reader, &mut received);
    let (_writer, read) = tokio::join!(writing, reading);
    read.unwrap();
    assert!(received == sent, "every byte came back after the visitor had finished sending");
    visitor = connect(bound.port.unwrap()).await;
    drop(visitor);
    assert_eq!(agent.starts.lock().unwrap()[0].visitor.ip().to_string(), "127.0.0.1");
}

#[tokio::test]
async fn a_tcp_edge_sends_the_body_of_an_http_response_backend_and_closes() {
    let world = World::start().await;
    let port = ports::free_tcp_port();
    world.change(|published| {
        published.backends.insert_mut("bkdtg_1".into(), Arc::new(edges::response(200, "closed for today\n")));
        published.tcp_edges = listed([("edgtcp_1".to_owned(), edge(port, None))]);
    });
    until("the edge listens", || world.live().listens_on(port).is_some()).await;
    let mut visitor = connect(port).await;
    visitor.try_send(&[b'x'; 4096]).await;
    assert_eq!(visitor.rest().await, b"closed for today\n", "all of it, although the visitor's bytes are not wanted");
}

#[tokio::test]
async fn ports_are_exclusive_and_within_the_range() {
    let port = ports::free_tcp_port();
    let world = World::with(|settings| settings.tcp_ports = port..=port).await;
    let origin = ScriptedOrigin::echo().await;
    let one = Agent::connect(&world, "one").await;
    let two = Agent::connect(&world, "two").await;
    let outside = if port == u16::MAX { 1 } else { port + 1 };
    assert_eq!(one.tcp(Some(outside), origin.address).await.unwrap_err().code, Code::PortOutOfRange);
    let bound = one.tcp(None, origin.address).await.unwrap();
    assert_eq!(bound.port, Some(port));
    assert_eq!(two.tcp(Some(port), origin.address).await.unwrap_err().code, Code::NameTaken);
    assert_eq!(two.tcp(None, origin.address).await.unwrap_err().code, Code::NoPortFree);
    one.session.unbind(bound.number);
    until("the port is free", || !world.live().port_in_use(port)).await;
    assert_eq!(two.tcp(Some(port), origin.address).await.unwrap().port, Some(port));
}

#[tokio::test]
async fn a_changed_rule_applies_to_new_connections_only() {
    let world = World::start().await;
    let origin = ScriptedOrigin::echo().await;
    let agent = Agent::connect(&world, "one").await;
    agent.labels(&[("app", "shop"), ("zone", "a")], origin.address).await.unwrap();
    let port = ports::free_tcp_port();
    publish(&world, port, "shop", rules("127.0.0.0/8", Action::Allow)).await;
    let mut open = connect(port).await;
    open.send(b"one").await;
    assert_eq!(open.read_exactly(3).await, b"one");
    publish(&world, port, "shop", rules("127.0.0.0/8", Action::Deny)).await;
    let received = origin.connections();
    loop {
        let mut denied = connect(port).await;
        denied.try_send(b"x").await;
        if denied.rest().await.is_empty() {
            break; // the change has arrived
        }
    }
    let after = origin.connections();
    let mut denied = connect(port).await;
    denied.try_send(b"x").await;
    assert!(denied.rest().await.is_empty());
    assert_eq!(origin.connections(), after, "the local service receives nothing of it ({received})");
    open.send(b"two").await;
    assert_eq!(open.read_exactly(3).await, b"two", "what stands is not cut");
    publish(&world, port, "shop", None).await;
    until("the port still listens", || world.live().listens_on(port).is_some()).await;
    open.send(b"end").await;
    assert_eq!(open.read_exactly(3).await, b"end");
    world.change(|published| published.tcp_edges = Listed::default());
    until("the port is closed", || world.live().listens_on(port).is_none()).await;
    open.send(b"bye").await;
    assert_eq!(open.read_exactly(3).await, b"bye", "nor when the edge itself goes");
}

#[tokio::test]
async fn the_tunnels_of_a_group_take_turns() {
    let world = World::start().await;
    let (a, b) = (ScriptedOrigin::greeting("a").await, ScriptedOrigin::greeting("b").await);
    let (one, two) = (Agent::connect(&world, "one").await, Agent::connect(&world, "two").await);
    one.labels(&[("app", "shop")], a.address).await.unwrap();
    two.labels(&[("app", "shop")], b.address).await.unwrap();
    two.labels(&[("app", "other")], ports::unused_address()).await.unwrap();
    assert_eq!(world.live().tunnels_with(&labels("shop")).len(), 2);
    let port = ports::free_tcp_port();
    publish(&world, port, "shop", None).await;
    let mut received = Vec::new();
    for _ in 0..6 {
        received.extend(connect(port).await.rest().await);
    }
    assert_eq!(received.iter().filter(|byte| **byte == b'a').count(), 3, "{received:?}");
    one.session.goodbye().await;
    until("one session is left", || world.live().sessions().len() == 1).await;
    assert_eq!(connect(port).await.rest().await, b"b");
    two.session.goodbye().await;
    until("no session is left", || world.live().sessions().is_empty()).await;
    assert!(connect(port).await.rest().await.is_empty(), "without an agent the connection is closed");
    let agent = Agent::connect(&world, "three").await;
    let taken = agent.tcp(Some(port), a.address).await.unwrap_err();
    assert_eq!(taken.code, Code::NameOfEdge);
}
