//! Refused and failed requests, by the party at fault: the visitor's own count of what it met.

use super::{metrics::samples, totals};
use postern_tests::{Origin, World, eventually, tcp::EchoClient};
use serde_json::{Value, json};

/// The traffic of an edge, once its totals and its last minute are as expected.
async fn assert_traffic(world: &World, edge: &str, requests: u64, refused: u64, failed: u64, faults: Value) {
    let expected = json!({ "requests": requests, "refused": refused, "failed": failed });
    let seen = eventually(&format!("{expected} in the last minute"), async || {
        let seen = world.operator().get(&format!("/traffic/{edge}")).await.ok().body;
        (seen["last_minute"] == expected).then_some(seen)
    })
    .await;
    assert_eq!(seen["total"]["faults"], faults, "{seen}");
    for member in ["requests", "refused", "failed"] {
        assert_eq!(seen["total"][member], expected[member], "{seen}");
        for points in ["seconds", "minutes"] {
            let points = seen["history"][points].as_array().expect("points");
            let sum: u64 = points.iter().map(|point| point[member].as_u64().expect("a number")).sum();
            assert_eq!((points.len(), sum), (60, expected[member].as_u64().expect("a number")), "{member} of {seen}");
        }
    }
}

#[tokio::test]
async fn each_fault_is_counted_for_its_party() {
    let world = World::start().await;
    let operator = world.operator();
    let origin = Origin::start("hello").await;
    let agent = world.agent_with_one_session().await;
    agent.labelled("shop", "app=shop", &origin).await;
    let group = operator.group("app", "shop").await;
    let edge = operator.post("/edges/https", json!({ "hostports": ["shop.example.test:443"] })).await.ok().text("id");
    let route = json!({ "match_type": "path_prefix", "match": "/status", "backend": { "backend_id": group } });
    operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok();
    let base = format!("https://shop.example.test:{}", world.server.addresses.https.port());
    let visitor = world.visitor();
    for (path, times) in [("/status/200", 1), ("/status/404", 2), ("/nothing", 3), ("/status/500", 4)] {
        for _ in 0..times {
            visitor.get(&format!("{base}{path}")).await;
        }
    }
    let faults = json!({ "visitor": 2, "configuration": 3, "agent": 0, "service": 4, "server": 0 });
    assert_traffic(&world, &edge, 10, 5, 4, faults).await;
    drop(agent);
    samples(&world, &[("postern_tunnels", "", 0)]).await;
    for _ in 0..5 {
        assert_eq!(visitor.get(&format!("{base}/status/200")).await.status, 503);
    }
    let faults = json!({ "visitor": 2, "configuration": 3, "agent": 5, "service": 4, "server": 0 });
    assert_traffic(&world, &edge, 15, 5, 9, faults).await;
    let status = operator.get("/status").await.ok().body["traffic"].clone();
    assert_eq!((&status["requests"], &status["faults"]["agent"]), (&json!(15), &json!(5)), "{status}");
}

#[tokio::test]
async fn the_limits_of_the_server_are_its_own_fault() {
    let world = World::with(|setup| setup.flags(&["--max-requests", "1"])).await;
    let operator = world.operator();
    let origin = Origin::start("hello").await;
    let agent = world.agent_with_one_session().await;
    let site = agent.https("site", &origin).await;
    let slow = world.visitor().http.get(site.url("/slow"));
    let waiting = tokio::spawn(async move { slow.send().await.map(|response| response.status().as_u16()) });
    origin.wait_for_requests("/slow", 1).await;
    for _ in 0..6 {
        assert_eq!(world.visitor().get(&site.url("/")).await.status, 503);
    }
    origin.release();
    assert_eq!(waiting.await.expect("no panic").expect("a response"), 200);
    totals(&operator, &site.url(""), &json!({ "requests": 1, "refused": 0, "failed": 0 })).await;
    let status = operator.get("/status").await.ok().body["traffic"].clone();
    let faults = json!({ "visitor": 0, "configuration": 0, "agent": 0, "service": 0, "server": 6 });
    assert_eq!((&status["requests"], &status["faults"]), (&json!(7), &faults), "{status}");
}

#[tokio::test]
async fn connections_are_counted_as_requests() {
    let world = World::start().await;
    let operator = world.operator();
    let closed = Origin::start("closed").await.stop().await;
    let agent = world.agent_with_one_session().await;
    agent.labelled("shell", "app=shell", closed).await;
    let group = operator.group("app", "shell").await;
    let port = world.server.tcp_ports().1;
    let body = json!({ "hostports": [format!("localhost:{port}")], "backend": { "backend_id": group } });
    let edge = operator.post("/edges/tcp", body).await.ok().text("id");
    for _ in 0..3 {
        assert!(EchoClient::connect(port).await.is_none());
    }
    let faults = json!({ "visitor": 0, "configuration": 0, "agent": 0, "service": 3, "server": 0 });
    assert_traffic(&world, &edge, 3, 0, 3, faults).await;
}
