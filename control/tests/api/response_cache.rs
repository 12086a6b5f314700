//! The response cache is invisible: every read after an acknowledged write shows it, for every caller.

use crate::kit::{Caller, World};
use http::StatusCode;
use postern_api::{Code, token::Token};
use serde_json::{Value, json};

/// Reads repeatedly, so that the last responses come from the cache; all are the same.
async fn read(caller: &Caller, path: &str) -> Value {
    let first = caller.get(path).await.is(StatusCode::OK);
    for _ in 0..3 {
        assert_eq!(caller.get(path).await.is(StatusCode::OK), first, "{path}");
    }
    first
}

#[tokio::test]
async fn every_write_shows_in_the_next_read() {
    let world = World::start().await;
    let operator = world.operator().await;
    let policy = operator.id("/ip_policies", &json!({})).await;
    let path = format!("/ip_policies/{policy}");
    for number in 0..20 {
        let description = format!("number {number}");
        operator.patch(&path, &json!({"description": description})).await.is(StatusCode::OK);
        assert_eq!(read(&operator, &path).await["description"], description);
    }
    let edge = operator.id("/edges/tcp", &json!({})).await;
    let (edge, module) = (format!("/edges/tcp/{edge}"), format!("/edges/tcp/{edge}/ip_restriction"));
    for _ in 0..3 {
        assert_eq!(read(&operator, &edge).await["ip_restriction"], Value::Null);
        operator.put(&module, &json!({"ip_policy_ids": [policy]})).await.is(StatusCode::OK);
        assert_eq!(read(&operator, &edge).await["ip_restriction"]["enabled"], true);
        operator.put(&module, &json!({"ip_policy_ids": [policy], "enabled": false})).await.is(StatusCode::OK);
        assert_eq!(read(&operator, &edge).await["ip_restriction"]["enabled"], false);
        operator.delete(&module).await.is(StatusCode::NO_CONTENT);
    }
    for path in [&edge, &path] {
        read(&operator, path).await;
        operator.delete(path).await.is(StatusCode::NO_CONTENT);
        operator.get(path).await.refused(Code::NotFound);
    }
}

#[tokio::test]
async fn a_cached_response_is_not_shown_to_callers_without_access() {
    let world = World::start().await;
    let operator = world.operator().await;
    let user = operator.id("/users", &json!({"name": "some user"})).await;
    let key = operator.made("/api_keys", &json!({"owner_id": user})).await;
    let text = key["token"].as_str().expect("shown once").to_owned();
    let other = world.caller(&text);
    let own = operator.id("/credentials", &json!({"owner_id": user})).await;
    let foreign = operator.id("/credentials", &json!({})).await;
    let (own, foreign, item) =
        (format!("/credentials/{own}"), format!("/credentials/{foreign}"), format!("/users/{user}"));
    for path in [&own, &foreign, &item] {
        read(&operator, path).await;
    }
    read(&other, &own).await;
    other.get(&foreign).await.refused(Code::AdminNeeded);
    other.get(&item).await.refused(Code::AdminNeeded);
    // Changes of rights and keys take effect with the next call.
    operator.patch(&item, &json!({"admin": true})).await.is(StatusCode::OK);
    read(&other, &foreign).await;
    operator.patch(&item, &json!({"admin": false})).await.is(StatusCode::OK);
    other.get(&foreign).await.refused(Code::AdminNeeded);
    read(&other, &own).await;
    let wrong = Token::generate(Token::parse(&text).expect("a token").ksuid());
    world.caller(wrong.secret().reveal()).get(&own).await.refused(Code::KeyUnknown);
    operator.delete(&format!("/api_keys/{}", key["id"].as_str().expect("an id"))).await.is(StatusCode::NO_CONTENT);
    other.get(&own).await.refused(Code::KeyUnknown);
}

#[tokio::test]
async fn responses_with_live_state_are_not_cached() {
    let world = World::start().await;
    let operator = world.operator().await;
    let body = json!({"hostports": ["shop.test:443"]});
    let edge = operator.id("/edges/https", &body).await;
    let path = format!("/edges/https/{edge}");
    assert_eq!(read(&operator, &path).await["routes"], json!([]));
    let route = json!({"match": "/a", "match_type": "path_prefix"});
    let route = operator.made(&format!("{path}/routes"), &route).await;
    assert_eq!(read(&operator, &path).await["routes"][0]["id"], route["id"]);
    operator
        .delete(&format!("{path}/routes/{}", route["id"].as_str().expect("an id")))
        .await
        .is(StatusCode::NO_CONTENT);
    assert_eq!(read(&operator, &path).await["routes"], json!([]));
}
