//! Deletions of records with more belongings than a store takes at once.

use futures::{StreamExt, stream};
use postern_api::Code;
use postern_test_kit::etcd::Etcd;
use postern_tests::{Operator, World, eventually, server::ServerSetup};
use serde_json::{Value, json};

const RULES: usize = 500;
const ROUTES: usize = 100;

async fn on_etcd() -> (Etcd, World) {
    let etcd = Etcd::single().await;
    let address = format!("etcd://{}/team", etcd.addresses());
    let world = World::with(|setup: ServerSetup| setup.flags(&["--store", &address])).await;
    (etcd, world)
}

/// A policy with many rules.
async fn policy(operator: &Operator) -> String {
    let policy = operator.policy(&[]).await;
    let rules = stream::iter(0..RULES).map(|number| {
        let cidr = format!("10.{}.{}.0/24", number / 256, number % 256);
        let body = json!({ "action": "deny", "cidr": cidr, "ip_policy_id": policy });
        async move { operator.post("/ip_policy_rules", body).await.ok() }
    });
    assert_eq!(rules.buffer_unordered(16).count().await, RULES);
    policy
}

/// Whether etcd has a key of deletions that are not complete.
async fn has_trash(etcd: &Etcd) -> bool {
    // From `/team/trash/` up to `/team/trash0`.
    let range = r#"{"key":"L3RlYW0vdHJhc2gv","range_end":"L3RlYW0vdHJhc2gw"}"#;
    etcd.ask("/v3/kv/range", range).await.contains("\"kvs\"")
}

async fn rules(operator: &Operator) -> usize {
    operator.get("/ip_policy_rules").await.ok().body["ip_policy_rules"].as_array().expect("a list").len()
}

#[tokio::test]
async fn a_policy_with_many_rules_and_an_edge_with_many_routes_are_deleted_from_etcd() {
    let (etcd, world) = on_etcd().await;
    let operator = world.operator();
    let policy = policy(&operator).await;
    operator.delete(&format!("/ip_policies/{policy}")).await.ok();
    assert_eq!(operator.get(&format!("/ip_policies/{policy}")).await.code(), Code::NotFound);
    assert_eq!(rules(&operator).await, 0);
    assert!(!has_trash(&etcd).await);
    // The name of an edge is free at once, and what its routes needed can be deleted.
    let backend = operator.post("/backends/http_response", json!({ "body": "one" })).await.ok().text("id");
    let edge = json!({ "hostports": ["shop.localhost:443"] });
    let first = operator.post("/edges/https", edge.clone()).await.ok().text("id");
    for number in 0..ROUTES {
        let path = format!("/{number}");
        let route = json!({ "match": path, "match_type": "path_prefix", "backend": { "backend_id": backend } });
        operator.post(&format!("/edges/https/{first}/routes"), route).await.ok();
    }
    operator.delete(&format!("/edges/https/{first}")).await.ok();
    operator.delete(&format!("/backends/http_response/{backend}")).await.ok();
    operator.post("/edges/https", edge).await.ok();
    assert!(!has_trash(&etcd).await);
    let events = operator.get("/audit_events").await.ok().body["audit_events"].take();
    let deleted = |event: &&Value| event["kind"] == "https_route" && event["operation"] == "deleted";
    assert!(events.as_array().expect("a list").iter().filter(deleted).count() > 50, "{events}");
}

#[tokio::test]
async fn a_deletion_that_a_kill_cuts_short_is_completed_by_the_next_start() {
    let (etcd, world) = on_etcd().await;
    let operator = world.operator();
    let policy = policy(&operator).await;
    let path = format!("/ip_policies/{policy}");
    let deletion = operator.try_call(reqwest::Method::DELETE, &path, json!(null));
    tokio::select! {
        _ = deletion => panic!("the deletion was complete before the server could be killed"),
        () = eventually("the first part is deleted", async || has_trash(&etcd).await.then_some(())) => {}
    }
    world.server.process.kill();
    assert!(has_trash(&etcd).await, "a part is left");
    let world = world.kill_and_restart_server().await;
    let operator = world.operator();
    assert_eq!(operator.get(&path).await.code(), Code::NotFound);
    eventually("the rest is deleted", async || (!has_trash(&etcd).await).then_some(())).await;
    assert_eq!(rules(&operator).await, 0);
}
