//! Access rights: administrators may do everything, others everything except for users and records of other owners.

use crate::kit::{World, ids};
use axum::body::Body;
use base64::{Engine, prelude::BASE64_STANDARD};
use http::StatusCode;
use postern_api::Code;
use serde_json::{Value, json};

#[tokio::test]
async fn keys_and_credentials_belong_to_their_owner() {
    let world = World::start().await;
    let (operator, stranger) = (world.operator().await, world.stranger().await);
    for (path, list) in [("/api_keys", "keys"), ("/credentials", "credentials")] {
        let own = stranger.made(path, &json!({})).await;
        let others = operator.made(path, &json!({})).await;
        assert_ne!(own["owner_id"], others["owner_id"]);
        let item = format!("{path}/{}", others["id"].as_str().expect("an id"));
        stranger.get(&item).await.refused(Code::AdminNeeded);
        stranger.patch(&item, &json!({"description": "mine"})).await.refused(Code::AdminNeeded);
        stranger.delete(&item).await.refused(Code::AdminNeeded);
        stranger.post(path, &json!({"owner_id": others["owner_id"]})).await.refused(Code::AdminNeeded);
        let named = stranger.made(path, &json!({"owner_id": own["owner_id"]})).await;
        assert_eq!(named["owner_id"], own["owner_id"], "naming oneself is fine");
        let seen = stranger.get(path).await.is(StatusCode::OK);
        assert!(seen[list].as_array().expect("a list").iter().all(|record| record["owner_id"] == own["owner_id"]));
        let page = stranger.get(&format!("{path}?limit=1")).await.is(StatusCode::OK);
        assert_eq!(ids(&page, list).len(), 1, "a page is full although others' records lie between");
        let all = ids(&operator.get(path).await.is(StatusCode::OK), list);
        for record in [&own, &others, &named] {
            assert!(all.iter().any(|id| record["id"] == *id), "administrators see all");
        }
        let given = operator.made(path, &json!({"owner_id": own["owner_id"]})).await;
        assert_eq!(given["owner_id"], own["owner_id"], "administrators may name another owner");
        stranger.delete(&format!("{path}/{}", given["id"].as_str().expect("an id"))).await.is(StatusCode::NO_CONTENT);
    }
}

#[tokio::test]
async fn other_users_may_do_everything_except_for_users() {
    let world = World::start().await;
    let (operator, stranger) = (world.operator().await, world.stranger().await);
    let user = operator.id("/users", &json!({"name": "some user"})).await;
    let item = format!("/users/{user}");
    stranger.get("/users").await.refused(Code::AdminNeeded);
    stranger.post("/users", &json!({"name": "x", "admin": true})).await.refused(Code::AdminNeeded);
    stranger.get(&item).await.refused(Code::AdminNeeded);
    stranger.patch(&item, &json!({"admin": true})).await.refused(Code::AdminNeeded);
    stranger.delete(&item).await.refused(Code::AdminNeeded);
    let policy = operator.policy().await;
    let rule = stranger.rule(&policy, "10.0.0.0/8", "allow").await;
    stranger.delete(&format!("/ip_policy_rules/{rule}")).await.is(StatusCode::NO_CONTENT);
    stranger.delete(&format!("/ip_policies/{policy}")).await.is(StatusCode::NO_CONTENT);
    stranger.group().await;
}

#[tokio::test]
async fn deleting_a_user_deletes_its_keys_and_credentials() {
    let world = World::start().await;
    let (operator, stranger) = (world.operator().await, world.stranger().await);
    let credential = stranger.made("/credentials", &json!({})).await;
    let mut published = world.control.published();
    assert_eq!(published.borrow_and_update().credentials.size(), 1);
    operator
        .delete(&format!("/users/{}", credential["owner_id"].as_str().expect("an id")))
        .await
        .is(StatusCode::NO_CONTENT);
    stranger.get("/ip_policies").await.refused(Code::KeyUnknown);
    assert!(world.control.published().borrow().credentials.is_empty());
}

#[tokio::test]
async fn an_administrators_key_always_remains() {
    let world = World::start().await;
    let operator = world.operator().await;
    let keys = operator.get("/api_keys").await.json();
    let key = format!("/api_keys/{}", ids(&keys, "keys")[0]);
    let user = format!("/users/{}", keys["keys"][0]["owner_id"].as_str().expect("an id"));
    operator.delete(&key).await.refused(Code::LastAdminKey);
    operator.patch(&user, &json!({"admin": false})).await.refused(Code::LastAdminKey);
    operator.delete(&user).await.refused(Code::LastAdminKey);
    // A key of another user does not count.
    world.stranger().await;
    operator.delete(&key).await.refused(Code::LastAdminKey);
    let second = operator.id("/users", &json!({"name": "second", "admin": true})).await;
    operator.delete(&key).await.refused(Code::LastAdminKey);
    let made = operator.made("/api_keys", &json!({"owner_id": second})).await;
    operator.delete(&user).await.is(StatusCode::NO_CONTENT);
    operator.get("/users").await.refused(Code::KeyUnknown);
    let heir = world.caller(made["token"].as_str().expect("a token"));
    heir.get("/users").await.is(StatusCode::OK);
    let left = format!("/api_keys/{}", made["id"].as_str().expect("an id"));
    heir.delete(&left).await.refused(Code::LastAdminKey);
}

#[tokio::test]
async fn two_administrators_cannot_remove_each_other_concurrently() {
    let world = World::start().await;
    let operator = world.operator().await;
    for round in 0..10 {
        let second = operator.id("/users", &json!({"name": format!("second {round}"), "admin": true})).await;
        let made = operator.made("/api_keys", &json!({"owner_id": second})).await;
        let heir = world.caller(made["token"].as_str().expect("a token"));
        let own = operator.get("/api_keys").await.json();
        let keys: Vec<Value> = own["keys"].as_array().expect("a list").clone();
        let first = keys.iter().find(|key| key["id"] != made["id"]).expect("the operator's key");
        let (one, two) = (
            format!("/api_keys/{}", first["id"].as_str().expect("an id")),
            format!("/api_keys/{}", made["id"].as_str().expect("an id")),
        );
        let (a, b) = tokio::join!(heir.delete(&one), operator.delete(&two));
        let removed = [&a, &b].iter().filter(|response| response.status == StatusCode::NO_CONTENT).count();
        assert_eq!(removed, 1, "{a:?} {b:?}");
        if a.status == StatusCode::NO_CONTENT {
            // The operator was removed and cannot start further rounds.
            heir.get("/users").await.is(StatusCode::OK);
            return;
        }
        operator.delete(&format!("/users/{second}")).await.is(StatusCode::NO_CONTENT);
    }
}

#[tokio::test]
async fn invalid_keys_have_specific_codes() {
    let world = World::start().await;
    let operator = world.operator().await;
    let credential = operator.made("/credentials", &json!({})).await;
    let key = operator.made("/api_keys", &json!({})).await;
    let token = |record: &Value| record["token"].as_str().expect("a token").to_owned();
    world.caller(&token(&credential)).get("/users").await.refused(Code::KeyIsAuthtoken);
    world.caller(key["id"].as_str().expect("an id")).get("/users").await.refused(Code::KeyIsId);
    let mut forged = token(&key);
    forged.replace_range(forged.len() - 4.., "0000");
    world.caller(&forged).get("/users").await.refused(Code::KeyUnknown);
    let mut forged = token(&credential);
    forged.replace_range(forged.len() - 4.., "0000");
    world.caller(&forged).get("/users").await.refused(Code::KeyUnknown);
    let good = world.caller(&token(&key));
    good.get("/users").await.is(StatusCode::OK);
    let basic = BASE64_STANDARD.encode(format!("{}:", token(&key)));
    let request = http::Request::builder()
        .uri("/users")
        .header("authorization", format!("Basic {basic}"))
        .header("ngrok-version", "2")
        .body(Body::empty())
        .expect("a request");
    good.send(request).await.is(StatusCode::OK);
    operator.delete(&format!("/api_keys/{}", key["id"].as_str().expect("an id"))).await.is(StatusCode::NO_CONTENT);
    good.get("/users").await.refused(Code::KeyUnknown);
}
