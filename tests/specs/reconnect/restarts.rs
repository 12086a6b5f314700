//! Reconnection after server restarts and sleep, and independence of tunnels.

use super::{P95_LIMIT, SINGLE_CASE_LIMIT, is_there_once, p95, record};
use postern_api::Code;
use postern_tests::{Agent, Origin, World, eventually, within};
use rustix::process::Signal;
use serde_json::json;
use std::time::Duration;
use tokio::{net::TcpListener, time::Instant};

const RESTARTS: usize = 20;

async fn is_back(agent: &Agent) -> Duration {
    let free = Instant::now();
    agent.wait_until_online().await;
    free.elapsed()
}

#[tokio::test]
async fn twenty_restarts_in_a_row_are_survived_with_the_same_names() {
    let mut world = World::start().await;
    let origin = Origin::start("hello").await;
    let token = world.operator().credential(&[]).await.1;
    let agent = world
        .agent_setup("agent", &token)
        .with_one_session()
        .tunnel("generated", json!({ "proto": "http", "addr": origin.to_string() }))
        .tunnel("line", json!({ "proto": "tcp", "addr": origin.to_string() }))
        .start()
        .await;
    let names = [agent.wait_for_tunnel("generated").await.public_url, agent.wait_for_tunnel("line").await.public_url];
    let mut times = Vec::new();
    for _ in 0..RESTARTS {
        world.kill_server();
        eventually("the agent has noticed", async || {
            (agent.get("/api/status").await.ok()["session"]["state"] != "online").then_some(())
        })
        .await;
        world = world.kill_and_restart_server().await;
        times.push(is_back(&agent).await);
        for (tunnel, name) in ["generated", "line"].iter().zip(&names) {
            assert_eq!(&agent.wait_for_tunnel(tunnel).await.public_url, name, "the same name");
        }
    }
    is_there_once(&agent, &world.operator()).await;
    assert_eq!(world.visitor().get(&format!("{}/", names[0])).await.text(), "hello");
    record("20 restarts in a row", &mut times);
    assert!(p95(&mut times) <= P95_LIMIT, "{times:?}");
}

#[tokio::test]
async fn the_agent_reconnects_to_a_server_that_was_unreachable_for_a_while() {
    let world = World::start().await;
    let agent = world.agent_with_one_session().await;
    world.kill_server();
    within(Duration::from_secs(30), "the agent has tried often", async || {
        (agent.get("/api/status").await.ok()["session"]["attempt"].as_u64() >= Some(6)).then_some(())
    })
    .await;
    let world = world.kill_and_restart_server().await;
    let took = is_back(&agent).await;
    record("server away for a while", &mut [took]);
    assert!(took <= SINGLE_CASE_LIMIT, "{took:?}");
    is_there_once(&agent, &world.operator()).await;
}

#[tokio::test]
async fn an_agent_that_slept_past_its_session_reconnects_when_it_wakes() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent_with_one_session().await;
    let site = agent.https("site", &origin).await;
    let operator = world.operator();
    agent.process.signal(Signal::STOP);
    within(Duration::from_secs(25), "the server has given it up", async || {
        (super::sessions(&operator).await == 0).then_some(())
    })
    .await;
    agent.process.signal(Signal::CONT);
    let woken = Instant::now();
    within(SINGLE_CASE_LIMIT, "the tunnel is served again", async || {
        (world.visitor().get(&site.url("/")).await.text() == "hello").then_some(())
    })
    .await;
    record("slept past the heartbeat", &mut [woken.elapsed()]);
    assert_eq!(agent.wait_for_tunnel("site").await.public_url, site.public_url);
    is_there_once(&agent, &operator).await;
}

#[tokio::test]
async fn of_several_servers_one_that_responds_is_used() {
    let world = World::start().await;
    let token = world.operator().credential(&[]).await.1;
    let closed = Origin::start("closed").await.stop().await;
    // Takes connections and never says a word.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let alive = world.agents_server().agent_address();
    let list = format!("{closed},{},{alive}", silent.local_addr().unwrap());
    let started = Instant::now();
    let agent = world.agent_setup("agent", &token).setting("server_addr", &list).start().await;
    record("the third of three servers", &mut [started.elapsed()]);
    let status = agent.get("/api/status").await.ok();
    assert_eq!(status["session"]["server_addr"], alive, "{status}");
    let origin = Origin::start("hello").await;
    let site = agent.https("site", &origin).await;
    assert_eq!(world.visitor().get(&site.url("/")).await.text(), "hello");
}

#[tokio::test]
async fn when_no_server_responds_each_is_named_with_its_reason() {
    let world = World::start().await;
    let token = world.operator().credential(&[]).await.1;
    let closed = Origin::start("closed").await.stop().await;
    let unknown = "unknown.invalid:4443";
    let list = format!("[\"{closed}\", \"{unknown}\"]");
    let agent = world.agent_setup("agent", &token).setting("server_addr", &list).start_without_session().await;
    let session = agent.wait_for_session("waiting").await;
    let why = session["reason"]["message"].as_str().unwrap();
    assert!(why.contains(&closed.to_string()) && why.contains("nothing listens there"), "{why}");
    assert!(why.contains(unknown) && why.contains("could not be looked up"), "{why}");
}

#[tokio::test]
async fn a_failed_tunnel_does_not_affect_others() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let holder = world.agent().await;
    holder.https_at("mine", "taken", &origin).await;
    let token = world.operator().credential(&[]).await.1;
    let local = origin.to_string();
    let agent = world
        .agent_setup("other", &token)
        .tunnel("good", json!({ "proto": "http", "addr": local }))
        .tunnel("clash", json!({ "proto": "http", "addr": local, "domain": "taken" }))
        .tunnel("line", json!({ "proto": "tcp", "addr": local }))
        .start()
        .await;
    let before = [agent.wait_for_tunnel("good").await, agent.wait_for_tunnel("line").await];
    let refused = eventually("the conflict is reported", async || {
        let list = agent.get("/api/configured").await.ok();
        let clash = list["tunnels"].as_array()?.iter().find(|one| one["name"] == "clash")?.clone();
        clash["error"].is_object().then_some(clash)
    })
    .await;
    assert_eq!(refused["error"]["code"], Code::NameTaken.to_string(), "{refused}");
    // Which of the two agents comes first after a restart is chance; that the others come is not.
    let world = world.kill_and_restart_server().await;
    agent.wait_until_online().await;
    for tunnel in before {
        eventually("the others are back", async || {
            let list = agent.get("/api/configured").await.ok();
            let one = list["tunnels"].as_array()?.iter().find(|one| one["name"] == tunnel.name)?.clone();
            (one["state"] == "running" && one["public_url"] == tunnel.public_url).then_some(())
        })
        .await;
    }
    let site = agent.wait_for_tunnel("good").await;
    assert_eq!(world.visitor().get(&site.url("/")).await.text(), "hello");
}
