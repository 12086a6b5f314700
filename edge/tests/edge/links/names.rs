//! Names and ports in a cluster: one holder for all nodes.

use crate::kit::{ScriptedOrigin, agent::Agent, cluster::Cluster, until, visitor};
use postern_api::{Code, host::HostName};

async fn agent_at(cluster: &Cluster, place: usize, instance: &str) -> Agent {
    let agent = Agent::connect_as(&cluster.nodes[place], &cluster.token, instance).await;
    agent.map_err(|error| error.to_string()).unwrap()
}

#[tokio::test]
async fn what_one_node_has_given_away_another_refuses() {
    let cluster = Cluster::start(2).await;
    let origin = ScriptedOrigin::with_text("hello").await;
    let (one, two) = (agent_at(&cluster, 0, "one").await, agent_at(&cluster, 1, "two").await);
    let bound = one.http(Some("shop"), origin.address).await.unwrap();
    let port = one.tcp(None, origin.address).await.unwrap().port.unwrap();
    cluster.serve("shop.localhost").await;
    until("the port is known", || cluster.nodes[1].live().port_in_use(port)).await;
    assert_eq!(two.http(Some("shop"), origin.address).await.unwrap_err().code, Code::NameTaken);
    assert_eq!(two.tcp(Some(port), origin.address).await.unwrap_err().code, Code::NameTaken);
    one.session.unbind(bound.number);
    until("the name is free everywhere", || cluster.nodes.iter().all(|node| node.live().tunnels().len() == 1)).await;
    two.http(Some("shop"), origin.address).await.unwrap();
}

#[tokio::test]
async fn an_agent_may_hold_its_port_at_two_nodes() {
    let cluster = Cluster::start(2).await;
    let (here, there) = (ScriptedOrigin::greeting("here").await, ScriptedOrigin::greeting("there").await);
    let (remote, local) = (agent_at(&cluster, 0, "one").await, agent_at(&cluster, 1, "one").await);
    let port = remote.tcp(None, there.address).await.unwrap().port.unwrap();
    let node = &cluster.nodes[1];
    until("the port is open", || node.live().listens_on(port).is_some()).await;
    assert_eq!(local.tcp(Some(port), here.address).await.unwrap().port, Some(port));
    let connect = async || {
        let stream = tokio::net::TcpStream::connect(("127.0.0.2", port)).await.unwrap();
        crate::kit::Http1Client::new(stream).rest().await
    };
    assert_eq!(connect().await, b"here", "the way from this node is preferred");
    local.session.goodbye().await;
    until("one way is left", || node.live().tunnels().len() == 1).await;
    until("it is open for the other way", || node.live().listens_on(port).is_some()).await;
    assert_eq!(connect().await, b"there");
}

#[tokio::test]
async fn a_name_given_away_by_two_nodes_belongs_to_the_older_tunnel_everywhere() {
    let cluster = Cluster::apart(2).await;
    let origins = [ScriptedOrigin::with_text("a").await, ScriptedOrigin::with_text("b").await];
    let agents = [agent_at(&cluster, 0, "one").await, agent_at(&cluster, 1, "two").await];
    let mut bound = Vec::new();
    for (agent, origin) in agents.iter().zip(&origins) {
        bound.push(agent.http(Some("shop"), origin.address).await.unwrap());
    }
    cluster.join().await;
    let winner = usize::from(bound[1].tunnel < bound[0].tunnel);
    for node in &cluster.nodes {
        until("both tunnels are known", || node.live().tunnels().len() == 2).await;
        assert_eq!(visitor::get(node, "shop.localhost", "/").await.text(), ["a", "b"][winner]);
    }
    agents[winner].session.unbind(bound[winner].number);
    for node in &cluster.nodes {
        until("one tunnel is left", || node.live().tunnels().len() == 1).await;
        assert_eq!(visitor::get(node, "shop.localhost", "/").await.text(), ["b", "a"][winner], "the other has it now");
    }
}

#[tokio::test]
async fn a_tunnel_is_served_at_every_node_when_its_bind_is_confirmed() {
    let cluster = Cluster::start(3).await;
    let origin = ScriptedOrigin::with_text("hello").await;
    let agent = agent_at(&cluster, 0, "one").await;
    for number in 0..50 {
        let name = format!("site{number}");
        agent.http(Some(&name), origin.address).await.unwrap();
        let host = HostName::parse(&format!("{name}.localhost")).unwrap();
        let served = cluster.nodes.iter().filter(|node| node.live().serves(&host)).count();
        assert_eq!(served, 3, "{host}");
        let port = agent.tcp(None, origin.address).await.unwrap().port.unwrap();
        for node in &cluster.nodes {
            assert!(node.live().listens_on(port).is_some(), "{port}");
        }
    }
}
