//! The management API's own address: health, metrics, console, base address, HTTPS name.

use postern_api::Code;
use postern_tests::{Operator, Origin, World, eventually};
use reqwest::Method;
use serde_json::{Value, json};

#[tokio::test]
async fn health_metrics_and_console_need_no_key_and_resources_do() {
    let world = World::start().await;
    let stranger = world.stranger();
    assert_eq!(stranger.get("/healthz").await.ok().body["status"], "ok");
    assert!(stranger.get("/console/").await.ok().text.starts_with("<!doctype html>"));
    let missing = stranger.get("/credentials").await;
    assert_eq!((missing.status, missing.code()), (401, Code::KeyMissing));
    let description = stranger.get("/openapi.json").await.ok().body;
    let address = format!("http://{}", world.api());
    assert_eq!((&description["openapi"], &description["servers"][0]["url"]), (&json!("3.1.0"), &json!(address)));
    let wrong = stranger.call(Method::DELETE, "/healthz", Value::Null).await;
    assert_eq!((wrong.status, wrong.code()), (405, Code::MethodNotAllowed));
}

#[tokio::test]
async fn metrics_count_sessions_tunnels_and_requests() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let tunnel = agent.https("site", &origin).await;
    world.visitor().get(&tunnel.url("/")).await;
    let stranger = Operator::new(world.agents_server().addresses.api, None);
    eventually("the numbers are there", async || {
        let text = stranger.get("/metrics").await.ok().text;
        let lines = ["postern_sessions 1", "postern_tunnels 1", "postern_build_info{"];
        lines.iter().all(|line| text.lines().any(|present| present.starts_with(line))).then_some(())
    })
    .await;
}

#[tokio::test]
async fn resource_addresses_begin_with_the_api_address_or_the_base_url() {
    let world = World::start().await;
    let made = world.operator().post("/ip_policies", json!({})).await.ok();
    assert_eq!(made.text("uri"), format!("http://{}/ip_policies/{}", world.api(), made.text("id")));
    let world = World::with(|setup| setup.flags(&["--base-url", "https://api.example.test/v"])).await;
    let made = world.operator().post("/ip_policies", json!({})).await.ok();
    assert_eq!(made.text("uri"), format!("https://api.example.test/v/ip_policies/{}", made.text("id")));
}

#[tokio::test]
async fn responses_tell_their_length_also_when_they_are_repeated() {
    let world = World::start().await;
    let policy = world.operator().policy(&[]).await;
    let visitor = world.visitor();
    for path in ["/healthz", "/openapi.json", "/ip_policies", &format!("/ip_policies/{policy}"), "/ip_policies/unknown"]
    {
        for _ in 0..2 {
            let request = visitor.http.get(format!("http://{}{path}", world.api())).bearer_auth(world.admin_key());
            let response = visitor.send(request.header("Service-Version", "2")).await;
            assert_eq!(response.header("content-length"), response.body.len().to_string(), "{path}");
        }
    }
}

#[tokio::test]
async fn the_api_host_offers_the_api_over_https_and_no_tunnel_takes_its_name() {
    let world = World::with(|setup| setup.flags(&["--api-host", "api.example.test"])).await;
    let visitor = world.visitor();
    let url = |path: &str| format!("https://api.example.test:{}{path}", world.server.addresses.https.port());
    assert_eq!(visitor.get(&url("/healthz")).await.status, 200);
    let request = visitor.http.get(url("/credentials")).bearer_auth(world.admin_key()).header("Service-Version", "2");
    let reply = visitor.send(request).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(visitor.get(&url("/credentials")).await.status, 401);
    assert_ne!(visitor.get(&url("/metrics")).await.status, 200, "numbers are not for the public");

    let origin = Origin::start("thief").await;
    let agent = world.agent().await;
    let response = agent
        .request_tunnel(
            json!({ "name": "t", "proto": "http", "addr": origin.to_string(), "domain": "api.example.test" }),
        )
        .await;
    assert_eq!(response.code(), Code::NameOfEdge, "{response:?}");
}

#[tokio::test]
async fn json_logs_are_one_object_a_line() {
    let world = World::with(|setup| setup.flags(&["--log-format", "json", "--log-level", "debug"])).await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let tunnel = agent.https("site", &origin).await;
    world.visitor().get(&tunnel.url("/")).await;
    world.server.process.terminate();
    let again = world.server.restart_setup();
    let ended = world.server.process.wait_with_output().await;
    assert!(ended.stderr.lines().count() > 2, "{}", ended.stderr);
    for line in ended.stderr.lines() {
        let entry: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(entry["timestamp"].is_string() && entry["level"].is_string() && entry["message"].is_string(), "{line}");
    }
    let refused = again.flags(&["--drain-timeout", "soon"]).spawn().wait_with_output().await;
    let entry: Value = serde_json::from_str(refused.stderr.trim()).expect("a start error is an object too");
    assert_eq!(entry["error_code"], "ERR_POSTERN_8100");
}

#[tokio::test]
async fn an_integer_is_accepted_in_every_notation() {
    let world = World::start().await;
    let (operator, visitor) = (world.operator(), world.visitor());
    let made = operator.post("/backends/http_response", json!({ "body": "later", "status_code": 326.0 })).await.ok();
    assert_eq!(made.body["status_code"], json!(326));
    let item = format!("/backends/http_response/{}", made.text("id"));
    let edge = operator.post("/edges/https", json!({ "hostports": ["a.localhost:443"] })).await.ok().text("id");
    let route = json!({ "match_type": "path_prefix", "match": "/", "backend": { "backend_id": made.text("id") } });
    operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok();
    let url = format!("https://a.localhost:{}/", world.server.addresses.https.port());
    assert_eq!(visitor.get(&url).await.status, 326);
    operator.patch(&item, json!({ "status_code": 4.1e2 })).await.ok();
    assert_eq!(visitor.get(&url).await.status, 410);
    let refused = operator.patch(&item, json!({ "status_code": 410.5 })).await;
    assert_eq!((refused.status, refused.code()), (400, Code::FieldInvalid));
    assert_eq!(visitor.get(&url).await.status, 410);
}
