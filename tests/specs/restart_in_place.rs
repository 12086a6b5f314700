//! Restarts in place: the next server serves new visitors while the last one finishes open connections, and an agent
//! lets its session go in peace.

use futures::StreamExt;
use postern_tests::{
    Agent, Origin, Process, World,
    agent::Tunnel,
    condition::finishes,
    eventually,
    process::exited_successfully,
    tcp::{Echo, EchoClient},
    websocket::{WebSocket, assert_echoes},
    within,
};
use serde_json::json;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio_tungstenite::tungstenite::Message;

/// New visitors may wait for at most this long when a server is replaced.
const OUTAGE_LIMIT: Duration = Duration::from_secs(5);

async fn open_socket(world: &World, site: &Tunnel) -> WebSocket {
    world.visitor().websocket(&site.url("/socket")).await.0
}

async fn echoes(socket: &mut WebSocket, text: &str) {
    assert_echoes(socket, Message::text(text)).await;
}

async fn close(mut socket: WebSocket) {
    socket.close(None).await.expect("closed in order");
    finishes("the end of the WebSocket", socket.collect::<Vec<_>>()).await;
}

async fn assert_ends_successfully(process: Process) {
    let ended = process.wait_within(Duration::from_secs(10)).await;
    assert!(exited_successfully(ended.status), "{ended:?}");
}

#[tokio::test]
pub(crate) async fn the_next_server_serves_while_the_last_one_finishes_open_connections() {
    let world = World::start().await;
    let (origin, echo) = (Origin::start("hello").await, Echo::named("echo").await);
    let agent = world.agent().await;
    let (site, line) = (agent.https("site", &origin).await, agent.tcp("line", &echo).await);
    let mut socket = open_socket(&world, &site).await;
    let (mut open_line, _) = EchoClient::connect(line.port()).await.expect("open");
    echoes(&mut socket, "before").await;
    let visitor = world.visitor();
    let setup = world.server.restart_setup();
    let last = world.server.process;
    last.terminate();
    let next = setup.start().await;
    within(OUTAGE_LIMIT, "new visitors are served", async || {
        let response = visitor.http.get(site.url("/")).send().await.ok()?;
        (response.status() == 200).then_some(())
    })
    .await;
    within(OUTAGE_LIMIT, "the TCP port is served", async || {
        EchoClient::connect(line.port()).await?.0.echo("new").await.filter(|back| back == "new").map(drop)
    })
    .await;
    assert!(last.is_running(), "the WebSocket and the TCP connection are still open");
    echoes(&mut socket, "after").await;
    assert_eq!(open_line.echo("after").await.as_deref(), Some("after"));
    close(socket).await;
    drop(open_line);
    assert_ends_successfully(last).await;
    let session = agent.get("/api/status").await.ok();
    assert_eq!(session["session"]["state"], "online", "{session}");
    drop(next);
}

#[tokio::test]
async fn visitors_of_names_that_agents_held_are_asked_to_come_back_after_a_restart() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let site = agent.https("site", &origin).await;
    eventually("the name is stored", async || {
        let text = std::fs::read_to_string(world.server.folder().join("names.json")).ok()?;
        text.contains(&site.host()).then_some(())
    })
    .await;
    agent.process.kill();
    let world = world.kill_and_restart_server().await;
    let response = world.visitor().get(&site.url("/")).await;
    assert_eq!(response.status, 503, "{}", response.text());
    assert!(!response.header("retry-after").is_empty());
    assert_eq!(world.visitor().get(&site.url("/").replace(&site.host(), "never.localhost")).await.status, 404);
}

async fn new_session(world: &World, old: &str) {
    eventually("a new session is there", async || {
        let sessions = world.operator().get("/tunnel_sessions").await.ok();
        let sessions = sessions.body["tunnel_sessions"].as_array()?.clone();
        sessions.iter().any(|session| session["id"] != old).then_some(())
    })
    .await;
}

async fn session_id(world: &World) -> String {
    let sessions = world.operator().get("/tunnel_sessions").await.ok();
    sessions.body["tunnel_sessions"][0]["id"].as_str().expect("a session").to_owned()
}

/// Fewest visits while a session is replaced.
const MIN_VISITS: usize = 100;

/// Checks that the open WebSocket and new visitors are served while a new session replaces the old one.
async fn is_served_through(world: &World, agent: &Agent, site: &Tunnel, replace: impl AsyncFnOnce(&str)) {
    let old = session_id(world).await;
    let mut socket = open_socket(world, site).await;
    echoes(&mut socket, "before").await;
    let visitor = world.visitor();
    let url = site.url("/");
    let is_replaced = Arc::new(AtomicBool::new(false));
    let seen = is_replaced.clone();
    let visits = tokio::spawn(async move {
        let mut statuses = Vec::new();
        while statuses.len() < MIN_VISITS || !seen.load(Ordering::Acquire) {
            statuses.push(visitor.get(&url).await.status);
        }
        statuses
    });
    replace(&old).await;
    new_session(world, &old).await;
    agent.wait_until_online().await;
    is_replaced.store(true, Ordering::Release);
    let statuses = finishes("the visits", visits).await.expect("no panic");
    assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
    echoes(&mut socket, "after").await;
    assert_eq!(world.visitor().get(&site.url("/")).await.text(), "hello");
    close(socket).await;
    eventually("the old session has ended", async || {
        let sessions = world.operator().get("/tunnel_sessions").await.ok();
        let sessions = sessions.body["tunnel_sessions"].as_array()?.clone();
        sessions.iter().all(|session| session["id"] != old.as_str()).then_some(())
    })
    .await;
}

#[tokio::test]
pub(crate) async fn a_session_that_the_operator_restarts_cuts_no_stream() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent_with_one_session().await;
    let site = agent.https("site", &origin).await;
    let operator = world.operator();
    is_served_through(&world, &agent, &site, async |session| {
        operator.post(&format!("/tunnel_sessions/{session}/restart"), json!({})).await.ok();
    })
    .await;
}

#[tokio::test]
async fn a_change_of_the_metadata_cuts_no_stream() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let token = world.operator().credential(&[]).await.1;
    let mut agent = world
        .agent_setup("agent", &token)
        .with_one_session()
        .tunnel("site", json!({ "proto": "http", "addr": origin.to_string() }))
        .start()
        .await;
    let site = agent.wait_for_tunnel("site").await;
    let old = session_id(&world).await;
    let mut socket = open_socket(&world, &site).await;
    echoes(&mut socket, "before").await;
    agent.edit_config(|setup| setup.setting("metadata", "changed"));
    new_session(&world, &old).await;
    agent.wait_until_online().await;
    echoes(&mut socket, "after").await;
    assert_eq!(world.visitor().get(&site.url("/")).await.text(), "hello");
    close(socket).await;
}

#[tokio::test]
async fn an_agent_that_is_asked_to_end_finishes_open_connections() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let site = agent.https("site", &origin).await;
    let visitor = world.visitor();
    assert_eq!(visitor.get(&site.url("/")).await.text(), "hello", "an idle connection to the service stays behind");
    let (url, slow) = (site.url("/slow"), visitor.clone());
    let open = tokio::spawn(async move { slow.get(&url).await });
    origin.wait_for_requests("/slow", 1).await;
    agent.process.terminate();
    eventually("the name is given up", async || (visitor.get(&site.url("/")).await.status == 404).then_some(())).await;
    assert!(agent.process.is_running() && !open.is_finished(), "the request is waited for");
    origin.release();
    assert_eq!(open.await.unwrap().text(), "at last");
    let ended = agent.process.wait_within(Duration::from_secs(5)).await;
    assert!(exited_successfully(ended.status), "{ended:?}");
}

#[tokio::test]
async fn the_drain_timeout_of_an_agent_bounds_the_wait() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let token = world.operator().credential(&[]).await.1;
    let agent =
        world.agent_setup("agent", &token).arguments(&["start", "--none", "--drain-timeout", "200ms"]).start().await;
    let site = agent.https("site", &origin).await;
    let visitor = world.visitor();
    let open = tokio::spawn(async move { visitor.get(&site.url("/slow")).await.status });
    origin.wait_for_requests("/slow", 1).await;
    agent.process.terminate();
    agent.process.wait_for_exit().await;
    assert!(open.await.unwrap() >= 500);
}

#[tokio::test]
async fn a_lost_session_does_not_blame_the_local_service() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let site = agent.https("site", &origin).await;
    let visitor = world.visitor();
    let request = visitor.http.get(site.url("/slow"));
    tokio::spawn(async move { request.send().await.map(drop) });
    origin.wait_for_requests("/slow", 1).await;
    world.kill_server();
    let error = eventually("the request is listed", async || {
        let summaries = agent.get("/api/requests/http/summaries").await.ok();
        summaries["requests"][0]["error"].as_str().map(str::to_owned)
    })
    .await;
    assert!(error.contains("session with the server was lost"), "{error}");
    assert!(!agent.process.stderr().contains("had not responded"), "{}", agent.process.stderr());
}
