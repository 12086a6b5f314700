//! The last requests of edges, routes and tunnels, as the management API lists them.

use postern_api::Code;
use postern_tests::{Operator, Origin, Visitor, World, eventually};
use serde_json::{Value, json};

/// Waits until a list of requests has this many that are complete. Returns them, newest first.
async fn requests(operator: &Operator, path: &str, count: usize) -> Vec<Value> {
    eventually(&format!("{path} lists {count} complete requests"), async || {
        let listed = operator.get(path).await.ok().body["requests"].as_array()?.clone();
        (listed.len() == count && listed.iter().all(|one| one["complete"] == true)).then_some(listed)
    })
    .await
}

/// Paths and statuses.
fn seen(requests: &[Value]) -> Vec<(&str, u64)> {
    requests.iter().map(|one| (one["path"].as_str().unwrap(), one["status"].as_u64().unwrap())).collect()
}

/// An edge for a host without routes. Returns its id.
async fn edge(operator: &Operator, host: &str) -> String {
    operator.post("/edges/https", json!({ "hostports": [format!("{host}:443")] })).await.ok().text("id")
}

/// Adds a route for a path. Returns the path of its record and its id.
async fn route(operator: &Operator, edge: &str, path: &str, modules: Value) -> (String, String) {
    let mut body = json!({ "match_type": "path_prefix", "match": path });
    body.as_object_mut().unwrap().extend(modules.as_object().unwrap().clone());
    let routes = format!("/edges/https/{edge}/routes");
    let id = operator.post(&routes, body).await.ok().text("id");
    (format!("{routes}/{id}"), id)
}

/// Requests a path of a host and returns the status.
async fn visit(world: &World, visitor: &Visitor, host: &str, path: &str) -> u16 {
    visitor.get(&format!("https://{host}:{}{path}", world.server.addresses.https.port())).await.status
}

#[tokio::test]
async fn requests_that_pass_fail_and_are_refused_are_listed_with_their_decisions() {
    let world = World::start().await;
    let (operator, visitor) = (world.operator(), world.visitor());
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    agent.labelled("shop", "app=shop", &origin).await;
    let backend = operator.group("app", "shop").await;
    let denying = operator.policy(&[("allow", "203.0.113.0/24")]).await;
    let admitting = operator.policy(&[("allow", "127.0.0.0/8")]).await;
    let host = "shop.example.test";
    let edge = edge(&operator, host).await;
    let with =
        |policy: &str| json!({ "backend": { "backend_id": backend }, "ip_restriction": { "ip_policy_ids": [policy] } });
    let (open_path, open) = route(&operator, &edge, "/", with(&admitting)).await;
    let (closed_path, closed) = route(&operator, &edge, "/closed", with(&denying)).await;
    let edge_path = format!("/edges/https/{edge}/requests");
    assert_eq!(operator.get(&edge_path).await.ok().body["requests"], json!([]));

    let url = |path: &str| format!("https://{host}:{}{path}", world.server.addresses.https.port());
    let echo = visitor.http.post(url("/echo?token=secret")).header("cookie", "session=secret").body("0123456789");
    assert_eq!(visitor.send(echo).await.text(), "0123456789");
    let refused = visitor.get(&url("/closed/page")).await;
    assert_eq!(refused.refused(), Code::AddressDenied);
    assert_eq!(visit(&world, &visitor, host, "/status/503").await, 503);
    assert_eq!(visit(&world, &visitor, host, "/status/404").await, 404);

    let listed = requests(&operator, &edge_path, 4).await;
    assert_eq!(seen(&listed), [("/status/404", 404), ("/status/503", 503), ("/closed/page", 403), ("/echo", 200)]);
    let sessions = operator.get("/tunnel_sessions").await.ok().body["tunnel_sessions"].clone();
    let [not_found, broken, denied, passed] = &listed[..] else { unreachable!("four") };
    for (member, expected) in [
        ("method", json!("POST")),
        ("host", json!(host)),
        ("ip", json!("127.0.0.1")),
        ("scheme", json!("https")),
        ("bytes_in", json!(10)),
        ("bytes_out", json!(10)),
        ("edge_id", json!(edge)),
        ("route_id", json!(open)),
        ("backend_id", json!(backend)),
        ("error_code", json!("")),
        ("fault", json!("")),
        ("refused_by", json!("")),
    ] {
        assert_eq!(passed[member], expected, "{member} in {passed}");
    }
    let serving = sessions.as_array().unwrap().iter().find(|one| one["id"] == passed["tunnel_session_id"]);
    assert_eq!(serving.expect("a session")["credential"]["id"], passed["credential_id"]);
    assert!(passed["duration_microseconds"].as_u64() > Some(0) && passed["at"].as_str().unwrap().ends_with('Z'));
    let decision = &passed["decisions"][0];
    assert_eq!((&decision["module"], &decision["verdict"]), (&json!("ip_restriction"), &json!("passed")));
    for (member, expected) in [
        ("id", json!(refused.header("postern-request-id"))),
        ("route_id", json!(closed)),
        ("error_code", json!(Code::AddressDenied.to_string())),
        ("fault", json!("configuration")),
        ("refused_by", json!("ip_restriction")),
        ("tunnel_id", json!("")),
    ] {
        assert_eq!(denied[member], expected, "{member} in {denied}");
    }
    assert_eq!((&broken["fault"], &broken["error_code"]), (&json!("service"), &json!("")));
    assert_eq!((&not_found["fault"], &not_found["tunnel_id"]), (&json!("visitor"), &passed["tunnel_id"]));
    let body = operator.get(&edge_path).await.ok().text;
    assert!(!body.contains("secret"), "queries and headers are not kept: {body}");

    let tunnel = passed["tunnel_id"].as_str().unwrap();
    for (path, expected) in [
        (format!("{open_path}/requests"), &[404, 503, 200][..]),
        (format!("{closed_path}/requests"), &[403]),
        (format!("/tunnels/{tunnel}/requests"), &[404, 503, 200]),
        ("/traffic/requests".to_owned(), &[404, 503, 403, 200]),
        (format!("{edge_path}?status=4xx"), &[404, 403]),
        (format!("{edge_path}?error_code={}", Code::AddressDenied), &[403]),
        (format!("{edge_path}?search=STATUS"), &[404, 503]),
        (format!("{edge_path}?limit=1"), &[404]),
    ] {
        let listed = requests(&operator, &path, expected.len()).await;
        assert_eq!(seen(&listed).iter().map(|(_, status)| *status).collect::<Vec<_>>(), expected, "{path}");
    }
}

#[tokio::test]
async fn a_tunnel_lists_its_own_and_shows_open_requests() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent_with_one_session().await;
    let tunnel = agent.https("site", &origin).await;
    let (operator, visitor) = (world.operator(), world.visitor());
    let url = tunnel.url("/events");
    let streaming = tokio::spawn(async move { visitor.get(&url).await });
    let id = operator.get("/tunnels").await.ok().body["tunnels"][0]["id"].as_str().unwrap().to_owned();
    let path = format!("/tunnels/{id}/requests");
    let open = eventually("the open request is listed", async || {
        operator.get(&path).await.ok().body["requests"].get(0).cloned()
    })
    .await;
    assert_eq!((&open["complete"], &open["status"], &open["path"]), (&json!(false), &json!(200), &json!("/events")));
    assert_eq!((&open["edge_id"], &open["tunnel_id"]), (&json!(""), &json!(id)));
    origin.release();
    let response = streaming.await.unwrap();
    let listed = requests(&operator, &path, 1).await;
    assert_eq!((&listed[0]["id"], &listed[0]["bytes_out"]), (&open["id"], &json!(response.body.len())));
    assert!(listed[0]["duration_microseconds"].as_u64() > open["duration_microseconds"].as_u64());
}

#[tokio::test]
async fn as_many_are_kept_as_configured_and_failures_outlast_what_succeeds() {
    let world = World::with(|setup| setup.flags(&["--recent-requests", "3"])).await;
    let (operator, visitor) = (world.operator(), world.visitor());
    let backend = operator.post("/backends/http_response", json!({ "body": "fixed" })).await.ok().text("id");
    let edge = edge(&operator, "busy.example.test").await;
    for path in ["/a", "/b"] {
        route(&operator, &edge, path, json!({ "backend": { "backend_id": backend } })).await;
    }
    let at = async |path: &str| visit(&world, &visitor, "busy.example.test", path).await;
    assert_eq!((at("/none").await, at("/b/quiet").await), (404, 200));
    for number in 0..8 {
        assert_eq!(at(&format!("/a/{number}")).await, 200);
    }
    let listed = requests(&operator, &format!("/edges/https/{edge}/requests"), 5).await;
    let expected = [("/a/7", 200), ("/a/6", 200), ("/a/5", 200), ("/b/quiet", 200), ("/none", 404)];
    assert_eq!(seen(&listed), expected);
}

#[tokio::test]
async fn nothing_is_kept_when_it_is_switched_off() {
    let world = World::with(|setup| setup.flags(&["--recent-requests", "0"])).await;
    let (operator, visitor) = (world.operator(), world.visitor());
    let edge = edge(&operator, "silent.example.test").await;
    assert_eq!(visit(&world, &visitor, "silent.example.test", "/").await, 404);
    // The refusal is known, so that the request would be kept by now.
    let decisions = format!("/edges/https/{edge}/decisions");
    assert_eq!(world.operator_of_visitors().get(&decisions).await.ok().body["decisions"][0]["status"], 404);
    for path in [format!("/edges/https/{edge}/requests"), "/traffic/requests".to_owned()] {
        assert_eq!(operator.get(&path).await.ok().body["requests"], json!([]), "{path}");
    }
}
