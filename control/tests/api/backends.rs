//! Backends that name each other, and the values of each kind.

use crate::kit::{BASE_URL, Caller, World};
use http::StatusCode;
use postern_api::Code;
use serde_json::{Value, json};

const GHOST: &str = "bkdtg_0ujtsYcgvSTl8PAuAdqWYSMnLOv";

/// One backend of each kind: path and id.
async fn one_of_each(caller: &Caller) -> [(&'static str, String); 5] {
    let made = async |path: &'static str, body: Value| (path, caller.id(path, &body).await);
    [
        made("/backends/tunnel_group", json!({"labels": {"app": "shop"}})).await,
        made("/backends/http_response", json!({})).await,
        made("/backends/static", json!({"address": "127.0.0.1:8080"})).await,
        made("/backends/weighted", json!({})).await,
        made("/backends/failover", json!({})).await,
    ]
}

#[tokio::test]
async fn the_members_of_a_backend_depend_on_its_kind() {
    let world = World::start().await;
    let operator = world.operator().await;
    let all = one_of_each(&operator).await;
    for (index, (path, id)) in all.iter().enumerate() {
        let weighted = operator.post("/backends/weighted", &json!({"backends": {id: 1}})).await;
        if index < 3 {
            assert_eq!(weighted.is(StatusCode::CREATED)["backends"], json!({id: 1}), "{path}");
        } else {
            weighted.refused(Code::WeightedKind);
        }
        let failover = operator.post("/backends/failover", &json!({"backends": [id, id]})).await;
        if index < 4 {
            assert_eq!(failover.is(StatusCode::CREATED)["backends"], json!([id]), "each is tried once: {path}");
        } else {
            failover.refused(Code::FailoverKind);
        }
        let shown = json!({"enabled": true, "backend": {"id": id, "uri": format!("{BASE_URL}{path}/{id}")}});
        let edge = operator.made("/edges/tcp", &json!({"backend": {"backend_id": id}})).await;
        assert_eq!(edge["backend"], shown, "an edge may name any of them");
    }
}

#[tokio::test]
async fn a_backend_named_by_a_backend_or_an_edge_cannot_be_deleted() {
    let world = World::start().await;
    let operator = world.operator().await;
    let (child, other) = (operator.group().await, operator.group().await);
    let item = format!("/backends/tunnel_group/{child}");
    let weighted = operator.id("/backends/weighted", &json!({"backends": {&child: 0, &other: 10000}})).await;
    let failover = operator.id("/backends/failover", &json!({"backends": [weighted, child]})).await;
    let edge = operator.id("/edges/tcp", &json!({"backend": {"backend_id": failover}})).await;

    let refused = operator.delete(&item).await.refused(Code::BackendInUse);
    let sentence = refused["msg"].as_str().expect("a sentence");
    assert!(sentence.contains(&weighted) && sentence.contains(&failover), "{refused}");
    let refused = operator.delete(&format!("/backends/weighted/{weighted}")).await.refused(Code::BackendInUse);
    assert!(refused["msg"].as_str().is_some_and(|sentence| sentence.contains(&failover)), "{refused}");
    let refused = operator.delete(&format!("/backends/failover/{failover}")).await.refused(Code::BackendInUse);
    assert!(refused["msg"].as_str().is_some_and(|sentence| sentence.contains(&edge)), "{refused}");

    // Deleted from the top down, each releases the backends it named.
    operator.delete(&format!("/edges/tcp/{edge}")).await.is(StatusCode::NO_CONTENT);
    let change = json!({"backends": [weighted]});
    operator.patch(&format!("/backends/failover/{failover}"), &change).await.is(StatusCode::OK);
    let refused = operator.delete(&item).await.refused(Code::BackendInUse);
    assert_eq!(refused["details"]["used_by"], weighted);
    operator.delete(&format!("/backends/failover/{failover}")).await.is(StatusCode::NO_CONTENT);
    let replaced = operator.patch(&format!("/backends/weighted/{weighted}"), &json!({"backends": {&other: 1}})).await;
    assert_eq!(replaced.is(StatusCode::OK)["backends"], json!({&other: 1}), "the whole map is replaced");
    operator.delete(&item).await.is(StatusCode::NO_CONTENT);
    operator.delete(&format!("/backends/weighted/{weighted}")).await.is(StatusCode::NO_CONTENT);
    operator.delete(&format!("/backends/tunnel_group/{other}")).await.is(StatusCode::NO_CONTENT);
}

#[tokio::test]
async fn invalid_values_have_specific_codes() {
    let world = World::start().await;
    let operator = world.operator().await;
    let group = operator.group().await;
    let many: Vec<String> = (0..101).map(|number| format!("bkdtg_{number:027}")).collect();
    let weights: Value = many.iter().map(|id| (id.clone(), json!(1))).collect::<serde_json::Map<_, _>>().into();
    let headers: Value = (0..51).map(|n| (format!("x-{n}"), json!(""))).collect::<serde_json::Map<_, _>>().into();
    let table = [
        ("weighted", json!({"backends": {&group: 10001}}), Code::WeightInvalid),
        ("weighted", json!({"backends": {&group: -1}}), Code::WeightInvalid),
        ("weighted", json!({"backends": {&group: 1.5}}), Code::FieldInvalid),
        ("weighted", json!({"backends": {&group: "1"}}), Code::FieldInvalid),
        ("weighted", json!({"backends": [group]}), Code::FieldInvalid),
        ("weighted", json!({"backends": {GHOST: 1}}), Code::BackendUnknown),
        ("weighted", json!({"backends": {"x": 1}}), Code::IdShape),
        ("weighted", json!({"backends": weights}), Code::WeightedCount),
        ("failover", json!({"backends": [group, GHOST]}), Code::BackendUnknown),
        ("failover", json!({"backends": ["ipp_0ujtsYcgvSTl8PAuAdqWYSMnLOv"]}), Code::IdShape),
        ("failover", json!({"backends": [""]}), Code::FieldMissing),
        ("failover", json!({"backends": many}), Code::FailoverCount),
        ("http_response", json!({"status_code": 199}), Code::ResponseStatus),
        ("http_response", json!({"status_code": 600}), Code::ResponseStatus),
        ("http_response", json!({"status_code": i64::MAX}), Code::FieldInvalid),
        ("http_response", json!({"body": "x".repeat((256 << 10) + 1)}), Code::ResponseBodyTooLong),
        ("http_response", json!({"headers": {"a b": "x"}}), Code::ResponseHeaderName),
        ("http_response", json!({"headers": {"Content-Length": "5"}}), Code::ResponseHeaderName),
        ("http_response", json!({"headers": {"x-a": "1", "X-A": "2"}}), Code::ResponseHeaderName),
        ("http_response", json!({"headers": headers}), Code::ResponseHeaderName),
        ("http_response", json!({"headers": {"x-a": "a\r\nset-cookie: b"}}), Code::ResponseHeaderValue),
        ("http_response", json!({"headers": {"x-a": "x".repeat(4097)}}), Code::ResponseHeaderValue),
        ("static", json!({}), Code::FieldMissing),
        ("static", json!({"address": "host"}), Code::StaticAddress),
        ("static", json!({"address": "ho st:80"}), Code::StaticHost),
        ("static", json!({"address": "host:0"}), Code::StaticPort),
        ("static", json!({"address": "host:80", "tls": {"colour": 1}}), Code::FieldUnknown),
        ("static", json!({"address": "host:80", "tls": true}), Code::FieldInvalid),
    ];
    for (kind, body, code) in table {
        operator.post(&format!("/backends/{kind}"), &body).await.refused(code);
    }
    let all = one_of_each(&operator).await;
    for ((path, id), change, code) in [
        (&all[3], json!({"backends": {GHOST: 1}}), Code::BackendUnknown),
        (&all[4], json!({"backends": [all[4].1]}), Code::FailoverKind),
        (&all[1], json!({"status_code": 99}), Code::ResponseStatus),
        (&all[2], json!({"address": ""}), Code::StaticAddress),
    ] {
        operator.patch(&format!("{path}/{id}"), &change).await.refused(code);
    }
}

#[tokio::test]
async fn absent_members_have_defaults() {
    let world = World::start().await;
    let operator = world.operator().await;
    let response = operator.made("/backends/http_response", &json!({"headers": null})).await;
    assert_eq!(
        (&response["body"], &response["headers"], &response["status_code"]),
        (&json!(""), &json!({}), &json!(200))
    );
    let sent = json!({"headers": {"Content-Type": "text/plain", "X-Empty": ""}, "body": "ä\n", "status_code": 404});
    let made = operator.made("/backends/http_response", &sent).await;
    assert_eq!(made["headers"], json!({"content-type": "text/plain", "x-empty": ""}), "names in lower case");
    assert_eq!((&made["body"], &made["status_code"]), (&json!("ä\n"), &json!(404)));
    for (tls, shown) in [
        (json!(null), json!({"enabled": false})),
        (json!({}), json!({"enabled": true})),
        (json!({"enabled": false}), json!({"enabled": false})),
    ] {
        let made = operator.made("/backends/static", &json!({"address": "host:80", "tls": tls})).await;
        assert_eq!(made["tls"], shown, "{tls}");
    }
    assert_eq!(operator.made("/backends/weighted", &json!({})).await["backends"], json!({}));
    assert_eq!(operator.made("/backends/failover", &json!({})).await["backends"], json!([]));
}
