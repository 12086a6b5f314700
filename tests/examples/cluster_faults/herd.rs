//! Many agents that lose one of their two sessions at the same moment, because a node dies.

use crate::light_agent::LightAgent;
use postern_test_kit::{etcd::Etcd, within};
use postern_tests::cluster::Cluster;
use serde_json::Value;
use std::{collections::BTreeSet, time::Duration};
use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};

/// Agents, each with a tunnel and two sessions, one of them with the node that dies.
const AGENTS: usize = 2000;
/// Agents that begin at the same time.
const STARTED_AT_ONCE: usize = 100;
/// Longest wait for all sessions.
const RESTORE_TIMEOUT: Duration = Duration::from_secs(120);
/// Between two looks at the list of sessions, which has forty pages.
const LOOK_INTERVAL: Duration = Duration::from_millis(250);

/// Kills a node under all agents, and prints how long it takes until each has two sessions again.
pub(crate) async fn run() {
    let mut cluster = Cluster::on(Etcd::three().await, 3, &[]).await;
    cluster.until_linked().await;
    let token = cluster.operator(0).credential(&[]).await.1;
    let (mut agents, mut starting) = (Vec::new(), JoinSet::new());
    for number in 0..AGENTS {
        let agent = LightAgent::new(&cluster, &token, number);
        starting.spawn(agent.clone().start([number % 2, 2]));
        agents.push(agent);
        if starting.len() == STARTED_AT_ONCE {
            while starting.join_next().await.is_some() {}
        }
    }
    while starting.join_next().await.is_some() {}
    until_sessions(&cluster, 2 * AGENTS).await;
    let before = addresses(&cluster, 0).await;
    assert_eq!(before.len(), AGENTS, "each agent has an address of its own");
    let of_dead = sessions(&cluster).await.iter().filter(|one| one["node"]["name"] == "node2").count();
    let revision = cluster.etcd.revision().await;

    let began = Instant::now();
    cluster.kill(2);
    within(RESTORE_TIMEOUT, "the loss is noticed", async || {
        sleep(LOOK_INTERVAL).await;
        (sessions(&cluster).await.len() < 2 * AGENTS).then_some(())
    })
    .await;
    until_sessions(&cluster, 2 * AGENTS).await;
    let restored = began.elapsed();
    let commits = cluster.etcd.revision().await - revision;
    assert_eq!(addresses(&cluster, 1).await, before, "every agent has the address that it had");
    println!(
        "{AGENTS} agents with two sessions each: SIGKILL of the node with {of_dead} of the sessions, all restored {:.1} s later with \
         {commits} commits, every address as before",
        restored.as_secs_f64()
    );
}

async fn until_sessions(cluster: &Cluster, count: usize) {
    within(RESTORE_TIMEOUT, "all agents have two sessions", async || {
        sleep(LOOK_INTERVAL).await;
        (sessions(cluster).await.len() == count).then_some(())
    })
    .await;
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

async fn sessions(cluster: &Cluster) -> Vec<Value> {
    all(cluster, 0, "tunnel_sessions").await
}

/// The public addresses of all tunnels.
async fn addresses(cluster: &Cluster, node: usize) -> BTreeSet<String> {
    let endpoints = all(cluster, node, "endpoints").await;
    endpoints.iter().map(|one| one["host"].to_string()).collect()
}
