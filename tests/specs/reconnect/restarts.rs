//! Servers that go and come back, machines that sleep, and tunnels that do not suffer from each other.

use super::{ONE_CASE, PROMISE, is_there_once, p95, record};
use postern_api::Code;
use postern_tests::{Agent, Origin, World, eventually, within};
use rustix::process::Signal;
use serde_json::json;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::time::Instant;

const RESTARTS: usize = 20;

async fn is_back(agent: &Agent) -> Duration {
    let free = Instant::now();
    agent.is_online().await;
    free.elapsed()
}

#[tokio::test]
async fn twenty_restarts_in_a_row_are_survived_with_the_same_names() {
    let mut world = World::start().await;
    let origin = Origin::says("hello").await;
    let token = world.operator().credential(&[]).await.1;
    let agent = world
        .agent_setup("agent", &token)
        .tunnel("generated", json!({ "proto": "http", "addr": origin.to_string() }))
        .tunnel("line", json!({ "proto": "tcp", "addr": origin.to_string() }))
        .start()
        .await;
    let names = [agent.tunnel_is_up("generated").await.public_url, agent.tunnel_is_up("line").await.public_url];
    let mut times = Vec::new();
    for _ in 0..RESTARTS {
        world.server.process.kill();
        eventually("the agent has noticed", async || {
            (agent.get("/api/status").await.ok()["session"]["state"] != "online").then_some(())
        })
        .await;
        world = world.server_is_killed_and_restarted().await;
        times.push(is_back(&agent).await);
        for (tunnel, name) in ["generated", "line"].iter().zip(&names) {
            assert_eq!(&agent.tunnel_is_up(tunnel).await.public_url, name, "the same name");
        }
    }
    is_there_once(&agent, &world.operator()).await;
    assert_eq!(world.visitor().get(&format!("{}/", names[0])).await.text(), "hello");
    record("20 restarts in a row", &mut times);
    assert!(p95(&mut times) <= PROMISE, "{times:?}");
}

#[tokio::test]
async fn a_server_that_was_away_for_a_while_is_found_again() {
    let world = World::start().await;
    let agent = world.agent().await;
    world.server.process.kill();
    within(Duration::from_secs(30), "the agent has tried often", async || {
        (agent.get("/api/status").await.ok()["session"]["attempt"].as_u64() >= Some(6)).then_some(())
    })
    .await;
    let world = world.server_is_killed_and_restarted().await;
    let took = is_back(&agent).await;
    record("server away for a while", &mut [took]);
    assert!(took <= ONE_CASE, "{took:?}");
    is_there_once(&agent, &world.operator()).await;
}

#[tokio::test]
async fn an_agent_that_slept_until_the_server_gave_it_up_is_back_when_it_wakes() {
    let world = World::start().await;
    let origin = Origin::says("hello").await;
    let agent = world.agent().await;
    let site = agent.https("site", &origin).await;
    let operator = world.operator();
    agent.process.signal(Signal::STOP);
    within(Duration::from_secs(25), "the server has given it up", async || {
        (super::sessions(&operator).await == 0).then_some(())
    })
    .await;
    agent.process.signal(Signal::CONT);
    let woken = Instant::now();
    within(ONE_CASE, "the tunnel is served again", async || {
        (world.visitor().get(&site.url("/")).await.text() == "hello").then_some(())
    })
    .await;
    record("slept past the heartbeat", &mut [woken.elapsed()]);
    assert_eq!(agent.tunnel_is_up("site").await.public_url, site.public_url);
    is_there_once(&agent, &operator).await;
}

#[tokio::test]
async fn of_several_servers_one_that_answers_is_taken() {
    let world = World::start().await;
    let token = world.operator().credential(&[]).await.1;
    let closed = Origin::says("nobody").await.stops().await;
    // Takes connections and never says a word.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let alive = world.server.agents_connect_to();
    let list = format!("{closed},{},{alive}", silent.local_addr().unwrap());
    let started = Instant::now();
    let agent = world.agent_setup("agent", &token).setting("server_addr", &list).start().await;
    record("the third of three servers", &mut [started.elapsed()]);
    let status = agent.get("/api/status").await.ok();
    assert_eq!(status["session"]["server_addr"], alive, "{status}");
    let origin = Origin::says("hello").await;
    let site = agent.https("site", &origin).await;
    assert_eq!(world.visitor().get(&site.url("/")).await.text(), "hello");
}

#[tokio::test]
async fn when_no_server_answers_each_is_named_with_its_reason() {
    let world = World::start().await;
    let token = world.operator().credential(&[]).await.1;
    let closed = Origin::says("nobody").await.stops().await;
    let unknown = "nobody.invalid:4443";
    let list = format!("[\"{closed}\", \"{unknown}\"]");
    let agent = world.agent_setup("agent", &token).setting("server_addr", &list).start_alone().await;
    let session = agent.session_is("waiting").await;
    let why = session["reason"]["message"].as_str().unwrap();
    assert!(why.contains(&closed.to_string()) && why.contains("nothing listens there"), "{why}");
    assert!(why.contains(unknown) && why.contains("could not be looked up"), "{why}");
}

#[tokio::test]
async fn a_tunnel_that_fails_takes_no_other_with_it() {
    let world = World::start().await;
    let origin = Origin::says("hello").await;
    let holder = world.agent().await;
    holder.https_as("mine", "taken", &origin).await;
    let token = world.operator().credential(&[]).await.1;
    let local = origin.to_string();
    let agent = world
        .agent_setup("other", &token)
        .tunnel("good", json!({ "proto": "http", "addr": local }))
        .tunnel("clash", json!({ "proto": "http", "addr": local, "domain": "taken" }))
        .tunnel("line", json!({ "proto": "tcp", "addr": local }))
        .start()
        .await;
    let before = [agent.tunnel_is_up("good").await, agent.tunnel_is_up("line").await];
    let refused = eventually("the clash is told", async || {
        let list = agent.get("/api/configured").await.ok();
        let clash = list["tunnels"].as_array()?.iter().find(|one| one["name"] == "clash")?.clone();
        clash["error"].is_object().then_some(clash)
    })
    .await;
    assert_eq!(refused["error"]["code"], Code::NameTaken.to_string(), "{refused}");
    // Which of the two agents comes first after a restart is chance; that the others come is not.
    let world = world.server_is_killed_and_restarted().await;
    agent.is_online().await;
    for tunnel in before {
        eventually("the others are back", async || {
            let list = agent.get("/api/configured").await.ok();
            let one = list["tunnels"].as_array()?.iter().find(|one| one["name"] == tunnel.name)?.clone();
            (one["state"] == "running" && one["public_url"] == tunnel.public_url).then_some(())
        })
        .await;
    }
    let site = agent.tunnel_is_up("good").await;
    assert_eq!(world.visitor().get(&site.url("/")).await.text(), "hello");
}
