//! Known secrets never appear in output, lists or pages.

use postern_tests::{Origin, World};
use serde_json::json;

/// The command line and the environment of a process, as other users may see them.
fn visible(pid: u32) -> String {
    let read = |file: &str| std::fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    String::from_utf8_lossy(&read("cmdline")).into_owned()
}

#[tokio::test]
async fn keys_and_tokens_are_shown_once_and_never_again() {
    let world = World::with(|setup| setup.flags(&["--log-level", "trace"])).await;
    let operator = world.operator();
    let (id, token) = operator.credential(&[]).await;
    let made = operator.post("/api_keys", json!({ "description": "second" })).await.ok();
    let second = made.text("token");
    let printed = world.server.command(&["api-key", "create", "--admin"]).await;
    let third = printed.stdout.lines().last().unwrap().to_owned();
    let wrong = "2ojtsYcgvSTl8PAuAdqWYSMnLOv_plantedplantedplantedplanted";

    let origin = Origin::start("hello").await;
    let agent =
        world.agent_setup("agent", &token).setting("log_level", "trace").setting("api_key", &second).start().await;
    let tunnel = agent.https("site", &origin).await;
    let visitor = world.visitor();
    visitor.get(&tunnel.url("/")).await;
    let stranger = world.agent_setup("stranger", wrong).setting("log_level", "trace").start_without_session().await;
    stranger.wait_for_session("refused").await;
    postern_tests::Operator::new(world.api(), Some(wrong)).get("/credentials").await;
    operator.delete("/api_keys/nothing").await;

    let mut shown = vec![
        operator.get("/api_keys").await.ok().text,
        operator.get("/credentials").await.ok().text,
        operator.get(&format!("/credentials/{id}")).await.ok().text,
        operator.patch(&format!("/credentials/{id}"), json!({ "description": "changed" })).await.ok().text,
        operator.get("/metrics").await.ok().text,
        visible(agent.process.pid()),
    ];
    shown.extend(world.servers().iter().map(|server| visible(server.process.pid())));
    for path in ["/api/", "/api/status", "/api/tunnels", "/api/configured", "/"] {
        shown.push(agent.get(path).await.text);
        shown.push(stranger.get(path).await.text);
    }
    for file in ["server/addresses.json", "agent/postern.yml.state.json"] {
        shown.push(std::fs::read_to_string(world.path(file)).unwrap());
    }
    let secrets = [world.admin_key(), token, second, third, wrong.to_owned()];
    let servers = world.servers().into_iter().rev().map(|server| &server.process);
    for process in [&agent.process, &stranger.process].into_iter().chain(servers) {
        process.terminate();
        process.wait_for_exit().await;
        shown.push(format!("{}{}", process.stdout(), process.stderr()));
    }
    assert!(shown.last().unwrap().lines().count() > 20, "the log at trace says something");
    std::fs::remove_file(world.server.folder().join("admin.key")).unwrap();
    let stored = String::from_utf8_lossy(&world.stored()).into_owned();
    assert!(stored.contains(id.split_once('_').unwrap().1), "it is the store");
    for secret in &secrets {
        let tail = secret.split_once('_').unwrap().1;
        for text in &shown {
            assert!(!text.contains(tail), "a secret in: {}", around(text, tail));
        }
        assert!(!stored.contains(tail), "stored as a hash only");
    }
}

fn around(text: &str, part: &str) -> String {
    text.lines().find(|line| line.contains(part)).unwrap_or_default().to_owned()
}
