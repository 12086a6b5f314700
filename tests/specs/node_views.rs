//! Views of several nodes: the same at each, with the nodes that do not answer by name; agents take commands from any node.

use futures::future::join_all;
use postern_api::Code;
use postern_tests::{Agent, Origin, agent::Tunnel, cluster::Cluster, eventually};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

/// Longest time until a response, although a node does not answer.
const MAX_RESPONSE_TIME: Duration = Duration::from_millis(1200);

/// What a node responds.
async fn read(cluster: &Cluster, node: usize, path: &str) -> Value {
    cluster.operator(node).get(path).await.ok().body
}

/// A response without its URIs, which name the node, and without what changes every second.
fn comparable(mut value: Value) -> Value {
    match &mut value {
        Value::Object(members) => {
            members.retain(|name, _| !["uri", "last_minute", "history"].contains(&name.as_str()));
            members.values_mut().for_each(|member| *member = comparable(member.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = comparable(item.take())),
        _ => {}
    }
    value
}

fn count(list: &Value, member: &str) -> usize {
    list[member].as_array().expect("a list").len()
}

/// An agent at each node, with a tunnel.
async fn agents(cluster: &Cluster, origin: &Origin) -> Vec<(Agent, Tunnel)> {
    let (_, token) = cluster.operator(0).credential(&[]).await;
    let nodes = 0..cluster.nodes.len();
    let setups = nodes.map(|node| cluster.agent_setup(node, &format!("agent{node}"), &token).setting("sessions", "1"));
    join_all(setups.map(async |setup| {
        let agent = setup.start().await;
        let tunnel = agent.https("site", origin).await;
        (agent, tunnel)
    }))
    .await
}

/// Waits until every thread of a process has stopped: the signal is delivered to one after another.
async fn until_stopped(pid: u32) {
    eventually("all threads have stopped", async || {
        let mut threads = std::fs::read_dir(format!("/proc/{pid}/task")).ok()?;
        let is_stopped = |thread: std::io::Result<std::fs::DirEntry>| {
            let status = std::fs::read_to_string(thread.ok()?.path().join("status")).ok()?;
            status.lines().any(|line| line.starts_with("State:\tT")).then_some(())
        };
        threads.all(|thread| is_stopped(thread).is_some()).then_some(())
    })
    .await;
}

/// The nodes that a response names as missing.
fn missing(response: &Value) -> Vec<&str> {
    let names = response["nodes_missing"].as_array();
    names.into_iter().flatten().map(|node| node["name"].as_str().expect("a name")).collect()
}

#[tokio::test]
async fn all_views_are_the_same_at_every_node() {
    let cluster = Cluster::start(3).await;
    cluster.until_linked().await;
    let origin = Origin::start("hello").await;
    let agents = agents(&cluster, &origin).await;
    agents[2].0.tcp("raw", &origin).await;
    for node in 0..3 {
        eventually("every tunnel is known", async || {
            (count(&read(&cluster, node, "/tunnels").await, "tunnels") == 4).then_some(())
        })
        .await;
    }
    for (_, tunnel) in &agents {
        for node in 0..3 {
            assert_eq!(cluster.reads(node, &tunnel.host()).await, "hello");
        }
    }
    // Each visitor is counted by its own node, and shown by all.
    let traffic = eventually("all is counted", async || {
        let traffic = comparable(read(&cluster, 0, "/traffic").await);
        let done = |one: &Value| one["total"]["requests"] == 3;
        (count(&traffic, "traffic") == 3 && traffic["traffic"].as_array()?.iter().all(done)).then_some(traffic)
    })
    .await;
    let status = read(&cluster, 0, "/status").await;
    assert_eq!((&status["sessions"], &status["tunnels"]), (&json!(3), &json!(4)));
    assert_eq!(status["traffic"]["requests"], 9);
    let names = ["node0", "node1", "node2"].map(Value::from);
    let busiest = traffic["traffic"][0]["id"].as_str().expect("an id");
    for node in 0..3 {
        for (path, member, expected) in [("/tunnel_sessions", "tunnel_sessions", 3), ("/tunnels", "tunnels", 4)] {
            let view = read(&cluster, node, path).await;
            assert_eq!((count(&view, member), missing(&view)), (expected, vec![]), "{view}");
            let mut at: Vec<Value> =
                view[member].as_array().unwrap().iter().map(|one| one["node"]["name"].clone()).collect();
            at.sort_by_key(Value::to_string);
            at.dedup();
            assert_eq!(at, names);
        }
        for path in ["/tunnel_sessions", "/tunnels", "/endpoints", "/traffic", &format!("/traffic/{busiest}")] {
            let (view, first) = (read(&cluster, node, path).await, read(&cluster, 0, path).await);
            assert_eq!(comparable(view), comparable(first), "{path}");
        }
        let own = read(&cluster, node, "/status").await;
        for member in ["sessions", "tunnels", "traffic", "started_at", "configured"] {
            assert_eq!(own[member], status[member], "{member}");
        }
        // Metrics count what a node has itself.
        let metrics = cluster.operator(node).get("/metrics").await.ok().text;
        let tunnels = if node == 2 { 2 } else { 1 };
        for sample in ["postern_sessions 1".to_owned(), format!("postern_tunnels {tunnels}")] {
            assert!(metrics.lines().any(|line| line == sample), "{sample} in {metrics}");
        }
    }
}

#[tokio::test]
async fn the_last_requests_of_all_nodes_are_listed_at_each() {
    let cluster = Cluster::start(2).await;
    cluster.until_linked().await;
    let origin = Origin::start("hello").await;
    let (_, token) = cluster.operator(0).credential(&[]).await;
    let agent = cluster.agent_setup(0, "agent", &token).setting("sessions", "1").start().await;
    let tunnel = agent.https("site", &origin).await;
    for node in [0, 1, 1] {
        cluster.until_read(node, &tunnel.host(), "hello").await;
    }
    let id = read(&cluster, 1, "/tunnels").await["tunnels"][0]["id"].as_str().expect("an id").to_owned();
    let path = format!("/tunnels/{id}/requests?status=2xx");
    for node in 0..2 {
        let listed = eventually("all are complete", async || {
            let listed = read(&cluster, node, &path).await;
            let done = listed["requests"].as_array()?.iter().all(|one| one["complete"] == true);
            (done && count(&listed, "requests") == 3).then_some(listed)
        })
        .await;
        assert_eq!(missing(&listed), Vec::<&str>::new(), "{listed}");
        let reached: Vec<_> = listed["requests"].as_array().expect("a list").iter().collect();
        assert_eq!(reached.iter().map(|one| &one["node"]["name"]).collect::<Vec<_>>(), ["node1", "node1", "node0"]);
        assert!(reached.iter().all(|one| one["tunnel_id"] == json!(id) && one["credential_id"] != ""), "{listed}");
    }
    let halted = &cluster.nodes[1].process;
    halted.signal(Signal::STOP);
    until_stopped(halted.pid()).await;
    let listed = read(&cluster, 0, &path).await;
    assert_eq!((missing(&listed), count(&listed, "requests")), (vec!["node1"], 1), "{listed}");
    halted.signal(Signal::CONT);
}

#[tokio::test]
async fn a_node_that_does_not_answer_is_named_in_time() {
    let cluster = Cluster::start(3).await;
    cluster.until_linked().await;
    let origin = Origin::start("hello").await;
    let agents = agents(&cluster, &origin).await;
    cluster.until_read(0, &agents[2].1.host(), "hello").await;
    let session = async || {
        let sessions = read(&cluster, 0, "/tunnel_sessions").await;
        let mut all = sessions["tunnel_sessions"].as_array().expect("a list").iter();
        all.find(|one| one["node"]["name"] == "node2").map(|one| one["id"].as_str().expect("an id").to_owned())
    };
    let session_there = session().await.expect("the agent's session");
    let listed = read(&cluster, 0, "/tunnels").await["tunnels"].as_array().expect("a list").clone();
    let tunnel = listed.iter().find(|one| one["node"]["name"] == "node2").expect("its tunnel")["id"].clone();
    let halted = &cluster.nodes[2].process;
    halted.signal(Signal::STOP);
    until_stopped(halted.pid()).await;
    // Whether the command is carried out later is not known.
    let began = Instant::now();
    let restart = format!("/tunnel_sessions/{session_there}/restart");
    let refused = cluster.operator(0).post(&restart, json!({})).await;
    assert_eq!((refused.status, refused.code()), (503, Code::RemoteUncertain));
    assert!(began.elapsed() < MAX_RESPONSE_TIME, "after {:?}", began.elapsed());
    for path in ["/status", "/traffic", &format!("/traffic/{}", tunnel.as_str().expect("an id"))] {
        let began = Instant::now();
        let response = read(&cluster, 0, path).await;
        assert_eq!(missing(&response), ["node2"], "{path}: {response}");
        assert!(began.elapsed() < MAX_RESPONSE_TIME, "{path} after {:?}", began.elapsed());
    }
    for (path, member) in
        [("/tunnel_sessions", "tunnel_sessions"), ("/tunnels", "tunnels"), ("/endpoints", "endpoints")]
    {
        for node in 0..2 {
            eventually("the node is missing, with its agent", async || {
                let view = read(&cluster, node, path).await;
                (missing(&view) == ["node2"] && count(&view, member) == 2).then_some(())
            })
            .await;
        }
    }
    halted.signal(Signal::CONT);
    for path in ["/status", "/traffic", "/tunnel_sessions", "/tunnels", "/endpoints"] {
        eventually("no node is missing", async || missing(&read(&cluster, 0, path).await).is_empty().then_some(()))
            .await;
    }
    eventually("its agent is shown again", async || session().await).await;
}

#[tokio::test]
async fn an_agent_is_restarted_and_stopped_from_any_node() {
    let cluster = Cluster::start(3).await;
    cluster.until_linked().await;
    let (_, token) = cluster.operator(0).credential(&[]).await;
    let origin = Origin::start("hello").await;
    let agent = cluster.agent_setup(0, "agent", &token).setting("sessions", "1").start().await;
    let tunnel = agent.https("site", &origin).await;
    let sessions = async |node: usize| {
        let view = read(&cluster, node, "/tunnel_sessions").await;
        let id = |session: &Value| session["id"].as_str().expect("an id").to_owned();
        view["tunnel_sessions"].as_array().expect("a list").iter().map(id).collect::<Vec<String>>()
    };
    let first = eventually("the session is known", async || sessions(1).await.pop()).await;
    let command = |session: &str, command: &str| format!("/tunnel_sessions/{session}/{command}");
    cluster.operator(1).post(&command(&first, "restart"), json!({})).await.ok();
    let second = eventually("there is a new session and only that", async || {
        let now = sessions(2).await;
        (now.len() == 1 && now[0] != first).then(|| now[0].clone())
    })
    .await;
    cluster.until_read(1, &tunnel.host(), "hello").await;
    cluster.operator(2).post(&command(&second, "stop"), json!({})).await.ok();
    assert!(sessions(0).await.is_empty(), "it is over when the answer is there");
    let session = agent.wait_for_session("refused").await;
    assert_eq!(session["reason"]["code"], Code::SessionStopped.to_string(), "{session}");
    for node in 0..3 {
        eventually("it is over everywhere", async || sessions(node).await.is_empty().then_some(())).await;
    }
    assert_eq!(cluster.operator(1).post(&command(&second, "stop"), json!({})).await.code(), Code::NotFound);
}
