//! An agent of a cluster has sessions with two nodes: when one of them goes, the other carries its tunnels.

use postern_tests::{
    Agent, Origin,
    agent::{AgentSetup, Tunnel},
    cluster::Cluster,
    eventually,
    process::exited_successfully,
};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

/// Three linked nodes.
async fn three_nodes() -> Cluster {
    let cluster = Cluster::start(3).await;
    cluster.until_linked().await;
    cluster
}

/// An agent that is told the addresses of these nodes.
async fn agent_setup(cluster: &Cluster, nodes: &[usize]) -> AgentSetup {
    let (_, token) = cluster.operator(nodes[0]).credential(&[]).await;
    let servers: Vec<String> = nodes.iter().map(|node| cluster.nodes[*node].agent_address()).collect();
    cluster.agent_setup(nodes[0], "agent", &token).setting("server_addr", &servers.join(","))
}

async fn sessions(cluster: &Cluster, node: usize) -> Vec<Value> {
    let listed = cluster.operator(node).get("/tunnel_sessions").await.ok().body;
    listed["tunnel_sessions"].as_array().expect("a list").clone()
}

/// Waits until every node knows as many sessions of the agent.
async fn until_sessions(cluster: &Cluster, nodes: &[usize], count: usize) {
    for node in nodes {
        eventually(&format!("node {node} knows {count} sessions"), async || {
            (sessions(cluster, *node).await.len() == count).then_some(())
        })
        .await;
    }
}

/// Waits until a node's agents have bound something: their log says so.
async fn until_bound_twice(agent: &Agent, name: &str) {
    eventually("the tunnel is bound at another node", async || {
        let log = agent.process.stderr();
        log.lines().any(|line| line.contains("started at another node") && line.contains(name)).then_some(())
    })
    .await;
}

/// Visits a tunnel at a node one request after the other until it is told to end.
struct Visits {
    stop: Arc<AtomicBool>,
    made: Arc<AtomicUsize>,
    task: tokio::task::JoinHandle<Vec<String>>,
}

impl Visits {
    /// Each request has a connection of its own or uses one again, as a browser does.
    fn start(cluster: &Cluster, node: usize, host: &str, text: &'static str) -> Visits {
        let (stop, made) = (Arc::<AtomicBool>::default(), Arc::<AtomicUsize>::default());
        let (visitor, url) = (cluster.visitor(node), cluster.url(node, host));
        let (until, count) = (stop.clone(), made.clone());
        let task = tokio::spawn(async move {
            let mut failures = Vec::new();
            while !until.load(Ordering::Relaxed) {
                match tokio::time::timeout(Duration::from_secs(10), visitor.http.get(&url).send()).await {
                    Ok(Ok(response)) => {
                        let status = response.status();
                        match response.text().await {
                            Ok(body) if body == text => {}
                            body => failures.push(format!("{status}: {body:?}")),
                        }
                    }
                    failed => failures.push(format!("{failed:?}")),
                }
                count.fetch_add(1, Ordering::Relaxed);
            }
            failures
        });
        Visits { stop, made, task }
    }

    /// Waits for some more requests.
    async fn more(&self, count: usize) {
        let until = self.made.load(Ordering::Relaxed) + count;
        eventually("more requests are made", async || (self.made.load(Ordering::Relaxed) >= until).then_some(())).await;
    }

    /// The requests that failed.
    async fn end(self) -> Vec<String> {
        self.stop.store(true, Ordering::Relaxed);
        self.task.await.expect("the visits end")
    }
}

async fn assert_none_failed(visits: impl IntoIterator<Item = Visits>) {
    for visits in visits {
        assert_eq!(visits.end().await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn an_agent_keeps_two_sessions_and_its_tunnels_are_listed_once() {
    let cluster = three_nodes().await;
    let origin = Origin::start("hello").await;
    let agent = agent_setup(&cluster, &[0, 1, 2]).await.setting("log_level", "debug").start().await;
    let site = agent.https("site", &origin).await;
    let tcp = agent.tcp("tcp", &origin).await;
    agent.labelled("shop", "site=shop", &origin).await;
    until_sessions(&cluster, &[0, 1, 2], 2).await;
    for name in ["site", "tcp", "shop"] {
        until_bound_twice(&agent, name).await;
    }
    for node in 0..3 {
        eventually("each tunnel is listed once", async || {
            let tunnels = cluster.operator(node).get("/tunnels").await.ok().body;
            let mut ids: Vec<&str> =
                tunnels["tunnels"].as_array()?.iter().filter_map(|one| one["id"].as_str()).collect();
            ids.sort_unstable();
            let count = ids.len();
            ids.dedup();
            (count == 3 && ids.len() == 3).then_some(())
        })
        .await;
        cluster.until_read(node, &site.host(), "hello").await;
    }
    // A tunnel that is started or stopped later is so in both sessions.
    let late = agent.https("late", &origin).await;
    until_bound_twice(&agent, "late").await;
    agent.delete("/api/tunnels/late").await;
    for node in 0..3 {
        eventually("the name is unknown", async || (cluster.reads(node, &late.host()).await == "404").then_some(()))
            .await;
    }
    assert!(tcp.port() > 0);
    // One session is enough for one that asks for no more.
    let (_, token) = cluster.operator(0).credential(&[]).await;
    let single = cluster.agent_setup(0, "single", &token).setting("sessions", "1").start().await;
    single.https("single", &origin).await;
    until_sessions(&cluster, &[1], 3).await;
    drop(single);
    until_sessions(&cluster, &[1], 2).await;
}

/// A tunnel of an agent with sessions at the first two nodes, of which the first leads.
async fn with_two_sessions(cluster: &Cluster, origin: &Origin) -> (Agent, Tunnel) {
    let agent = agent_setup(cluster, &[0, 1]).await.setting("log_level", "debug").start().await;
    let tunnel = agent.https("site", origin).await;
    until_bound_twice(&agent, "site").await;
    let status = agent.get("/api/status").await.ok();
    assert_eq!(status["session"]["server_addr"], cluster.nodes[0].agent_address(), "{status}");
    for node in 0..3 {
        cluster.until_read(node, &tunnel.host(), "hello").await;
    }
    (agent, tunnel)
}

#[tokio::test]
async fn the_death_of_an_agents_node_costs_visitors_of_other_nodes_nothing() {
    let mut cluster = three_nodes().await;
    let origin = Origin::start("hello").await;
    let (agent, tunnel) = with_two_sessions(&cluster, &origin).await;
    let visits = [1, 2].map(|node| Visits::start(&cluster, node, &tunnel.host(), "hello"));
    for visits in &visits {
        visits.more(20).await;
    }
    let first = cluster.kill(0);
    eventually("the other session leads", async || {
        agent.process.stderr().contains("another session has taken over").then_some(())
    })
    .await;
    for visits in &visits {
        visits.more(100).await;
    }
    assert_none_failed(visits).await;
    let status = agent.get("/api/status").await.ok();
    assert_eq!(status["session"]["state"], "online", "{status}");
    assert_eq!(agent.wait_for_tunnel("site").await.host(), tunnel.host());
    // Its place is taken by another node, or by the same one when it is back.
    cluster.nodes[0] = first.start().await;
    until_sessions(&cluster, &[0, 1, 2], 2).await;
}

#[tokio::test]
async fn a_node_that_stops_in_order_hands_its_agents_over() {
    let cluster = three_nodes().await;
    let origin = Origin::start("hello").await;
    let (agent, tunnel) = with_two_sessions(&cluster, &origin).await;
    let visits = [1, 2].map(|node| Visits::start(&cluster, node, &tunnel.host(), "hello"));
    for visits in &visits {
        visits.more(20).await;
    }
    cluster.nodes[0].process.terminate();
    assert!(exited_successfully(cluster.nodes[0].process.wait_for_exit().await));
    for visits in &visits {
        visits.more(50).await;
    }
    assert_none_failed(visits).await;
    assert_eq!(agent.wait_for_tunnel("site").await.host(), tunnel.host());
}

/// An agent with one session, at the first node, whose tunnel so many visitors visit at the other two.
async fn visited_elsewhere(cluster: &Cluster, origin: &Origin, visitors: usize) -> (Agent, Vec<Visits>) {
    let agent = agent_setup(cluster, &[0]).await.with_one_session().start().await;
    let tunnel = agent.https("site", origin).await;
    for node in [1, 2] {
        cluster.until_read(node, &tunnel.host(), "hello").await;
    }
    let visits = [1, 2].into_iter().cycle().take(visitors);
    let visits = visits.map(|node| Visits::start(cluster, node, &tunnel.host(), "hello")).collect();
    (agent, visits)
}

/// How often the session is replaced below: a request is rarely on the way between nodes at the moment.
const REPLACEMENTS: usize = 20;

#[tokio::test]
async fn a_session_that_another_one_replaces_at_its_node_costs_visitors_of_other_nodes_nothing() {
    let cluster = three_nodes().await;
    let origin = Origin::start("hello").await;
    let (mut agent, visits) = visited_elsewhere(&cluster, &origin, 8).await;
    for replacement in 0..REPLACEMENTS {
        let metadata = format!("replacement {replacement}");
        agent.edit_config(|setup| setup.setting("metadata", &metadata));
        eventually("the new session is known", async || {
            sessions(&cluster, 2).await.iter().any(|session| session["metadata"] == metadata.as_str()).then_some(())
        })
        .await;
        agent.wait_until_online().await;
        for visits in &visits {
            visits.more(2).await;
        }
    }
    assert_none_failed(visits).await;
}

#[tokio::test]
async fn a_session_that_is_replaced_before_it_has_bound_costs_visitors_of_other_nodes_nothing() {
    let cluster = three_nodes().await;
    let origin = Origin::start("hello").await;
    let (mut agent, visits) = visited_elsewhere(&cluster, &origin, 4).await;
    let established = |agent: &Agent| agent.process.stderr().matches("session established").count();
    for replacement in 0..REPLACEMENTS {
        let before = established(&agent);
        let metadata = format!("replacement {replacement}");
        agent.edit_config(|setup| setup.setting("metadata", &metadata));
        eventually("another session", async || (established(&agent) > before).then_some(())).await;
    }
    agent.wait_until_online().await;
    for visits in &visits {
        visits.more(2).await;
    }
    assert_none_failed(visits).await;
}

#[tokio::test]
async fn an_agent_that_is_stopped_through_the_management_api_ends_all_sessions() {
    let cluster = three_nodes().await;
    let origin = Origin::start("hello").await;
    let (agent, tunnel) = with_two_sessions(&cluster, &origin).await;
    let listed = sessions(&cluster, 0).await;
    let id = listed[0]["id"].as_str().expect("an id");
    cluster.operator(0).post(&format!("/tunnel_sessions/{id}/stop"), json!({})).await.ok();
    until_sessions(&cluster, &[0, 1, 2], 0).await;
    agent.wait_for_session("refused").await;
    for node in 0..3 {
        eventually("the name is unknown", async || (cluster.reads(node, &tunnel.host()).await == "404").then_some(()))
            .await;
    }
}

#[tokio::test]
async fn a_copy_of_an_agent_at_another_node_takes_its_place() {
    let cluster = three_nodes().await;
    let origin = Origin::start("first").await;
    let (_, token) = cluster.operator(0).credential(&[]).await;
    let setup = cluster.agent_setup(0, "agent", &token).setting("sessions", "1");
    let folder = setup.config().parent().expect("a folder").to_owned();
    let first = setup.start().await;
    let tunnel = first.https("site", &origin).await;
    cluster.until_read(2, &tunnel.host(), "first").await;
    // The folder with the id of the instance is copied to another machine.
    let copied = cluster.path("copy");
    std::fs::create_dir_all(&copied).unwrap();
    for entry in folder.read_dir().unwrap().map(Result::unwrap).filter(|entry| entry.file_type().unwrap().is_file()) {
        std::fs::copy(entry.path(), copied.join(entry.file_name())).unwrap();
    }
    let other = Origin::start("second").await;
    let copy = cluster.agent_setup(2, "copy", &token).setting("sessions", "1").start().await;
    let taken = copy.https("site", &other).await;
    assert_eq!(taken.host(), tunnel.host(), "the name is that of the instance");
    for node in 0..3 {
        cluster.until_read(node, &tunnel.host(), "second").await;
    }
    let status = first.wait_for_session("refused").await;
    assert_eq!(status["reason"]["code"], "ERR_POSTERN_116", "{status}");
}

#[tokio::test]
async fn agents_find_other_nodes_by_the_addresses_that_these_advertise() {
    let mut cluster = Cluster::start(0).await;
    let (https, _) = postern_tests::ports::free_tcp_ports(2);
    for node in 0..2 {
        let address = format!("127.0.0.1:{}", https + node);
        cluster.join(&["--https-addr", &address, "--agent-advertise", &address]).await;
    }
    let origin = Origin::start("hello").await;
    // It is told the address of the first only.
    let agent = agent_setup(&cluster, &[0]).await.setting("log_level", "debug").start().await;
    let tunnel = agent.https("site", &origin).await;
    until_bound_twice(&agent, "site").await;
    // With the first gone for good, the second is enough, also after its restart.
    cluster.nodes[0].process.kill();
    cluster.until_read(1, &tunnel.host(), "hello").await;
    let again = cluster.kill(1);
    cluster.nodes[1] = again.start().await;
    cluster.until_read(1, &tunnel.host(), "hello").await;
}
