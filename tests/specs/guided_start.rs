//! The guided start: find a listening service, publish it, send a first visitor, fix the configuration.

use postern_api::Code;
use postern_tests::{Origin, World, eventually};
use reqwest::Method;
use serde_json::{Value, json};

#[tokio::test]
async fn a_listening_service_is_found_published_and_visited() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let port = origin.address().port();
    let ports = agent.get("/api/ports").await.ok();
    let listed = |port: u16| ports["ports"].as_array().unwrap().iter().find(|one| one["port"] == port).cloned();
    let found = listed(port).unwrap_or_else(|| panic!("{port} is not in {ports:#}"));
    assert!(found["process"].is_string() && found["pid"].is_number(), "{found:#}");
    assert_eq!(listed(agent.web.port()), None, "the agent does not offer itself");
    assert_eq!(origin.requests().len(), 0, "listing ports opens no connection");
    let path = format!("/api/ports/{port}");
    let found = agent.get(&path).await.ok();
    assert_eq!((&found["speaks"], &found["proto"]), (&json!("http"), &json!("http")), "{found:#}");
    assert_eq!(agent.get(&path).await.ok(), found);
    assert_eq!(origin.requests().len(), 1, "a service is probed once");
    assert_eq!(agent.get("/api/ports/1").await.code(), Code::PortUnknown);

    let definition = json!({ "proto": "http", "addr": found["target"].clone() });
    agent.call(Method::PUT, "/api/configured/web", definition).await.ok();
    let unsent = agent.post("/api/configured/web/sample", json!({})).await;
    assert_eq!(unsent.code(), Code::TunnelUnknown, "a tunnel that does not run has no visitors");
    agent.post("/api/configured/web/start", json!({})).await.ok();
    agent.wait_for_tunnel("web").await;
    let sent = agent.post("/api/configured/web/sample", json!({})).await.ok();
    assert_eq!(sent["status_code"], 200);
    let seen = agent.wait_for_capture("the sample", |request| request["request"]["uri"] == "/").await;
    assert_eq!(seen["request"]["headers"]["User-Agent"][0], "Postern sample request", "{seen:#}");
    assert_eq!(seen["replay_of"], Value::Null, "it came as a visitor");
}

#[tokio::test]
async fn the_configuration_is_edited_as_text_without_a_secret_on_the_way() {
    let world = World::start().await;
    let token = world.operator().credential(&[]).await.1;
    let origin = Origin::start("hello").await;
    let web = json!({ "proto": "http", "addr": origin.to_string(), "basic_auth": ["ada:planted-password"] });
    let agent = world.agent_setup("agent", &token).tunnel("site", web).start().await;
    agent.wait_for_tunnel("site").await;
    let shown = agent.get("/api/configuration").await.ok();
    let text = shown["text"].as_str().unwrap();
    assert!(!text.contains(&token) && !text.contains("planted"), "{text}");
    assert_eq!(shown["kept_secrets"], 2);

    let broken = format!("{text}\nservr_addr: x\n");
    let edited = |text: &str| json!({ "text": text, "revision": shown["revision"].clone() });
    let verdict = agent.post("/api/configuration/check", edited(&broken)).await.ok();
    assert_eq!((&verdict["valid"], &verdict["problems"][0]["key"]), (&json!(false), &json!("servr_addr")));
    assert!(verdict["problems"][0]["line"].as_u64().unwrap() > 1, "{verdict:#}");
    let refused = agent.call(Method::PUT, "/api/configuration", edited(&broken)).await;
    assert_eq!(refused.code(), Code::ConfigInvalid);
    let before = std::fs::read_to_string(agent.config()).unwrap();
    assert!(!before.contains("servr_addr"), "nothing wrong is saved");

    let better = format!("{text}\nlog_level: debug\n");
    assert_eq!(agent.post("/api/configuration/check", edited(&better)).await.ok()["valid"], true);
    let saved = agent.call(Method::PUT, "/api/configuration", edited(&better)).await.ok();
    assert_ne!(saved["revision"], shown["revision"]);
    let written = std::fs::read_to_string(agent.config()).unwrap();
    assert!(written.contains(&token) && written.contains("planted-password") && written.contains("log_level: debug"));
    assert!(!written.contains("kept secret"), "{written}");
    let site = agent.wait_for_tunnel("site").await;
    assert_eq!(world.visitor().get(&site.url("/")).await.status, 401, "the password still counts");

    let late = agent.call(Method::PUT, "/api/configuration", edited(text)).await;
    assert_eq!(late.code(), Code::ConfigChanged, "made of an older text");
    let foreign = agent.call(Method::PUT, "/api/configuration", json!({ "text": "x" })).await;
    assert_eq!(foreign.code(), Code::FieldMissing);
}

#[tokio::test]
async fn a_page_can_run_the_same_diagnosis() {
    let world = World::start().await;
    let agent = world.agent().await;
    eventually("the session is online", async || {
        agent.get("/api/status").await.ok()["session"]["server_version"].as_str().map(drop)
    })
    .await;
    let report = agent.post("/api/diagnosis", json!({})).await.ok();
    assert_eq!(report["verdict"], "OK", "{report:#}");
    assert!(report["checks"].as_array().unwrap().len() > 5, "{report:#}");
}
