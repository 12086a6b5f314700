//! A server whose configuration is in etcd.

use postern_api::Code;
use postern_test_kit::etcd::Etcd;
use postern_tests::{Origin, World, eventually, server::ServerSetup};
use serde_json::json;

fn on(setup: ServerSetup, address: &str) -> ServerSetup {
    setup.flags(&["--store", address])
}

#[tokio::test]
async fn a_server_on_etcd_serves_visitors_and_a_restart_keeps_everything() {
    let mut etcd = Etcd::single().await;
    let address = format!("etcd://{}", etcd.addresses());
    let world = World::with(|setup| on(setup, &address)).await;
    let (first_key, operator) = (world.admin_key(), world.operator());
    let key = operator.post("/api_keys", json!({ "description": "ci" })).await.ok().text("id");
    let group = operator.group("site", "shop").await;
    let edge = operator.post("/edges/https", json!({ "hostports": ["shop.localhost:443"] })).await.ok().text("id");
    let route = json!({ "match": "/", "match_type": "path_prefix", "backend": { "backend_id": group } });
    operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok();
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let tunnel = agent.https("site", &origin).await;
    agent.labelled("shop", "site=shop", &origin).await;
    let port = world.server.addresses.https.port();
    let shop = format!("https://shop.localhost:{port}/");
    assert_eq!(world.visitor().get(&tunnel.url("/")).await.text(), "hello");
    assert_eq!(world.visitor().get(&shop).await.text(), "hello");
    assert!(!world.server.folder().join("postern.db").exists(), "there is no other database");

    // Killed: the next one on the same folder does not wait for the claim of the last.
    let world = world.kill_and_restart_server().await;
    assert_eq!(world.admin_key(), first_key);
    let operator = world.operator();
    operator.get(&format!("/api_keys/{key}")).await.ok();
    let edges = operator.get("/edges/https").await.ok();
    assert_eq!(edges.body["https_edges"][0]["id"], edge.as_str());
    eventually("the agent has bound again", async || {
        (world.visitor().get(&shop).await.text() == "hello").then_some(())
    })
    .await;

    // Without etcd visitors are served, reads are answered and changes are refused.
    etcd.stop(0);
    let refused = operator.post("/api_keys", json!({})).await;
    assert_eq!(refused.status, 503);
    assert!([Code::StorageUncertain, Code::StorageUnreachable].contains(&refused.code()), "{refused:?}");
    operator.get(&format!("/edges/https/{edge}")).await.ok();
    assert_eq!(world.visitor().get(&shop).await.text(), "hello");
    etcd.go_on(0);
    eventually("changes are made again", async || {
        (operator.post("/api_keys", json!({})).await.status == 201).then_some(())
    })
    .await;
    etcd.kill(0);
}

/// The error of a server that does not start.
async fn refusal(setup: ServerSetup) -> String {
    let ended = setup.spawn().wait_with_output().await;
    assert!(!ended.status.success(), "{ended:?}");
    ended.stderr
}

#[tokio::test]
async fn two_servers_do_not_share_a_prefix_and_a_store_has_one_sealing_key() {
    let etcd = Etcd::single().await;
    let address = format!("etcd://{}/team", etcd.addresses());
    let world = World::with(|setup| on(setup, &address)).await;
    let second = world.path("second");
    let said = refusal(on(ServerSetup::new(&second), &address)).await;
    assert!(said.contains("seal.key") && said.contains("copy that file"), "{said}");
    assert!(!second.join("seal.key").exists(), "no key is made that would be in the way");
    std::fs::copy(world.server.folder().join("seal.key"), second.join("seal.key")).unwrap();
    let said = refusal(on(ServerSetup::new(&second), &address)).await;
    assert!(said.contains("in use by another postern-server") && said.contains("process"), "{said}");
    drop(on(ServerSetup::new(world.path("beside")), &format!("{address}2")).start().await);
    // One that ends in order gives the store up at once, and the next one waits a moment for it.
    let World { server, .. } = &world;
    server.process.terminate();
    server.process.wait_for_log("ended").await;
    let said = refusal(ServerSetup::new(world.server.folder())).await;
    assert!(said.contains("with the --store it had"), "an empty database would look like a loss: {said}");
    let next = on(ServerSetup::new(&second), &address).start().await;
    assert!(next.process.is_running());
}
