//! One suite for every kind of resource.

mod table;

use crate::{
    kit::{BASE_URL, World, ids, path},
    pairs::pairs,
};
use axum::body::Body;
use http::StatusCode;
use postern_api::Code;
use serde_json::{Value, json};
use std::collections::BTreeSet;
pub(crate) use table::kinds;

#[tokio::test]
async fn created_records_can_be_read_changed_and_deleted() {
    made_read_changed_and_deleted(&World::start().await).await;
}

pub(crate) async fn made_read_changed_and_deleted(world: &World) {
    let operator = world.operator().await;
    for kind in kinds() {
        let collection = kind.collection(&operator).await;
        let item_of = |id: &str| format!("{collection}/{id}");
        let mut body = kind.body(&operator, 1).await;
        body["description"] = json!("ä".repeat(127) + "x");
        body["metadata"] = json!("x".repeat(4096));
        let made = operator.made(&collection, &body).await;
        let id = made["id"].as_str().expect("an id").to_owned();
        assert!(id.starts_with(kind.prefix) && id.len() == kind.prefix.len() + 27, "{id}");
        assert_eq!(made["uri"], format!("{BASE_URL}{collection}/{id}"));
        let created = made["created_at"].as_str().expect("a moment");
        assert!(created.len() == 20 && created.ends_with('Z'), "{created}");
        assert_eq!((&made["description"], &made["metadata"]), (&body["description"], &body["metadata"]));
        let mut expected: BTreeSet<&str> = ["id", "uri", "created_at", "description", "metadata"].into();
        expected.extend(kind.members);
        expected.extend(pairs().iter().filter(|pair| pair.owner == kind.path).map(|pair| pair.name));
        let members: BTreeSet<&str> = made.as_object().expect("an object").keys().map(String::as_str).collect();
        assert_eq!(members, expected, "every documented field is always there: {}", kind.path);

        let mut read = operator.get(&item_of(&id)).await.is(StatusCode::OK);
        let shown_once = ["token", "secret"].into_iter().find(|member| kind.members.contains(member));
        if let Some(member) = shown_once {
            assert!(made[member].is_string(), "{}", kind.path);
            assert_eq!(read[member], Value::Null, "a token is shown once");
            read[member] = made[member].clone();
        }
        assert_eq!(read, made, "{}", kind.path);

        let unchanged = operator.patch(&item_of(&id), &json!({"description": null, "metadata": null, "id": id})).await;
        let mut unchanged = unchanged.is(StatusCode::OK);
        if let Some(member) = shown_once {
            assert_eq!(unchanged[member], Value::Null);
            unchanged[member] = made[member].clone();
        }
        assert_eq!(unchanged, made, "null changes nothing: {}", kind.path);

        let mut change = kind.change.clone();
        change["description"] = json!("");
        let changed = operator.patch(&item_of(&id), &change).await.is(StatusCode::OK);
        for (name, value) in change.as_object().expect("an object") {
            assert_eq!(&changed[name], value, "{} {name}", kind.path);
        }
        assert_eq!(changed["metadata"], made["metadata"], "what is not named stays");
        assert_eq!(changed["created_at"], made["created_at"]);

        let deleted = operator.delete(&item_of(&id)).await;
        assert_eq!((deleted.status, deleted.text.as_str()), (StatusCode::NO_CONTENT, ""), "{}", kind.path);
        operator.get(&item_of(&id)).await.refused(Code::NotFound);
        operator.patch(&item_of(&id), &json!({})).await.refused(Code::NotFound);
        operator.delete(&item_of(&id)).await.refused(Code::NotFound);
        // Its claims are released.
        kind.one(&operator, &collection, 1).await;
    }
}

#[tokio::test]
async fn lists_come_in_pages_newest_first() {
    listed_in_pages(&World::start().await).await;
}

pub(crate) async fn listed_in_pages(world: &World) {
    let operator = world.operator().await;
    for kind in kinds() {
        let collection = kind.collection(&operator).await;
        let item_of = |id: &str| format!("{collection}/{id}");
        if kind.nested() {
            operator.get(&collection).await.refused(Code::MethodNotAllowed);
            continue;
        }
        let before = ids(&operator.get(kind.path).await.is(StatusCode::OK), kind.list).len();
        let mut made = Vec::new();
        for number in 1..=5 {
            made.push(kind.one(&operator, &collection, number).await);
        }
        let all = operator.get(kind.path).await.is(StatusCode::OK);
        assert_eq!(all["uri"], format!("{BASE_URL}{}", kind.path));
        assert_eq!(all["next_page_uri"], Value::Null, "{}", kind.path);
        let found = ids(&all, kind.list);
        assert_eq!(found.len(), before + 5, "{}", kind.path);
        assert!(found.is_sorted_by(|newer, older| newer > older));
        let own: Vec<_> = found.iter().filter(|id| made.contains(id)).collect();
        assert_eq!(own, made.iter().rev().collect::<Vec<_>>(), "newest first, also within one second");

        let mut paged = Vec::new();
        let mut next = format!("{}?limit=2", kind.path);
        loop {
            let page = operator.get(&next).await.is(StatusCode::OK);
            let part = ids(&page, kind.list);
            assert!(part.len() <= 2);
            let last = part.last().cloned();
            paged.extend(part);
            if page["next_page_uri"].is_null() {
                break;
            }
            next = path(&page["next_page_uri"]);
            assert_eq!(next, format!("{}?before_id={}&limit=2", kind.path, last.expect("a record")));
        }
        assert_eq!(paged, found, "{}", kind.path);

        // A cursor stays valid after its record was deleted. The operator must not delete itself.
        let index = found.iter().position(|id| made.contains(id)).expect("five were made");
        let cursor = &found[index];
        if operator.delete(&item_of(cursor)).await.status == StatusCode::NO_CONTENT {
            let rest = operator.get(&format!("{}?before_id={cursor}", kind.path)).await.is(StatusCode::OK);
            assert_eq!(ids(&rest, kind.list), found[index + 1..], "{}", kind.path);
        }
        operator.get(&format!("{}?limit=0", kind.path)).await.refused(Code::LimitInvalid);
        operator.get(&format!("{}?limit=101", kind.path)).await.refused(Code::LimitInvalid);
        operator.get(&format!("{}?page=1", kind.path)).await.refused(Code::QueryUnknown);
        operator.get(&format!("{}?limit=1&limit=2", kind.path)).await.refused(Code::QueryRepeated);
        operator.get(&format!("{}?before_id=xyz", kind.path)).await.refused(Code::IdShape);
    }
}

#[tokio::test]
async fn a_full_last_page_has_no_next_page() {
    let world = World::start().await;
    let operator = world.operator().await;
    for _ in 0..4 {
        operator.policy().await;
    }
    let page = operator.get("/ip_policies?limit=4").await.is(StatusCode::OK);
    assert_eq!((ids(&page, "ip_policies").len(), &page["next_page_uri"]), (4, &Value::Null));
}

#[tokio::test]
async fn unknown_ids_and_ids_of_other_kinds_are_refused() {
    let world = World::start().await;
    let operator = world.operator().await;
    for kind in kinds() {
        let collection = kind.collection(&operator).await;
        let item_of = |id: &str| format!("{collection}/{id}");
        let unknown = item_of(&format!("{}0ujtsYcgvSTl8PAuAdqWYSMnLOv", kind.prefix));
        operator.get(&unknown).await.refused(Code::NotFound);
        operator.patch(&unknown, &json!({})).await.refused(Code::NotFound);
        operator.delete(&unknown).await.refused(Code::NotFound);
        for wrong in ["xyz_0ujtsYcgvSTl8PAuAdqWYSMnLOv", "0ujtsYcgvSTl8PAuAdqWYSMnLOv", "x", "%2e%2e", "a%2Fb", "%ff"] {
            let item = item_of(wrong);
            for response in
                [operator.get(&item).await, operator.delete(&item).await, operator.patch(&item, &json!({})).await]
            {
                let body = response.json();
                assert!(response.status.as_u16() == 400 || response.status.as_u16() == 404, "{item}: {body}");
            }
        }
        let other = item_of("xyz_0ujtsYcgvSTl8PAuAdqWYSMnLOv");
        operator.get(&other).await.refused(Code::IdShape);
    }
}

#[tokio::test]
async fn every_call_needs_a_key_and_a_version() {
    let world = World::start().await;
    let operator = world.operator().await;
    for kind in kinds() {
        let collection = kind.collection(&operator).await;
        let item_of = |id: &str| format!("{collection}/{id}");
        let item = item_of(&kind.one(&operator, &collection, 7).await);
        for (method, path) in
            [("GET", &collection), ("POST", &collection), ("GET", &item), ("PATCH", &item), ("DELETE", &item)]
        {
            let bare = |headers: &[(&str, &str)]| {
                let mut request = http::Request::builder().method(method).uri(path);
                for (name, value) in headers {
                    request = request.header(*name, *value);
                }
                request.body(Body::empty()).expect("a request")
            };
            let key = format!("Bearer {}", operator.key);
            operator.send(bare(&[("service-version", "2")])).await.refused(Code::KeyMissing);
            operator.send(bare(&[])).await.refused(Code::KeyMissing);
            operator.send(bare(&[("authorization", "Digest x")])).await.refused(Code::KeyScheme);
            operator.send(bare(&[("authorization", "Bearer nonsense")])).await.refused(Code::KeyShape);
            operator.send(bare(&[("authorization", &key)])).await.refused(Code::VersionMissing);
            let old = [("authorization", key.as_str()), ("service-version", "1")];
            operator.send(bare(&old)).await.refused(Code::VersionUnsupported);
        }
        assert_eq!(operator.get(&item).await.status, StatusCode::OK, "nothing happened to {item}");
    }
}

#[tokio::test]
async fn bodies_are_checked() {
    let world = World::start().await;
    let operator = world.operator().await;
    for kind in kinds() {
        let collection = kind.collection(&operator).await;
        let item_of = |id: &str| format!("{collection}/{id}");
        let item = item_of(&kind.one(&operator, &collection, 8).await);
        let good = kind.body(&operator, 9).await;
        let with = |name: &str, value: Value| {
            let mut body = good.clone();
            body[name] = value;
            body
        };
        operator.post(&collection, &with("colour", json!("red"))).await.refused(Code::FieldUnknown);
        operator
            .post(&collection, &with("description", json!("ä".repeat(128))))
            .await
            .refused(Code::DescriptionTooLong);
        operator.post(&collection, &with("metadata", json!("x".repeat(4097)))).await.refused(Code::MetadataTooLong);
        operator.post(&collection, &with("description", json!(5))).await.refused(Code::FieldInvalid);
        operator.post(&collection, &json!([])).await.refused(Code::BodyMalformed);
        operator.patch(&item, &json!({"colour": "red"})).await.refused(Code::FieldUnknown);
        operator.patch(&item, &json!({"created_at": "2024-05-23T20:36:22Z"})).await.refused(Code::FieldUnknown);
        operator.patch(&item, &json!({"description": "x".repeat(256)})).await.refused(Code::DescriptionTooLong);
        operator.patch(&item, &json!({"metadata": "x".repeat(4097)})).await.refused(Code::MetadataTooLong);
        let text = |content_type: Option<&str>, body: &str| {
            let mut request = operator.request("POST", &collection);
            if let Some(content_type) = content_type {
                request = request.header("content-type", content_type);
            }
            request.body(Body::from(body.to_owned())).expect("a request")
        };
        operator.send(text(None, "{}")).await.refused(Code::ContentTypeMissing);
        operator.send(text(Some("text/plain"), "{}")).await.refused(Code::ContentTypeUnsupported);
        operator.send(text(Some("application/json"), "{\"description\":")).await.refused(Code::BodyMalformed);
        operator.send(text(Some("application/json"), "")).await.refused(Code::BodyMalformed);
        let large = format!("{{\"metadata\":\"{}\"}}", "x".repeat(1 << 20));
        operator.send(text(Some("application/json"), &large)).await.refused(Code::BodyTooLarge);
        operator.get(&format!("{item}?x=1")).await.refused(Code::QueryUnknown);
    }
}

#[tokio::test]
async fn immutable_fields_are_refused_in_a_change() {
    let world = World::start().await;
    let operator = world.operator().await;
    let rule = operator.rule(&operator.policy().await, "10.0.0.0/8", "deny").await;
    for field in ["action", "ip_policy_id"] {
        operator.patch(&format!("/ip_policy_rules/{rule}"), &json!({field: "x"})).await.refused(Code::FieldUnknown);
    }
    let credential = operator.id("/credentials", &json!({})).await;
    operator.patch(&format!("/credentials/{credential}"), &json!({"owner_id": "x"})).await.refused(Code::FieldUnknown);
}

#[tokio::test]
async fn invalid_values_of_each_kind_have_specific_codes() {
    let world = World::start().await;
    let operator = world.operator().await;
    let policy = operator.policy().await;
    let ghost = "ipp_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
    let rule = |cidr: &str, action: &str, policy: &str| json!({"cidr": cidr, "action": action, "ip_policy_id": policy});
    let table = [
        ("/ip_policy_rules", rule("nonsense", "allow", &policy), Code::CidrInvalid),
        ("/ip_policy_rules", rule("10.1.2.3/8", "allow", &policy), Code::CidrHostBits),
        ("/ip_policy_rules", rule("10.0.0.0/8", "maybe", &policy), Code::ActionInvalid),
        ("/ip_policy_rules", rule("10.0.0.0/8", "allow", ghost), Code::PolicyUnknown),
        ("/ip_policy_rules", rule("10.0.0.0/8", "allow", "x"), Code::IdShape),
        ("/ip_policy_rules", json!({"cidr": "10.0.0.0/8", "action": "allow"}), Code::FieldMissing),
        ("/ip_policy_rules", json!({}), Code::FieldMissing),
        ("/ip_policy_rules", json!({"action": "allow", "ip_policy_id": policy}), Code::FieldMissing),
        ("/ip_policy_rules", json!({"action": "allow", "ip_policy_id": policy, "country": ""}), Code::FieldMissing),
        ("/ip_policy_rules", rule("", "allow", &policy), Code::CidrInvalid),
        (
            "/ip_policy_rules",
            json!({"cidr": "10.0.0.0/8", "country": "DE", "action": "allow", "ip_policy_id": policy}),
            Code::RuleMatchesTwice,
        ),
        ("/ip_policy_rules", json!({"country": "UK", "action": "allow", "ip_policy_id": policy}), Code::CountryInvalid),
        ("/ip_restrictions", json!({"type": "everything", "ip_policy_ids": [policy]}), Code::RestrictionTypeInvalid),
        ("/ip_restrictions", json!({"type": "", "ip_policy_ids": [policy]}), Code::RestrictionTypeInvalid),
        ("/ip_restrictions", json!({"ip_policy_ids": [policy]}), Code::FieldMissing),
        ("/ip_restrictions", json!({"type": "api"}), Code::FieldMissing),
        ("/ip_restrictions", json!({"type": "api", "ip_policy_ids": []}), Code::PolicyCount),
        ("/ip_restrictions", json!({"type": "api", "ip_policy_ids": ["x"]}), Code::IdShape),
        ("/ip_restrictions", json!({"type": "api", "ip_policy_ids": [policy, ghost]}), Code::PolicyUnknown),
        ("/credentials", json!({"acl": ["dial:x"]}), Code::AclInvalid),
        ("/credentials", json!({"owner_id": "usr_0ujtsYcgvSTl8PAuAdqWYSMnLOv"}), Code::OwnerUnknown),
        ("/api_keys", json!({"owner_id": "usr_0ujtsYcgvSTl8PAuAdqWYSMnLOv"}), Code::OwnerUnknown),
        ("/api_keys", json!({"owner_id": "x"}), Code::IdShape),
        ("/users", json!({"name": " "}), Code::FieldInvalid),
        ("/users", json!({"name": "x".repeat(256)}), Code::FieldInvalid),
        ("/users", json!({}), Code::FieldMissing),
        ("/users", json!({"name": "a", "email": "ada"}), Code::EmailInvalid),
        ("/users", json!({"name": "a", "email": "Ada <ada@example.test>"}), Code::EmailInvalid),
        ("/backends/tunnel_group", json!({}), Code::LabelMissing),
        ("/backends/tunnel_group", json!({"labels": {"a=b": "c"}}), Code::LabelKey),
        ("/backends/tunnel_group", json!({"labels": {"a": "b=c"}}), Code::LabelValue),
        ("/backends/tunnel_group", json!({"labels": {"a": 1}}), Code::FieldInvalid),
        ("/edges/https", json!({"hostports": ["nonsense"]}), Code::HostportInvalid),
        ("/edges/tls", json!({"hostports": ["a.test:99999"]}), Code::HostportPort),
        ("/edges/tls", json!({"hostports": ["a.test:444"]}), Code::HostportHttpsPort),
        ("/edges/https", json!({"hostports": ["tunnels.test:24001"]}), Code::HostportNoName),
        ("/edges/https", json!({"hostports": ["192.0.2.7:443"]}), Code::HostportNoName),
        ("/edges/tcp", json!({"hostports": ["nonsense"]}), Code::HostportInvalid),
        ("/edges/tcp", json!({"hostports": ["elsewhere.test:24001"]}), Code::HostportInvalid),
        ("/edges/tcp", json!({"hostports": ["tunnels.test:443"]}), Code::HostportPort),
    ];
    for (path, body, code) in table {
        operator.post(path, &body).await.refused(code);
    }
    let bare = operator.made("/ip_policy_rules", &rule("192.0.2.7", "allow", &policy)).await;
    assert_eq!(bare["cidr"], "192.0.2.7/32");
    operator.post("/ip_policy_rules", &rule("192.0.2.7/32", "deny", &policy)).await.refused(Code::RuleDuplicate);
    operator.made("/ip_policy_rules", &rule("192.0.2.7", "deny", &operator.policy().await)).await;
    let edge = operator.made("/edges/tcp", &json!({"hostports": null})).await;
    assert_eq!(edge["hostports"], json!([]));
    for wrong in [json!({"labels": {}}), json!({"labels": null, "description": "kept"})] {
        let group = operator.group().await;
        let response = operator.patch(&format!("/backends/tunnel_group/{group}"), &wrong).await;
        if wrong["labels"].is_null() {
            assert_eq!(response.is(StatusCode::OK)["labels"], json!({"app": "shop"}));
        } else {
            response.refused(Code::LabelMissing);
        }
    }
}

#[tokio::test]
async fn a_rule_has_a_range_or_a_country() {
    let world = World::start().await;
    let operator = world.operator().await;
    let policy = operator.policy().await;
    let body = |country: &str| json!({"ip_policy_id": policy, "action": "deny", "cidr": "", "country": country});
    let made = operator.made("/ip_policy_rules", &body("de")).await;
    assert_eq!((&made["cidr"], &made["country"]), (&json!(""), &json!("DE")));
    operator.post("/ip_policy_rules", &body("DE")).await.refused(Code::RuleDuplicate);
    let item = format!("/ip_policy_rules/{}", made["id"].as_str().expect("an id"));
    let range = operator.patch(&item, &json!({"cidr": "10.0.0.0/8"})).await.is(StatusCode::OK);
    assert_eq!((&range["cidr"], range.get("country")), (&json!("10.0.0.0/8"), None));
    operator.made("/ip_policy_rules", &body("DE")).await;
    operator.patch(&item, &json!({"country": "DE"})).await.refused(Code::RuleDuplicate);
    operator.patch(&item, &json!({"cidr": "10.0.0.0/8", "country": "FR"})).await.refused(Code::RuleMatchesTwice);
    let again = operator.patch(&item, &json!({"cidr": "", "country": "FR"})).await.is(StatusCode::OK);
    assert_eq!((&again["cidr"], &again["country"]), (&json!(""), &json!("FR")));
    let kept = operator.patch(&item, &json!({"description": "kept"})).await.is(StatusCode::OK);
    assert_eq!((&kept["country"], &kept["description"]), (&json!("FR"), &json!("kept")));
}

#[tokio::test]
async fn a_claim_is_exclusive_and_moves_with_its_record() {
    let world = World::start().await;
    let operator = world.operator().await;
    let first = operator.id("/edges/tcp", &json!({"hostports": ["tunnels.test:24001", "127.0.0.1:24002"]})).await;
    for spelling in ["tunnels.test:24001", "127.0.0.1:24001", "Tunnels.TEST:24002"] {
        let error = operator.post("/edges/tcp", &json!({"hostports": [spelling]})).await.refused(Code::HostportTaken);
        assert_eq!(error["details"]["id"], first, "{error}");
        assert!(error["msg"].as_str().is_some_and(|sentence| sentence.contains(&first)));
    }
    let second = operator.id("/edges/tcp", &json!({})).await;
    let take = json!({"hostports": ["tunnels.test:24001"]});
    operator.patch(&format!("/edges/tcp/{second}"), &take).await.refused(Code::HostportTaken);
    operator
        .patch(&format!("/edges/tcp/{first}"), &json!({"hostports": ["tunnels.test:24002"]}))
        .await
        .is(StatusCode::OK);
    operator.patch(&format!("/edges/tcp/{second}"), &take).await.is(StatusCode::OK);
    operator.delete(&format!("/edges/tcp/{second}")).await.is(StatusCode::NO_CONTENT);
    operator.patch(&format!("/edges/tcp/{first}"), &json!({"hostports": ["127.0.0.1:24001"]})).await.is(StatusCode::OK);

    world.live.ports.lock().expect("unpoisoned").insert(24010);
    let bound = json!({"hostports": ["tunnels.test:24010"]});
    operator.post("/edges/tcp", &bound).await.refused(Code::HostportBound);
    operator.patch(&format!("/edges/tcp/{first}"), &bound).await.refused(Code::HostportBound);
}

#[tokio::test]
async fn deleting_a_policy_deletes_its_rules() {
    let world = World::start().await;
    let operator = world.operator().await;
    let (policy, other) = (operator.policy().await, operator.policy().await);
    let mut rules = Vec::new();
    for number in 0..5 {
        rules.push(operator.rule(&policy, &format!("10.{number}.0.0/16"), "allow").await);
    }
    let kept = operator.rule(&other, "10.0.0.0/16", "allow").await;
    operator.delete(&format!("/ip_policies/{policy}")).await.is(StatusCode::NO_CONTENT);
    for rule in rules {
        operator.get(&format!("/ip_policy_rules/{rule}")).await.refused(Code::NotFound);
    }
    let left = operator.get("/ip_policy_rules").await.is(StatusCode::OK);
    assert_eq!(ids(&left, "ip_policy_rules"), [kept]);
}

#[tokio::test]
async fn a_group_shows_the_tunnels_that_carry_all_its_labels() {
    let world = World::start().await;
    let operator = world.operator().await;
    let labels = |pairs: &[(&str, &str)]| pairs.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    *world.live.labelled.lock().expect("unpoisoned") = vec![
        (postern_api::AnyId::from_text("tn_1"), labels(&[("app", "shop"), ("more", "x")])),
        (postern_api::AnyId::from_text("tn_2"), labels(&[("app", "other")])),
    ];
    let group = operator.group().await;
    let read = operator.get(&format!("/backends/tunnel_group/{group}")).await.is(StatusCode::OK);
    assert_eq!(read["tunnels"], json!([{"id": "tn_1", "uri": format!("{BASE_URL}/tunnels/tn_1")}]));
}
