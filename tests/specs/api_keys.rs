//! `postern-server api-key create`: with and without a running server.

use postern_api::Code;
use postern_tests::{Operator, Process, World, programs};
use serde_json::json;

fn last_line(output: &str) -> String {
    output.lines().last().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_key_created_while_the_server_runs_works_at_once() {
    let world = World::start().await;
    let api = world.api();
    let made = world.server.command(&["api-key", "create", "--admin", "--description", "second"]).await;
    assert!(made.status.success(), "{made:?}");
    let admin = Operator::new(api, Some(&last_line(&made.stdout)));
    let keys = admin.get("/api_keys").await.ok();
    assert!(keys.text.contains("\"second\"") && !keys.text.contains(&last_line(&made.stdout)), "stored as a hash only");

    let made = world.server.command(&["api-key", "create"]).await;
    let other = Operator::new(api, Some(&last_line(&made.stdout)));
    other.post("/credentials", json!({})).await.ok();
    let owner = admin.get("/api_keys").await.ok().body["keys"].clone();
    let owners: std::collections::HashSet<_> =
        owner.as_array().unwrap().iter().map(|key| key["owner_id"].to_string()).collect();
    assert_eq!(owners.len(), 2, "without --admin the key belongs to a new user");
    let users = other.post("/users", json!({ "name": "mallory", "admin": true })).await;
    assert!(users.status == 403 && users.code() == Code::AdminNeeded, "{users:?}");
}

#[tokio::test]
async fn a_key_can_be_created_while_no_server_runs() {
    let world = World::start().await;
    let again = world.server.restart_setup();
    world.server.process.kill();
    let made = world.server.command(&["api-key", "create", "--admin"]).await;
    assert!(made.status.success(), "{made:?}");
    let server = again.start().await;
    Operator::new(server.addresses.api, Some(&last_line(&made.stdout))).get("/credentials").await.ok();
}

#[tokio::test]
async fn the_folder_may_come_from_the_environment_and_may_be_new() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("deep/er");
    let made = Process::run(
        &programs::server(),
        &["api-key", "create", "--admin"],
        &[("POSTERN_DATA_DIR", &data_dir.to_string_lossy())],
    )
    .await;
    assert!(made.status.success(), "{made:?}");
    assert!(last_line(&made.stdout).len() > 40 && data_dir.join("postern.db").exists());
}
