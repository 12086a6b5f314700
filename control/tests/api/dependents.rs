//! Records that refer to a record.

use crate::{
    kinds::kinds,
    kit::{BASE_URL, World},
};
use http::StatusCode;
use postern_api::Code;
use serde_json::{Value, json};

/// Kinds that others refer to.
const KINDS: [&str; 11] = [
    "/backends/failover",
    "/backends/http_response",
    "/backends/static",
    "/backends/tunnel_group",
    "/backends/weighted",
    "/bot_users",
    "/certificate_authorities",
    "/ip_policies",
    "/ssh_certificate_authorities",
    "/tls_certificates",
    "/users",
];

#[tokio::test]
async fn each_kind_with_dependents_lists_them() {
    listed_for_each_kind(&World::start().await).await;
}

/// The suite for every kind that others refer to.
pub(crate) async fn listed_for_each_kind(world: &World) {
    let operator = world.operator().await;
    for kind in kinds().into_iter().filter(|kind| KINDS.contains(&kind.path)) {
        let body = kind.body(&operator, 1).await;
        let id = operator.id(kind.path, &body).await;
        let path = format!("{}/{id}/dependents", kind.path);
        let none = operator.get(&path).await.is(StatusCode::OK);
        let uri = format!("{BASE_URL}{path}");
        assert_eq!(none, json!({ "dependents": [], "uri": uri, "next_page_uri": null }), "{}", kind.path);
        operator.get(&format!("{path}?limit=1")).await.refused(Code::QueryUnknown);
        let unknown =
            format!("{}/{}_0ujtsYcgvSTl8PAuAdqWYSMnLOv/dependents", kind.path, kind.prefix.trim_end_matches('_'));
        operator.get(&unknown).await.refused(Code::NotFound);
    }
}

#[tokio::test]
async fn a_policy_lists_its_rules_restrictions_and_modules() {
    let world = World::start().await;
    let operator = world.operator().await;
    let policy = operator.id("/ip_policies", &json!({})).await;
    let of_policy = json!({ "ip_policy_id": policy, "cidr": "10.0.0.0/8", "action": "allow", "description": "home" });
    let rule = operator.id("/ip_policy_rules", &of_policy).await;
    let restricted = json!({ "type": "endpoints", "ip_policy_ids": [policy], "enforced": false });
    let restriction = operator.id("/ip_restrictions", &restricted).await;
    let edge = operator.id("/edges/https", &json!({ "hostports": ["a.test:443"] })).await;
    let route = json!({ "match": "/", "match_type": "path_prefix", "ip_restriction": { "ip_policy_ids": [policy] } });
    let route = operator.id(&format!("/edges/https/{edge}/routes"), &route).await;

    let path = format!("/ip_policies/{policy}/dependents");
    let found = operator.get(&path).await.is(StatusCode::OK);
    let mut found: Vec<Value> = found["dependents"].as_array().expect("a list").clone();
    found.sort_by_key(|one| one["kind"].to_string());
    let expected = json!([
        { "id": route, "kind": "https_route", "description": "", "parent_id": edge, "module": "ip_restriction", "on_delete": "stays" },
        { "id": rule, "kind": "ip_policy_rule", "description": "home", "parent_id": null, "module": "", "on_delete": "goes" },
        { "id": restriction, "kind": "ip_restriction", "description": "", "parent_id": null, "module": "", "on_delete": "stays" },
    ]);
    assert_eq!(json!(found), expected);
}

#[tokio::test]
async fn a_backend_lists_the_records_that_prevent_its_deletion() {
    let world = World::start().await;
    let operator = world.operator().await;
    let backend = operator.id("/backends/static", &json!({ "address": "127.0.0.1:8080" })).await;
    let weighted = operator.id("/backends/weighted", &json!({ "backends": { &backend: 1 } })).await;
    let found = operator.get(&format!("/backends/static/{backend}/dependents")).await.is(StatusCode::OK);
    let one = &found["dependents"][0];
    assert_eq!((&one["id"], &one["on_delete"]), (&json!(weighted), &json!("refuses")));
    operator.delete(&format!("/backends/static/{backend}")).await.refused(Code::BackendInUse);
}

#[tokio::test]
async fn dependents_are_shown_only_to_callers_who_may_see_the_record() {
    let world = World::start().await;
    let (operator, stranger) = (world.operator().await, world.stranger().await);
    let bot = operator.id("/bot_users", &json!({ "name": "builder" })).await;
    stranger.get(&format!("/bot_users/{bot}/dependents")).await.refused(Code::AdminNeeded);
}
