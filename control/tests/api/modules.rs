//! One suite for every pair of owner and module, and specific tests of some.

use crate::{
    kit::{Caller, World},
    pairs::{Cases, Pair, Things, pairs, seen},
    published::reopened,
};
use http::StatusCode;
use postern_api::Code;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// An owner created for one pair.
struct Owned {
    /// Path of its collection.
    collection: String,
    id: String,
    /// Path of the owner.
    item: String,
    /// Path of the module.
    place: String,
}

impl Owned {
    /// An owner created with this body.
    async fn make(pair: &Pair, caller: &Caller, body: &Value) -> Self {
        let collection = pair.collection(caller).await;
        let id = caller.id(&collection, body).await;
        let item = format!("{collection}/{id}");
        Owned { place: format!("{item}/{}", pair.name), collection, id, item }
    }
}

/// An owner's body with the module in it.
fn with(pair: &Pair, cases: &Cases, module: &Value) -> Value {
    let mut body = pair.bare(cases);
    body[pair.name] = module.clone();
    body
}

#[test]
fn the_table_has_every_pair() {
    let description = postern_control::description();
    let paths = description["paths"].as_object().expect("paths");
    let described: BTreeSet<(&str, &str)> = paths
        .iter()
        .filter(|(_, operations)| operations["put"].is_object())
        .filter_map(|(path, _)| path.split_once("/{id}/"))
        .collect();
    let pairs = pairs();
    let table: BTreeSet<(&str, &str)> = pairs.iter().map(|pair| (pair.owner, pair.name)).collect();
    assert_eq!(table, described, "what is put must stand in the table of pairs");
    assert_eq!(table.len(), pairs.len(), "and once");
    for (owner, name) in table {
        for method in ["put", "get", "delete"] {
            assert!(paths[&format!("{owner}/{{id}}/{name}")][method].is_object(), "{method} of {name} on {owner}");
        }
    }
}

#[tokio::test]
async fn modules_are_put_read_and_removed() {
    put_read_and_removed(&World::start().await).await;
}

pub(crate) async fn put_read_and_removed(world: &World) {
    let operator = world.operator().await;
    let things = Things::make(&operator).await;
    for pair in pairs() {
        let cases = pair.cases(&things);
        let Owned { collection, id, item, place } = Owned::make(&pair, &operator, &pair.bare(&cases)).await;
        let what = format!("{} on {}", pair.name, pair.owner);
        assert_eq!(operator.get(&item).await.json()[pair.name], Value::Null, "{what}");
        operator.get(&place).await.refused(Code::ModuleUnset);
        operator.delete(&place).await.is(StatusCode::NO_CONTENT);

        assert!(cases.fine.len() >= 2, "{what}");
        for (sent, shown) in &cases.fine {
            assert_eq!(seen(operator.put(&place, sent).await.is(StatusCode::OK)), *shown, "{what}: replaced whole");
            assert_eq!(seen(operator.get(&place).await.is(StatusCode::OK)), *shown, "{what}");
            assert_eq!(
                seen(operator.get(&item).await.json()[pair.name].take()),
                *shown,
                "{what}: and in the owner's record"
            );
        }
        let (sent, shown) = &cases.fine[0];
        let wrapped = json!({"id": id, "edge_id": id, "module": sent});
        assert_eq!(seen(operator.put(&place, &wrapped).await.is(StatusCode::OK)), *shown, "{what}: the wrapped form");
        if let Some((parents, _)) = pair.owner.split_once("/{edge_id}") {
            let elsewhere = collection.replace(
                collection.strip_prefix(parents).expect("it lies there").split('/').nth(1).expect("an id"),
                &operator.id(parents, &json!({})).await,
            );
            operator.get(&format!("{elsewhere}/{id}/{}", pair.name)).await.refused(Code::NotFound);
        }

        let deleted = operator.delete(&place).await;
        assert_eq!((deleted.status, deleted.text.as_str()), (StatusCode::NO_CONTENT, ""), "{what}");
        operator.get(&place).await.refused(Code::ModuleUnset);
        operator.delete(&place).await.is(StatusCode::NO_CONTENT);
        assert_eq!(operator.get(&item).await.json()[pair.name], Value::Null, "{what}");
    }
}

#[tokio::test]
async fn modules_are_named_inside_their_owner() {
    let world = World::start().await;
    let operator = world.operator().await;
    let things = Things::make(&operator).await;
    for pair in pairs() {
        let cases = pair.cases(&things);
        let what = format!("{} on {}", pair.name, pair.owner);
        let (first, first_shown) = &cases.fine[0];
        let (second, second_shown) = &cases.fine[1];
        let collection = pair.collection(&operator).await;
        let made = operator.made(&collection, &with(&pair, &cases, first)).await;
        assert_eq!(seen(made[pair.name].clone()), *first_shown, "{what}");
        let item = format!("{collection}/{}", made["id"].as_str().expect("an id"));
        for unnamed in [json!({"description": "x"}), json!({pair.name: null}), json!({})] {
            let kept = operator.patch(&item, &unnamed).await.is(StatusCode::OK);
            assert_eq!(seen(kept[pair.name].clone()), *first_shown, "{what}: a change cannot remove a module");
        }
        for (sent, shown) in [(second, second_shown), (first, first_shown)] {
            let replaced = operator.patch(&item, &json!({pair.name: sent})).await.is(StatusCode::OK);
            assert_eq!(seen(replaced[pair.name].clone()), *shown, "{what}: one that is named is replaced whole");
        }
        let none = operator.made(&pair.collection(&operator).await, &with(&pair, &cases, &Value::Null)).await;
        assert_eq!(none[pair.name], Value::Null, "{what}: null is the same as absent");
    }
}

#[tokio::test]
async fn null_is_the_same_as_absent() {
    let world = World::start().await;
    let operator = world.operator().await;
    let things = Things::make(&operator).await;
    for pair in pairs() {
        let cases = pair.cases(&things);
        let owned = Owned::make(&pair, &operator, &pair.bare(&cases)).await;
        let full = cases.fine[1].0.as_object().expect("an object");
        assert_eq!(full.get("enabled"), Some(&json!(false)), "{} says everything", pair.name);
        for field in full.keys() {
            let mut absent = full.clone();
            absent.remove(field);
            let mut null = full.clone();
            null.insert(field.clone(), Value::Null);
            let absent = operator.put(&owned.place, &Value::Object(absent)).await;
            let null = operator.put(&owned.place, &Value::Object(null)).await;
            let said = |response: &crate::kit::ApiResponse| {
                let body = response.json();
                if response.status == StatusCode::OK { body } else { body["error_code"].clone() }
            };
            assert_eq!(said(&absent), said(&null), "{field} of {} on {}", pair.name, pair.owner);
            if field == "enabled" {
                assert_eq!(absent.is(StatusCode::OK)["enabled"], true, "{} on {}", pair.name, pair.owner);
            }
        }
    }
}

/// The same body with a value of another type in this field.
fn misshapen(full: &Map<String, Value>, field: &str) -> Value {
    let other = match &full[field] {
        Value::String(_) => json!(5),
        Value::Bool(_) => json!("yes"),
        _ => json!("x"),
    };
    let mut body = full.clone();
    body.insert(field.to_owned(), other);
    Value::Object(body)
}

#[tokio::test]
async fn invalid_modules_have_specific_codes() {
    let world = World::start().await;
    let operator = world.operator().await;
    let things = Things::make(&operator).await;
    for pair in pairs() {
        let cases = pair.cases(&things);
        let Owned { collection, id, item, place } = Owned::make(&pair, &operator, &pair.bare(&cases)).await;
        let what = format!("{} on {}", pair.name, pair.owner);
        let (prefix, good) = (id.split_once('_').expect("an id").0, &cases.fine[0].0);
        let ghost = format!("{collection}/{prefix}_0ujtsYcgvSTl8PAuAdqWYSMnLOv/{}", pair.name);
        operator.put(&ghost, good).await.refused(Code::NotFound);
        operator.get(&ghost).await.refused(Code::NotFound);
        operator.delete(&ghost).await.refused(Code::NotFound);
        let misnamed = place.replace(&id, &id.replace(prefix, "ipp"));
        operator.put(&misnamed, good).await.refused(Code::IdShape);
        operator.get(&misnamed).await.refused(Code::IdShape);
        operator.delete(&misnamed).await.refused(Code::IdShape);
        for method in ["POST", "PATCH"] {
            operator.with_body(method, &place, good).await.refused(Code::MethodNotAllowed);
        }
        for body in [json!([]), json!("x"), json!(null), json!([good])] {
            operator.put(&place, &body).await.refused(Code::BodyMalformed);
        }

        let mut wrong: Vec<(Value, Code, String)> =
            cases.wrong.iter().map(|(body, code, field)| (body.clone(), *code, (*field).to_owned())).collect();
        let mut unknown = good.clone();
        unknown["colour"] = json!("red");
        wrong.push((unknown, Code::FieldUnknown, "colour".to_owned()));
        let full = cases.fine[1].0.as_object().expect("an object");
        wrong.extend(full.keys().map(|field| (misshapen(full, field), Code::FieldInvalid, field.clone())));
        for (body, code, field) in &wrong {
            let refusal = operator.put(&place, body).await.refused(*code);
            assert_eq!(refusal["details"]["field"], *field, "{what}: {refusal}");
            assert!(!refusal.to_string().contains("planted"), "{what}: {refusal}");
            let mut change = json!({"description": "no"});
            change[pair.name] = body.clone();
            let mut new = with(&pair, &cases, body);
            if new.get("match").is_some() {
                // The first one has `/` already.
                new["match"] = json!("/other");
            }
            let refused = [operator.patch(&item, &change).await, operator.post(&collection, &new).await];
            for refusal in refused.map(|response| response.refused(*code)) {
                let named = refusal["details"]["field"].as_str().unwrap_or_default();
                assert!(named == field || named == format!("{}.{field}", pair.name), "{what}: {refusal}");
                assert!(!refusal.to_string().contains("planted"), "{what}: {refusal}");
            }
        }
        for misshapen in [json!("x"), json!(5), json!(true)] {
            let refusal = operator.patch(&item, &json!({pair.name: misshapen})).await.refused(Code::FieldInvalid);
            assert_eq!(refusal["details"]["field"], pair.name, "{what}: {refusal}");
        }
        let owner = operator.get(&item).await.json();
        assert_eq!((&owner["description"], &owner[pair.name]), (&json!(""), &Value::Null), "{what}: all or nothing");
        operator.get(&place).await.refused(Code::ModuleUnset);
    }
}

#[tokio::test]
async fn records_that_a_module_needs_cannot_be_deleted() {
    let world = World::start().await;
    let operator = world.operator().await;
    for pair in pairs() {
        let things = Things::make(&operator).await;
        let cases = pair.cases(&things);
        let what = format!("{} on {}", pair.name, pair.owner);
        let (first, second) = (&cases.fine[0].0, &cases.fine[1].0);
        // Its deletion, that of its owner and that of the owner's parent release the links.
        for end in 0..3 {
            let owned = Owned::make(&pair, &operator, &with(&pair, &cases, first)).await;
            for (needed, code) in &cases.needs {
                let refused = operator.delete(needed).await.refused(*code);
                assert_eq!(refused["details"]["used_by"], owned.id, "{what}: {refused}");
                let mut disabled = first.clone();
                disabled["enabled"] = json!(false);
                operator.put(&owned.place, &disabled).await.is(StatusCode::OK);
                operator.delete(needed).await.refused(*code);
            }
            let parent = owned.collection.strip_suffix("/routes").unwrap_or(&owned.item);
            operator.delete([&owned.place, &owned.item, parent][end]).await.is(StatusCode::NO_CONTENT);
            let gone = operator.get(&owned.place).await;
            gone.refused(if end == 0 { Code::ModuleUnset } else { Code::NotFound });
            operator.get(&owned.item).await.is(if end == 0 { StatusCode::OK } else { StatusCode::NOT_FOUND });
        }
        let owned = Owned::make(&pair, &operator, &with(&pair, &cases, first)).await;
        for mentioned in &cases.mentions {
            let before = operator.get(&owned.item).await.json();
            operator.delete(mentioned).await.is(StatusCode::NO_CONTENT);
            assert_eq!(operator.get(&owned.item).await.json(), before, "{what}: it stays listed");
            operator.put(&owned.place, first).await.is(StatusCode::OK);
        }
        if cases.mentions.is_empty() {
            operator.put(&owned.place, second).await.is(StatusCode::OK);
        }
        for (needed, _) in &cases.needs {
            let (_, id) = needed.rsplit_once('/').expect("the path of an item");
            if second.to_string().contains(id) {
                operator.delete(&owned.place).await.is(StatusCode::NO_CONTENT);
            }
            operator.delete(needed).await.is(StatusCode::NO_CONTENT);
        }
    }
}

#[tokio::test]
async fn modules_outlive_a_restart_and_their_secrets_are_sealed() {
    let world = World::start().await;
    let operator = world.operator().await;
    let things = Things::make(&operator).await;
    let mut kept = Vec::new();
    for pair in pairs() {
        let cases = pair.cases(&things);
        for (sent, shown) in &cases.fine {
            let owned = Owned::make(&pair, &operator, &with(&pair, &cases, sent)).await;
            let item = operator.get(&owned.item).await.is(StatusCode::OK);
            kept.push((owned, shown.clone(), item));
        }
    }
    let printed = format!("{:?} {:?}", world.control, world.control.published().borrow());
    assert!(!printed.contains("planted"), "{printed}");
    drop(operator);
    let World { control, live, folder, operation_log } = world;
    drop(control);
    for entry in std::fs::read_dir(folder.path()).expect("a folder") {
        let path = entry.expect("an entry").path();
        let bytes = std::fs::read(&path).expect("readable");
        assert!(!bytes.windows(7).any(|part| part == b"planted"), "a secret stands in {}", path.display());
    }
    let world = World { control: reopened(folder.path(), live.clone()).await, live, folder, operation_log };
    let operator = world.operator().await;
    for (owned, shown, item) in kept {
        assert_eq!(seen(operator.get(&owned.place).await.is(StatusCode::OK)), shown);
        assert_eq!(operator.get(&owned.item).await.is(StatusCode::OK), item);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrently_set_modules_are_all_stored() {
    let world = World::start().await;
    let operator = world.operator().await;
    let things = Things::make(&operator).await;
    let pairs = pairs();
    let mut owners: BTreeMap<&str, Vec<(&Pair, Cases)>> = BTreeMap::new();
    for pair in &pairs {
        owners.entry(pair.owner).or_default().push((pair, pair.cases(&things)));
    }
    for of_one in owners.values() {
        let (first, cases) = &of_one[0];
        let owned = Owned::make(first, &operator, &first.bare(cases)).await;
        let calls = of_one.iter().map(|(pair, cases)| {
            let (operator, place, sent) = (operator.clone(), format!("{}/{}", owned.item, pair.name), &cases.fine[1].0);
            async move { operator.put(&place, sent).await }
        });
        for response in futures::future::join_all(calls).await {
            response.is(StatusCode::OK);
        }
        let all = operator.get(&owned.item).await.json();
        let mut body = first.bare(cases);
        for (pair, cases) in of_one {
            assert_eq!(seen(all[pair.name].clone()), cases.fine[1].1, "{}", pair.name);
            body[pair.name] = cases.fine[1].0.clone();
        }
        if body.get("match").is_some() {
            body["match"] = json!("/other");
        }
        let made = operator.made(&owned.collection, &body).await;
        for (pair, cases) in of_one {
            assert_eq!(seen(made[pair.name].clone()), cases.fine[1].1, "{}, all named at once", pair.name);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_module_never_names_a_concurrently_deleted_record() {
    let world = World::start().await;
    let operator = world.operator().await;
    for pair in pairs() {
        let what = format!("{} on {}", pair.name, pair.owner);
        for _ in 0..4 {
            let things = Things::make(&operator).await;
            let cases = pair.cases(&things);
            let sent = &cases.fine[0].0;
            for (needed, code) in &cases.needs {
                let owned = Owned::make(&pair, &operator, &pair.bare(&cases)).await;
                let (put, deleted) = tokio::join!(operator.put(&owned.place, sent), operator.delete(needed));
                if put.status == StatusCode::OK {
                    deleted.refused(*code);
                    operator.delete(&owned.place).await.is(StatusCode::NO_CONTENT);
                } else {
                    assert_eq!(put.status, StatusCode::BAD_REQUEST, "{what}: {put:?}");
                    deleted.is(StatusCode::NO_CONTENT);
                    operator.get(&owned.place).await.refused(Code::ModuleUnset);
                }
            }
            // Deleting the owner releases what its module names.
            let things = Things::make(&operator).await;
            let cases = pair.cases(&things);
            let sent = &cases.fine[0].0;
            let owned = Owned::make(&pair, &operator, &pair.bare(&cases)).await;
            let (put, deleted) = tokio::join!(operator.put(&owned.place, sent), operator.delete(&owned.item));
            deleted.is(StatusCode::NO_CONTENT);
            assert!([StatusCode::OK, StatusCode::NOT_FOUND].contains(&put.status), "{what}: {put:?}");
            operator.get(&owned.place).await.refused(Code::NotFound);
            for (needed, _) in &cases.needs {
                operator.delete(needed).await.is(StatusCode::NO_CONTENT);
            }
        }
    }
}

#[tokio::test]
async fn client_certificates_need_terminated_tls() {
    let world = World::start().await;
    let operator = world.operator().await;
    let authority = crate::certificates::authority_pem();
    let authority = operator.id("/certificate_authorities", &json!({"ca_pem": authority})).await;
    let asks = json!({"certificate_authority_ids": [authority]});
    let unasked = json!({"enabled": false, "certificate_authority_ids": [authority]});
    operator.post("/edges/tls", &json!({"mutual_tls": asks})).await.refused(Code::PlaintextNeeded);
    let edge = operator.id("/edges/tls", &json!({"mutual_tls": unasked})).await;
    let item = format!("/edges/tls/{edge}");
    let (mutual, ends) = (format!("{item}/mutual_tls"), format!("{item}/tls_termination"));
    operator.put(&mutual, &asks).await.refused(Code::PlaintextNeeded);
    for elsewhere in [json!({"terminate_at": "upstream"}), json!({"enabled": false})] {
        operator.put(&ends, &elsewhere).await.is(StatusCode::OK);
        operator.put(&mutual, &asks).await.refused(Code::PlaintextNeeded);
        operator.patch(&item, &json!({"mutual_tls": asks})).await.refused(Code::PlaintextNeeded);
        let both = operator.patch(&item, &json!({"mutual_tls": asks, "tls_termination": {}})).await;
        assert_eq!(both.is(StatusCode::OK)["mutual_tls"]["enabled"], true);
        let refused = operator.put(&ends, &elsewhere).await.refused(Code::PlaintextNeeded);
        assert_eq!(refused["details"]["field"], "tls_termination");
        operator.patch(&item, &json!({"tls_termination": elsewhere})).await.refused(Code::PlaintextNeeded);
        operator.delete(&ends).await.refused(Code::PlaintextNeeded);
        operator.patch(&item, &json!({"hostports": ["ends.test:443"]})).await.is(StatusCode::OK);
        operator.put(&ends, &json!({"min_version": "1.3"})).await.is(StatusCode::OK);
        operator.put(&mutual, &unasked).await.is(StatusCode::OK);
    }
    operator.delete(&mutual).await.is(StatusCode::NO_CONTENT);
    operator.delete(&ends).await.is(StatusCode::NO_CONTENT);
    operator.delete(&item).await.is(StatusCode::NO_CONTENT);
    // An HTTPS edge always terminates TLS.
    operator.made("/edges/https", &json!({"mutual_tls": asks, "tls_termination": {"enabled": false}})).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_changes_never_break_a_dependency_of_modules() {
    let world = World::start().await;
    let operator = world.operator().await;
    let authority = crate::certificates::authority_pem();
    let authority = operator.id("/certificate_authorities", &json!({"ca_pem": authority})).await;
    let asks = json!({"certificate_authority_ids": [authority]});
    let upstream = json!({"terminate_at": "upstream"});
    for round in 0..30 {
        let edge = operator.id("/edges/tls", &json!({"tls_termination": {}})).await;
        let (mutual, ends) = (format!("/edges/tls/{edge}/mutual_tls"), format!("/edges/tls/{edge}/tls_termination"));
        let (asked, gone) = match round % 3 {
            0 => tokio::join!(operator.put(&mutual, &asks), operator.delete(&ends)),
            1 => tokio::join!(operator.put(&mutual, &asks), operator.put(&ends, &upstream)),
            _ => {
                let (item, change) = (format!("/edges/tls/{edge}"), json!({"mutual_tls": asks}));
                tokio::join!(operator.patch(&item, &change), operator.delete(&ends))
            }
        };
        assert_ne!(asked.status.is_success(), gone.status.is_success(), "{asked:?} {gone:?}");
        let refused = if asked.status.is_success() { gone } else { asked };
        refused.refused(Code::PlaintextNeeded);
    }
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
    // After it is removed it cannot be named again.
    operator.put(&format!("{item}/ip_restriction"), &json!({"ip_policy_ids": [stays]})).await.is(StatusCode::OK);
    operator.put(&format!("{item}/ip_restriction"), &both).await.refused(Code::ModulePolicyUnknown);
    operator.delete(&item).await.is(StatusCode::NO_CONTENT);
}
