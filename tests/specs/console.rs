//! The terminal console: what it shows, and the terminal afterwards.

use postern_api::Code;
use postern_tests::{Origin, Screen, World, eventually};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

const CONTROL_C: &str = "\u{3}";

async fn is_given_back(screen: &mut Screen) {
    eventually("the terminal is as before", async || {
        (!screen.is_alternate() && screen.has_cursor() && screen.is_cooked()).then_some(())
    })
    .await;
}

#[tokio::test]
async fn the_console_shows_session_tunnels_and_requests() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let token = world.operator().credential(&[]).await.1;
    let closed = Origin::start("closed").await.stop().await;
    let setup = world
        .agent_setup("agent", &token)
        .tunnel("site", json!({ "proto": "http", "addr": origin.to_string(), "domain": "site" }))
        .tunnel("down", json!({ "proto": "http", "addr": closed.to_string(), "domain": "down" }));
    let mut screen = setup.start_in_terminal();
    screen.shows("online").await;
    let public = format!("https://site.localhost:{}", world.server.addresses.https.port());
    let text = screen.shows(&format!("{public} -> http://{origin}")).await;
    assert!(screen.is_alternate() && !screen.is_cooked(), "a screen of its own");
    for part in ["Postern", "Ctrl+C to quit", "Server", "region local", "Latency", "Web interface   http://127.0.0.1:"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("session established"), "no log lines between: {text}");

    world.visitor().get(&format!("{public}/status/404?a=1")).await;
    world.visitor().get(&format!("https://down.localhost:{}/", world.server.addresses.https.port())).await;
    let text = screen.shows("/status/404?a=1").await;
    let text = if text.contains("404 Not Found") { text } else { screen.shows("404 Not Found").await };
    assert!(text.contains("GET") && text.contains("Requests"), "{text}");
    screen.shows("cannot be").await;
    screen
        .wait_for("the visitor is counted", |text| {
            text.lines().any(|line| line.starts_with(" site ") && line.split_whitespace().nth(1) == Some("1"))
        })
        .await;

    screen.resize(60, 16);
    screen
        .wait_for("it fits into the smaller window", |text| text.lines().count() <= 16 && text.contains("online"))
        .await;
    screen.press(CONTROL_C);
    assert!(screen.wait_for_exit().await.success());
    is_given_back(&mut screen).await;
}

#[tokio::test]
async fn a_lost_session_shows_the_reason_and_a_countdown() {
    let world = World::start().await;
    let token = world.operator().credential(&[]).await.1;
    let mut screen = world.agent_setup("agent", &token).start_in_terminal();
    screen.shows("online").await;
    world.kill_server();
    screen.shows("waiting, next attempt in").await;
    screen.shows("nothing listens there").await;
    let world = world.kill_and_restart_server().await;
    screen.shows("online").await;
    screen.press("q");
    assert!(screen.wait_for_exit().await.success());
    is_given_back(&mut screen).await;
    drop(world);
}

#[tokio::test]
async fn a_refused_tunnel_is_reported_on_the_terminal() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let holder = world.agent().await;
    holder.https_at("site", "site", &origin).await;
    let token = world.operator().credential(&[]).await.1;
    let address = origin.to_string();
    let setup = world.agent_setup("late", &token).arguments(&["http", &address, "--domain", "site"]);
    let mut screen = setup.start_in_terminal();
    assert!(!screen.wait_for_exit().await.success());
    is_given_back(&mut screen).await;
    screen.shows(&Code::NameTaken.to_string()).await;
}

#[tokio::test]
async fn a_signal_restores_the_terminal_too() {
    let world = World::start().await;
    let token = world.operator().credential(&[]).await.1;
    let mut screen = world.agent_setup("agent", &token).start_in_terminal();
    screen.shows("online").await;
    kill_process(Pid::from_raw(screen.pid() as i32).unwrap(), Signal::TERM).unwrap();
    assert!(screen.wait_for_exit().await.success());
    is_given_back(&mut screen).await;
}

/// A window that is dragged by its corner sends many sizes; a key pressed right after must not be lost.
#[tokio::test]
async fn a_key_pressed_during_a_resize_is_not_lost() {
    let world = World::start().await;
    let token = world.operator().credential(&[]).await.1;
    let mut screen = world.agent_setup("agent", &token).start_in_terminal();
    screen.shows("online").await;
    for width in 60..100 {
        screen.resize(width, 16);
    }
    screen.press("q");
    assert!(screen.wait_for_exit().await.success());
    is_given_back(&mut screen).await;
}

#[tokio::test]
async fn the_console_can_be_replaced_by_log_lines() {
    let world = World::start().await;
    let token = world.operator().credential(&[]).await.1;
    for (name, key, value) in [("never", "console_ui", "false"), ("log", "log", "stderr")] {
        let screen = world.agent_setup(name, &token).setting(key, value).start_in_terminal();
        screen.shows("session established").await;
        assert!(!screen.is_alternate(), "{key}: {value}");
    }
    let screen = world.agent_setup("file", &token).setting("log", &world.path("agent.log").to_string_lossy());
    let screen = screen.start_in_terminal();
    screen.shows("online").await;
    let log = std::fs::read_to_string(world.path("agent.log")).unwrap();
    assert!(log.contains("session established"), "{log}");
    drop(screen);
    let piped = world.agent_setup("piped", &token).setting("console_ui", "true").start().await;
    assert!(piped.process.stdout().is_empty(), "no terminal, no screen: {}", piped.process.stdout());
    piped.process.wait_for_log("session established").await;
}
