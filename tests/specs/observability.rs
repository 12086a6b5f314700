//! Observability: the access log, refusals of edges, the trace at the agent, metrics.

use postern_api::Code;
use postern_tests::{Operator, Origin, World, eventually};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tokio::{io::AsyncWriteExt, net::TcpStream};

/// Creates an HTTPS edge with one route to a backend that admits a CIDR. Returns the ids of edge and route.
async fn edge(operator: &Operator, host: &str, backend: &str, allowed: &str) -> (String, String) {
    let edge = operator.post("/edges/https", json!({ "hostports": [format!("{host}:443")] })).await.ok().text("id");
    let policy = operator.policy(&[("allow", allowed)]).await;
    let route = json!({
        "match_type": "path_prefix",
        "match": "/",
        "backend": { "backend_id": backend },
        "ip_restriction": { "ip_policy_ids": [policy] },
    });
    let route = operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok().text("id");
    (edge, route)
}

#[tokio::test]
async fn the_access_log_has_a_line_of_json_for_every_request_and_connection() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("access.log");
    let world = World::with(|setup| setup.flags(&["--access-log", &file.to_string_lossy()])).await;
    let (operator, visitor) = (world.operator(), world.visitor());
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    agent.labelled("shop", "app=shop", &origin).await;
    let backend = operator.group("app", "shop").await;
    let (edge, route) = edge(&operator, "shop.example.test", &backend, "127.0.0.0/8").await;
    let port = world.server.addresses.https.port();
    let url = format!("https://shop.example.test:{port}/page?token=secret");
    assert_eq!(visitor.get(&url).await.text(), "hello");
    let unknown = visitor.get(&format!("https://unpublished.localhost:{port}/")).await;
    let lines = eventually("both lines are written", async || {
        let text = std::fs::read_to_string(&file).ok()?;
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
        (lines.len() == 2).then_some(lines)
    })
    .await;
    let one = &lines[0];
    for (member, expected) in [
        ("kind", json!("request")),
        ("method", json!("GET")),
        ("host", json!("shop.example.test")),
        ("path", json!("/page")),
        ("status", json!(200)),
        ("bytes_out", json!(5)),
        ("edge", json!(edge)),
        ("route", json!(route)),
        ("backend", json!(backend)),
        ("error_code", Value::Null),
    ] {
        assert_eq!(one[member], expected, "{member} in {one}");
    }
    assert!(one["visitor"].as_str().unwrap().starts_with("127.0.0.1:"), "{one}");
    assert!(one["served_by"].as_str().unwrap().starts_with("tn_"), "{one}");
    assert!(one["duration_microseconds"].as_u64() > Some(0) && one["time"].as_str().unwrap().ends_with('Z'), "{one}");
    assert_eq!(
        (&one["decisions"][0]["module"], &one["decisions"][0]["verdict"]),
        (&json!("ip_restriction"), &json!("passed"))
    );
    assert!(!std::fs::read_to_string(&file).unwrap().contains("secret"), "queries may hold secrets");
    assert_eq!(lines[1]["error_code"], Code::HostUnknown.to_string());
    assert_eq!(lines[1]["id"], unknown.header("postern-request-id"), "the page names its line");
}

#[tokio::test]
async fn a_refused_visitor_is_listed_with_the_rule_that_refused() {
    let world = World::start().await;
    let (operator, visitor) = (world.operator(), world.visitor());
    let backend = operator.post("/backends/http_response", json!({ "body": "fixed" })).await.ok().text("id");
    let (edge, route) = edge(&operator, "shop.example.test", &backend, "203.0.113.0/24").await;
    let at_visitors = world.operator_of_visitors();
    let decisions = format!("/edges/https/{edge}/decisions");
    assert_eq!(at_visitors.get(&decisions).await.ok().body["decisions"], json!([]));
    let url = format!("https://shop.example.test:{}/page", world.server.addresses.https.port());
    let refused = visitor.get(&url).await;
    assert_eq!(refused.refused(), Code::AddressDenied);
    let listed = at_visitors.get(&decisions).await.ok();
    let one = &listed.body["decisions"][0];
    assert_eq!(one["id"], refused.header("postern-request-id"));
    assert_eq!((&one["ip"], &one["path"], &one["status"]), (&json!("127.0.0.1"), &json!("/page"), &json!(403)));
    assert_eq!((&one["error_code"], &one["route"]["id"]), (&json!("ERR_POSTERN_3203"), &json!(route)));
    let decision = &one["decisions"][0];
    assert_eq!((&decision["module"], &decision["verdict"]), (&json!("ip_restriction"), &json!("refused")));

    let port = world.server.tcp_ports().1;
    let policy = operator.policy(&[("allow", "0.0.0.0/0"), ("deny", "127.0.0.0/8")]).await;
    let body = json!({ "hostports": [format!("localhost:{port}")], "ip_restriction": { "ip_policy_ids": [policy] } });
    let edge = operator.post("/edges/tcp", body).await.ok().text("id");
    assert!(postern_tests::tcp::EchoClient::connect(port).await.is_none());
    let listed = at_visitors.get(&format!("/edges/tcp/{edge}/decisions")).await.ok();
    let one = &listed.body["decisions"][0];
    assert_eq!((&one["scheme"], &one["error_code"]), (&json!("tcp"), &json!("ERR_POSTERN_3203")));
    assert!(one["decisions"][0]["rule"].as_str().unwrap().starts_with("ipr_"), "the rule that denies: {one}");
}

/// Adds a route for a path to an edge. Returns its id.
async fn route(operator: &Operator, edge: &str, path: &str, backend: &str) -> String {
    let policy = operator.policy(&[("allow", "127.0.0.0/8")]).await;
    let route = json!({
        "match_type": "path_prefix",
        "match": path,
        "backend": { "backend_id": backend },
        "ip_restriction": { "ip_policy_ids": [policy] },
    });
    operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok().text("id")
}

#[tokio::test]
async fn captured_requests_that_share_a_connection_show_a_trace_each() {
    let world = World::start().await;
    let (operator, visitor) = (world.operator(), world.visitor());
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let tunnel = json!({
        "name": "rpc", "labels": ["app=rpc"], "addr": origin.address().to_string(), "app_protocol": "http2",
    });
    assert_eq!(agent.request_tunnel(tunnel).await.status, 201);
    let backend = operator.group("app", "rpc").await;
    let edge = json!({ "hostports": ["rpc.example.test:443"] });
    let edge = operator.post("/edges/https", edge).await.ok().text("id");
    let routes = [
        ("/one", route(&operator, &edge, "/one", &backend).await),
        ("/two", route(&operator, &edge, "/two", &backend).await),
    ];
    let url = format!("https://rpc.example.test:{}", world.server.addresses.https.port());
    // Also equal requests: only their order tells them apart.
    let paths: Vec<String> = (0..24).map(|number| format!("{}/{}", routes[number % 2].0, number / 6)).collect();
    let urls: Vec<String> = paths.iter().map(|path| format!("{url}{path}")).collect();
    let visits = urls.iter().map(|url| visitor.get(url));
    assert!(futures::future::join_all(visits).await.iter().all(|reply| reply.text() == "hello"));
    let captured = eventually("all are captured", async || {
        let captured = agent.captured().await;
        let is_whole = |request: &Value| request["complete"]["response"] == true;
        (captured.len() == paths.len() && captured.iter().all(is_whole)).then_some(captured)
    })
    .await;
    let mut ids = BTreeSet::new();
    for request in &captured {
        let path = request["request"]["uri"].as_str().unwrap();
        let expected = routes.iter().find(|(prefix, _)| path.starts_with(prefix)).map(|(_, id)| json!(id));
        assert_eq!(Some(&request["trace"]["route"]), expected.as_ref(), "{path}: {}", request["trace"]);
        assert_eq!(request["trace"]["decisions"][0]["module"], "ip_restriction");
        ids.insert(request["trace"]["id"].to_string());
    }
    assert_eq!(ids.len(), paths.len(), "each request has a trace of its own");
    let received = origin.requests();
    assert!(received.iter().all(|request| request.headers.keys().all(|name| !name.as_str().contains("trace"))));
}

#[tokio::test]
async fn a_captured_request_shows_why_the_edge_admitted_it() {
    let world = World::start().await;
    let (operator, visitor) = (world.operator(), world.visitor());
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    agent.labelled("shop", "app=shop", &origin).await;
    let backend = operator.group("app", "shop").await;
    let (edge, route) = edge(&operator, "shop.example.test", &backend, "127.0.0.0/8").await;
    let url = format!("https://shop.example.test:{}", world.server.addresses.https.port());
    for path in ["/one", "/two"] {
        assert_eq!(visitor.get(&format!("{url}{path}")).await.text(), "hello");
        let captured = agent.wait_for_capture("it is captured", |request| request["request"]["uri"] == path).await;
        let detail = agent.get(captured["uri"].as_str().unwrap()).await.ok();
        let trace = &detail["trace"];
        assert_eq!((&trace["edge"], &trace["route"]), (&json!(edge), &json!(route)), "{path}: {detail}");
        assert_eq!(trace["backend"], json!(backend));
        assert!(trace["id"].as_str().unwrap().starts_with("op_"));
        assert_eq!(
            (&trace["decisions"][0]["module"], &trace["decisions"][0]["verdict"]),
            (&json!("ip_restriction"), &json!("passed"))
        );
    }
    let received = origin.requests();
    let names = received.iter().flat_map(|request| request.headers.keys());
    assert!(
        received.len() == 2 && !names.into_iter().any(|name| name.as_str().contains("trace")),
        "notes are not for it"
    );

    let tunnel = agent.https("site", &origin).await;
    visitor.get(&tunnel.url("/three")).await;
    let captured = agent.wait_for_capture("it is captured", |request| request["request"]["uri"] == "/three").await;
    assert_eq!(
        agent.get(captured["uri"].as_str().unwrap()).await.ok()["trace"],
        Value::Null,
        "no module applied to it"
    );
}

#[tokio::test]
async fn metrics_have_kinds_modules_and_bytes_but_no_names() {
    let world = World::start().await;
    let (operator, visitor) = (world.operator(), world.visitor());
    let backend = operator.post("/backends/http_response", json!({ "body": "fixed" })).await.ok().text("id");
    edge(&operator, "open.example.test", &backend, "127.0.0.0/8").await;
    edge(&operator, "shut.example.test", &backend, "203.0.113.0/24").await;
    let port = world.server.addresses.https.port();
    for host in ["open", "shut"] {
        visitor.get(&format!("https://{host}.example.test:{port}/")).await;
    }
    let text = eventually("the numbers are there", async || {
        let text = world.operator_of_visitors().get("/metrics").await.ok().text;
        let counted = text.lines().any(|line| {
            line.starts_with("postern_edge_sent_bytes_total{kind=\"https_edge\"}") && !line.ends_with(" 0")
        });
        counted.then_some(text)
    })
    .await;
    for line in [
        "postern_edge_requests_total{class=\"2xx\",kind=\"https_edge\"} 1",
        "postern_edge_requests_total{class=\"4xx\",kind=\"https_edge\"} 1",
        "postern_edge_refusals_total{code=\"3203\",module=\"ip_restriction\"} 1",
        "postern_edge_request_seconds_count{kind=\"https_edge\"} 2",
        "postern_access_log_dropped_total 0",
    ] {
        assert!(text.lines().any(|present| present == line), "{line} in\n{text}");
    }
    assert!(!text.contains("example.test") && !text.contains("edghts_"), "labels are few and known");
}

#[tokio::test]
async fn refused_connections_and_failed_handshakes_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("access.log");
    let flags = ["--access-log", &file.to_string_lossy(), "--max-connections", "1"];
    let world = World::with(|setup| setup.flags(&flags)).await;
    let https = world.server.addresses.https;
    let mut only = TcpStream::connect(https).await.unwrap();
    let refused = world.visitor().get(&format!("https://a.localhost:{}/", https.port())).await;
    assert_eq!((refused.status, refused.refused(), refused.header("retry-after")), (503, Code::EdgeBusy, "1"));
    only.write_all(b"this is not TLS\n").await.unwrap();
    let lines = eventually("both lines are written", async || {
        let text = std::fs::read_to_string(&file).ok()?;
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
        (lines.len() == 2).then_some(lines)
    })
    .await;
    let shown = |line: &Value| (line["kind"].clone(), line["status"].clone(), line["error_code"].clone());
    assert_eq!(shown(&lines[0]), (json!("request"), json!(503), json!("ERR_POSTERN_3018")));
    assert_eq!(lines[0]["id"], refused.header("postern-request-id"));
    assert_eq!(shown(&lines[1]), (json!("connection"), json!(0), json!("ERR_POSTERN_3021")));
    let text = world.operator_of_visitors().get("/metrics").await.ok().text;
    for line in [
        "postern_edge_requests_total{class=\"5xx\",kind=\"none\"} 1",
        "postern_edge_refusals_total{code=\"3018\",module=\"none\"} 1",
        "postern_edge_connections_turned_away_total{limit=\"all\"} 1",
        "postern_edge_failed_handshakes_total{reason=\"tls\"} 1",
    ] {
        assert!(text.lines().any(|present| present == line), "{line} in\n{text}");
    }
}
