//! Recorded traffic: the same numbers as counted independently, over restarts, damage and nodes.

use super::timed::{Measured, TimedOrigin};
use postern_tests::{Operator, Origin, World, cluster::Cluster, eventually};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::{collections::BTreeMap, path::Path, time::Duration};
use tokio::time::Instant;

/// Percentiles are shown within this part of their value.
const ACCURACY: f64 = 0.12;

/// An edge with a route for each status, all of fixed responses; returns its id and those of its routes.
async fn fixed(operator: &Operator, statuses: &[u16]) -> (String, BTreeMap<u16, String>) {
    let edge = operator.post("/edges/https", json!({ "hostports": ["shop.example.test:443"] })).await.ok().text("id");
    let mut routes = BTreeMap::new();
    for status in statuses {
        let body = json!({ "body": format!("this is {status}"), "status_code": status });
        let backend = operator.post("/backends/http_response", body).await.ok().text("id");
        let route =
            json!({ "match_type": "exact_path", "match": format!("/{status}"), "backend": { "backend_id": backend } });
        let route = operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok().text("id");
        routes.insert(*status, route);
    }
    (edge, routes)
}

/// Recorded traffic once it has so many requests.
async fn series(operator: &Operator, path: &str, requests: u64) -> Value {
    eventually(&format!("{path} has {requests} requests"), async || {
        let series = operator.get(path).await.ok().body;
        (series["total"]["requests"] == requests).then_some(series)
    })
    .await
}

fn url(world: &World, path: &str) -> String {
    format!("https://shop.example.test:{}/{path}", world.server.addresses.https.port())
}

#[tokio::test]
async fn recorded_traffic_is_what_visitors_sent_and_got() {
    let world = World::start().await;
    let (operator, visitor) = (world.operator(), world.visitor());
    let (edge, mut routes) = fixed(&operator, &[302, 404, 500]).await;
    let agent = world.agent().await;
    let origin = Origin::start("hello").await;
    agent.labelled("shop", "app=shop", &origin).await;
    let backend = operator.group("app", "shop").await;
    let route = json!({ "match_type": "exact_path", "match": "/echo", "backend": { "backend_id": backend } });
    routes.insert(200, operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok().text("id"));
    let mut got = BTreeMap::<u16, u64>::new();
    for _ in 0..5 {
        let response = visitor.send(visitor.http.post(url(&world, "echo")).body("some bytes")).await;
        assert_eq!(response.text(), "some bytes");
        *got.entry(200).or_default() += response.body.len() as u64;
    }
    for (status, times) in [(302, 3), (404, 2), (500, 1)] {
        for _ in 0..times {
            let response = visitor.get(&url(&world, &status.to_string())).await;
            assert_eq!(response.status, status);
            *got.entry(status).or_default() += response.body.len() as u64;
        }
    }
    for (status, member, requests, sent) in
        [(200, "succeeded", 5, 50), (302, "redirected", 3, 0), (404, "refused", 2, 0), (500, "failed", 1, 0)]
    {
        let path = format!("/traffic/{}/series?range=hour", routes[&status]);
        let total = eventually("the bytes are counted", async || {
            let total = operator.get(&path).await.ok().body["total"].clone();
            (total["bytes_out"] == got[&status] && total["bytes_in"] == sent).then_some(total)
        })
        .await;
        assert_eq!((&total["requests"], &total[member]), (&json!(requests), &json!(requests)), "{total}");
    }
    for range in ["hour", "day", "week", "quarter"] {
        for path in [format!("/traffic/{edge}/series"), "/traffic/series".to_owned()] {
            let series = series(&operator, &format!("{path}?range={range}"), 11).await;
            let total = &series["total"];
            let classes = ["succeeded", "redirected", "refused", "failed"].map(|class| total[class].as_u64());
            assert_eq!(classes, [Some(5), Some(3), Some(2), Some(1)], "{series}");
            assert_eq!(total["bytes_out"], got.values().sum::<u64>());
            let intervals = series["intervals"].as_array().expect("a list");
            for member in ["requests", "succeeded", "redirected", "refused", "failed", "bytes_in", "bytes_out"] {
                let sum: u64 = intervals.iter().map(|interval| interval[member].as_u64().expect("a number")).sum();
                assert_eq!(total[member], sum, "{member} of {series}");
            }
        }
    }
    let totals = operator.get(&format!("/traffic/{edge}")).await.ok().body["total"].clone();
    assert_eq!((&totals["requests"], &totals["redirected"]), (&json!(11), &json!(3)));

    operator.delete(&format!("/edges/https/{edge}")).await.ok();
    assert_eq!(operator.get(&format!("/traffic/{edge}/series")).await.status, 404);
    assert_eq!(series(&operator, "/traffic/series", 11).await["total"]["requests"], 11, "it stays part of all");
}

#[tokio::test]
async fn recorded_latencies_lie_between_those_of_the_service_and_the_visitor() {
    let world = World::start().await;
    let (operator, visitor) = (world.operator(), world.visitor());
    let service = TimedOrigin::start(Duration::from_millis(3)).await;
    let agent = world.agent().await;
    agent.labelled("shop", "app=shop", &service.origin).await;
    let backend = operator.group("app", "shop").await;
    let edge = operator.post("/edges/https", json!({ "hostports": ["shop.example.test:443"] })).await.ok().text("id");
    let route = json!({ "match_type": "path_prefix", "match": "/", "backend": { "backend_id": backend } });
    let route = operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok().text("id");
    let mut measured = Vec::new();
    for number in 0..20 {
        let began = Instant::now();
        assert_eq!(visitor.get(&url(&world, &number.to_string())).await.text(), "ok");
        measured.push(Measured { around: began.elapsed(), inside: service.held()[&number] });
    }
    for id in [&edge, &route] {
        let series = series(&operator, &format!("/traffic/{id}/series"), measured.len() as u64).await;
        for (name, percent) in [("p50", 50), ("p95", 95), ("p99", 99)] {
            let rank = |side: fn(&Measured) -> Duration| {
                let mut sorted: Vec<Duration> = measured.iter().map(side).collect();
                sorted.sort_unstable();
                sorted[(sorted.len() * percent).div_ceil(100) - 1]
            };
            let shown = Duration::from_micros(series["total"]["latency"][name].as_u64().expect("a latency"));
            let (shortest, longest) = (rank(|one| one.inside), rank(|one| one.around));
            let within = shortest.mul_f64(1.0 - ACCURACY)..=longest.mul_f64(1.0 + ACCURACY);
            assert!(within.contains(&shown), "{name} is {shown:?}, not within {shortest:?} and {longest:?}");
        }
    }
}

#[tokio::test]
async fn recorded_traffic_survives_a_restart_and_a_killed_server_loses_a_minute_at_most() {
    let world = World::start().await;
    let (edge, routes) = fixed(&world.operator(), &[200]).await;
    let visit = async |world: &World, times: usize| {
        for _ in 0..times {
            assert_eq!(world.visitor().get(&url(world, "200")).await.status, 200);
        }
    };
    visit(&world, 7).await;
    let world = world.restart_server(|_| ()).await;
    for id in [edge.as_str(), routes[&200].as_str()] {
        let series = series(&world.operator(), &format!("/traffic/{id}/series"), 7).await;
        assert_eq!(series["total"]["succeeded"], 7, "{series}");
        assert!(series["total"]["latency"]["p50"].as_u64() > Some(0), "{series}");
    }
    assert_eq!(world.operator().get(&format!("/traffic/{edge}")).await.ok().body["total"]["requests"], 0);

    visit(&world, 3).await;
    series(&world.operator(), &format!("/traffic/{edge}/series"), 10).await;
    let world = world.kill_and_restart_server().await;
    let after = world.operator().get(&format!("/traffic/{edge}/series")).await.ok().body;
    // The minute can have ended before the server did.
    let kept = after["total"]["requests"].as_u64().expect("a number");
    assert!((7..=10).contains(&kept), "{after}");
}

#[tokio::test]
async fn a_damaged_history_is_set_aside_and_prevents_no_start() {
    let world = World::start().await;
    let (edge, _) = fixed(&world.operator(), &[200]).await;
    assert_eq!(world.visitor().get(&url(&world, "200")).await.status, 200);
    let damage = |folder: &Path| std::fs::write(folder.join("traffic.db"), "no database ".repeat(999)).unwrap();
    let world = world.restart_server(damage).await;
    assert!(world.server.folder().join("traffic.db.damaged").exists());
    world.server.process.wait_for_log("the traffic histories are damaged").await;
    assert_eq!(world.visitor().get(&url(&world, "200")).await.status, 200);
    let series = series(&world.operator(), &format!("/traffic/{edge}/series"), 1).await;
    assert_eq!(series["intervals"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn every_node_shows_what_all_have_recorded() {
    let cluster = Cluster::start(2).await;
    cluster.until_linked().await;
    let (edge, routes) = fixed(&cluster.operator(0), &[200]).await;
    for (node, times) in [(0, 2), (1, 3)] {
        for _ in 0..times {
            let url = cluster.url(node, "shop.example.test") + "200";
            assert_eq!(cluster.visitor(node).get(&url).await.status, 200);
        }
    }
    for node in 0..2 {
        for id in [&edge, &routes[&200]] {
            let series = series(&cluster.operator(node), &format!("/traffic/{id}/series?range=quarter"), 5).await;
            assert_eq!(series["nodes_missing"], Value::Null, "{series}");
            assert!(series["total"]["latency"]["p99"].as_u64() > Some(0), "{series}");
        }
    }
    cluster.nodes[1].process.signal(Signal::STOP);
    let partial = eventually("the other node is missed", async || {
        let series = cluster.operator(0).get(&format!("/traffic/{edge}/series")).await.ok().body;
        (!series["nodes_missing"].is_null()).then_some(series)
    })
    .await;
    cluster.nodes[1].process.signal(Signal::CONT);
    assert_eq!((&partial["total"]["requests"], &partial["nodes_missing"][0]["name"]), (&json!(2), &json!("node1")));
}
