use crate::world::{World, server::Step};
use postern_agent::agent::AutoStart;
use serde_json::{Value as Json, json};

const TWO: &str =
    "tunnels:\n  # the shop\n  site: {proto: http, addr: 1}\n  shell:\n    proto: tcp\n    addr: 2 # ssh\n";

#[tokio::test]
async fn a_saved_change_restarts_only_what_differs() {
    let world = World::with(TWO).await;
    world
        .wait_until(|_, list| list["tunnels"][0]["state"] == "running" && list["tunnels"][1]["state"] == "running")
        .await;
    let shell = world.server.number("shell");
    world.save(&TWO.replace("addr: 1", "addr: 3").replace("  shell", "  more: {proto: http, addr: 4}\n  shell"));
    world
        .wait_until(|_, list| {
            let list = list["tunnels"].as_array().unwrap();
            list.len() == 3 && list.iter().all(|one| one["state"] == "running")
        })
        .await;
    assert_eq!(world.server.number("shell"), shell, "it was left alone");
    assert_eq!(world.get("/api/tunnels/site").await["config"]["addr"], "http://localhost:3");
    world.save("");
    world.wait_until(|_, list| list["tunnels"].as_array().unwrap().is_empty()).await;
    assert_eq!(world.server.hellos().len(), 1, "the session goes on");
}

#[tokio::test]
async fn a_tunnel_that_changes_while_it_is_bound_is_given_up_before_it_is_bound_again() {
    let world = World::start().await;
    world.server.hold_binds();
    let configured = |addr: u16| format!("tunnels:\n  site: {{proto: http, addr: {addr}, domain: site.localhost}}\n");
    world.save(&configured(1));
    world.server.wait_for(|server| (server.steps() == [Step::Bind]).then_some(())).await;
    world.save(&configured(3));
    let tells_new_service = |list: &Json| {
        list["tunnels"][0]["service"]["message"].as_str().is_some_and(|text| text.contains("localhost:3"))
    };
    world.wait_until(|_, list| tells_new_service(list)).await;
    world.server.release_binds();
    world.wait_until(|_, list| list["tunnels"][0]["state"] == "running").await;
    assert_eq!(world.server.steps(), [Step::Bind, Step::Unbind, Step::Bind]);
}

#[tokio::test]
async fn an_invalid_file_changes_nothing_and_is_reported() {
    let world = World::with(TWO).await;
    world.wait_until(|_, list| list["tunnels"][1]["state"] == "running").await;
    world.save("tunnels: {site: {proto: htp, addr: 1}}\n");
    world
        .wait_until(|status, _| {
            status["config_error"].as_str().is_some_and(|text| text.contains("tunnels.site.proto: Must be"))
        })
        .await;
    assert_eq!(world.get("/api/tunnels").await["tunnels"].as_array().unwrap().len(), 2);
    world.save(TWO);
    world.wait_until(|status, _| status["config_error"].is_null()).await;
}

#[tokio::test]
async fn an_endpoint_is_removed_through_the_api() {
    let mut world = World::stopped("").await;
    let text = std::fs::read_to_string(world.config()).unwrap();
    let settings: String = text.lines().skip(1).map(|line| format!("  {line}\n")).collect();
    let settings = settings.replace("server_addr", "connect_url").replace("root_cas", "connect_cas");
    let endpoint = |name: &str, addr: u16| format!("- name: {name} # {name}'s\n  upstream: {{url: {addr}}}\n");
    let text = format!("version: 3\nagent:\n{settings}endpoints:\n{}{}", endpoint("site", 1), endpoint("other", 2));
    std::fs::write(world.config(), &text).unwrap();
    world.run(AutoStart::All).await;
    world.wait_until(|_, list| list["tunnels"].as_array().unwrap().len() == 2).await;
    assert_eq!(world.call("DELETE", "/api/configured/site", None).await.0, 204);
    world.wait_until(|_, list| list["tunnels"].as_array().unwrap().len() == 1).await;
    assert_eq!(std::fs::read_to_string(world.config()).unwrap(), text.replace(&endpoint("site", 1), ""));
    assert_eq!(world.call("DELETE", "/api/configured/site", None).await.0, 404);
}

#[tokio::test]
async fn tunnels_are_saved_started_stopped_and_removed_through_the_api() {
    let mut world =
        World::stopped("# my notes\ntunnels:\n  # the shop\n  site:\n    proto: http\n    addr: 1 # dev\n").await;
    world.run(AutoStart::None).await;
    world.wait_until(|status, _| status["status"] == "online").await;
    let (status, item) = world.call("PUT", "/api/configured/api", Some(json!({"proto": "http", "addr": 9}))).await;
    let expected = json!({"name": "api", "definition": {"proto": "http", "addr": 9}, "state": "stopped", "public_url": null, "error": null, "service": null, "saved": true});
    assert_eq!((status, item), (200, expected));
    let (status, item) = world.call("POST", "/api/configured/api/start", Some(json!({}))).await;
    assert!(status == 200 && (item["state"] == "starting" || item["state"] == "running"), "{item}");
    world
        .wait_until(|_, list| list["tunnels"][0]["state"] == "running" && list["tunnels"][0]["public_url"].is_string())
        .await;
    assert_eq!(world.call("PUT", "/api/configured/site", Some(json!({"proto": "http", "addr": 5}))).await.0, 200);
    let (status, item) = world.call("POST", "/api/configured/api/stop", Some(json!({}))).await;
    assert_eq!((status, item["state"].as_str(), &item["public_url"]), (200, Some("stopped"), &json!(null)));
    assert_eq!(world.call("DELETE", "/api/configured/api", None).await.0, 204);
    assert_eq!(world.call("DELETE", "/api/configured/api", None).await.0, 404);
    let text = std::fs::read_to_string(world.config()).expect("readable");
    assert!(
        text.ends_with("# my notes\ntunnels:\n  # the shop\n  site:\n    proto: http\n    addr: 5 # dev\n"),
        "{text}"
    );

    let (status, body) = world.call("PUT", "/api/configured/bad", Some(json!({"proto": "http", "adr": 1}))).await;
    assert_eq!((status, body["error_code"].as_u64()), (400, Some(102)));
    assert!(body["details"]["err"].as_str().unwrap().contains("Did you mean `addr`?"));
}

#[tokio::test]
async fn a_start_without_a_session_waits_for_it() {
    let mut world = World::stopped(TWO).await;
    world.server.crash();
    world.run(AutoStart::None).await;
    let (status, item) = world.call("POST", "/api/configured/site/start", Some(json!({}))).await;
    assert_eq!((status, item["state"].as_str()), (200, Some("starting")));
    world.server.restart().await;
    world.wait_until(|_, list| list["tunnels"][1]["state"] == "running").await;
}

#[tokio::test]
async fn a_taken_name_fails_with_the_servers_reason_and_can_be_retried() {
    let world = World::with("tunnels:\n  site: {proto: http, addr: 1, subdomain: shop}\n").await;
    world.wait_until(|_, list| list["tunnels"][0]["state"] == "running").await;
    world.server.refuse_host("shop");
    world.call("POST", "/api/configured/site/stop", Some(json!({}))).await;
    world.call("POST", "/api/configured/site/start", Some(json!({}))).await;
    world.wait_until(|_, list| list["tunnels"][0]["error"]["code"] == "ERR_POSTERN_334").await;
    let body = json!({"name": "again", "proto": "http", "addr": 1, "subdomain": "shop"});
    let (status, body) = world.call("POST", "/api/tunnels", Some(body)).await;
    assert_eq!((status, body["error_code"].as_u64(), body["status_code"].as_u64()), (502, Some(103), Some(502)));
    assert_eq!(world.call("GET", "/api/tunnels/again", None).await.0, 404, "nothing is left behind");
    world.server.refuse_host("unknown");
    world.call("POST", "/api/configured/site/start", Some(json!({}))).await;
    world.wait_until(|_, list| list["tunnels"][0]["state"] == "running").await;
}

#[tokio::test]
async fn a_taken_web_address_and_an_unknown_tunnel_are_explained() {
    use postern_agent::{
        agent::{Agent, AgentOptions},
        config::{Sources, tree::ConfigNode},
    };
    let world = World::start().await;
    let taken = world.web().replace("http://", "");
    let try_with = |key: &'static str, value: String, auto_start: AutoStart| {
        let overlay = ConfigNode::from_json(&json!({key: value}));
        let sources = Sources { files: vec![world.config()], may_be_missing: false, overlay };
        Agent::start(AgentOptions { sources, auto_start, extra: Vec::new() })
    };
    let error = try_with("web_addr", taken.clone(), AutoStart::None).await.err().expect("taken");
    assert!(error.code == postern_api::Code::ListenFailed && error.message.contains(&taken), "{error}");
    let error =
        try_with("metadata", "x".into(), AutoStart::Named(vec!["unknown".into()])).await.err().expect("unknown");
    assert!(error.code == postern_api::Code::TunnelUnknown && error.message.contains("`unknown`"), "{error}");
}
