//! `store copy`: a server's configuration moves from its data folder into an etcd, and back.

use postern_test_kit::etcd::Etcd;
use postern_tests::{
    Origin, World, eventually,
    process::{Process, ProcessOutput, exited_successfully},
    programs,
    server::{Server, ServerSetup},
};
use serde_json::json;
use std::path::Path;

/// Runs `store copy` for a folder.
async fn copy(folder: &Path, direction: &str, address: &str) -> ProcessOutput {
    let folder = folder.to_string_lossy();
    let arguments = ["store", "copy", direction, address, "--data-dir", &*folder];
    Process::run(&programs::server(), &arguments, &[]).await
}

/// What a copy that is refused says.
async fn refusal(folder: &Path, direction: &str, address: &str) -> String {
    let refused = copy(folder, direction, address).await;
    assert!(!refused.status.success(), "{refused:?}");
    refused.stderr
}

/// Ends a server in order. Gives its setup.
async fn end(server: &Server) -> ServerSetup {
    server.process.terminate();
    assert!(exited_successfully(server.process.wait_for_exit().await));
    server.restart_setup()
}

#[tokio::test]
async fn a_server_moves_from_its_folder_to_etcd_and_back() {
    let etcd = Etcd::single().await;
    let address = format!("etcd://{}/team", etcd.addresses());
    let world = World::start().await;
    let folder = world.server.folder().to_owned();
    let operator = world.operator();
    let group = operator.group("site", "shop").await;
    let edge = operator.post("/edges/https", json!({ "hostports": ["shop.localhost:443"] })).await.ok().text("id");
    let route = json!({ "match": "/", "match_type": "path_prefix", "backend": { "backend_id": group } });
    let route = operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok().text("id");
    // A secret, which is sealed, must be readable afterwards.
    let webhook = json!({ "provider": "github", "secret": "planted-secret" });
    let module = format!("/edges/https/{edge}/routes/{route}/webhook_verification");
    operator.put(&module, webhook).await.ok();
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    agent.labelled("shop", "site=shop", &origin).await;
    let shop = format!("https://shop.localhost:{}/", world.server.addresses.https.port());
    let serves = async |world: &World, text: &str| {
        eventually("the edge answers", async || (world.visitor().get(&shop).await.text() == text).then_some(())).await;
    };
    eventually("the module is in force", async || (world.visitor().get(&shop).await.status == 403).then_some(())).await;

    let said = refusal(&folder, "--to", &address).await;
    assert!(said.contains("in use"), "the server runs: {said}");
    let setup = end(&world.server).await;
    let copied = copy(&folder, "--to", &address).await;
    assert!(copied.status.success() && copied.stdout.contains("Copied "), "{copied:?}");
    let said = refusal(&folder, "--to", &address).await;
    assert!(said.contains("no database to copy"), "it is set aside: {said}");
    let refused = setup.clone().spawn().wait_with_output().await;
    assert!(refused.stderr.contains("store copy --from"), "a start without --store would use old data: {refused:?}");

    let mut world = world;
    world.server = setup.clone().flags(&["--store", &address]).start().await;
    let operator = world.operator();
    assert_eq!(operator.get(&format!("/edges/https/{edge}")).await.ok().text("id"), edge);
    operator.delete(&module).await.ok();
    serves(&world, "hello").await;
    let user = operator.post("/users", json!({ "name": "Ada" })).await.ok().text("id");
    let said = refusal(&folder, "--from", &address).await;
    assert!(said.contains("in use"), "the server runs: {said}");
    end(&world.server).await;

    let copied = copy(&folder, "--from", &address).await;
    assert!(copied.status.success(), "{copied:?}");
    let said = refusal(&folder, "--from", &address).await;
    assert!(said.contains("not empty"), "{said}");
    world.server = setup.start().await;
    let operator = world.operator();
    assert_eq!(operator.get(&format!("/users/{user}")).await.ok().body["name"], "Ada");
    serves(&world, "hello").await;
    assert_eq!(operator.get(&module).await.status, 404);
    operator.post("/users", json!({ "name": "Grace" })).await.ok();
}

#[tokio::test]
async fn a_copy_never_writes_over_another_configuration() {
    let etcd = Etcd::single().await;
    let address = format!("etcd://{}/team", etcd.addresses());
    // A server that is there already, in order and with the same key.
    let first = World::start().await;
    let folder = first.server.folder().to_owned();
    first.operator().post("/users", json!({ "name": "Ada" })).await.ok();
    end(&first.server).await;
    let there = first.path("there");
    std::fs::create_dir(&there).unwrap();
    std::fs::copy(folder.join("seal.key"), there.join("seal.key")).unwrap();
    let server = ServerSetup::new(&there).flags(&["--store", &address]).start().await;
    end(&server).await;
    let said = refusal(&folder, "--to", &address).await;
    assert!(said.contains("not empty") && said.contains("another prefix"), "{said}");
    assert!(folder.join("postern.db").exists(), "what was not copied stays");
    // One that is there with another key.
    let other = format!("etcd://{}/other", etcd.addresses());
    let server = ServerSetup::new(first.path("other")).flags(&["--store", &other]).start().await;
    end(&server).await;
    let said = refusal(&folder, "--to", &other).await;
    assert!(said.contains("seal.key"), "{said}");
    // Neither a folder without a database nor an etcd that is away.
    let said = refusal(&first.path("nothing"), "--to", &address).await;
    assert!(said.contains("no database to copy"), "{said}");
    let mut etcd = etcd;
    etcd.kill(0);
    let said = refusal(&folder, "--to", &format!("{address}2")).await;
    assert!(said.contains("etcd"), "{said}");
    drop(ServerSetup::new(&folder).start().await);
}

#[tokio::test]
async fn store_copy_needs_one_direction() {
    let run = async |arguments: &[&str]| Process::run(&programs::server(), arguments, &[]).await;
    let neither = run(&["store", "copy"]).await;
    assert!(!neither.status.success() && neither.stderr.contains("--to"), "{neither:?}");
    let both = run(&["store", "copy", "--to", "etcd://127.0.0.1:1", "--from", "etcd://127.0.0.1:1"]).await;
    assert!(!both.status.success() && both.stderr.contains("cannot be used with"), "{both:?}");
    let database = run(&["store", "copy", "--to", "sqlite:x.db"]).await;
    assert!(!database.status.success() && database.stderr.contains("begins with etcd://"), "{database:?}");
}
