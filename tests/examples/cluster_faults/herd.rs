//! Many agents that lose one of their two sessions at the same moment, because a node dies.

use postern_agent::{
    agent::{Agent, AgentOptions, AutoStart},
    config::{Sources, tree::ConfigNode},
    session::SessionState,
};
use postern_test_kit::{etcd::Etcd, within};
use postern_tests::cluster::Cluster;
use rustix::process::{Resource, Rlimit, setrlimit};
use serde_json::Value;
use std::{collections::BTreeSet, time::Duration};
use tokio::time::{Instant, sleep};

/// Agents, each in this process with the same parts as the program's, a tunnel and two sessions.
const AGENTS: usize = 2000;
/// Agents that are started before the next ones have to wait for them.
const STARTED_AT_ONCE: usize = 100;
/// Files that each process may have open: a session needs up to seventeen connections.
const MAX_FILES: u64 = 200_000;
/// Longest wait for all sessions.
const START_TIMEOUT: Duration = Duration::from_secs(300);
const RESTORE_TIMEOUT: Duration = Duration::from_secs(120);
const LOOK_INTERVAL: Duration = Duration::from_millis(250);

/// Kills a node under all agents, and prints how long it takes until each has two sessions again.
pub(crate) async fn run() {
    let limit = Rlimit { current: Some(MAX_FILES), maximum: Some(MAX_FILES) };
    setrlimit(Resource::Nofile, limit).expect("root may raise the number of open files");
    let mut cluster = Cluster::on(Etcd::three().await, 3, &[]).await;
    cluster.until_linked().await;
    let token = cluster.operator(0).credential(&[]).await.1;
    let mut agents = Vec::new();
    for number in 0..AGENTS {
        agents.push(start(&cluster, &token, number).await);
        if number % STARTED_AT_ONCE == STARTED_AT_ONCE - 1 {
            for agent in &agents[number + 1 - STARTED_AT_ONCE..] {
                online(agent).await;
            }
        }
    }
    within(START_TIMEOUT, "all agents have two sessions", async || {
        sleep(LOOK_INTERVAL).await;
        (sessions(&cluster, 0).await.len() == 2 * AGENTS).then_some(())
    })
    .await;
    let before = addresses(&cluster, 0).await;
    assert_eq!(before.len(), AGENTS, "each agent has an address of its own");
    let revision = cluster.etcd.revision().await;
    let of_dead = sessions(&cluster, 0).await.iter().filter(|one| one["node"]["name"] == "node2").count();

    let began = Instant::now();
    cluster.kill(2);
    let (mut lost, mut most_missing) = (None, 0);
    within(RESTORE_TIMEOUT, "all sessions are restored", async || {
        // The list has forty pages.
        sleep(LOOK_INTERVAL).await;
        let left = sessions(&cluster, 0).await.len();
        most_missing = most_missing.max(2 * AGENTS - left);
        if lost.is_none() && left < 2 * AGENTS {
            lost = Some(began.elapsed());
        }
        (lost.is_some() && left == 2 * AGENTS).then_some(())
    })
    .await;
    let restored = began.elapsed();
    let commits = cluster.etcd.revision().await - revision;
    assert_eq!(addresses(&cluster, 1).await, before, "every agent has the address that it had");
    println!(
        "{AGENTS} agents with two sessions each at three nodes: SIGKILL of a node with {of_dead} of the {} sessions, \
         {most_missing} missing at most, all restored {:.1} s later with {commits} commits, every address as before",
        2 * AGENTS,
        restored.as_secs_f64()
    );
    for agent in agents {
        agent.shutdown().await;
    }
}

/// An agent whose first session is with one node after the other.
async fn start(cluster: &Cluster, token: &str, number: usize) -> Agent {
    let config = cluster.path(&format!("herd-{number}")).join("postern.yml");
    std::fs::create_dir_all(config.parent().expect("a folder")).expect("made");
    let servers: Vec<String> = (0..3).map(|step| cluster.nodes[(number + step) % 3].agent_address()).collect();
    let text = format!(
        "version: 2\nauthtoken: {token}\nserver_addr: {}\nroot_cas: {}\nweb_addr: false\ninspect_db_size: -1\n\
         tunnels:\n  site:\n    proto: http\n    addr: 9\n",
        servers.join(","),
        cluster.nodes[0].authority().display()
    );
    std::fs::write(&config, text).expect("written");
    let sources = Sources { files: vec![config], may_be_missing: false, overlay: ConfigNode::empty() };
    Agent::start(AgentOptions { sources, auto_start: AutoStart::All, extra: Vec::new() }).await.expect("it starts")
}

async fn online(agent: &Agent) {
    let mut status = agent.context().session_status.watch();
    status.wait_for(|status| status.state == SessionState::Online).await.expect("it runs");
}

/// All entries of a list of the management API.
async fn all(cluster: &Cluster, node: usize, member: &str) -> Vec<Value> {
    let (mut entries, mut path) = (Vec::new(), format!("/{member}?limit=100"));
    loop {
        let mut page = cluster.operator(node).get(&path).await.ok().body;
        entries.extend(page[member].as_array_mut().map(std::mem::take).unwrap_or_default());
        match page["next_page_uri"].as_str() {
            None => return entries,
            Some(next) => path = next.to_owned(),
        }
    }
}

async fn sessions(cluster: &Cluster, node: usize) -> Vec<Value> {
    all(cluster, node, "tunnel_sessions").await
}

/// The public addresses of all tunnels.
async fn addresses(cluster: &Cluster, node: usize) -> BTreeSet<String> {
    let endpoints = all(cluster, node, "endpoints").await;
    endpoints.iter().map(|one| one["public_url"].to_string()).collect()
}
