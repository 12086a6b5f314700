//! Roles: every operation of the API with every role, and what only administrators may change.

use crate::kit::{Caller, World, ids};
use http::StatusCode;
use postern_api::{Code, Role, Timestamp, description::OPENAPI, id::ksuid};
use postern_control::LiveSession;
use serde_json::{Value, json};
use std::net::{IpAddr, Ipv4Addr};

/// Collections that only administrators may see.
const OF_ADMINISTRATORS: [&str; 7] =
    ["/users", "/bot_users", "/audit_events", "/event_destinations", "/app/users", "/app/sessions", "/nodes"];
/// Collections that an agent's owner may see.
const OF_AGENTS: [&str; 7] =
    ["/agents", "/credentials", "/api_keys", "/tunnels", "/tunnel_sessions", "/endpoints", "/server"];
/// Collections in which an agent's owner may change something.
const CHANGED_BY_AGENT_OWNERS: [&str; 3] = ["/agents", "/credentials", "/tunnel_sessions"];

/// Sign-in and sign-out, which `console_sessions` specifies.
const OF_EVERY_ROLE: [&str; 1] = ["/console_sessions"];

/// An operation of the description, with ids of records that do not exist.
struct Operation {
    method: String,
    path: String,
}

impl Operation {
    fn is_below(&self, collections: &[&str]) -> bool {
        collections.iter().any(|collection| {
            self.path.strip_prefix(collection).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    fn changes(&self) -> bool {
        self.method != "GET"
    }

    async fn send(&self, caller: &Caller) -> (StatusCode, String) {
        let response = match self.method.as_str() {
            "GET" => caller.get(&self.path).await,
            "DELETE" => caller.delete(&self.path).await,
            method => caller.with_body(method, &self.path, &json!({})).await,
        };
        let body: Value = serde_json::from_str(&response.text).unwrap_or_default();
        (response.status, body["error_code"].as_str().unwrap_or_default().to_owned())
    }
}

/// An id that fits the pattern of a path parameter.
fn unknown_id(pattern: &str) -> String {
    let prefix = pattern.trim_start_matches(['^', '(']).split(['_', '|', ')', '[']).next().unwrap_or_default();
    format!("{prefix}_{}", ksuid(1_700_000_000, [7; 16]))
}

fn operations() -> Vec<Operation> {
    let description: Value = serde_json::from_str(OPENAPI).expect("JSON");
    let mut operations = Vec::new();
    for (path, item) in description["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            let mut path = path.clone();
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                if let (Some("path"), Some(name)) = (parameter["in"].as_str(), parameter["name"].as_str()) {
                    let pattern = parameter["schema"]["pattern"].as_str().expect("a pattern");
                    path = path.replace(&format!("{{{name}}}"), &unknown_id(pattern));
                }
            }
            operations.push(Operation { method: method.to_uppercase(), path });
        }
    }
    operations.retain(|operation| !operation.is_below(&OF_EVERY_ROLE));
    assert!(operations.len() > 150, "the description has {} operations", operations.len());
    operations
}

/// A caller whose owner has a role.
async fn caller_with(world: &World, role: Role) -> Caller {
    let key = world.control.create_api_key("of the role", role).await.expect("a key");
    world.caller(key.reveal())
}

/// A caller with a key that takes rights from those of an owner with all of them.
async fn caller_with_key(world: &World, operator: &Caller, role: Role) -> Caller {
    let key = operator.made("/api_keys", &json!({"role": role})).await;
    world.caller(key["token"].as_str().expect("a token"))
}

#[tokio::test]
async fn every_operation_is_allowed_and_refused_as_the_role_says() {
    let world = World::start().await;
    let operator = world.operator().await;
    let operations = operations();
    let code = |code: Code| code.to_string();
    for role in Role::ALL {
        for caller in [caller_with(&world, role).await, caller_with_key(&world, &operator, role).await] {
            let before = ids(&operator.get("/audit_events").await.is(StatusCode::OK), "audit_events");
            for operation in &operations {
                let (status, told) = operation.send(&caller).await;
                let what = format!("{role}: {} {} is {status} {told}", operation.method, operation.path);
                let of_administrators = operation.is_below(&OF_ADMINISTRATORS);
                let expected = match (role, operation.changes()) {
                    (Role::Admin, _) => None,
                    (Role::Viewer, true) => Some(Code::RoleTooLow),
                    (Role::Editor, _) | (Role::Viewer, false) => of_administrators.then_some(Code::AdminNeeded),
                    (Role::AgentOwner, _) if of_administrators => Some(Code::AdminNeeded),
                    (Role::AgentOwner, true) => {
                        (!operation.is_below(&CHANGED_BY_AGENT_OWNERS)).then_some(Code::RoleTooLow)
                    }
                    (Role::AgentOwner, false) => (!operation.is_below(&OF_AGENTS)).then_some(Code::RoleTooLow),
                };
                match expected {
                    Some(expected) => assert_eq!((status.as_u16(), told), (403, code(expected)), "{what}"),
                    None => assert!(status != StatusCode::FORBIDDEN && !status.is_server_error(), "{what}"),
                }
            }
            if role == Role::Viewer {
                let after = ids(&operator.get("/audit_events").await.is(StatusCode::OK), "audit_events");
                assert_eq!(before, after, "nothing was changed");
            }
        }
    }
}

#[tokio::test]
async fn a_viewer_changes_nothing_that_exists() {
    let world = World::start().await;
    let operator = world.operator().await;
    let policy = operator.policy().await;
    let rule = operator.rule(&policy, "10.0.0.0/8", "allow").await;
    let edge = operator.id("/edges/https", &json!({"hostports": ["shop.test:443"]})).await;
    let viewer = caller_with(&world, Role::Viewer).await;
    for item in [format!("/ip_policies/{policy}"), format!("/ip_policy_rules/{rule}"), format!("/edges/https/{edge}")] {
        let former = viewer.get(&item).await.is(StatusCode::OK);
        viewer.patch(&item, &json!({"description": "changed"})).await.refused(Code::RoleTooLow);
        viewer.delete(&item).await.refused(Code::RoleTooLow);
        assert_eq!(operator.get(&item).await.is(StatusCode::OK), former);
    }
    let module = format!("/edges/https/{edge}/mutual_tls");
    viewer.put(&module, &json!({"enabled": true, "certificate_authority_ids": []})).await.refused(Code::RoleTooLow);
}

#[tokio::test]
async fn a_policy_that_guards_the_management_api_is_changed_by_administrators_only() {
    let world = World::start().await;
    let (operator, editor) = (world.operator().await, world.stranger().await);
    let policy = editor.policy().await;
    let rule = editor.rule(&policy, "0.0.0.0/0", "allow").await;
    let new_rule = json!({"ip_policy_id": policy, "cidr": "10.0.0.0/8", "action": "deny"});
    for guarded in ["api", "dashboard"] {
        let body = json!({"type": guarded, "ip_policy_ids": [policy]});
        editor.post("/ip_restrictions", &body).await.refused(Code::AdminNeeded);
        let item = format!("/ip_restrictions/{}", operator.id("/ip_restrictions", &body).await);
        editor.get(&item).await.is(StatusCode::OK);
        editor.patch(&item, &json!({"enforced": true})).await.refused(Code::AdminNeeded);
        editor.delete(&item).await.refused(Code::AdminNeeded);
        editor.post("/ip_policy_rules", &new_rule).await.refused(Code::AdminNeeded);
        let rule = format!("/ip_policy_rules/{rule}");
        editor.patch(&rule, &json!({"cidr": "10.0.0.0/8"})).await.refused(Code::AdminNeeded);
        editor.delete(&rule).await.refused(Code::AdminNeeded);
        editor.delete(&format!("/ip_policies/{policy}")).await.refused(Code::AdminNeeded);
        operator.delete(&item).await.is(StatusCode::NO_CONTENT);
    }
    editor.made("/ip_policy_rules", &new_rule).await;
    editor.made("/ip_restrictions", &json!({"type": "agent", "ip_policy_ids": [policy]})).await;
}

#[tokio::test]
async fn a_key_gives_no_more_rights_than_it_has() {
    let world = World::start().await;
    let operator = world.operator().await;
    let editor = caller_with_key(&world, &operator, Role::Editor).await;
    let own = operator.get("/api_keys").await.is(StatusCode::OK)["keys"].clone();
    let first = own.as_array().and_then(|keys| keys.last()).expect("the first key")["id"].clone();
    let first = format!("/api_keys/{}", first.as_str().expect("an id"));
    // The owner of the key is an administrator, the key is not.
    editor.get("/users").await.refused(Code::AdminNeeded);
    assert_eq!(editor.made("/api_keys", &json!({})).await["role"], "editor", "as the key that created it");
    editor.post("/api_keys", &json!({"role": "admin"})).await.refused(Code::AdminNeeded);
    editor.patch(&first, &json!({"role": "viewer"})).await.refused(Code::AdminNeeded);
    editor.delete(&first).await.refused(Code::AdminNeeded);
    let viewer = editor.made("/api_keys", &json!({"role": "viewer"})).await;
    assert_eq!(viewer["role"], "viewer");
    let item = format!("/api_keys/{}", viewer["id"].as_str().expect("an id"));
    editor.patch(&item, &json!({"role": "admin"})).await.refused(Code::AdminNeeded);
    let changed = editor.patch(&item, &json!({"role": "agent-owner"})).await.is(StatusCode::OK);
    assert_eq!(changed["role"], "agent-owner");
    // An administrator's last key with all rights keeps them.
    operator.patch(&first, &json!({"role": "editor"})).await.refused(Code::LastAdminKey);
    operator.delete(&first).await.refused(Code::LastAdminKey);
    operator.get("/users").await.is(StatusCode::OK);
}

#[tokio::test]
async fn a_change_of_a_role_takes_effect_at_once() {
    let world = World::start().await;
    let operator = world.operator().await;
    let user = operator.made("/users", &json!({"name": "Ada", "role": "viewer"})).await;
    assert_eq!((&user["role"], &user["admin"]), (&json!("viewer"), &json!(false)));
    let item = format!("/users/{}", user["id"].as_str().expect("an id"));
    let key = operator.made("/api_keys", &json!({"owner_id": user["id"]})).await;
    let caller = world.caller(key["token"].as_str().expect("a token"));
    caller.post("/ip_policies", &json!({})).await.refused(Code::RoleTooLow);
    assert_eq!(caller.get("/server").await.is(StatusCode::OK)["role"], "viewer");
    let same = operator.patch(&item, &json!({"admin": false})).await.is(StatusCode::OK);
    assert_eq!(same["role"], "viewer", "only an administrator loses rights by `admin: false`");
    operator.patch(&item, &json!({"role": "editor"})).await.is(StatusCode::OK);
    caller.policy().await;
    let chief = operator.patch(&item, &json!({"admin": true})).await.is(StatusCode::OK);
    assert_eq!((&chief["role"], &chief["admin"]), (&json!("admin"), &json!(true)));
    caller.get("/users").await.is(StatusCode::OK);
    let member = operator.patch(&item, &json!({"admin": false})).await.is(StatusCode::OK);
    assert_eq!(member["role"], "editor");
    let refused = operator.patch(&item, &json!({"role": "viewer", "admin": true})).await.refused(Code::FieldInvalid);
    assert_eq!(refused["details"]["field"], "admin");
}

#[tokio::test]
async fn an_agent_owner_sees_own_credentials_and_agents_only() {
    let world = World::start().await;
    let operator = world.operator().await;
    let owner = caller_with(&world, Role::AgentOwner).await;
    let own = owner.made("/credentials", &json!({"description": "build machine"})).await;
    let other = operator.made("/credentials", &json!({})).await;
    let session = |number: u8, credential: &Value| LiveSession {
        id: format!("ts_{}", ksuid(1_700_000_000, [number; 16])),
        credential: credential["id"].as_str().expect("an id").to_owned(),
        address: IpAddr::V4(Ipv4Addr::LOCALHOST),
        agent_version: "1.0".to_owned(),
        os: "linux".to_owned(),
        instance: String::new(),
        host_name: String::new(),
        account: String::new(),
        metadata: String::new(),
        transport: "tls".to_owned(),
        started_at: Timestamp::new(postern_api::clock::now()),
        remote_management: true,
        node: None,
    };
    let (mine, theirs) = (session(1, &own), session(2, &other));
    world.live.sessions.lock().expect("unpoisoned").extend([mine.clone(), theirs.clone()]);
    assert_eq!(
        ids(&owner.get("/credentials").await.is(StatusCode::OK), "credentials"),
        [own["id"].as_str().expect("an id")]
    );
    let agents = |caller: &Caller| {
        let caller = caller.clone();
        async move { caller.get("/agents").await.is(StatusCode::OK)["agents"].as_array().expect("a list").clone() }
    };
    let (seen, all) = (agents(&owner).await, agents(&operator).await);
    assert_eq!((seen.len(), all.len()), (1, 2));
    assert_eq!((&seen[0]["credential"]["id"], &seen[0]["state"]), (&own["id"], &json!("online")));
    let other_agent = all.iter().find(|agent| agent["id"] != seen[0]["id"]).expect("another one")["id"].clone();
    let other_agent = format!("/agents/{}", other_agent.as_str().expect("an id"));
    owner.get(&other_agent).await.refused(Code::AdminNeeded);
    owner.delete(&other_agent).await.refused(Code::AdminNeeded);
    owner.delete(&format!("/agents/{}", seen[0]["id"].as_str().expect("an id"))).await.refused(Code::AgentConnected);
    let seen = owner.get("/tunnel_sessions?limit=1").await.is(StatusCode::OK);
    assert_eq!(ids(&seen, "tunnel_sessions"), [mine.id.as_str()]);
    assert!(seen["next_page_uri"].is_null(), "{seen}");
    owner.get(&format!("/tunnel_sessions/{}", mine.id)).await.is(StatusCode::OK);
    owner.get(&format!("/tunnel_sessions/{}", theirs.id)).await.refused(Code::AdminNeeded);
    owner.post(&format!("/tunnel_sessions/{}/stop", theirs.id), &json!({})).await.refused(Code::AdminNeeded);
    owner.post(&format!("/tunnel_sessions/{}/stop", mine.id), &json!({})).await.is(StatusCode::NO_CONTENT);
    let all = operator.get("/tunnel_sessions").await.is(StatusCode::OK);
    assert_eq!(ids(&all, "tunnel_sessions"), [theirs.id.as_str()]);
}
