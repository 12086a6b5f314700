//! Whose key or authtoken it is decides what it opens, and for how long.

use postern_api::Code;
use postern_tests::{Origin, World};
use serde_json::json;

#[tokio::test]
async fn a_bots_agent_is_out_while_the_bot_is_not_active() {
    let world = World::start().await;
    let operator = world.operator();
    let bot = operator.post("/bot_users", json!({ "name": "ci" })).await.ok().text("id");
    let item = format!("/bot_users/{bot}");
    let token = operator.post("/credentials", json!({ "owner_id": bot })).await.ok().text("token");
    let setup = world.agent_setup("agent", &token);
    let origin = Origin::says("hello").await;
    let agent = setup.clone().start().await;
    let tunnel = agent.https("site", &origin).await;
    assert_eq!(world.visitor().get(&tunnel.url("/")).await.text(), "hello");

    operator.patch(&item, json!({ "active": false })).await.ok();
    let session = agent.session_is("refused").await;
    assert_eq!(session["reason"]["code"], Code::CredentialInactive.to_string(), "{session}");
    assert_eq!(world.visitor().get(&tunnel.url("/")).await.status, 404, "its names are given up");
    agent.process.kill();
    let agent = setup.clone().start_alone().await;
    let session = agent.session_is("refused").await;
    assert_eq!(session["reason"]["code"], Code::CredentialInactive.to_string(), "a new session is refused too");
    agent.process.kill();

    operator.patch(&item, json!({ "active": true })).await.ok();
    let agent = setup.start().await;
    let tunnel = agent.https("site", &origin).await;
    assert_eq!(world.visitor().get(&tunnel.url("/")).await.text(), "hello");
}

#[tokio::test]
async fn an_agent_with_an_api_key_is_told_what_the_mistake_is() {
    let world = World::start().await;
    let agent = world.agent_setup("agent", &world.admin_key()).start_alone().await;
    let session = agent.session_is("refused").await;
    assert_eq!(session["reason"]["code"], Code::TokenIsApiKey.to_string(), "{session}");
    let told = format!("{session}{}", agent.process.stderr());
    assert!(!told.contains(&world.admin_key()), "the key is never printed: {told}");
}
