//! The last requests of edges, routes and tunnels.

use crate::kit::{BASE_URL, World};
use http::StatusCode;
use postern_api::{
    Code, Timestamp,
    id::ksuid,
    resource::{NodeName, RecentRequest},
};
use postern_control::{LiveAddress, LiveSession, LiveTunnel};
use serde_json::json;

/// A moment of tunnels.
const LATER: i64 = 2_000_000_000;

fn request(at: &str, status: u16, reached: [&str; 3]) -> RecentRequest {
    let text = |text: &str| text.to_owned();
    RecentRequest {
        id: format!("op_{}", ksuid(LATER, rand::random())),
        at: text(at),
        ip: text("192.0.2.7"),
        scheme: text("https"),
        protocol: text("HTTP/2"),
        host: text("a.test"),
        method: text("GET"),
        path: text("/Cart"),
        status,
        complete: true,
        duration_microseconds: 12,
        bytes_in: 0,
        bytes_out: 5,
        edge_id: text(reached[0]),
        route_id: text(reached[1]),
        backend_id: String::new(),
        tunnel_id: text(reached[2]),
        tunnel_session_id: String::new(),
        credential_id: String::new(),
        error_code: if status == 403 { Code::AddressDenied.to_string() } else { String::new() },
        msg: String::new(),
        fault: String::new(),
        refused_by: String::new(),
        decisions: Vec::new(),
        node: None,
    }
}

#[tokio::test]
async fn edges_routes_and_tunnels_list_their_last_requests() {
    listed_for_each(&World::start().await).await;
}

/// The suite for everything that has requests.
pub(crate) async fn listed_for_each(world: &World) {
    let operator = world.operator().await;
    let edge = operator.id("/edges/https", &json!({ "hostports": ["a.test:443"] })).await;
    let route = json!({ "match_type": "path_prefix", "match": "/" });
    let route = operator.id(&format!("/edges/https/{edge}/routes"), &route).await;
    let credential = operator.id("/credentials", &json!({})).await;
    let session = LiveSession {
        id: format!("ts_{}", ksuid(LATER, rand::random())),
        credential: credential.clone(),
        agent_version: "0.1.0".to_owned(),
        os: "linux/x86_64".to_owned(),
        instance: String::new(),
        host_name: "workshop".to_owned(),
        account: "ada".to_owned(),
        address: [192, 0, 2, 7].into(),
        transport: "postern/1".to_owned(),
        metadata: String::new(),
        remote_management: false,
        started_at: Timestamp::now(),
        node: None,
    };
    let tunnel = LiveTunnel {
        id: format!("tn_{}", ksuid(LATER, rand::random())),
        session: session.id.clone(),
        credential,
        name: "shop".to_owned(),
        address: Some(LiveAddress { scheme: "https", host: "shop.test".to_owned(), port: 443 }),
        labels: Default::default(),
        forwards_to: "http://localhost:8080".to_owned(),
        metadata: String::new(),
        started_at: Timestamp::now(),
        node: None,
    };
    world.live.sessions.lock().expect("unpoisoned").push(session);
    world.live.tunnels.lock().expect("unpoisoned").push(tunnel.clone());
    let [old, new] = ["2026-11-26T13:00:00.001Z", "2026-11-26T13:00:00.002Z"];
    let reached = [edge.as_str(), route.as_str(), tunnel.id.as_str()];
    let (passed, denied) = (request(old, 200, reached), request(new, 403, reached));
    for path in [
        format!("/edges/https/{edge}/requests"),
        format!("/edges/https/{edge}/routes/{route}/requests"),
        format!("/tunnels/{}/requests", tunnel.id),
        "/traffic/requests".to_owned(),
    ] {
        world.live.requests.lock().expect("unpoisoned").clear();
        let none = operator.get(&path).await.is(StatusCode::OK);
        assert_eq!(none, json!({ "requests": [], "uri": format!("{BASE_URL}{path}"), "next_page_uri": null }));
        world.live.requests.lock().expect("unpoisoned").extend([passed.clone(), denied.clone()]);
        for (query, expected) in [
            ("", &[&denied, &passed][..]),
            ("?limit=1", &[&denied]),
            ("?status=2xx", &[&passed]),
            ("?status=", &[&denied, &passed]),
            ("?error_code=ERR_POSTERN_3203", &[&denied]),
            ("?search=cart", &[&denied, &passed]),
            ("?search=nothing&limit=1000", &[]),
        ] {
            let listed = operator.get(&format!("{path}{query}")).await.is(StatusCode::OK);
            assert_eq!(listed["requests"], json!(expected), "{path}{query}");
        }
    }
    let missing = NodeName { id: postern_api::AnyId::from_text("nd_1"), name: "b".to_owned() };
    world.live.missing.lock().expect("unpoisoned").push(missing);
    let listed = operator.get(&format!("/tunnels/{}/requests", tunnel.id)).await.is(StatusCode::OK);
    assert_eq!(listed["nodes_missing"][0]["name"], "b");
    world.live.missing.lock().expect("unpoisoned").clear();
}

#[tokio::test]
async fn what_is_not_there_or_not_to_be_seen_has_no_requests() {
    let world = World::start().await;
    let operator = world.operator().await;
    let edge = operator.id("/edges/https", &json!({})).await;
    let path = format!("/edges/https/{edge}/requests");
    for (query, code) in [
        ("?limit=0", Code::LimitInvalid),
        ("?limit=1001", Code::LimitInvalid),
        ("?status=6xx", Code::QueryInvalid),
        ("?status=403", Code::QueryInvalid),
        ("?error_code=a%20b", Code::QueryInvalid),
        ("?before_id=op_1", Code::QueryUnknown),
    ] {
        operator.get(&format!("{path}{query}")).await.refused(code);
    }
    operator.get("/edges/https/edghts_0ujtsYcgvSTl8PAuAdqWYSMnLOv/requests").await.refused(Code::NotFound);
    operator
        .get(&format!("/edges/https/{edge}/routes/edghtsrt_0ujtsYcgvSTl8PAuAdqWYSMnLOv/requests"))
        .await
        .refused(Code::NotFound);
    operator.get("/tunnels/tn_0ujtsYcgvSTl8PAuAdqWYSMnLOv/requests").await.refused(Code::NotFound);
    operator.get("/tunnels/ts_0ujtsYcgvSTl8PAuAdqWYSMnLOv/requests").await.refused(Code::IdShape);
    world.caller("no-key").get(&path).await.refused(Code::KeyShape);
}
