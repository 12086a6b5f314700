//! Recovery after crashes.

use postern_api::Code;
use postern_tests::{
    Origin, World, eventually,
    tcp::{Echo, EchoClient},
    within,
};
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn after_kill_9_of_the_server_the_same_addresses_answer_within_five_seconds() {
    let world = World::start().await;
    let (origin, echo) = (Origin::start("hello").await, Echo::named("echo").await);
    let agent = world.agent().await;
    let site = agent.https("site", &origin).await;
    let echoing = agent.tcp("echo", &echo).await;
    let visitor = world.visitor();
    assert_eq!(visitor.get(&site.url("/")).await.text(), "hello");

    let world = world.kill_and_restart_server().await;
    within(Duration::from_secs(5), "the web address answers again", async || {
        let answer = visitor.http.get(site.url("/")).send().await.ok()?;
        (answer.status() == 200).then_some(())
    })
    .await;
    within(Duration::from_secs(5), "the TCP address answers again", async || EchoClient::connect(echoing.port()).await)
        .await;
    agent.wait_until_online().await;
    assert_eq!(agent.wait_for_tunnel("site").await.public_url, site.public_url);
    drop(world);
}

#[tokio::test]
async fn acknowledged_changes_survive_kill_9() {
    let world = World::start().await;
    let operator = world.operator();
    let mut made = Vec::new();
    for number in 0..20 {
        made.push(
            operator.post("/ip_policies", json!({ "description": format!("number {number}") })).await.ok().text("id"),
        );
    }
    let world = world.kill_and_restart_server().await;
    let list = world.operator().get("/ip_policies").await.ok();
    let kept: Vec<&str> =
        list.body["ip_policies"].as_array().unwrap().iter().map(|policy| policy["id"].as_str().unwrap()).collect();
    for id in &made {
        assert!(kept.contains(&id.as_str()), "{id} was acknowledged");
    }
}

#[tokio::test]
async fn an_agent_that_was_killed_takes_its_names_back_at_once() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let token = world.operator().credential(&[]).await.1;
    let agent = world
        .agent_setup("agent", &token)
        .tunnel("generated", json!({ "proto": "http", "addr": origin.to_string() }))
        .tunnel("asked", json!({ "proto": "http", "addr": origin.to_string(), "domain": "asked" }))
        .start()
        .await;
    let before = (agent.wait_for_tunnel("generated").await, agent.wait_for_tunnel("asked").await);
    let agent = agent.kill_and_restart().await;
    let visitor = world.visitor();
    for tunnel in [before.0, before.1] {
        within(Duration::from_secs(3), "the tunnel is back", async || {
            (visitor.get(&tunnel.url("/")).await.text() == "hello").then_some(())
        })
        .await;
        assert_eq!(agent.wait_for_tunnel(&tunnel.name).await.public_url, tunnel.public_url);
    }
}

#[tokio::test]
async fn a_second_agent_with_the_same_token_cannot_take_a_name_in_use() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let token = world.operator().credential(&[]).await.1;
    let first = world.agent_setup("first", &token).start().await;
    let tunnel = first.https_at("site", "site", &origin).await;
    let second = world.agent_setup("second", &token).start().await;
    let definition = json!({ "name": "site", "proto": "http", "addr": origin.to_string(), "domain": "site" });
    let refused = second.request_tunnel(definition.clone()).await;
    assert_eq!(refused.code(), Code::NameTaken, "{refused:?}");
    assert!(refused.sentence().contains("site.localhost"), "{}", refused.sentence());
    assert_eq!(world.visitor().get(&tunnel.url("/")).await.text(), "hello", "the first is not disturbed");

    first.process.terminate();
    assert!(first.process.wait_with_output().await.status.success());
    eventually("the name is free", async || {
        (second.request_tunnel(definition.clone()).await.status == 201).then_some(())
    })
    .await;
}
