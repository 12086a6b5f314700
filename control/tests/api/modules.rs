//! One suite for every pair of owner and module, and what is particular to each.

use crate::kit::{BASE_URL, Caller, World};
use http::StatusCode;
use postern_api::Code;
use serde_json::{Value, json};

/// A module on an owner.
struct Pair {
    /// The path of the owner's collection; that of a nested kind has `{edge_id}` in it.
    owner: &'static str,
    name: &'static str,
}

const fn pair(owner: &'static str, name: &'static str) -> Pair {
    Pair { owner, name }
}

const PAIRS: [Pair; 6] = [
    pair("/edges/https/{edge_id}/routes", "backend"),
    pair("/edges/https/{edge_id}/routes", "ip_restriction"),
    pair("/edges/tcp", "backend"),
    pair("/edges/tcp", "ip_restriction"),
    pair("/edges/tls", "backend"),
    pair("/edges/tls", "ip_restriction"),
];

/// A collection of owners: a nested kind gets a new parent.
async fn collection(caller: &Caller, owner: &str) -> String {
    match owner.split_once("/{edge_id}") {
        Some((parents, _)) => owner.replace("{edge_id}", &caller.id(parents, &json!({})).await),
        None => owner.to_owned(),
    }
}

/// A body that makes an owner.
fn bare(owner: &str) -> Value {
    if owner.ends_with("/routes") { json!({"match_type": "path_prefix", "match": "/"}) } else { json!({}) }
}

impl Pair {
    /// Two configurations and how they are shown.
    async fn samples(&self, caller: &Caller) -> [(Value, Value); 2] {
        match self.name {
            "backend" => {
                let (one, two) = (caller.group().await, caller.group().await);
                let shown = |id: &str, enabled: bool| json!({"enabled": enabled, "backend": {"id": id, "uri": format!("{BASE_URL}/backends/tunnel_group/{id}")}});
                [
                    (json!({"backend_id": one}), shown(&one, true)),
                    (json!({"enabled": false, "backend_id": two}), shown(&two, false)),
                ]
            }
            _ => {
                let (one, two) = (caller.policy().await, caller.policy().await);
                let refer = |id: &str| json!({"id": id, "uri": format!("{BASE_URL}/ip_policies/{id}")});
                [
                    (
                        json!({"ip_policy_ids": [one, two, one]}),
                        json!({"enabled": true, "ip_policies": [refer(&one), refer(&two)]}),
                    ),
                    (
                        json!({"enabled": false, "ip_policy_ids": [two]}),
                        json!({"enabled": false, "ip_policies": [refer(&two)]}),
                    ),
                ]
            }
        }
    }
}

#[tokio::test]
async fn modules_are_put_read_and_removed() {
    put_read_and_removed(&World::start().await).await;
}

pub(crate) async fn put_read_and_removed(world: &World) {
    let operator = world.operator().await;
    for pair in PAIRS {
        let owners = collection(&operator, pair.owner).await;
        let owner = operator.id(&owners, &bare(pair.owner)).await;
        let (item, place) = (format!("{owners}/{owner}"), format!("{owners}/{owner}/{}", pair.name));
        assert_eq!(operator.get(&item).await.json()[pair.name], Value::Null);
        operator.get(&place).await.refused(Code::ModuleUnset);
        operator.delete(&place).await.is(StatusCode::NO_CONTENT);

        let samples = pair.samples(&operator).await;
        for (sent, shown) in &samples {
            assert_eq!(&operator.put(&place, sent).await.is(StatusCode::OK), shown);
            assert_eq!(&operator.get(&place).await.is(StatusCode::OK), shown);
            assert_eq!(&operator.get(&item).await.json()[pair.name], shown, "and in the owner's record");
        }
        let (sent, shown) = &samples[0];
        let wrapped = json!({"id": owner, "edge_id": owner, "module": sent});
        assert_eq!(&operator.put(&place, &wrapped).await.is(StatusCode::OK), shown, "the wrapped form");

        let deleted = operator.delete(&place).await;
        assert_eq!((deleted.status, deleted.text.as_str()), (StatusCode::NO_CONTENT, ""));
        operator.get(&place).await.refused(Code::ModuleUnset);
        operator.delete(&place).await.is(StatusCode::NO_CONTENT);
        assert_eq!(operator.get(&item).await.json()[pair.name], Value::Null);
    }
}

#[tokio::test]
async fn modules_are_named_inside_their_owner() {
    let world = World::start().await;
    let operator = world.operator().await;
    for pair in PAIRS {
        let [(first, first_shown), (second, second_shown)] = pair.samples(&operator).await;
        let owners = collection(&operator, pair.owner).await;
        let mut body = bare(pair.owner);
        body[pair.name] = first;
        let made = operator.made(&owners, &body).await;
        assert_eq!(made[pair.name], first_shown);
        let item = format!("{owners}/{}", made["id"].as_str().expect("an id"));
        for unnamed in [json!({"description": "x"}), json!({pair.name: null})] {
            let kept = operator.patch(&item, &unnamed).await.is(StatusCode::OK);
            assert_eq!(kept[pair.name], first_shown, "a change cannot remove a module");
        }
        let replaced = operator.patch(&item, &json!({pair.name: second})).await.is(StatusCode::OK);
        assert_eq!(replaced[pair.name], second_shown, "one that is named is replaced whole");
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_module_is_said() {
    let world = World::start().await;
    let operator = world.operator().await;
    for pair in PAIRS {
        let owners = collection(&operator, pair.owner).await;
        let owner = operator.id(&owners, &bare(pair.owner)).await;
        let prefix = owner.split_once('_').expect("an id").0;
        let place = format!("{owners}/{owner}/{}", pair.name);
        let ghost = format!("{owners}/{prefix}_0ujtsYcgvSTl8PAuAdqWYSMnLOv/{}", pair.name);
        let [(good, _), _] = pair.samples(&operator).await;
        operator.put(&ghost, &good).await.refused(Code::NotFound);
        operator.get(&ghost).await.refused(Code::NotFound);
        operator.delete(&ghost).await.refused(Code::NotFound);
        operator.get(&place.replace(&owner, &owner.replace(prefix, "ipp"))).await.refused(Code::IdShape);
        let mut unknown = good.clone();
        unknown["colour"] = json!("red");
        operator.put(&place, &unknown).await.refused(Code::FieldUnknown);
        operator.put(&place, &json!({"enabled": "yes"})).await.refused(Code::FieldInvalid);
        operator.put(&place, &json!({"enabled": true})).await.refused(Code::FieldMissing);
        operator.put(&place, &json!({})).await.refused(Code::FieldMissing);
        operator.with_body("POST", &place, &good).await.refused(Code::MethodNotAllowed);
        operator.get(&place).await.refused(Code::ModuleUnset);
    }
    let owner = operator.id("/edges/tcp", &json!({})).await;
    let table = [
        ("backend", json!({"backend_id": "bkdtg_0ujtsYcgvSTl8PAuAdqWYSMnLOv"}), Code::BackendUnknown),
        ("backend", json!({"backend_id": "x"}), Code::IdShape),
        ("backend", json!({"backend_id": ""}), Code::FieldMissing),
        ("ip_restriction", json!({"ip_policy_ids": []}), Code::PolicyCount),
        ("ip_restriction", json!({"ip_policy_ids": ["ipp_0ujtsYcgvSTl8PAuAdqWYSMnLOv"]}), Code::PolicyUnknown),
        ("ip_restriction", json!({"ip_policy_ids": ["x"]}), Code::IdShape),
    ];
    for (name, body, code) in table {
        operator.put(&format!("/edges/tcp/{owner}/{name}"), &body).await.refused(code);
        operator.post("/edges/tcp", &json!({name: body})).await.refused(code);
        operator.patch(&format!("/edges/tcp/{owner}"), &json!({name: body, "description": "no"})).await.refused(code);
    }
    assert_eq!(operator.get(&format!("/edges/tcp/{owner}")).await.json()["description"], "", "all or nothing");
}

#[tokio::test]
async fn a_backend_in_use_cannot_be_deleted_until_it_is_let_go() {
    let world = World::start().await;
    let operator = world.operator().await;
    let group = operator.group().await;
    let backend = format!("/backends/tunnel_group/{group}");
    let edge = operator.id("/edges/tcp", &json!({"backend": {"backend_id": group}})).await;
    let refused = operator.delete(&backend).await.refused(Code::BackendInUse);
    assert!(refused["msg"].as_str().is_some_and(|sentence| sentence.contains(&edge)), "it names the user: {refused}");
    // Another module, another backend, the end of the edge: each lets go.
    let place = format!("/edges/tcp/{edge}/backend");
    operator.put(&place, &json!({"backend_id": operator.group().await})).await.is(StatusCode::OK);
    operator.delete(&backend).await.is(StatusCode::NO_CONTENT);
    let group = operator.group().await;
    let backend = format!("/backends/tunnel_group/{group}");
    operator.put(&place, &json!({"backend_id": group})).await.is(StatusCode::OK);
    operator.delete(&backend).await.refused(Code::BackendInUse);
    operator.delete(&place).await.is(StatusCode::NO_CONTENT);
    operator.put(&place, &json!({"backend_id": group, "enabled": false})).await.is(StatusCode::OK);
    operator.delete(&backend).await.refused(Code::BackendInUse);
    operator.delete(&format!("/edges/tcp/{edge}")).await.is(StatusCode::NO_CONTENT);
    operator.delete(&backend).await.is(StatusCode::NO_CONTENT);
}

#[tokio::test]
async fn a_deleted_policy_stays_listed_and_blocks_no_change() {
    let world = World::start().await;
    let operator = world.operator().await;
    let (gone, stays) = (operator.policy().await, operator.policy().await);
    let both = json!({"ip_policy_ids": [gone, stays]});
    let edge = operator.id("/edges/tcp", &json!({"ip_restriction": both})).await;
    let item = format!("/edges/tcp/{edge}");
    operator.delete(&format!("/ip_policies/{gone}")).await.is(StatusCode::NO_CONTENT);
    for change in
        [json!({"description": "x"}), json!({"ip_restriction": both}), json!({"hostports": ["tunnels.test:24001"]})]
    {
        let changed = operator.patch(&item, &change).await.is(StatusCode::OK);
        assert_eq!(changed["ip_restriction"]["ip_policies"][0]["id"], gone, "{changed}");
    }
    operator.put(&format!("{item}/ip_restriction"), &both).await.is(StatusCode::OK);
    // Who lets it go cannot name it again.
    operator.put(&format!("{item}/ip_restriction"), &json!({"ip_policy_ids": [stays]})).await.is(StatusCode::OK);
    operator.put(&format!("{item}/ip_restriction"), &both).await.refused(Code::PolicyUnknown);
    operator.delete(&item).await.is(StatusCode::NO_CONTENT);
}
