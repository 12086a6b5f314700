//! Events of a cluster: one node sends them and evaluates alert rules, and another goes on when it is killed.

use postern_tests::{Receiver, cluster::Cluster, eventually};
use serde_json::{Value, json};
use std::collections::HashSet;

/// The events of a kind at a node, oldest first.
async fn log(cluster: &Cluster, node: usize, kind: &str) -> Vec<Value> {
    let path = format!("/audit_events?kind={kind}&limit=100");
    let mut listed = cluster.operator(node).get(&path).await.ok().body;
    let mut events = std::mem::take(listed["audit_events"].as_array_mut().expect("events"));
    events.reverse();
    events
}

fn ids(events: &[Value]) -> Vec<String> {
    events.iter().map(|event| event["id"].as_str().expect("an id").to_owned()).collect()
}

/// Ids as they were accepted first.
fn first_accepted(receiver: &Receiver) -> Vec<String> {
    let mut seen = HashSet::new();
    let accepted = receiver.received().into_iter().filter(|webhook| webhook.status < 300);
    accepted.map(|webhook| webhook.header("webhook-id").to_owned()).filter(|id| seen.insert(id.clone())).collect()
}

#[tokio::test]
async fn events_arrive_in_order_although_the_node_that_sends_them_is_killed() {
    let mut cluster = Cluster::start(3).await;
    cluster.until_linked().await;
    let receiver = Receiver::start().await;
    let body = json!({ "url": receiver.url("/"), "kinds": ["ip_policy"] });
    let destination =
        format!("/event_destinations/{}", cluster.operator(0).post("/event_destinations", body).await.ok().text("id"));
    let changes = async |cluster: &Cluster, node: usize, count: usize| {
        for number in 0..count {
            let description = json!({ "description": format!("{node}-{number}") });
            cluster.operator(node).post("/ip_policies", description).await.ok();
        }
    };
    changes(&cluster, 1, 10).await;
    receiver.wait_for_accepted(10).await;
    // One event is on its way, again and again, when its sender ends; the others wait behind it.
    receiver.respond_with(&[500; 1000]);
    changes(&cluster, 1, 10).await;
    eventually("the first node has tried to send", async || {
        let shown = cluster.operator(1).get(&destination).await.ok().body;
        (shown["last_delivery"]["status_code"] == 500).then_some(())
    })
    .await;
    cluster.kill(0);
    changes(&cluster, 2, 10).await;
    receiver.respond_with(&[]);
    let expected = ids(&log(&cluster, 1, "ip_policy").await);
    assert_eq!(expected.len(), 30);
    eventually("every event is accepted", async || (first_accepted(&receiver).len() == 30).then_some(())).await;
    assert_eq!(first_accepted(&receiver), expected);
}

#[tokio::test]
async fn traffic_of_all_nodes_reaches_a_threshold_and_another_node_goes_on_with_the_rule() {
    let mut cluster = Cluster::start(2).await;
    cluster.until_linked().await;
    let operator = cluster.operator(1);
    let receiver = Receiver::start().await;
    let kinds = ["alert_firing", "alert_resolved"];
    operator.post("/event_destinations", json!({ "url": receiver.url("/"), "kinds": kinds })).await.ok();
    let backend = operator.post("/backends/http_response", json!({ "body": "fixed" })).await.ok().text("id");
    let edge = operator.post("/edges/https", json!({ "hostports": ["shop.example.test:443"] })).await.ok().text("id");
    let route = json!({ "match_type": "path_prefix", "match": "/", "backend": { "backend_id": backend } });
    operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok();
    let body = json!({ "measure": "requests", "subject_id": edge, "threshold": 6, "window_minutes": 60 });
    let rule = format!("/alert_rules/{}", operator.post("/alert_rules", body).await.ok().text("id"));
    for node in 0..2 {
        for _ in 0..3 {
            cluster.until_read(node, "shop.example.test", "fixed").await;
        }
    }
    let fired = receiver.wait_for_accepted(1).await.remove(0).json();
    assert_eq!((&fired["kind"], &fired["after"]["value"]), (&json!("alert_firing"), &json!(6)));
    // Another node has enough requests of its own when it goes on.
    cluster.kill(0);
    for _ in 0..10 {
        cluster.until_read(1, "shop.example.test", "fixed").await;
    }
    eventually("the lease of the dead node has ended", async || {
        let listed = cluster.operator(1).get("/nodes").await.ok().body;
        (listed["nodes"].as_array()?.len() == 1).then_some(())
    })
    .await;
    eventually("the other node evaluates the rule", async || {
        let shown = cluster.operator(1).get(&rule).await.ok().body;
        (shown["value"] == 13 && shown["state"] == "firing").then_some(())
    })
    .await;
    assert_eq!(log(&cluster, 1, "alert_firing").await.len(), 1, "it was told before");
    // No value ends a state before the dead node is given up; its operator does.
    cluster.operator(1).patch(&rule, json!({ "enabled": false })).await.ok();
    // The firing event may come again from the new keeper, with the same id.
    eventually("that it is over is told", async || (first_accepted(&receiver).len() == 2).then_some(())).await;
    let (fired, resolved) = (log(&cluster, 1, "alert_firing").await, log(&cluster, 1, "alert_resolved").await);
    assert_eq!((fired.len(), resolved.len()), (1, 1));
    assert_eq!(first_accepted(&receiver), ids(&[fired, resolved].concat()));
}
