//! Reconnection of two hundred agents that lose their server at the same moment.

use super::{P95_LIMIT, all, p95, record};
use futures::future::join_all;
use postern_agent::{
    agent::{Agent, AgentOptions, AutoStart},
    config::{Sources, tree::ConfigNode},
    session::SessionState,
};
use postern_tests::{World, condition::finishes, eventually};
use std::time::Duration;
use tokio::time::Instant;

const AGENTS: usize = 200;
/// Several attempts, because a busy machine may miss the time once.
const MAX_ATTEMPTS: usize = 6;

/// An agent in this process: the same parts as the program's.
async fn start(world: &World, token: &str, number: usize) -> Agent {
    let config = world.path(&format!("crowd-{number}")).join("postern.yml");
    std::fs::create_dir_all(config.parent().expect("a folder")).expect("made");
    let text = format!(
        "version: 2\nauthtoken: {token}\nserver_addr: {}\nserver_name: localhost\nsessions: 1\nroot_cas: {}\n\
         web_addr: false\ninspect_db_size: -1\n\
         tunnels:\n  site:\n    proto: http\n    addr: 9\n",
        world.agents_server().agent_address(),
        world.server.authority().display()
    );
    std::fs::write(&config, text).expect("written");
    let sources = Sources { files: vec![config], may_be_missing: false, overlay: ConfigNode::empty() };
    Agent::start(AgentOptions { sources, auto_start: AutoStart::All, extra: Vec::new() }).await.expect("it starts")
}

async fn is(agent: &Agent, wanted: impl Fn(SessionState) -> bool) {
    let mut status = agent.context().session_status.watch();
    finishes("the session is as wanted", status.wait_for(|status| wanted(status.state))).await.expect("it runs");
}

/// The addresses of the server's tunnels.
async fn names(world: &World) -> Vec<String> {
    let endpoints = all(&world.operator(), "endpoints").await;
    let mut names: Vec<String> = endpoints.iter().map(|one| one["public_url"].to_string()).collect();
    names.sort_unstable();
    names
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_agents_are_back_within_three_seconds() {
    let mut world = World::start().await;
    let token = world.operator().credential(&[]).await.1;
    let mut agents = Vec::new();
    for number in 0..AGENTS {
        agents.push(start(&world, &token, number).await);
    }
    join_all(agents.iter().map(|agent| is(agent, |state| state == SessionState::Online))).await;
    let before = eventually("every tunnel is published", async || {
        let names = names(&world).await;
        (names.len() == AGENTS).then_some(names)
    })
    .await;

    let mut all_times = Vec::new();
    for _ in 0..MAX_ATTEMPTS {
        world.kill_server();
        join_all(agents.iter().map(|agent| is(agent, |state| state != SessionState::Online))).await;
        world = world.kill_and_restart_server().await;
        let free = Instant::now();
        let mut times: Vec<Duration> = join_all(agents.iter().map(async |agent| {
            is(agent, |state| state == SessionState::Online).await;
            free.elapsed()
        }))
        .await;
        let after = eventually("every tunnel is published again", async || {
            let names = names(&world).await;
            (names.len() == AGENTS).then_some(names)
        })
        .await;
        assert_eq!(after, before, "every agent has its name again");
        assert_eq!(all(&world.operator(), "tunnel_sessions").await.len(), AGENTS, "one session each");
        record("200 agents at once", &mut times);
        all_times.push(p95(&mut times));
        if all_times.last().is_some_and(|time| *time <= P95_LIMIT) {
            break;
        }
    }
    assert!(
        all_times.iter().any(|time| *time <= P95_LIMIT),
        "late in every one of {MAX_ATTEMPTS} tries: {all_times:?}"
    );
    join_all(agents.into_iter().map(Agent::shutdown)).await;
}
