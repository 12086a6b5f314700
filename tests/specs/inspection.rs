//! Captured requests in the agent's local API, and their replay.

use base64::{Engine, prelude::BASE64_STANDARD};
use postern_api::Code;
use postern_tests::{Origin, World, condition::finishes};
use serde_json::{Value, json};

fn raw(message: &Value) -> String {
    let bytes = BASE64_STANDARD.decode(message["raw"].as_str().expect("base64")).expect("base64");
    String::from_utf8(bytes).expect("text")
}

fn id(captured: &Value) -> &str {
    captured["id"].as_str().expect("an id")
}

#[tokio::test]
async fn a_request_is_listed_with_its_bytes_as_they_were() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let tunnel = agent.https("site", &origin).await;
    let visitor = world.visitor();
    visitor.send(visitor.http.post(tunnel.url("/page?x=1")).header("X-Mine", "yes").body("the body")).await;
    let is_whole = |captured: &Value| captured["complete"]["request"] == true;
    let captured = agent.wait_for_exchange("the exchange is captured", is_whole).await;
    assert_eq!(captured["uri"], format!("/api/requests/http/{}", id(&captured)));
    assert_eq!(captured["tunnel_name"], "site (https)");
    assert!(captured["remote_addr"].as_str().unwrap().starts_with("127.0.0.1"), "{captured}");
    assert!(captured["duration"].as_u64().is_some_and(|nanoseconds| nanoseconds > 0), "{captured}");
    let (request, response) = (&captured["request"], &captured["response"]);
    assert_eq!((&request["method"], &request["uri"]), (&json!("POST"), &json!("/page?x=1")));
    assert!(raw(request).starts_with("POST /page?x=1 HTTP/1.1\r\n") && raw(request).ends_with("\r\n\r\nthe body"));
    assert_eq!(response["status_code"], 200);
    assert!(raw(response).starts_with("HTTP/1.1 200 OK\r\n") && raw(response).ends_with("hello"));
    let detail = agent.get(&format!("/api/requests/http/{}", id(&captured))).await.ok();
    assert_eq!(detail["request"], captured["request"]);
    assert_eq!(detail["response"], captured["response"]);
}

#[tokio::test]
async fn a_request_without_a_response_yet_has_a_null_response() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let tunnel = agent.https("site", &origin).await;
    let visitor = world.visitor();
    let open = tokio::spawn(async move { visitor.get(&tunnel.url("/slow")).await });
    let pending =
        agent.wait_for_capture("the request is captured", |request| request["request"]["uri"] == "/slow").await;
    assert_eq!(pending["response"], Value::Null);
    origin.release();
    assert_eq!(open.await.unwrap().text(), "at last");
    agent.wait_for_exchange("the response is captured", |request| request["response"]["status_code"] == 200).await;
}

#[tokio::test]
async fn a_replay_reaches_the_origin_again() {
    let world = World::start().await;
    let (origin, other) = (Origin::start("hello").await, Origin::start("other").await);
    let agent = world.agent().await;
    let tunnel = agent.https("site", &origin).await;
    agent.https("other", &other).await;
    let visitor = world.visitor();
    visitor.send(visitor.http.post(tunnel.url("/sum?n=1")).header("X-Mine", "yes").body("the body")).await;
    let captured = agent.wait_for_exchange("the response is captured", |_| true).await;

    let replayed = agent.replay(id(&captured), None).await;
    assert_eq!((replayed.status, replayed.text.as_str()), (204, ""));
    let received = origin.wait_for_requests("/sum", 2).await;
    assert_eq!(
        (&received[0].target, received[0].header("x-mine")),
        (&received[1].target, received[1].header("x-mine"))
    );
    let again =
        agent.wait_for_exchange("the replay is captured", |request| request["replay_of"] == captured["id"]).await;
    assert!(raw(&again["response"]).ends_with(&postern_tests::bytes::sum_of(b"the body")), "the body went along");

    assert_eq!(agent.replay(id(&captured), Some("other")).await.status, 204);
    other.wait_for_requests("/sum", 1).await;
    assert_eq!(origin.requests_to("/sum").len(), 2, "only the other tunnel's service receives it");

    let unknown = agent.replay("0000000000000000", None).await;
    assert_eq!((unknown.status, unknown.code()), (404, Code::CapturedUnknown));
    assert_eq!(agent.replay(id(&captured), Some("unknown")).await.code(), Code::TunnelUnknown);
}

#[tokio::test]
async fn the_list_is_filtered_limited_and_deleted() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let (one, two) = (agent.https("one", &origin).await, agent.https("two", &origin).await);
    let visitor = world.visitor();
    for path in ["/1", "/2", "/3"] {
        visitor.get(&one.url(path)).await;
    }
    visitor.get(&two.url("/4")).await;
    agent.wait_for_capture("all are captured", |request| request["request"]["uri"] == "/4").await;
    let list = async |query: &str| -> Vec<String> {
        let body = agent.get(&format!("/api/requests/http{query}")).await.ok();
        let uris = body["requests"]
            .as_array()
            .unwrap()
            .iter()
            .map(|request| request["request"]["uri"].as_str().unwrap().to_owned());
        uris.collect()
    };
    assert_eq!(list("").await, ["/4", "/3", "/2", "/1"], "newest first");
    assert_eq!(list("?limit=2").await, ["/4", "/3"]);
    assert_eq!(list("?tunnel_name=two").await, ["/4"]);
    assert_eq!(list("?tunnel_name=one%20(https)&limit=1").await, ["/3"]);
    assert_eq!(agent.delete("/api/requests/http").await.status, 204);
    assert!(list("").await.is_empty());
}

#[tokio::test]
async fn a_tunnel_counts_its_connections_and_requests() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let tunnel = agent.https("site", &origin).await;
    for visit in 1..=3 {
        world.visitor().get(&tunnel.url(&format!("/{visit}"))).await;
    }
    agent.wait_for_exchange("the last is captured", |request| request["request"]["uri"] == "/3").await;
    let metrics = agent.get("/api/tunnels/site").await.ok()["metrics"].clone();
    assert_eq!(metrics["http"]["count"], 3, "{metrics}");
    for (part, names) in [
        ("conns", &["count", "gauge", "rate1", "rate5", "rate15", "p50", "p90", "p95", "p99"][..]),
        ("http", &["count", "rate1", "rate5", "rate15", "p50", "p90", "p95", "p99"][..]),
    ] {
        for name in names {
            assert!(metrics[part][name].is_number(), "{part}.{name} in {metrics}");
        }
    }
}

#[tokio::test]
async fn the_event_stream_begins_with_the_state_and_reports_each_request() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let tunnel = agent.https("site", &origin).await;
    let visitor = world.visitor();
    let visits = async {
        // Only clients that are connected receive the event, so requests are sent until the stream is open.
        loop {
            visitor.get(&tunnel.url("/")).await;
        }
    };
    let events = finishes("four events", async {
        tokio::select! {
            events = agent.events(4) => events,
            () = visits => unreachable!("visits never end"),
        }
    })
    .await;
    let names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(&names[..2], ["status", "tunnels"]);
    assert!(names[2..].contains(&"request"), "{names:?}");
}

#[tokio::test]
async fn a_replay_through_the_edge_is_a_visit_of_its_own() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let tunnel = agent.https("site", &origin).await;
    let visitor = world.visitor();
    visitor.send(visitor.http.post(tunnel.url("/sum?n=1")).header("X-Mine", "yes").body("the body")).await;
    let captured = agent.wait_for_exchange("the response is captured", |_| true).await;

    let body = json!({"id": captured["id"], "through": "edge", "headers": {"X-Mine": "changed"}});
    assert_eq!(agent.post("/api/requests/http", body).await.status, 204);
    let received = origin.wait_for_requests("/sum", 2).await;
    assert_eq!((received[0].header("x-mine"), received[1].header("x-mine")), ("yes", "changed"));
    let seen = agent
        .wait_for_exchange("what the visitor saw is captured", |request| request["replay_through"] == "edge")
        .await;
    assert_eq!(seen["replay_of"], captured["id"]);
    assert!(raw(&seen["response"]).contains(&postern_tests::bytes::sum_of(b"the body")), "the edge's whole answer");
    let arrived = agent
        .wait_for_exchange("it arrives as a visitor's", |request| {
            request["replay_of"].is_null() && request["request"]["headers"]["X-Mine"][0] == "changed"
        })
        .await;
    assert!(!arrived["response"].is_null(), "{arrived}");

    // What arrived can be replayed again and again: the edge does not take it for a loop.
    let mut last = arrived;
    for round in 1..=4 {
        let mark = format!("round {round}");
        let body = json!({"id": last["id"], "through": "edge", "headers": {"X-Mine": mark}});
        assert_eq!(agent.post("/api/requests/http", body).await.status, 204);
        last = agent
            .wait_for_exchange(&format!("{mark} arrives"), |request| {
                request["replay_of"].is_null() && request["request"]["headers"]["X-Mine"][0] == mark.as_str()
            })
            .await;
    }

    let unknown = json!({"id": captured["id"], "through": "edge", "tunnel_name": "unknown"});
    assert_eq!(agent.post("/api/requests/http", unknown).await.code(), Code::TunnelUnknown);
}
