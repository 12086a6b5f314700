//! Status of the server, and traffic of edges, routes and tunnels.

use crate::kit::{BASE_URL, World};
use http::StatusCode;
use postern_api::{
    Code,
    id::ksuid,
    traffic::{Counts, Point, Traffic, TrafficKind},
};
use serde_json::json;

fn tunnel(requests: u64, last_minute: u32) -> Traffic {
    Traffic {
        id: format!("tn_{}", ksuid(2_000_000_000, rand::random())),
        kind: TrafficKind::Tunnel,
        total: Counts { requests, ..Counts::default() },
        last_minute: Point { requests: last_minute, ..Point::default() },
        history: None,
        nodes_missing: Vec::new(),
    }
}

#[tokio::test]
async fn traffic_is_shown_and_listed() {
    shown_and_listed(&World::start().await).await;
}

/// The suite for status and traffic.
pub(crate) async fn shown_and_listed(world: &World) {
    let operator = world.operator().await;
    let status = operator.get("/status").await.is(StatusCode::OK);
    assert_eq!(status["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!((&status["sessions"], &status["expiring"]), (&json!(0), &json!([])));
    assert_eq!((&status["domain"], &status["region"]), (&json!("tunnels.test"), &json!("local")));
    assert!(status["store"]["bytes"].as_u64() > Some(0) && status["store"]["revision"].as_u64() > Some(0), "{status}");

    let edge = operator.id("/edges/https", &json!({ "hostports": ["a.test:443"] })).await;
    let status = operator.get("/status").await.is(StatusCode::OK);
    assert_eq!(status["configured"]["https_edges"], 1);
    let silent = operator.get(&format!("/traffic/{edge}")).await.is(StatusCode::OK);
    assert_eq!((&silent["kind"], &silent["total"]["requests"]), (&json!("https_edge"), &json!(0)));
    assert_eq!(silent["history"]["seconds"].as_array().map(Vec::len), Some(60));

    let (much, now) = (tunnel(1000, 0), tunnel(7, 7));
    world.live.traffic.lock().expect("unpoisoned").extend([much.clone(), now.clone()]);
    let listed = operator.get("/traffic").await.is(StatusCode::OK);
    assert_eq!((&listed["uri"], &listed["next_page_uri"]), (&json!(format!("{BASE_URL}/traffic")), &json!(null)));
    let ids: Vec<_> = listed["traffic"].as_array().expect("a list").iter().map(|one| &one["id"]).collect();
    assert_eq!(ids, [&json!(now.id), &json!(much.id)], "the busiest first");
    let one = operator.get(&format!("/traffic/{}", now.id)).await.is(StatusCode::OK);
    assert_eq!(one["last_minute"]["requests"], 7);
    assert_eq!(operator.get("/status").await.is(StatusCode::OK)["traffic"]["requests"], 1007);

    let series = operator.get("/traffic/series?range=quarter").await.is(StatusCode::OK);
    assert_eq!(
        (&series["id"], &series["step"], &series["total"]["requests"]),
        (&json!(null), &json!("hour"), &json!(1007))
    );
    let series = operator.get(&format!("/traffic/{edge}/series")).await.is(StatusCode::OK);
    assert_eq!((&series["id"], &series["kind"]), (&json!(edge), &json!("https_edge")));
    assert_eq!(
        (&series["range"], &series["step"], &series["intervals"]),
        (&json!("day"), &json!("minute"), &json!([]))
    );
    let route = json!({ "match_type": "path_prefix", "match": "/" });
    let route = operator.id(&format!("/edges/https/{edge}/routes"), &route).await;
    let of_route = Traffic { id: route.clone(), kind: TrafficKind::HttpsRoute, ..tunnel(5, 5) };
    world.live.traffic.lock().expect("unpoisoned").push(of_route);
    let series = operator.get(&format!("/traffic/{route}/series?range=hour")).await.is(StatusCode::OK);
    assert_eq!((&series["kind"], &series["intervals"][0]["succeeded"]), (&json!("https_route"), &json!(5)));
}

#[tokio::test]
async fn at_most_a_thousand_entries_are_listed() {
    let world = World::start().await;
    let operator = world.operator().await;
    world.live.traffic.lock().expect("unpoisoned").extend((0..1200).map(|number| tunnel(number, 0)));
    let listed = operator.get("/traffic").await.is(StatusCode::OK);
    let listed = listed["traffic"].as_array().expect("a list");
    assert_eq!((listed.len(), &listed[0]["total"]["requests"]), (1000, &json!(1199)));
}

#[tokio::test]
async fn unknown_ids_have_no_traffic() {
    let world = World::start().await;
    let operator = world.operator().await;
    operator.get("/traffic/tn_0ujtsYcgvSTl8PAuAdqWYSMnLOv").await.refused(Code::NotFound);
    operator.get("/traffic/edghts_0ujtsYcgvSTl8PAuAdqWYSMnLOv").await.refused(Code::NotFound);
    operator.get("/traffic/ipp_0ujtsYcgvSTl8PAuAdqWYSMnLOv").await.refused(Code::IdShape);
    operator.get("/traffic/edghts_0ujtsYcgvSTl8PAuAdqWYSMnLOv/series").await.refused(Code::NotFound);
    operator.get("/traffic/edghtsrt_0ujtsYcgvSTl8PAuAdqWYSMnLOv/series").await.refused(Code::NotFound);
    operator.get("/traffic/tn_0ujtsYcgvSTl8PAuAdqWYSMnLOv/series").await.refused(Code::NotFound);
    operator.get("/traffic/ipp_0ujtsYcgvSTl8PAuAdqWYSMnLOv/series").await.refused(Code::IdShape);
    operator.get("/traffic/series?range=year").await.refused(Code::QueryInvalid);
    operator.get("/traffic?limit=1").await.refused(Code::QueryUnknown);
    operator.get("/status?full=1").await.refused(Code::QueryUnknown);
}
