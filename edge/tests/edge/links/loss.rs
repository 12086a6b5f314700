//! Nodes and links that go: what they announced goes with them, and visitors take another way.

use crate::kit::{ScriptedOrigin, World, agent::Agent, cluster::Cluster, in_time, until, visitor};
use postern_api::host::HostName;
use std::time::Duration;

async fn agent_at(cluster: &Cluster, place: usize) -> Agent {
    let agent = Agent::connect_as(&cluster.nodes[place], &cluster.token, "one").await;
    agent.map_err(|error| error.to_string()).unwrap()
}

fn ways(node: &World) -> usize {
    node.live().tunnels().iter().map(|tunnel| tunnel.ways).sum()
}

#[tokio::test]
async fn the_tunnels_of_a_node_that_dies_vanish_and_come_back_with_it() {
    let mut cluster = Cluster::start(2).await;
    let origin = ScriptedOrigin::with_text("hello").await;
    let agent = agent_at(&cluster, 0).await;
    agent.http(Some("shop"), origin.address).await.unwrap();
    let bound = agent.tcp(None, origin.address).await.unwrap();
    cluster.serve("shop.localhost").await;
    until("the port is open", || cluster.nodes[1].live().listens_on(bound.port.unwrap()).is_some()).await;
    let mut open = visitor::https(&cluster.nodes[1], "shop.localhost").await;
    assert_eq!(open.request("GET / HTTP/1.1\r\nHost: shop.localhost\r\n\r\n").await.text(), "hello");
    drop(cluster.nodes.remove(0));
    let left = &cluster.nodes[0];
    until("its tunnels are gone", || ways(left) == 0 && left.live().sessions().is_empty()).await;
    until("its port is closed", || left.live().listens_on(bound.port.unwrap()).is_none()).await;
    let response = open.request("GET / HTTP/1.1\r\nHost: shop.localhost\r\n\r\n").await;
    assert_eq!((response.status, response.code()), (503, "ERR_POSTERN_3201"), "its agent is expected to come back");
    assert!(response.header("retry-after").is_some());
    assert!(left.links().iter().all(|link| !link.up && link.tunnels == 0));
    let again = agent_at(&cluster, 0).await;
    again.http(Some("shop"), origin.address).await.unwrap();
    assert_eq!(open.request("GET / HTTP/1.1\r\nHost: shop.localhost\r\n\r\n").await.text(), "hello");
}

#[tokio::test]
async fn a_local_way_is_preferred_and_a_lost_one_is_replaced_without_a_failure() {
    let cluster = Cluster::start(2).await;
    let (here, there) = (ScriptedOrigin::with_text("here").await, ScriptedOrigin::with_text("there").await);
    let (remote, local) = (agent_at(&cluster, 0).await, agent_at(&cluster, 1).await);
    remote.http(Some("shop"), there.address).await.unwrap();
    cluster.serve("shop.localhost").await;
    let node = &cluster.nodes[1];
    let mut visitor = visitor::https(node, "shop.localhost").await;
    let mut ask = async || visitor.request("GET / HTTP/1.1\r\nHost: shop.localhost\r\n\r\n").await.text();
    assert_eq!(ask().await, "there");
    local.http(Some("shop"), here.address).await.unwrap();
    assert_eq!(ask().await, "here", "the same agent is at this node too");
    local.vanish().await;
    for _ in 0..5 {
        assert_eq!(ask().await, "there", "the other way is taken at once");
    }
    until("the lost way is gone", || ways(node) == 1).await;
    assert_eq!(ask().await, "there");
}

#[tokio::test]
async fn of_two_ways_over_links_the_one_whose_agent_has_left_is_passed_over() {
    let cluster = Cluster::start(3).await;
    let origin = ScriptedOrigin::with_text("hello").await;
    let (one, two) = (agent_at(&cluster, 0).await, agent_at(&cluster, 1).await);
    one.http(Some("shop"), origin.address).await.unwrap();
    cluster.serve("shop.localhost").await;
    two.http(Some("shop"), origin.address).await.unwrap();
    let visited = &cluster.nodes[2];
    until("both ways are known", || ways(visited) == 2).await;
    let mut visitor = visitor::https(visited, "shop.localhost").await;
    let mut ask = async || visitor.request("GET / HTTP/1.1\r\nHost: shop.localhost\r\n\r\n").await.text();
    assert_eq!(ask().await, "hello");
    let preferred = usize::from(two.starts.lock().unwrap().len() == 1);
    let (gone, left) = if preferred == 1 { (two, one) } else { (one, two) };
    gone.vanish().await;
    for _ in 0..5 {
        assert_eq!(ask().await, "hello");
    }
    assert!(!left.starts.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_node_that_drains_is_left_without_a_failure() {
    let mut cluster = Cluster::start(2).await;
    let origin = ScriptedOrigin::with_text("hello").await;
    let (remote, local) = (agent_at(&cluster, 0).await, agent_at(&cluster, 1).await);
    remote.http(Some("shop"), origin.address).await.unwrap();
    cluster.serve("shop.localhost").await;
    let leaving = cluster.nodes.remove(0);
    let node = &cluster.nodes[0];
    let mut visitor = visitor::https(node, "shop.localhost").await;
    let mut ask = async || visitor.request("GET / HTTP/1.1\r\nHost: shop.localhost\r\n\r\n").await.status;
    assert_eq!(ask().await, 200);
    let mut edge = leaving.edge;
    edge.stop_accepting().await;
    assert_eq!(ask().await, 200, "it still serves");
    until("it is known to drain", || node.links().iter().all(|link| link.draining)).await;
    local.http(Some("shop"), origin.address).await.unwrap();
    let draining = tokio::spawn(edge.drain(Duration::from_secs(20)));
    for _ in 0..20 {
        assert_eq!(ask().await, 200);
    }
    in_time(draining).await.unwrap();
    assert_eq!(ask().await, 200);
    until("it is gone", || ways(node) == 1).await;
    assert!(node.live().serves(&HostName::parse("shop.localhost").unwrap()));
}
