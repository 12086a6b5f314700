use crate::world::World;
use postern_agent::agent::AutoStart;
use postern_api::{Code, Error};
use postern_test_kit::scripted_origin::ScriptedOrigin;
use postern_tunnel::message::BindKind;

const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: h\r\n\r\n";
const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

fn tunnels(port: u16) -> String {
    format!("tunnels:\n  site:\n    proto: http\n    addr: {port}\n  shell:\n    proto: tcp\n    addr: {port}\n")
}

fn running(list: &serde_json::Value) -> usize {
    list["tunnels"].as_array().unwrap().iter().filter(|one| one["state"] == "running").count()
}

#[tokio::test]
async fn after_the_server_died_the_same_addresses_come_back() {
    let origin = ScriptedOrigin::closing_after_end(b"\r\n\r\n", OK).await;
    let world = World::with(&tunnels(origin.port())).await;
    world.wait_until(|_, list| running(list) == 2).await;
    let before = world.get("/api/tunnels").await;
    world.server.crash();
    world.wait_until(|status, list| status["status"] != "online" && running(list) == 0).await;
    let status = world.get("/api/status").await;
    assert!(status["session"]["reason"]["code"].is_string(), "{status}");
    assert_eq!(
        world.get("/api/tunnels").await["tunnels"][0]["public_url"],
        before["tunnels"][0]["public_url"],
        "still shown"
    );
    world.server.restart().await;
    world.wait_until(|status, list| status["status"] == "online" && running(list) == 2).await;
    let after = world.get("/api/tunnels").await;
    for index in 0..2 {
        assert_eq!(after["tunnels"][index]["public_url"], before["tunnels"][index]["public_url"]);
    }
    assert_eq!(world.server.http("site", GET).await.expect("answered"), OK);
    let hellos = world.server.hellos();
    assert!(hellos.iter().all(|hello| hello.instance == hellos[0].instance && !hello.instance.is_empty()));
}

#[tokio::test]
async fn addresses_survive_a_restart_of_the_agent() {
    let origin = ScriptedOrigin::closing_after_end(b"\r\n\r\n", OK).await;
    let mut world = World::with(&tunnels(origin.port())).await;
    world.wait_until(|_, list| running(list) == 2).await;
    let before = world.get("/api/tunnels").await["tunnels"][1]["public_url"].clone();
    world.stop_agent().await;
    world.run(AutoStart::All).await;
    world.wait_until(|_, list| running(list) == 2).await;
    assert_eq!(world.get("/api/tunnels").await["tunnels"][1]["public_url"], before);
    assert!(matches!(
        &world.server.binds()[3].what,
        BindKind::Http { previous: Some(_), .. } | BindKind::Tcp { previous: Some(_), .. }
    ));
}

#[tokio::test]
async fn a_refused_token_is_reported_once_and_retried_when_the_configuration_changes() {
    let mut world = World::stopped("").await;
    world.server.refuse_sessions(Some(Error::new(Code::TokenUnknown, "The authtoken is not known.")));
    world.run(AutoStart::All).await;
    world.wait_until(|status, _| status["session"]["state"] == "refused").await;
    let status = world.get("/api/status").await;
    assert_eq!(status["status"], "offline");
    assert_eq!(status["session"]["reason"]["code"], "ERR_POSTERN_105");
    let next: jiff::Timestamp = status["session"]["next_try"].as_str().unwrap().parse().unwrap();
    assert!(next.duration_since(postern_api::clock::now()).as_secs() > 60, "it does not hammer");
    assert_eq!(world.server.hellos().len(), 1);
    world.server.refuse_sessions(None);
    world.save("metadata: changed\n");
    world.wait_until(|status, _| status["status"] == "online").await;
    assert_eq!(world.server.hellos()[1].metadata, "changed");
}

#[tokio::test]
async fn an_unreachable_server_is_explained_with_the_next_attempt() {
    let mut world = World::stopped("").await;
    world.server.crash();
    world.run(AutoStart::All).await;
    world
        .wait_until(|status, _| status["session"]["state"] == "waiting" && status["session"]["next_try"].is_string())
        .await;
    let status = world.get("/api/status").await;
    assert_eq!(status["session"]["reason"]["code"], "ERR_POSTERN_8112");
    let body = serde_json::json!({"name": "a", "proto": "http", "addr": "1"});
    let (code, body) = world.call("POST", "/api/tunnels", Some(body)).await;
    assert_eq!((code, body["error_code"].as_u64()), (503, Some(104)));
    assert!(
        body["details"]["err"]
            .as_str()
            .unwrap()
            .starts_with("a successful tunnel session has not yet been established")
    );
    world.server.restart().await;
    world.wait_until(|status, _| status["status"] == "online").await;
}

#[tokio::test]
async fn a_server_with_an_unknown_certificate_is_not_trusted() {
    let mut world = World::stopped("").await;
    let other = World::stopped("").await;
    std::fs::write(world.folder.path().join("ca.pem"), &other.server.authority).expect("written");
    world.run(AutoStart::All).await;
    world.wait_until(|status, _| status["session"]["reason"]["code"] == "ERR_POSTERN_8113").await;
    let next_try: jiff::Timestamp =
        world.get("/api/status").await["session"]["next_try"].as_str().unwrap().parse().expect("a time");
    let wait = next_try.duration_since(postern_api::clock::now()).as_secs();
    assert!(wait > 5, "a certificate does not change by itself: the next attempt is not due in {wait} s");
}

#[tokio::test]
async fn the_agent_leaves_a_draining_server_and_reconnects() {
    let origin = ScriptedOrigin::closing_after_end(b"\r\n\r\n", OK).await;
    let world = World::with(&tunnels(origin.port())).await;
    world.wait_until(|_, list| running(list) == 2).await;
    world.server.newest_session().drain();
    world.server.wait_for(|server| (server.hellos().len() == 2).then_some(())).await;
    world.wait_until(|status, list| status["status"] == "online" && running(list) == 2).await;
}

#[tokio::test]
async fn a_session_that_is_replaced_keeps_its_names_only_for_the_same_agent() {
    let origin = ScriptedOrigin::closing_after_end(b"\r\n\r\n", OK).await;
    let world = World::with(&tunnels(origin.port())).await;
    world.wait_until(|_, list| running(list) == 2).await;
    let config = |extra: &str| format!("{}{extra}", tunnels(origin.port()));
    world.save(&config("metadata: changed\n"));
    world.server.wait_for(|server| (server.hellos().len() == 2).then_some(())).await;
    world.wait_until(|status, list| status["status"] == "online" && running(list) == 2).await;
    assert_eq!(world.server.drains(), [false], "the new session takes over the names");
    let text = std::fs::read_to_string(world.config()).expect("a file");
    std::fs::write(world.config(), text.replace("a-token", "another-token")).expect("written");
    world.server.wait_for(|server| (server.hellos().len() == 3).then_some(())).await;
    assert_eq!(world.server.drains(), [false, true], "another credential cannot");
}

#[tokio::test]
async fn a_shutdown_says_goodbye_and_clears_the_state() {
    let mut world = World::start().await;
    let session = world.server.newest_session();
    let state = postern_agent::config::state_file::state_path(&world.config());
    let read = || postern_agent::config::state_file::read(&state);
    assert_eq!(read().pid, Some(std::process::id()));
    assert_eq!(read().web_addr.map(|addr| format!("http://{addr}")), Some(world.web()));
    world.stop_agent().await;
    assert!(session.closed().await.clean);
    assert_eq!((read().pid, read().web_addr), (None, None));
}
