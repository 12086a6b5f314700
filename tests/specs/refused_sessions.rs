//! An agent that cannot start a session or tunnel reports the reason and a fix, on the terminal and in the API.

use postern_api::Code;
use postern_tests::{Origin, World};
use serde_json::json;

const WRONG_TOKEN: &str = "2ojtsYcgvSTl8PAuAdqWYSMnLOv_wrongwrongwrongwrongwrong";

#[tokio::test]
async fn a_wrong_token_is_reported_on_the_terminal_and_in_the_api() {
    let world = World::start().await;
    let agent = world.agent_setup("agent", WRONG_TOKEN).start_without_session().await;
    let session = agent.wait_for_session("refused").await;
    assert_eq!(session["reason"]["code"], Code::TokenUnknown.to_string());
    assert!(session["reason"]["message"].as_str().is_some_and(|sentence| sentence.ends_with('.')), "{session}");
    agent.process.wait_for_log("ERR_POSTERN_105").await;
    let response = agent.request_tunnel(json!({ "name": "site", "proto": "http", "addr": "8080" })).await;
    assert!(response.status >= 400 && response.status != 500, "{response:?}");

    let origin = Origin::start("hello").await;
    let address = origin.to_string();
    let ended = world.agent_setup("terminal", WRONG_TOKEN).arguments(&["http", &address]).run().await;
    assert!(!ended.status.success(), "{ended:?}");
    assert!(ended.output().contains("ERR_POSTERN_105"), "{ended:?}");
    assert!(!ended.output().contains("wrongwrong"), "a token is never printed");
}

#[tokio::test]
async fn an_unknown_tunnel_name_lists_the_existing_names() {
    let world = World::start().await;
    let token = world.operator().credential(&[]).await.1;
    let setup = world.agent_setup("agent", &token).tunnel("shop", json!({ "proto": "http", "addr": "8080" }));
    let ended = setup.arguments(&["start", "shpo"]).run().await;
    assert!(!ended.status.success());
    let output = ended.output();
    assert!(output.contains("ERR_POSTERN_8101") && output.contains("shpo") && output.contains("shop"), "{output}");

    let agent = world.agent_setup("other", &token).start().await;
    let unknown = agent.get("/api/tunnels/missing").await;
    assert_eq!((unknown.status, unknown.code()), (404, Code::TunnelUnknown));
    assert_eq!(agent.delete("/api/tunnels/missing").await.code(), Code::TunnelUnknown);
}

#[tokio::test]
async fn a_name_that_is_taken_is_named_on_the_terminal() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let holder = world.agent().await;
    holder.https_at("site", "site", &origin).await;
    let token = world.operator().credential(&[]).await.1;
    let address = origin.to_string();
    let ended = world.agent_setup("late", &token).arguments(&["http", &address, "--domain", "site"]).run().await;
    assert!(!ended.status.success(), "{ended:?}");
    assert!(ended.output().contains("ERR_POSTERN_334") && ended.output().contains("site.localhost"), "{ended:?}");
}

#[tokio::test]
async fn an_unreachable_server_is_retried_and_reported() {
    let world = World::start().await;
    let token = world.operator().credential(&[]).await.1;
    let closed = Origin::start("closed").await.stop().await;
    let agent =
        world.agent_setup("agent", &token).setting("server_addr", &closed.to_string()).start_without_session().await;
    let session = agent.wait_for_session("waiting").await;
    assert_eq!(session["reason"]["code"], Code::ServerUnreachable.to_string(), "{session}");
    assert!(session["reason"]["message"].as_str().unwrap().contains(&closed.to_string()), "{session}");
    assert!(session["next_try"].is_string() && session["attempt"].as_u64() >= Some(1), "{session}");
    agent.process.wait_for_log("ERR_POSTERN_8112").await;
    let response = agent.request_tunnel(json!({ "name": "site", "proto": "http", "addr": "8080" })).await;
    assert_eq!((response.status, response.code()), (503, Code::SessionNotReady), "{response:?}");
}

#[tokio::test]
async fn a_server_whose_certificate_is_not_trusted_is_refused() {
    let world = World::start().await;
    let stranger = World::start().await;
    let token = world.operator().credential(&[]).await.1;
    let foreign = stranger.server.authority();
    let setup = world.agent_setup("agent", &token).setting("root_cas", &foreign.to_string_lossy());
    let agent = setup.start_without_session().await;
    agent.process.wait_for_log("ERR_POSTERN_8113").await;
    let session = agent.get("/api/status").await.ok()["session"].clone();
    assert_eq!(session["reason"]["code"], Code::ServerUntrusted.to_string(), "{session}");
}

#[tokio::test]
async fn a_web_address_in_use_is_named_with_what_to_do() {
    let world = World::start().await;
    let token = world.operator().credential(&[]).await.1;
    let taken = Origin::start("taken").await;
    let setup = world.agent_setup("agent", &token).setting("web_addr", &taken.to_string());
    let ended = setup.run().await;
    assert!(!ended.status.success(), "{ended:?}");
    let output = ended.output();
    assert!(
        output.contains("ERR_POSTERN_8114") && output.contains(&taken.to_string()) && output.contains("web"),
        "{output}"
    );
}

#[tokio::test]
async fn a_broken_configuration_file_is_reported_with_its_position() {
    let world = World::start().await;
    let setup = world.agent_setup("agent", WRONG_TOKEN);
    let setup = setup.setting("server_adr", "x").tunnel("shop", json!({ "proto": "htp", "addr": "8080" }));
    for arguments in [&["config", "check"][..], &["start", "--all"]] {
        let ended = setup.clone().arguments(arguments).run().await;
        assert!(!ended.status.success(), "{ended:?}");
        let output = ended.output();
        assert!(output.contains("ERR_POSTERN_8100") && output.contains("server_addr"), "the near name: {output}");
        assert!(output.contains("tunnels.shop.proto"), "all mistakes at once: {output}");
        assert!(!output.contains("wrongwrong"), "a token is never printed: {output}");
    }
}
