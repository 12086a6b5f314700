//! The responses of the local API, field by field, as documented.

use crate::world::World;
use postern_test_kit::scripted_origin::ScriptedOrigin;
use serde_json::{Value as Json, json};

/// The expected type of a field.
#[derive(Clone, Copy, Debug)]
enum Type {
    Text,
    Number,
    Whole,
    Boolean,
    Object,
    List,
    /// Header names with lists of texts.
    Headers,
    Base64,
    Time,
}

use Type::{Base64, Boolean, Headers, List, Number, Object, Text, Time, Whole};

const TUNNEL: &[(&str, Type)] = &[
    ("/name", Text),
    ("/uri", Text),
    ("/public_url", Text),
    ("/proto", Text),
    ("/config", Object),
    ("/config/addr", Text),
    ("/config/inspect", Boolean),
    ("/metrics", Object),
];
const CONNECTIONS: [&str; 9] = ["count", "gauge", "rate1", "rate5", "rate15", "p50", "p90", "p95", "p99"];
const REQUESTS: [&str; 8] = ["count", "rate1", "rate5", "rate15", "p50", "p90", "p95", "p99"];

const CAPTURED: &[(&str, Type)] = &[
    ("/uri", Text),
    ("/id", Text),
    ("/tunnel_name", Text),
    ("/remote_addr", Text),
    ("/start", Time),
    ("/duration", Number),
    ("/request", Object),
    ("/request/method", Text),
    ("/request/proto", Text),
    ("/request/headers", Headers),
    ("/request/uri", Text),
    ("/request/raw", Base64),
];
const RESPONSE: &[(&str, Type)] = &[
    ("/response", Object),
    ("/response/status", Text),
    ("/response/status_code", Whole),
    ("/response/proto", Text),
    ("/response/headers", Headers),
    ("/response/raw", Base64),
];

fn is(value: &Json, expected: Type) -> bool {
    match expected {
        Text => value.is_string(),
        Number => value.is_number(),
        Whole => value.is_u64(),
        Boolean => value.is_boolean(),
        Object => value.is_object(),
        List => value.is_array(),
        Headers => value.as_object().is_some_and(|headers| {
            let texts = |values: &Json| {
                values.as_array().is_some_and(|list| !list.is_empty() && list.iter().all(Json::is_string))
            };
            !headers.is_empty() && headers.values().all(texts)
        }),
        Base64 => {
            use base64::{Engine, engine::general_purpose::STANDARD};
            value.as_str().is_some_and(|text| STANDARD.decode(text).is_ok_and(|bytes| !bytes.is_empty()))
        }
        Time => value.as_str().is_some_and(|text| text.parse::<jiff::Timestamp>().is_ok()),
    }
}

fn fits(value: &Json, table: &[(&str, Type)]) {
    for (pointer, expected) in table {
        let found = value.pointer(pointer).unwrap_or_else(|| panic!("{pointer} is missing in {value}"));
        assert!(is(found, *expected), "{pointer} must be {expected:?}, and is {found}");
    }
}

fn is_tunnel(tunnel: &Json) {
    fits(tunnel, TUNNEL);
    assert_eq!(tunnel["uri"], format!("/api/tunnels/{}", tunnel["name"].as_str().unwrap()));
    for (part, names) in [("conns", &CONNECTIONS[..]), ("http", &REQUESTS[..])] {
        for name in names {
            assert!(tunnel["metrics"][part][*name].is_number(), "metrics.{part}.{name} in {tunnel}");
        }
    }
}

#[tokio::test]
async fn every_operation_returns_the_documented_fields() {
    let world = World::start().await;
    let origin = ScriptedOrigin::closing_after_end(
        b"\r\n\r\n",
        b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\nX-Way: a\r\n\r\nok",
    )
    .await;
    fits(&world.get("/api/").await, &[("/uri", Text), ("/tunnels_uri", Text), ("/requests_uri", Text)]);

    let definition = json!({"addr": origin.port().to_string(), "proto": "http", "name": "site"});
    let (status, started) = world.call("POST", "/api/tunnels", Some(definition)).await;
    assert_eq!(status, 201);
    is_tunnel(&started);
    let tcp = world.tunnel("port", "tcp", 9).await;
    is_tunnel(&tcp);
    assert_eq!((&tcp["proto"], &started["config"]["inspect"]), (&json!("tcp"), &json!(true)));
    let list = world.get("/api/tunnels").await;
    fits(&list, &[("/tunnels", List), ("/uri", Text)]);
    assert_eq!((&list["uri"], list["tunnels"].as_array().unwrap().len()), (&json!("/api/tunnels"), 2));
    list["tunnels"].as_array().unwrap().iter().for_each(is_tunnel);
    is_tunnel(&world.get("/api/tunnels/site").await);

    world.server.http("site", b"GET /a?b HTTP/1.1\r\nHost: h\r\n\r\n").await.expect("answered");
    let one = world.captured(1).await.remove(0);
    let list = world.get("/api/requests/http?limit=1&tunnel_name=site").await;
    fits(&list, &[("/uri", Text), ("/requests", List)]);
    for captured in [&one, &list["requests"][0], &world.get(one["uri"].as_str().unwrap()).await] {
        fits(captured, CAPTURED);
        fits(captured, RESPONSE);
        assert_eq!(captured["uri"], format!("/api/requests/http/{}", captured["id"].as_str().unwrap()));
        assert_eq!(captured["tunnel_name"], "site (https)");
        assert_eq!(
            (&captured["request"]["uri"], &captured["response"]["status"]),
            (&json!("/a?b"), &json!("201 Created"))
        );
    }
    let replayed = world.call("POST", "/api/requests/http", Some(json!({"id": one["id"]}))).await;
    assert_eq!(replayed, (204, Json::Null));
    world.captured(2).await;
    assert_eq!(world.call("DELETE", "/api/requests/http", None).await, (204, Json::Null));
    assert_eq!(world.call("DELETE", "/api/tunnels/site", None).await, (204, Json::Null));

    // Not in the documentation: fields that existing wrappers read.
    let status = world.get("/api/status").await;
    fits(&status, &[("/status", Text), ("/agent_version", Text), ("/session/legs", List), ("/uri", Text)]);
}

#[tokio::test]
async fn every_error_has_a_number_a_status_a_message_and_a_code() {
    let world = World::start().await;
    let none = "/api/requests/http/0000000000000000";
    let part = |rest: &str| format!("{none}{rest}");
    let cases: Vec<(&str, String, Option<Json>, u16)> = vec![
        ("GET", "/api/nothing".into(), None, 404),
        ("GET", "/api/tunnels/unknown".into(), None, 404),
        ("POST", "/api/tunnels".into(), Some(json!({"name": "x", "proto": "http", "addr": 1, "no_such_key": 1})), 400),
        ("DELETE", "/api/tunnels/unknown".into(), None, 404),
        ("PATCH", "/api/tunnels/unknown".into(), Some(json!({})), 405),
        ("GET", "/api/requests/http?limit=many".into(), None, 400),
        ("GET", "/api/requests/http?nothing=1".into(), None, 400),
        ("GET", "/api/requests/http?filter=dur:1".into(), None, 400),
        ("GET", "/api/requests/http/summaries?before=x".into(), None, 400),
        ("GET", "/api/requests/http/summaries?since=x".into(), None, 400),
        ("POST", "/api/requests/http".into(), Some(json!({"id": "0000000000000000"})), 404),
        ("POST", "/api/requests/http".into(), Some(json!({"id": 1})), 400),
        ("POST", "/api/requests/http".into(), Some(json!([])), 400),
        ("PUT", "/api/requests/http".into(), Some(json!({})), 405),
        ("GET", none.into(), None, 404),
        ("PATCH", none.into(), Some(json!({})), 404),
        ("DELETE", none.into(), None, 404),
        ("PUT", none.into(), Some(json!({})), 405),
        ("GET", part("/request/body"), None, 404),
        ("GET", part("/response/body"), None, 404),
        ("DELETE", part("/response/body"), None, 405),
        ("GET", part("/frames"), None, 404),
        ("GET", part("/curl"), None, 404),
        ("POST", part("/curl"), Some(json!({})), 405),
        ("GET", "/api/requests/har?secrets=all".into(), None, 400),
        ("POST", "/api/requests/har".into(), Some(json!({})), 400),
        ("DELETE", "/api/requests/har".into(), None, 405),
        ("GET", "/api/events?since=x".into(), None, 400),
        ("POST", "/api/status".into(), Some(json!({})), 405),
        ("POST", "/api/configured/unknown/start".into(), Some(json!({})), 404),
    ];
    for (method, path, body, expected) in cases {
        let (status, answer) = world.call(method, &path, body).await;
        assert_eq!(status, expected, "{method} {path}: {answer}");
        fits(
            &answer,
            &[
                ("/error_code", Whole),
                ("/status_code", Whole),
                ("/msg", Text),
                ("/details/err", Text),
                ("/details/code", Text),
            ],
        );
        assert_eq!(answer["status_code"], expected);
        assert!(answer["details"]["code"].as_str().unwrap().starts_with("ERR_POSTERN_"), "{answer}");
        assert!(answer["details"]["err"].as_str().unwrap().len() > 15, "{answer}");
    }
}
