//! The audit log: every change with its author, before and after; no secrets; and what puts a change back.

use crate::{
    certificates::tls_certificate,
    kinds::kinds,
    kit::{Caller, World, ids},
    pairs::{Things, pairs, seen},
};
use http::StatusCode;
use postern_api::{Code, Role};
use postern_control::CommittedEvent;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// Value of headers that usually are secrets.
const CARRIED: &str = "carried-in-a-header";
const UNKNOWN: &str = "/audit_events/ev_0ujtsYcgvSTl8PAuAdqWYSMnLOv";

/// Lists events, newest first.
async fn events(operator: &Caller, query: &str) -> Vec<Value> {
    let mut path = format!("/audit_events?{query}");
    let mut all = Vec::new();
    loop {
        let page = operator.get(&path).await.is(StatusCode::OK);
        all.extend(page["audit_events"].as_array().expect("events").clone());
        if page["next_page_uri"].is_null() {
            return all;
        }
        path = crate::kit::path(&page["next_page_uri"]);
    }
}

/// The newest event about a record.
async fn newest(operator: &Caller, object: &str) -> Value {
    let page = operator.get(&format!("/audit_events?limit=1&object_id={object}")).await.is(StatusCode::OK);
    page["audit_events"][0].clone()
}

/// Sends the calls that put a change back; gives the last body.
async fn put_back(operator: &Caller, event: &Value) -> Value {
    let calls = event["put_back"]["calls"].as_array().expect("calls");
    assert!(!calls.is_empty(), "{event}");
    let mut last = Value::Null;
    for call in calls {
        let (method, path) = (call["method"].as_str().expect("a method"), call["path"].as_str().expect("a path"));
        let response = match &call["body"] {
            Value::Null => operator.delete(path).await,
            body => operator.with_body(method, path, body).await,
        };
        assert!(response.status.is_success(), "{call}: {}", response.text);
        last = if response.text.is_empty() { Value::Null } else { response.json() };
    }
    last
}

#[tokio::test]
async fn events_are_listed_and_read() {
    listed_and_read(&World::start().await).await;
}

pub(crate) async fn listed_and_read(world: &World) {
    let operator = world.operator().await;
    let user = operator.id("/users", &json!({"name": "Ada"})).await;
    let made = operator.post("/ip_policies", &json!({"description": "office"})).await;
    let policy = made.is(StatusCode::CREATED)["id"].as_str().expect("an id").to_owned();
    operator.patch(&format!("/ip_policies/{policy}"), &json!({"description": "home"})).await.is(StatusCode::OK);
    operator.delete(&format!("/ip_policies/{policy}")).await.is(StatusCode::NO_CONTENT);

    let of_policy = events(&operator, &format!("object_id={policy}")).await;
    let settings = |description: &str| json!({"description": description, "metadata": ""});
    let shown = |event: &Value| [event["operation"].clone(), event["before"].clone(), event["after"].clone()];
    assert_eq!(
        of_policy.iter().map(shown).collect::<Vec<_>>(),
        [
            [json!("deleted"), settings("home"), Value::Null],
            [json!("updated"), settings("office"), settings("home")],
            [json!("created"), Value::Null, settings("office")],
        ]
    );
    let created = &of_policy[2];
    assert_eq!(created["operation_id"], made.headers["postern-operation-id"].to_str().expect("text"));
    assert_eq!((&created["actor_type"], &created["actor_name"]), (&json!("user"), &json!("admin")));
    let keys = operator.get("/api_keys").await.json();
    let users = operator.get("/users").await.json();
    let admin = users["users"].as_array().and_then(|users| users.iter().find(|user| user["admin"] == true));
    assert_eq!(created["actor_id"], admin.expect("an administrator")["id"]);
    assert_eq!(created["api_key_id"], keys["keys"][0]["id"]);
    let id = created["id"].as_str().expect("an id");
    assert_eq!(operator.get(&format!("/audit_events/{id}")).await.is(StatusCode::OK), *created);
    operator.get(UNKNOWN).await.refused(Code::NotFound);

    let of = async |query: String| ids(&json!({ "events": events(&operator, &query).await }), "events");
    let all = of("limit=1".to_owned()).await;
    assert_eq!(all, of("limit=100".to_owned()).await, "page by page");
    assert!(all.is_sorted_by(|newer, older| newer > older), "newest first: {all:?}");
    assert_eq!(
        of(format!("object_id={policy}&operation=updated")).await,
        [of_policy[1]["id"].as_str().expect("an id")]
    );
    assert_eq!(of("kind=ip_policy".to_owned()).await.len(), 3);
    assert_eq!(of("kind=ip".to_owned()).await.len(), 0, "not a part of a kind");
    assert_eq!(of(format!("object_id={user}")).await.len(), 1);
    let key = created["api_key_id"].as_str().expect("an id");
    assert_eq!(of(format!("actor_id={key}")).await.len(), 4, "by the key");
    assert_eq!(of("since=2000-01-01T00:00:00Z&until=9999-01-01T00:00:00Z".to_owned()).await, all);
    assert!(of("until=2000-01-01T00:00:00Z".to_owned()).await.is_empty());
    assert!(of("since=2100-01-01T00:00:00Z&kind=".to_owned()).await.is_empty());
    let stranger = world.stranger().await;
    stranger.get("/audit_events").await.refused(Code::AdminNeeded);
    stranger.get(&format!("/audit_events/{id}")).await.refused(Code::AdminNeeded);
}

#[tokio::test]
async fn a_deleted_record_takes_what_belongs_to_it_with_an_event_for_each() {
    let world = World::start().await;
    let operator = world.operator().await;
    let policy = operator.policy().await;
    let rule = operator.rule(&policy, "10.0.0.0/8", "allow").await;
    let edge = operator.id("/edges/https", &json!({"hostports": ["a.test:443"]})).await;
    let body = json!({"match_type": "exact_path", "match": "/a", "compression": {"enabled": true}});
    let route = operator.id(&format!("/edges/https/{edge}/routes"), &body).await;
    operator.delete(&format!("/ip_policies/{policy}")).await.is(StatusCode::NO_CONTENT);
    operator.delete(&format!("/edges/https/{edge}")).await.is(StatusCode::NO_CONTENT);
    let deleted = events(&operator, "operation=deleted").await;
    let shown: Vec<_> = deleted.iter().map(|event| event["object_id"].as_str().expect("an id")).collect();
    assert_eq!(shown, [&edge, &route, &policy, &rule]);
    assert_eq!(
        deleted[1]["before"],
        json!({"description": "", "metadata": "", "match_type": "exact_path", "match": "/a", "compression": {"enabled": true}})
    );
    assert_eq!(deleted[1]["parent_id"], edge);
    assert_eq!(
        deleted[3]["before"],
        json!({"description": "", "metadata": "", "cidr": "10.0.0.0/8", "action": "allow", "ip_policy_id": policy})
    );
}

/// A record without what is new whenever it is created.
fn lasting(mut record: Value) -> Value {
    let members = record.as_object_mut().expect("an object");
    for name in ["id", "uri", "created_at", "token", "secret", "key_type", "public_key", "certificate", "routes"] {
        members.remove(name);
    }
    record
}

#[tokio::test]
async fn changes_and_deletions_of_every_kind_are_put_back() {
    let world = World::start().await;
    let operator = world.operator().await;
    let mut impossible = Vec::new();
    for (number, kind) in kinds().into_iter().enumerate() {
        let collection = kind.collection(&operator).await;
        let made = operator.made(&collection, &kind.body(&operator, number + 1).await).await;
        let id = made["id"].as_str().expect("an id");
        let item = format!("{collection}/{id}");
        let former = operator.get(&item).await.is(StatusCode::OK);
        let mut change = kind.change.clone();
        change["description"] = "changed".into();
        operator.patch(&item, &change).await.is(StatusCode::OK);
        put_back(&operator, &newest(&operator, id).await).await;
        let restored = operator.get(&item).await.is(StatusCode::OK);
        let settled = |mut record: Value| {
            record["certificate_management_status"].take();
            record
        };
        assert_eq!(settled(restored), settled(former.clone()), "{}", kind.path);

        let other = operator.patch(&item, &json!({"description": "x"})).await;
        other.is(StatusCode::OK);
        operator.patch(&item, &json!({"description": ""})).await.is(StatusCode::OK);
        operator.delete(&item).await.is(StatusCode::NO_CONTENT);
        let event = newest(&operator, id).await;
        if event["put_back"]["calls"] == json!([]) {
            impossible.push((kind.path, event["put_back"]["note"].as_str().expect("a note").to_owned()));
            continue;
        }
        let again = put_back(&operator, &event).await;
        assert_ne!(again["id"], id);
        assert_eq!(settled(lasting(again)), settled(lasting(former)), "{}", kind.path);
    }
    let [(path, note)] = &impossible[..] else { panic!("{impossible:?}") };
    assert_eq!(*path, "/tls_certificates");
    assert!(note.contains("`private_key_pem`"), "{note}");
}

#[tokio::test]
async fn changes_of_every_module_are_put_back_unless_they_have_secrets() {
    let world = World::start().await;
    let operator = world.operator().await;
    let things = Things::make(&operator).await;
    let mut secret = Vec::new();
    for pair in pairs() {
        let cases = pair.cases(&things);
        let collection = pair.collection(&operator).await;
        let id = operator.id(&collection, &pair.bare(&cases)).await;
        let place = format!("{collection}/{id}/{}", pair.name);
        let ((first, first_shown), (second, _)) = (&cases.fine[0], &cases.fine[1]);
        operator.put(&place, first).await.is(StatusCode::OK);
        let set = newest(&operator, &id).await;
        assert_eq!((&set["before"], &set["operation"]), (&json!({pair.name: null}), &json!("updated")), "{place}");
        operator.put(&place, second).await.is(StatusCode::OK);
        let changed = newest(&operator, &id).await;
        if changed["put_back"]["calls"] == json!([]) {
            secret.push(pair.name);
            let note = changed["put_back"]["note"].as_str().expect("a note");
            assert!(note.contains("is a secret"), "{note}");
        } else {
            put_back(&operator, &changed).await;
            assert_eq!(seen(operator.get(&place).await.is(StatusCode::OK)), *first_shown, "{place}");
        }
        put_back(&operator, &set).await;
        operator.get(&place).await.refused(Code::ModuleUnset);
    }
    assert_eq!(secret, ["oauth", "oidc", "webhook_verification"]);
}

#[tokio::test]
async fn a_change_of_a_secret_is_told_without_the_secret() {
    let world = World::start().await;
    let operator = world.operator().await;
    let edge = operator.id("/edges/https", &json!({})).await;
    let route =
        operator.id(&format!("/edges/https/{edge}/routes"), &json!({"match_type": "exact_path", "match": "/"})).await;
    let place = |module: &str| format!("/edges/https/{edge}/routes/{route}/{module}");
    let changed = async |module: &str, body: Value| {
        operator.put(&place(module), &body).await.is(StatusCode::OK);
        newest(&operator, &route).await["secrets_changed"] == true
    };
    let password = |password: &str| json!({"users": [{"username": "ada", "password": password}]});
    assert!(!changed("basic_auth", password("planted-1")).await, "it is new");
    assert!(changed("basic_auth", password("planted-2")).await);
    assert!(!changed("basic_auth", json!({"enabled": false, "users": [{"username": "ada"}]})).await);
    let webhook = |secret: &str| json!({"provider": "github", "secret": secret});
    assert!(!changed("webhook_verification", webhook("planted-1")).await);
    assert!(!changed("webhook_verification", webhook("planted-1")).await);
    assert!(changed("webhook_verification", webhook("planted-2")).await);
    let event = newest(&operator, &route).await;
    assert_eq!((&event["before"], &event["masked"]), (&event["after"], &json!(["/webhook_verification/secret"])));
    assert_eq!(event["put_back"]["calls"], json!([]));
}

#[tokio::test]
async fn no_secret_is_in_the_audit_log() {
    let world = World::start().await;
    let lines: Arc<Mutex<String>> = Arc::default();
    let follow = {
        let lines = lines.clone();
        move |event: CommittedEvent| {
            lines.lock().expect("unpoisoned").push_str(&event.line().expect("an event of this server"));
        }
    };
    world.control.follow_audit_events(Box::new(follow)).await.expect("followed");
    let operator = world.operator().await;
    let mut planted = vec!["planted".to_owned(), operator.key.split_once('_').expect("two parts").1.to_owned()];
    for (number, kind) in kinds().into_iter().enumerate() {
        let collection = kind.collection(&operator).await;
        let mut body = kind.body(&operator, number + 1).await;
        if kind.path == "/tls_certificates" {
            body = tls_certificate();
            let key = body["private_key_pem"].as_str().expect("a key");
            planted.extend(key.lines().filter(|line| line.len() > 40).map(str::to_owned));
        }
        if kind.path == "/backends/http_response" {
            body["headers"] = json!({"Set-Cookie": CARRIED});
        }
        let made = operator.made(&collection, &body).await;
        if let Some(token) = made["token"].as_str().or(made["secret"].as_str()) {
            planted.push(token.split_once('_').expect("two parts").1.to_owned());
        }
        let item = format!("{collection}/{}", made["id"].as_str().expect("an id"));
        operator.patch(&item, &json!({"description": "x"})).await.is(StatusCode::OK);
        operator.delete(&item).await.is(StatusCode::NO_CONTENT);
    }
    let things = Things::make(&operator).await;
    for pair in pairs() {
        let cases = pair.cases(&things);
        let collection = pair.collection(&operator).await;
        let item = format!("{collection}/{}", operator.id(&collection, &pair.bare(&cases)).await);
        for (sent, _) in &cases.fine {
            operator.put(&format!("{item}/{}", pair.name), sent).await.is(StatusCode::OK);
            operator.patch(&item, &json!({pair.name: sent})).await.is(StatusCode::OK);
        }
        if pair.name == "request_headers" {
            let add = json!({"add": {"Authorization": format!("Basic {CARRIED}"), "X-Api-Key": CARRIED}});
            operator.put(&format!("{item}/request_headers"), &add).await.is(StatusCode::OK);
        }
        operator.delete(&item).await.is(StatusCode::NO_CONTENT);
    }
    let listed = Value::from(events(&operator, "").await).to_string();
    let lines = std::mem::take(&mut *lines.lock().expect("unpoisoned"));
    assert!(lines.lines().count() > 200 && listed.len() > 100_000, "{} lines", lines.lines().count());
    world.control.close().await;
    let store = std::fs::read(world.folder.path().join("postern.db")).expect("the store");
    let store = String::from_utf8_lossy(&store);
    for secret in &planted {
        for (place, text) in [("the file", lines.as_str()), ("the answers", &listed), ("the store", &store)] {
            assert!(!text.contains(secret.as_str()), "`{secret}` stands in {place}");
        }
    }
    // Headers are no secrets of the store: there they are part of their record.
    assert!(store.contains(CARRIED) && !lines.contains(CARRIED) && !listed.contains(CARRIED));
    assert!(listed.contains("\\\"client_secret\\\"") || listed.contains("\"client_secret\":\"***\""));
    let listed: Vec<Value> = serde_json::from_str(&listed).expect("JSON");
    let newest_first = lines.lines().rev().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    for (line, event) in newest_first.zip(listed) {
        assert_eq!((&line["id"], &line["before"], &line["after"]), (&event["id"], &event["before"], &event["after"]));
        assert!(line["uri"].is_null() && line["put_back"].is_null());
    }
}

#[tokio::test]
async fn commands_of_the_operator_and_logins_have_their_authors() {
    let world = World::start().await;
    let operator = world.operator().await;
    world.control.create_api_key("second", Role::Admin).await.expect("a key");
    let made = events(&operator, "kind=api_key").await;
    assert_eq!((&made[0]["actor_type"], &made[0]["api_key_id"]), (&json!("operator"), &Value::Null));
    assert_eq!((&made[0]["address"], &made[0]["operation_id"]), (&json!(""), &json!("")));
    assert!(made[0]["actor_id"].as_str().is_some_and(|id| id.starts_with("usr_")), "{}", made[0]);
}
