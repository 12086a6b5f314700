//! Concurrent callers: no change is lost, and no value is assigned twice.

use crate::kit::{World, ids};
use http::StatusCode;
use postern_api::Code;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn none_of_50_parallel_changes_is_lost() {
    let world = World::start().await;
    let operator = world.operator().await;
    let edge = operator.id("/edges/tcp", &json!({})).await;
    let group = operator.group().await;
    let policy = operator.policy().await;
    let item = format!("/edges/tcp/{edge}");
    // Each changes another field, so a lost change shows.
    let changes: Vec<Value> = (0..50)
        .map(|number| match number % 5 {
            0 => json!({"description": "described"}),
            1 => json!({"metadata": "meta"}),
            2 => json!({"hostports": ["tunnels.test:24005"]}),
            3 => json!({"backend": {"backend_id": group}}),
            _ => json!({"ip_restriction": {"ip_policy_ids": [policy]}}),
        })
        .collect();
    let responses = futures::future::join_all(changes.iter().map(|change| operator.patch(&item, change))).await;
    for response in responses {
        response.is(StatusCode::OK);
    }
    let read = operator.get(&item).await.is(StatusCode::OK);
    assert_eq!((&read["description"], &read["metadata"]), (&json!("described"), &json!("meta")));
    assert_eq!(read["hostports"], json!(["tunnels.test:24005"]));
    assert_eq!(read["backend"]["backend"]["id"], group);
    assert_eq!(read["ip_restriction"]["ip_policies"][0]["id"], policy);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_of_200_parallel_creations_has_its_own_token_shown_once() {
    let world = World::start().await;
    let operator = world.operator().await;
    for (path, list) in [("/credentials", "credentials"), ("/api_keys", "keys")] {
        let body = json!({});
        let responses = futures::future::join_all((0..200).map(|_| operator.post(path, &body))).await;
        let tokens: BTreeMap<String, String> = responses
            .iter()
            .map(|response| {
                let made = response.is(StatusCode::CREATED);
                let text = |name: &str| made[name].as_str().expect("text").to_owned();
                (text("token"), text("id"))
            })
            .collect();
        assert_eq!(tokens.len(), 200, "all tokens differ");
        assert_eq!(tokens.values().collect::<BTreeSet<_>>().len(), 200, "all ids differ");
        let mut next = format!("{path}?limit=100");
        loop {
            let page = operator.get(&next).await.is(StatusCode::OK);
            assert!(page[list].as_array().expect("a list").iter().all(|record| record["token"].is_null()));
            assert!(tokens.keys().all(|token| !page.to_string().contains(token.as_str())));
            if page["next_page_uri"].is_null() {
                break;
            }
            next = crate::kit::path(&page["next_page_uri"]);
        }
    }
    assert_eq!(world.control.published().borrow().credentials.size(), 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_many_concurrent_callers_gets_a_port() {
    let world = World::start().await;
    let operator = world.operator().await;
    let body = json!({"hostports": ["tunnels.test:24001"]});
    let responses = futures::future::join_all((0..30).map(|_| operator.post("/edges/tcp", &body))).await;
    let (made, refused): (Vec<_>, Vec<_>) =
        responses.iter().partition(|response| response.status == StatusCode::CREATED);
    assert_eq!(made.len(), 1);
    for response in refused {
        response.refused(Code::HostportTaken);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_backend_is_never_deleted_while_an_edge_starts_to_use_it() {
    let world = World::start().await;
    let operator = world.operator().await;
    for _ in 0..20 {
        let group = operator.group().await;
        let backend = format!("/backends/tunnel_group/{group}");
        let body = json!({"backend": {"backend_id": group}});
        let (made, deleted) = tokio::join!(operator.post("/edges/tcp", &body), operator.delete(&backend));
        match (made.status, deleted.status) {
            (StatusCode::CREATED, _) => {
                deleted.refused(Code::BackendInUse);
            }
            (_, StatusCode::NO_CONTENT) => {
                made.refused(Code::BackendUnknown);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_rule_added_while_its_policy_is_deleted_is_deleted_too() {
    let world = World::start().await;
    let operator = world.operator().await;
    for _ in 0..20 {
        let policy = operator.policy().await;
        let item = format!("/ip_policies/{policy}");
        let rules = (0..5).map(|number| {
            let operator = operator.clone();
            let body = json!({"ip_policy_id": policy, "cidr": format!("10.{number}.0.0/16"), "action": "allow"});
            async move { operator.post("/ip_policy_rules", &body).await }
        });
        let (made, deleted) = tokio::join!(futures::future::join_all(rules), operator.delete(&item));
        deleted.is(StatusCode::NO_CONTENT);
        for response in made.iter().filter(|response| response.status != StatusCode::CREATED) {
            response.refused(Code::PolicyUnknown);
        }
    }
    let left = operator.get("/ip_policy_rules").await.is(StatusCode::OK);
    assert!(ids(&left, "ip_policy_rules").is_empty(), "{left}");
}
