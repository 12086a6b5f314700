//! The audit log of a scripted day: exactly the changes made, with their authors, before and after.

use postern_tests::{ServerSetup, World, eventually};
use reqwest::Method;
use serde_json::{Value, json};

/// A text in which made-up ids stand for the real ones.
fn named(value: &Value, names: &[(String, &str)]) -> Value {
    let text = names.iter().fold(value.to_string(), |text, (id, name)| text.replace(id.as_str(), name));
    serde_json::from_str(&text).expect("JSON")
}

#[tokio::test]
async fn a_scripted_day_has_exactly_its_changes() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("audit.log");
    let world = World::with(|setup| setup.flags(&["--audit-log", &file.to_string_lossy()])).await;
    let operator = world.operator();
    let before = operator.get("/audit_events").await.ok().body["audit_events"].as_array().expect("events").len();

    let policy = operator.post("/ip_policies", json!({"description": "office"})).await.ok().text("id");
    let body = json!({"ip_policy_id": policy, "cidr": "10.0.0.0/8", "action": "allow"});
    let rule = operator.post("/ip_policy_rules", body).await.ok().text("id");
    let edge = operator.post("/edges/https", json!({"hostports": ["shop.test:443"]})).await.ok().text("id");
    let body = json!({"match_type": "path_prefix", "match": "/"});
    let route = operator.post(&format!("/edges/https/{edge}/routes"), body).await.ok().text("id");
    let names = [(policy.clone(), "POLICY"), (rule.clone(), "RULE"), (edge.clone(), "EDGE"), (route.clone(), "ROUTE")];
    let item = format!("/edges/https/{edge}/routes/{route}");
    let login =
        json!({"issuer": "https://id.test", "client_id": "shop", "client_secret": "planted", "scopes": ["openid"]});
    for (method, path, body) in [
        (Method::PATCH, format!("/ip_policy_rules/{rule}"), json!({"cidr": "10.1.0.0/16"})),
        (Method::PUT, format!("{item}/ip_restriction"), json!({"ip_policy_ids": [policy]})),
        (Method::PUT, format!("{item}/oidc"), login),
        (Method::PATCH, item.clone(), json!({"match": "/shop", "compression": {"enabled": true}})),
        (Method::DELETE, format!("{item}/compression"), Value::Null),
        (Method::GET, item.clone(), Value::Null),
        (Method::DELETE, format!("/edges/https/{edge}"), Value::Null),
        (Method::DELETE, format!("/ip_policies/{policy}"), Value::Null),
    ] {
        operator.call(method, &path, body).await.ok();
    }
    // Refused calls change nothing.
    assert_eq!(operator.call(Method::PATCH, &item, json!({"match": "/x"})).await.status, 404);
    assert_eq!(operator.post("/ip_policy_rules", json!({"cidr": "x"})).await.status, 400);

    let listed = operator.get("/audit_events").await.ok().body["audit_events"].take();
    let listed = named(&listed, &names);
    let mut events = listed.as_array().expect("events").clone();
    events.truncate(events.len() - before);
    events.reverse();
    let shown: Vec<Value> = events
        .iter()
        .map(|event| json!([event["kind"], event["operation"], event["object_id"], event["before"], event["after"]]))
        .collect();
    let texts = |description: &str, own: Value| {
        let mut settings = json!({"description": description, "metadata": ""});
        settings.as_object_mut().expect("an object").extend(own.as_object().expect("an object").clone());
        settings
    };
    let office = texts("office", json!({}));
    let rule = |cidr: &str| texts("", json!({"cidr": cidr, "action": "allow", "ip_policy_id": "POLICY"}));
    let shop = texts("", json!({"hostports": ["shop.test:443"]}));
    let route = |own: Value| texts("", own);
    let first = route(json!({"match_type": "path_prefix", "match": "/"}));
    let restricted = json!({"enabled": true, "ip_policy_ids": ["POLICY"]});
    let oidc = json!({
        "enabled": true, "options_passthrough": false, "cookie_prefix": "postern.", "inactivity_timeout": 0,
        "maximum_duration": 0, "issuer": "https://id.test", "client_id": "shop", "client_secret": "***",
        "scopes": ["openid"],
    });
    let compressed = json!({"enabled": true});
    let expected = [
        json!(["ip_policy", "created", "POLICY", null, office]),
        json!(["ip_policy_rule", "created", "RULE", null, rule("10.0.0.0/8")]),
        json!(["https_edge", "created", "EDGE", null, shop]),
        json!(["https_route", "created", "ROUTE", null, first]),
        json!(["ip_policy_rule", "updated", "RULE", rule("10.0.0.0/8"), rule("10.1.0.0/16")]),
        json!(["https_route", "updated", "ROUTE", {"ip_restriction": null}, {"ip_restriction": restricted}]),
        json!(["https_route", "updated", "ROUTE", {"oidc": null}, {"oidc": oidc}]),
        json!([
            "https_route",
            "updated",
            "ROUTE",
            texts("", json!({"match_type": "path_prefix", "match": "/", "compression": null})),
            route(json!({"match_type": "path_prefix", "match": "/shop", "compression": compressed})),
        ]),
        json!(["https_route", "updated", "ROUTE", {"compression": compressed}, {"compression": null}]),
        json!([
            "https_route",
            "deleted",
            "ROUTE",
            route(json!({"match_type": "path_prefix", "match": "/shop", "ip_restriction": restricted, "oidc": oidc})),
            null,
        ]),
        json!(["https_edge", "deleted", "EDGE", shop, null]),
        json!(["ip_policy_rule", "deleted", "RULE", rule("10.1.0.0/16"), null]),
        json!(["ip_policy", "deleted", "POLICY", office, null]),
    ];
    for (place, (shown, expected)) in shown.iter().zip(&expected).enumerate() {
        assert_eq!(shown, expected, "event {place}");
    }
    assert_eq!(shown.len(), expected.len());
    for event in &events {
        assert_eq!((&event["address"], &event["actor_type"]), (&json!("127.0.0.1"), &json!("user")), "{event}");
        assert!(event["operation_id"].as_str().is_some_and(|id| id.starts_with("op_")), "{event}");
        assert!(event["api_key_id"].as_str().is_some_and(|id| id.starts_with("ak_")), "{event}");
    }
    let lines = eventually("every event is in the file", async || {
        let text = std::fs::read_to_string(&file).expect("the file");
        (text.lines().count() >= before + expected.len()).then_some(text)
    })
    .await;
    assert!(!lines.contains("planted") && !listed.to_string().contains("planted"));
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), before + expected.len());
    for (line, event) in lines[before..].iter().zip(&events) {
        let line = named(line, &names);
        assert_eq!((&line["id"], &line["after"], &line["address"]), (&event["id"], &event["after"], &event["address"]));
    }
}

#[tokio::test]
async fn an_audit_log_that_cannot_be_written_is_said_at_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("missing/audit.log");
    let setup = ServerSetup::new(folder.path().join("data"));
    let output = setup.flags(&["--audit-log", &place.to_string_lossy()]).spawn().wait_with_output().await;
    assert!(output.stderr.contains("--audit-log"), "{}", output.stderr);
}
