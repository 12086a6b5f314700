//! Traffic of edges, routes and tunnels in the management API.

use postern_tests::{Operator, Origin, World, eventually};
use serde_json::{Value, json};

/// The traffic of one of them, once the counters are as expected.
async fn traffic(operator: &Operator, id: &str, fits: impl Fn(&Value) -> bool) -> Value {
    eventually("the numbers are as expected", async || {
        let seen = operator.get(&format!("/traffic/{id}")).await.ok().body;
        fits(&seen).then_some(seen)
    })
    .await
}

fn sum(points: &Value, member: &str) -> u64 {
    points.as_array().expect("points").iter().map(|point| point[member].as_u64().expect("a number")).sum()
}

#[tokio::test]
async fn requests_count_for_their_edge_route_and_tunnel_and_failures_for_their_cause() {
    let world = World::start().await;
    let (operator, visitor) = (world.operator(), world.visitor());
    let origin = Origin::start("hello").await;
    let agent = world.agent_with_one_session().await;
    agent.labelled("shop", "app=shop", &origin).await;
    let backend = operator.group("app", "shop").await;
    let edge = operator.post("/edges/https", json!({ "hostports": ["shop.example.test:443"] })).await.ok().text("id");
    let route = json!({ "match_type": "path_prefix", "match": "/shop", "backend": { "backend_id": backend } });
    let route = operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok().text("id");
    let tunnel = operator.get("/tunnels").await.ok().body["tunnels"][0]["id"].as_str().unwrap().to_owned();
    let url = format!("https://shop.example.test:{}", world.server.addresses.https.port());

    for _ in 0..3 {
        assert_eq!(visitor.get(&format!("{url}/shop")).await.text(), "hello");
    }
    assert_eq!(visitor.get(&format!("{url}/nothing")).await.status, 404);
    for (id, requests, refused) in [(&edge, 4, 1), (&route, 3, 0), (&tunnel, 3, 0)] {
        let seen = traffic(&operator, id, |seen| seen["last_minute"]["requests"] == requests).await;
        assert_eq!(
            (&seen["total"]["requests"], &seen["total"]["refused"]),
            (&json!(requests), &json!(refused)),
            "{seen}"
        );
        assert_eq!(seen["total"]["faults"]["configuration"], refused, "no route serves that path: {seen}");
        assert_eq!(
            (sum(&seen["history"]["seconds"], "requests"), sum(&seen["history"]["minutes"], "requests")),
            (requests, requests)
        );
    }
    traffic(&operator, &route, |seen| seen["total"]["bytes_out"] == 15).await;
    let listed = operator.get("/traffic").await.ok().body;
    assert_eq!(
        (listed["traffic"][0]["id"].as_str(), listed["traffic"].as_array().map(Vec::len)),
        (Some(&*edge), Some(3))
    );

    drop(origin);
    assert_eq!(visitor.get(&format!("{url}/shop")).await.status, 502);
    for id in [&edge, &route, &tunnel] {
        let seen = traffic(&operator, id, |seen| seen["last_minute"]["failed"] == 1).await;
        assert_eq!((&seen["total"]["failed"], &seen["total"]["faults"]["service"]), (&json!(1), &json!(1)), "{seen}");
    }
    let status = operator.get("/status").await.ok().body;
    assert_eq!((&status["traffic"]["requests"], &status["traffic"]["failed"]), (&json!(5), &json!(1)));
    assert_eq!(
        (&status["sessions"], &status["tunnels"], &status["configured"]["https_edges"]),
        (&json!(1), &json!(1), &json!(1))
    );
}

#[tokio::test]
async fn counters_survive_changes_of_an_edge_and_are_deleted_with_it() {
    let world = World::start().await;
    let (operator, visitor) = (world.operator(), world.visitor());
    let backend = operator.post("/backends/http_response", json!({ "body": "fixed" })).await.ok().text("id");
    let edge = operator.post("/edges/https", json!({ "hostports": ["shop.example.test:443"] })).await.ok().text("id");
    let route = json!({ "match_type": "path_prefix", "match": "/", "backend": { "backend_id": backend } });
    let route = operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok().text("id");
    let url = format!("https://shop.example.test:{}/", world.server.addresses.https.port());
    assert_eq!(visitor.get(&url).await.text(), "fixed");
    operator.put(&format!("/edges/https/{edge}/routes/{route}/compression"), json!({})).await.ok();
    assert_eq!(visitor.get(&url).await.text(), "fixed");
    for id in [&edge, &route] {
        assert_eq!(operator.get(&format!("/traffic/{id}")).await.ok().body["total"]["requests"], 2);
    }
    operator.delete(&format!("/edges/https/{edge}/routes/{route}")).await.ok();
    operator.delete(&format!("/edges/https/{edge}")).await.ok();
    eventually("a deleted record has no data", async || {
        let listed = operator.get("/traffic").await.ok().body;
        listed["traffic"].as_array().expect("a list").is_empty().then_some(())
    })
    .await;
}

#[tokio::test]
async fn forwarded_and_refused_connections_are_counted() {
    let world = World::start().await;
    let operator = world.operator();
    let port = world.server.tcp_ports().1;
    let policy = operator.policy(&[("deny", "127.0.0.0/8")]).await;
    let body = json!({ "hostports": [format!("localhost:{port}")], "ip_restriction": { "ip_policy_ids": [policy] } });
    let edge = operator.post("/edges/tcp", body).await.ok().text("id");
    assert!(postern_tests::tcp::EchoClient::connect(port).await.is_none());
    let seen = traffic(&operator, &edge, |seen| seen["last_minute"]["refused"] == 1).await;
    assert_eq!((&seen["kind"], &seen["total"]["requests"]), (&json!("tcp_edge"), &json!(1)), "{seen}");
}
