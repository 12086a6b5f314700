//! Latest refusals of edges.

use crate::kit::{BASE_URL, World, path};
use http::StatusCode;
use postern_api::{
    Code, Timestamp,
    trace::{Decision, Verdict},
};
use postern_control::LiveRefusal;
use serde_json::{Value, json};

const KINDS: [(&str, &str); 3] =
    [("/edges/https", "a.test:443"), ("/edges/tls", "b.test:443"), ("/edges/tcp", "tunnels.test:24001")];

fn refusal(route: &str) -> LiveRefusal {
    LiveRefusal {
        id: "op_1".to_owned(),
        at: Timestamp::now(),
        address: "::ffff:192.0.2.7".parse().expect("an address"),
        scheme: "https",
        host: "a.test".to_owned(),
        method: "GET".to_owned(),
        path: "/x".to_owned(),
        status: 403,
        code: Code::AddressDenied,
        message: "No.".to_owned(),
        route: route.to_owned(),
        decisions: vec![Decision {
            module: "ip_restriction".to_owned(),
            rule: "ipr_1".to_owned(),
            verdict: Verdict::Refused,
            microseconds: 3,
        }],
        duration_microseconds: 12,
    }
}

#[tokio::test]
async fn each_edge_lists_its_latest_refusals() {
    listed_for_each_edge(&World::start().await).await;
}

/// The suite for every kind of edge.
pub(crate) async fn listed_for_each_edge(world: &World) {
    let operator = world.operator().await;
    for (collection, hostport) in KINDS {
        let edge = operator.id(collection, &json!({ "hostports": [hostport] })).await;
        let decisions = format!("{collection}/{edge}/decisions");
        let none = operator.get(&decisions).await.is(StatusCode::OK);
        let uri = format!("{BASE_URL}{decisions}");
        assert_eq!(none, json!({ "decisions": [], "uri": uri, "next_page_uri": null }));
        assert_eq!(path(&none["uri"]), decisions);
        let route = if collection == "/edges/https" { "edghtsrt_0ujtsYcgvSTl8PAuAdqWYSMnLOv" } else { "" };
        world.live.refused.lock().expect("unpoisoned").push((edge.clone(), refusal(route)));
        let listed = operator.get(&decisions).await.is(StatusCode::OK);
        let one = &listed["decisions"][0];
        assert_eq!((&one["ip"], &one["error_code"]), (&json!("192.0.2.7"), &json!("ERR_POSTERN_3203")));
        let sent = json!([{ "module": "ip_restriction", "rule": "ipr_1", "verdict": "refused", "microseconds": 3 }]);
        assert_eq!(one["decisions"], sent);
        match route {
            "" => assert_eq!(one["route"], Value::Null),
            route => assert_eq!(one["route"]["uri"], format!("{BASE_URL}{collection}/{edge}/routes/{route}")),
        }
    }
}

#[tokio::test]
async fn an_unknown_edge_has_no_refusals() {
    let world = World::start().await;
    let operator = world.operator().await;
    let missing = operator.get("/edges/tcp/edgtcp_0ujtsYcgvSTl8PAuAdqWYSMnLOv/decisions").await;
    missing.refused(Code::NotFound);
    let wrong = operator.get("/edges/tcp/edgtls_0ujtsYcgvSTl8PAuAdqWYSMnLOv/decisions").await;
    wrong.refused(Code::IdShape);
    let edge = operator.id("/edges/tcp", &json!({})).await;
    let asked = operator.get(&format!("/edges/tcp/{edge}/decisions?limit=1")).await;
    asked.refused(Code::QueryUnknown);
}
