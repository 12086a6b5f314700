//! The terminal console, in a terminal: what is to be seen, and what is left behind.

use postern_api::Code;
use postern_tests::{Origin, Screen, World, eventually};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

const CONTROL_C: &str = "\u{3}";

async fn is_given_back(screen: &mut Screen) {
    eventually("the terminal is as before", async || {
        (!screen.is_taken() && screen.has_cursor() && screen.is_cooked()).then_some(())
    })
    .await;
}

#[tokio::test]
async fn the_session_the_tunnels_and_the_requests_are_to_be_seen() {
    let world = World::start().await;
    let origin = Origin::says("hello").await;
    let token = world.operator().credential(&[]).await.1;
    let nobody = Origin::says("nobody").await.stops().await;
    let setup = world
        .agent_setup("agent", &token)
        .tunnel("site", json!({ "proto": "http", "addr": origin.to_string(), "domain": "site" }))
        .tunnel("down", json!({ "proto": "http", "addr": nobody.to_string(), "domain": "down" }));
    let mut screen = setup.on_a_screen();
    screen.shows("online").await;
    let public = format!("https://site.localhost:{}", world.server.addresses.https.port());
    let text = screen.shows(&format!("{public} -> http://{origin}")).await;
    assert!(screen.is_taken() && !screen.is_cooked(), "a screen of its own");
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
        .comes_to("the visitor is counted", |text| {
            text.lines().any(|line| line.starts_with(" site ") && line.split_whitespace().nth(1) == Some("1"))
        })
        .await;

    screen.is_resized(60, 16);
    screen
        .comes_to("it fits into the smaller window", |text| text.lines().count() <= 16 && text.contains("online"))
        .await;
    screen.press(CONTROL_C);
    assert!(screen.ended().await.success());
    is_given_back(&mut screen).await;
}

#[tokio::test]
async fn a_lost_session_says_why_and_counts_down() {
    let world = World::start().await;
    let token = world.operator().credential(&[]).await.1;
    let mut screen = world.agent_setup("agent", &token).on_a_screen();
    screen.shows("online").await;
    world.server.process.kill();
    screen.shows("waiting, next attempt in").await;
    screen.shows("nothing listens there").await;
    let world = world.server_is_killed_and_restarted().await;
    screen.shows("online").await;
    screen.press("q");
    assert!(screen.ended().await.success());
    is_given_back(&mut screen).await;
    drop(world);
}

#[tokio::test]
async fn a_tunnel_that_is_refused_is_said_on_the_terminal_as_it_was() {
    let world = World::start().await;
    let origin = Origin::says("hello").await;
    let holder = world.agent().await;
    holder.https_as("site", "site", &origin).await;
    let token = world.operator().credential(&[]).await.1;
    let address = origin.to_string();
    let setup = world.agent_setup("late", &token).arguments(&["http", &address, "--domain", "site"]);
    let mut screen = setup.on_a_screen();
    assert!(!screen.ended().await.success());
    is_given_back(&mut screen).await;
    screen.shows(&Code::NameTaken.to_string()).await;
}

#[tokio::test]
async fn a_signal_gives_the_terminal_back_as_well() {
    let world = World::start().await;
    let token = world.operator().credential(&[]).await.1;
    let mut screen = world.agent_setup("agent", &token).on_a_screen();
    screen.shows("online").await;
    kill_process(Pid::from_raw(screen.pid() as i32).unwrap(), Signal::TERM).unwrap();
    assert!(screen.ended().await.success());
    is_given_back(&mut screen).await;
}

/// As when a window is drawn larger by its corner: a key pressed right after must not be lost among the sizes.
#[tokio::test]
async fn a_key_that_comes_together_with_a_new_size_is_heard() {
    let world = World::start().await;
    let token = world.operator().credential(&[]).await.1;
    let mut screen = world.agent_setup("agent", &token).on_a_screen();
    screen.shows("online").await;
    for width in 60..100 {
        screen.is_resized(width, 16);
    }
    screen.press("q");
    assert!(screen.ended().await.success());
    is_given_back(&mut screen).await;
}

#[tokio::test]
async fn who_wants_lines_gets_lines() {
    let world = World::start().await;
    let token = world.operator().credential(&[]).await.1;
    for (name, key, value) in [("never", "console_ui", "false"), ("log", "log", "stderr")] {
        let screen = world.agent_setup(name, &token).setting(key, value).on_a_screen();
        screen.shows("session established").await;
        assert!(!screen.is_taken(), "{key}: {value}");
    }
    let screen = world.agent_setup("file", &token).setting("log", &world.path("agent.log").to_string_lossy());
    let screen = screen.on_a_screen();
    screen.shows("online").await;
    let log = std::fs::read_to_string(world.path("agent.log")).unwrap();
    assert!(log.contains("session established"), "{log}");
    drop(screen);
    let piped = world.agent_setup("piped", &token).setting("console_ui", "true").start().await;
    assert!(piped.process.stdout().is_empty(), "no terminal, no screen: {}", piped.process.stdout());
    piped.process.says("session established").await;
}
