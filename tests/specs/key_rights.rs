//! Rights of API keys and authtokens by their owner.

use postern_api::Code;
use postern_tests::{Origin, World, eventually};
use serde_json::json;

#[tokio::test]
async fn the_agent_of_an_inactive_bot_is_refused() {
    let world = World::start().await;
    let operator = world.operator();
    let bot = operator.post("/bot_users", json!({ "name": "ci" })).await.ok().text("id");
    let item = format!("/bot_users/{bot}");
    let token = operator.post("/credentials", json!({ "owner_id": bot })).await.ok().text("token");
    let setup = world.agent_setup("agent", &token);
    let origin = Origin::start("hello").await;
    let agent = setup.clone().start().await;
    let tunnel = agent.https("site", &origin).await;
    assert_eq!(world.visitor().get(&tunnel.url("/")).await.text(), "hello");

    operator.patch(&item, json!({ "active": false })).await.ok();
    let session = agent.wait_for_session("refused").await;
    assert_eq!(session["reason"]["code"], Code::CredentialInactive.to_string(), "{session}");
    let visitor = world.visitor();
    let url = tunnel.url("/");
    eventually("its names are given up", async || (visitor.get(&url).await.status == 404).then_some(())).await;
    agent.process.kill();
    let agent = setup.clone().start_without_session().await;
    let session = agent.wait_for_session("refused").await;
    assert_eq!(session["reason"]["code"], Code::CredentialInactive.to_string(), "a new session is refused too");
    agent.process.kill();

    operator.patch(&item, json!({ "active": true })).await.ok();
    let agent = setup.start().await;
    let tunnel = agent.https("site", &origin).await;
    assert_eq!(world.visitor().get(&tunnel.url("/")).await.text(), "hello");
}

#[tokio::test]
async fn an_api_key_in_place_of_a_token_is_named_as_the_mistake() {
    let world = World::start().await;
    let agent = world.agent_setup("agent", &world.admin_key()).start_without_session().await;
    let session = agent.wait_for_session("refused").await;
    assert_eq!(session["reason"]["code"], Code::TokenIsApiKey.to_string(), "{session}");
    let output = format!("{session}{}", agent.process.stderr());
    assert!(!output.contains(&world.admin_key()), "the key is never printed: {output}");
}
