//! Names and ports of tunnels where several servers share an etcd: each is given away once, wherever it is asked for.

use futures::future::join_all;
use postern_api::Code;
use postern_tests::{
    Origin,
    agent::{Agent, LocalApiResponse},
    cluster::Cluster,
    eventually,
};
use serde_json::{Value, json};
use std::collections::HashSet;

const RACES: usize = 200;

/// Two servers, and an agent at each.
async fn two_agents() -> (Cluster, Agent, Agent) {
    let cluster = Cluster::start(2).await;
    let (_, token) = cluster.operator(0).credential(&[]).await;
    known(&cluster, 1, &token).await;
    let one = cluster.agent_setup(0, "one", &token).start().await;
    let other = cluster.agent_setup(1, "other", &token).start().await;
    (cluster, one, other)
}

/// Waits until agents with this token can connect to a node.
async fn known(cluster: &Cluster, node: usize, token: &str) {
    assert!(!token.is_empty());
    let credentials = async || cluster.operator(node).get("/credentials").await.ok().body;
    eventually("the credential is known", async || {
        (!credentials().await["credentials"].as_array()?.is_empty()).then_some(())
    })
    .await;
}

fn web(name: &str, host: &str, origin: &Origin) -> Value {
    json!({ "name": name, "proto": "http", "domain": host, "addr": origin.to_string() })
}

/// Whether a request was granted. Another refusal than one of these fails.
#[track_caller]
fn is_granted(response: LocalApiResponse, refused: &[Code]) -> bool {
    if response.status == 201 {
        return true;
    }
    assert!(refused.contains(&response.code()), "{response:?}");
    false
}

#[tokio::test]
async fn of_two_agents_at_two_nodes_one_gets_a_name() {
    let (cluster, one, other) = two_agents().await;
    let origin = Origin::start("hello").await;
    let mut won = [0; 2];
    for number in 0..RACES {
        let (name, host) = (format!("race{number}"), format!("race{number}.localhost"));
        let wanted = || web(&name, &host, &origin);
        let (at_one, at_other) = tokio::join!(one.request_tunnel(wanted()), other.request_tunnel(wanted()));
        let granted = [at_one, at_other].map(|response| is_granted(response, &[Code::NameTaken]));
        assert_ne!(granted[0], granted[1], "one of them has {host}");
        let winner = usize::from(granted[1]);
        won[winner] += 1;
        // It ends in order, and so the next race is not about what is left of it.
        let agent = if granted[0] { &one } else { &other };
        if number % 10 == 0 {
            cluster.until_read(1 - winner, &host, "hello").await;
        }
        assert_eq!(agent.delete(&format!("/api/tunnels/{name}")).await.status, 204);
    }
    println!("won by the agents: {won:?}");
    let left = async || cluster.etcd.ask("/v3/kv/range", &range_of("/team/bound/")).await;
    eventually("no claim is left", async || (!left().await.contains("\"kvs\"")).then_some(())).await;
}

/// A request for all keys with a prefix that ends with a slash.
fn range_of(prefix: &str) -> String {
    let encode = |bytes: &[u8]| base64(bytes);
    let end = format!("{}0", &prefix[..prefix.len() - 1]);
    json!({ "key": encode(prefix.as_bytes()), "range_end": encode(end.as_bytes()) }).to_string()
}

fn base64(bytes: &[u8]) -> String {
    use base64::{Engine, engine::general_purpose::STANDARD};
    STANDARD.encode(bytes)
}

#[tokio::test]
async fn of_an_edge_and_a_tunnel_at_two_nodes_one_gets_a_name_or_port() {
    let (cluster, one, _other) = two_agents().await;
    let origin = Origin::start("hello").await;
    let operator = cluster.operator(1);
    let group = operator.group("none", "none").await;
    let mut edges = 0;
    for number in 0..RACES {
        let (name, host) = (format!("race{number}"), format!("race{number}.localhost"));
        // Every tenth race is about a port.
        let port = cluster.tcp_port();
        let (wanted, kind, edge) = match number % 10 {
            0 => (
                json!({ "name": name, "proto": "tcp", "remote_addr": port.to_string(), "addr": origin.to_string() }),
                "tcp",
                json!({ "hostports": [format!("localhost:{port}")], "backend": { "backend_id": group } }),
            ),
            _ => (web(&name, &host, &origin), "https", json!({ "hostports": [format!("{host}:443")] })),
        };
        let path = format!("/edges/{kind}");
        let (tunnel, edge) = tokio::join!(one.request_tunnel(wanted), operator.post(&path, edge));
        // Both nodes run on one machine, so the edge may listen at the other one before the tunnel claims its port.
        let refusals = [Code::NameTaken, Code::NameOfEdge, Code::NoPortFree, Code::ListenFailed];
        let has_tunnel = is_granted(tunnel, &refusals);
        if edge.status == 201 {
            assert!(!has_tunnel, "{host} has an edge");
            edges += 1;
            operator.delete(&format!("{path}/{}", edge.text("id"))).await.ok();
        } else {
            assert_eq!(edge.code(), Code::HostportBound, "{edge:?}");
            assert!(has_tunnel, "{host} has neither");
            assert_eq!(one.delete(&format!("/api/tunnels/{name}")).await.status, 204);
        }
        if number % 10 == 0 {
            eventually("the port is free again", async || {
                let kept = cluster.etcd.ask("/v3/kv/range", &range_of("/team/bound/tcp/")).await;
                (!kept.contains("\"kvs\"")).then_some(())
            })
            .await;
        }
    }
    println!("{edges} edges, {} tunnels", RACES - edges);
}

#[tokio::test]
async fn random_names_and_ports_differ_across_nodes() {
    let (_cluster, one, other) = two_agents().await;
    let origin = Origin::start("hello").await;
    let requests = (0..12).map(|number| {
        let agent = if number % 2 == 0 { &one } else { &other };
        let name = format!("tcp{number}");
        let origin = &origin;
        async move { agent.tcp(&name, origin).await.port() }
    });
    let ports: HashSet<u16> = join_all(requests).await.into_iter().collect();
    assert_eq!(ports.len(), 12, "{ports:?}");
    let requests = (0..20).map(|number| {
        let agent = if number % 2 == 0 { &one } else { &other };
        let name = format!("web{number}");
        let origin = &origin;
        async move { agent.https(&name, origin).await.host() }
    });
    let hosts: HashSet<String> = join_all(requests).await.into_iter().collect();
    assert_eq!(hosts.len(), 20, "{hosts:?}");
}

#[tokio::test]
async fn an_agent_gets_its_name_at_another_node_and_others_do_not_until_it_ends() {
    let (cluster, one, other) = two_agents().await;
    let origin = Origin::start("hello").await;
    let (_, token) = cluster.operator(0).credential(&[]).await;
    eventually("the credential is known", async || {
        let known = cluster.operator(1).get("/credentials").await.ok().body;
        (known["credentials"].as_array()?.len() == 2).then_some(())
    })
    .await;
    let site = json!({ "proto": "http", "domain": "shop.localhost", "addr": origin.to_string() });
    let setup = |node: usize| cluster.agent_setup(node, "third", &token).tunnel("site", site.clone());
    let third = setup(0).start().await;
    third.wait_for_tunnel("site").await;
    // It is killed, and another agent wants its name before it is back.
    third.process.kill();
    eventually("its session has ended", async || {
        let sessions = cluster.operator(0).get("/tunnel_sessions").await.ok().body;
        (sessions["tunnel_sessions"].as_array()?.len() == 2).then_some(())
    })
    .await;
    for agent in [&one, &other] {
        let refused = agent.request_tunnel(web("site", "shop.localhost", &origin)).await;
        assert!(!is_granted(refused, &[Code::NameTaken]));
    }
    let third = setup(1).start().await;
    third.wait_for_tunnel("site").await;
    cluster.until_read(0, "shop.localhost", "hello").await;
    cluster.until_read(1, "shop.localhost", "hello").await;
    // Once it ends in order, others get it.
    third.process.terminate();
    eventually("the name is free", async || {
        let response = one.request_tunnel(web("site", "shop.localhost", &origin)).await;
        is_granted(response, &[Code::NameTaken]).then_some(())
    })
    .await;
}

#[tokio::test]
async fn without_the_store_agents_keep_their_names_and_new_ones_wait() {
    let (cluster, one, _other) = two_agents().await;
    let origin = Origin::start("hello").await;
    let (_, token) = cluster.operator(0).credential(&[]).await;
    let named = |host: &str| json!({ "proto": "http", "domain": host, "addr": origin.to_string() });
    let setup = |node: usize| cluster.agent_setup(node, "third", &token).tunnel("site", named("shop.localhost"));
    let third = setup(0).start().await;
    third.wait_for_tunnel("site").await;
    cluster.until_read(1, "shop.localhost", "hello").await;
    cluster.etcd.stop(0);
    third.process.kill();
    let refused = one.request_tunnel(web("new", "new.localhost", &origin)).await;
    let codes = [Code::StorageUnreachable, Code::StorageUncertain];
    assert!(!is_granted(refused, &codes), "a new name");
    let third = setup(1).tunnel("late", named("late.localhost")).start().await;
    third.wait_for_tunnel("site").await;
    cluster.until_read(0, "shop.localhost", "hello").await;
    cluster.etcd.go_on(0);
    third.wait_for_tunnel("late").await;
    cluster.until_read(0, "late.localhost", "hello").await;
}
