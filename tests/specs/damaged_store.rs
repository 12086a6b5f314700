//! Stored data that was lost or damaged: the server refuses it by name, and `postern-server doctor` examines it.

use postern_tests::{Operator, Process, ServerSetup, World, eventually, programs};
use serde_json::json;
use std::path::{Path, PathBuf};

/// A data folder with a few records, after its server was killed: they are in the log of the database.
async fn killed() -> (World, PathBuf) {
    let world = World::start().await;
    for name in ["one", "two"] {
        world.operator().post("/ip_policies", json!({ "description": name })).await.ok();
    }
    world.server.process.kill();
    world.server.process.wait_for_exit().await;
    let folder = world.server.folder().to_owned();
    (world, folder)
}

async fn start_is_refused(folder: &Path, parts: &[&str]) {
    let ended = ServerSetup::new(folder).spawn().wait_with_output().await;
    assert!(!ended.status.success(), "{ended:?}");
    for part in parts {
        assert!(ended.stderr.contains(part), "no `{part}` in {}", ended.stderr);
    }
}

async fn doctor(folder: &Path, flags: &[&str]) -> (bool, String) {
    let folder = folder.to_string_lossy();
    let arguments: Vec<&str> = ["doctor", "--data-dir", &folder].into_iter().chain(flags.iter().copied()).collect();
    let ended = Process::run(&programs::server(), &arguments, &[]).await;
    (ended.status.success(), ended.stdout)
}

#[tokio::test]
async fn a_store_that_was_emptied_is_not_served_as_a_new_one() {
    let (_world, folder) = killed().await;
    for file in ["postern.db", "postern.db-wal"] {
        std::fs::remove_file(folder.join(file)).unwrap();
    }
    start_is_refused(&folder, &["ERR_POSTERN_10006", "`postern.db` is missing", &folder.to_string_lossy()]).await;
    let (healthy, report) = doctor(&folder, &["--repair"]).await;
    assert!(!healthy && report.contains("`postern.db` is missing"), "{report}");
}

#[tokio::test]
async fn a_lost_log_is_refused_until_its_loss_is_accepted() {
    let mut world = World::start().await;
    let before = world.operator().post("/ip_policies", json!({"description": "before"})).await.ok();
    world.server.process.terminate();
    assert!(world.server.process.wait_for_exit().await.success(), "a clean end leaves nothing in the log");
    world.server = world.server.restart_setup().start().await;
    let after = world.operator().post("/ip_policies", json!({"description": "after"})).await.ok();
    world.server.process.kill();
    world.server.process.wait_for_exit().await;

    let folder = world.server.folder().to_owned();
    std::fs::remove_file(folder.join("postern.db-wal")).unwrap();
    start_is_refused(&folder, &["ERR_POSTERN_10006", "`postern.db-wal` is missing"]).await;
    assert!(!doctor(&folder, &[]).await.0);
    assert!(doctor(&folder, &["--repair"]).await.0);
    world.server = world.server.restart_setup().start().await;
    let get = async |id: String| world.operator().get(&format!("/ip_policies/{id}")).await.status;
    let found = (get(before.text("id")).await, get(after.text("id")).await);
    assert_eq!(found, (200, 404), "what was in the log alone is lost");
}

#[tokio::test]
async fn a_damaged_record_is_named_and_can_be_deleted() {
    let world = World::start().await;
    let policy = world.operator().post("/ip_policies", json!({"description": "planted-text"})).await.ok();
    let again = world.server.restart_setup();
    world.server.process.terminate();
    assert!(world.server.process.wait_for_exit().await.success());
    let database = world.server.folder().join("postern.db");
    let mut bytes = std::fs::read(&database).unwrap();
    let key = format!("records/ip_policy/{}", policy.text("id"));
    // The audit event of the creation has the text as well.
    let last = |text: &[u8], at: usize| bytes[..at].windows(text.len()).rposition(|part| part == text);
    let is_of_record = |at: usize| last(key.as_bytes(), at) > last(b"events/", at);
    let places: Vec<_> =
        (0..bytes.len()).filter(|at| bytes[*at..].starts_with(b"planted-text") && is_of_record(*at)).collect();
    assert!(!places.is_empty());
    places.into_iter().for_each(|at| bytes[at] = b'P');
    std::fs::write(&database, bytes).unwrap();

    start_is_refused(world.server.folder(), &["ERR_POSTERN_10006", &key]).await;
    let (healthy, report) = doctor(world.server.folder(), &[]).await;
    assert!(!healthy && report.contains(&format!("damaged: {key}")), "{report}");
    let (healthy, report) = doctor(world.server.folder(), &["--repair"]).await;
    assert!(healthy && report.contains(&format!("deleted: {key}")), "{report}");
    assert!(doctor(world.server.folder(), &[]).await.0);
    let server = again.start().await;
    assert!(server.process.is_running());
}

#[tokio::test]
async fn a_server_that_cannot_write_its_addresses_starts() {
    let world = World::start().await;
    world.server.process.terminate();
    assert!(world.server.process.wait_for_exit().await.success());
    // What a full disk does to this file, a folder in its place does too.
    std::fs::create_dir_all(world.server.folder().join("addresses.json/taken")).unwrap();
    let server = ServerSetup::new(world.server.folder()).spawn();
    eventually("the server is ready", async || server.stdout().contains("Postern is ready").then_some(())).await;
    server.wait_for_log("addresses.json").await;
}

#[tokio::test]
async fn the_log_of_a_killed_server_outlasts_an_examination() {
    let (world, folder) = killed().await;
    let (healthy, report) = doctor(&folder, &[]).await;
    assert!(healthy, "{report}");
    let server = world.server.restart_setup().start().await;
    let records = Operator::new(server.addresses.api, Some(&world.admin_key())).get("/ip_policies").await.ok();
    assert_eq!(records.body["ip_policies"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn what_is_orphaned_is_named_and_can_be_deleted() {
    let world = World::start().await;
    let operator = world.operator();
    let policy = operator.post("/ip_policies", json!({ "description": "named" })).await.ok().text("id");
    let edge = operator.post("/edges/https", json!({ "hostports": ["orphan.localhost:443"] })).await.ok().text("id");
    let routes = format!("/edges/https/{edge}/routes");
    let route = operator.post(&routes, json!({ "match": "/", "match_type": "path_prefix" })).await.ok().text("id");
    let restriction = json!({ "enabled": true, "ip_policy_ids": [policy] });
    operator.put(&format!("{routes}/{route}/ip_restriction"), restriction).await.ok();
    let webhook = json!({ "enabled": true, "provider": "github", "secret": "planted" });
    operator.put(&format!("{routes}/{route}/webhook_verification"), webhook).await.ok();
    let gone = operator.post("/ip_policies", json!({ "description": "gone" })).await.ok().text("id");
    operator.delete(&format!("/ip_policies/{gone}")).await.ok();
    world.server.process.terminate();
    assert!(world.server.process.wait_for_exit().await.success());
    let folder = world.server.folder().to_owned();
    let (healthy, report) = doctor(&folder, &[]).await;
    assert!(healthy && report.contains("is healthy"), "{report}");

    // A file that a killed program left, and entries whose records are gone.
    std::fs::write(folder.join(".copy.x.new"), "").unwrap();
    let database = rusqlite::Connection::open(folder.join("postern.db")).unwrap();
    let delete =
        |key: &str| assert_eq!(database.execute("DELETE FROM entries WHERE key = ?1", [key]).unwrap(), 1, "{key}");
    delete(&format!("records/https_edge/{edge}"));
    delete(&format!("records/ip_policy/{policy}"));
    drop(database);
    let seal = std::fs::read(folder.join("seal.key")).unwrap();
    std::fs::write(folder.join("seal.key"), [7; 32]).unwrap();
    let (healthy, report) = doctor(&folder, &[]).await;
    let secret = format!("of `modules/{route}/webhook_verification` does not open");
    assert!(!healthy && report.contains(&secret) && !report.contains("planted"), "{report}");
    std::fs::write(folder.join("seal.key"), seal).unwrap();
    let (healthy, report) = doctor(&folder, &[]).await;
    assert!(!healthy && !report.contains("is healthy") && !report.contains(&secret), "{report}");
    for line in [
        "left over, can be deleted: .copy.x.new".to_owned(),
        format!("broken: `records/https_route/{route}` names `{edge}`, which does not exist"),
        "orphaned: claims/host/localhost.orphan".to_owned(),
    ] {
        assert!(report.contains(&line), "no `{line}` in {report}");
    }
    // A restriction may outlive its policies.
    assert!(!report.contains("ip_restriction"), "{report}");

    let (_, report) = doctor(&folder, &["--repair"]).await;
    assert!(report.contains("deleted: claims/host/localhost.orphan"), "{report}");
    let (_, report) = doctor(&folder, &[]).await;
    assert!(!report.contains("orphaned") && report.contains("broken"), "{report}");
    // The name is free again.
    let server = world.server.restart_setup().start().await;
    let operator = Operator::new(server.addresses.api, Some(&world.admin_key()));
    operator.post("/edges/https", json!({ "hostports": ["orphan.localhost:443"] })).await.ok();
}
