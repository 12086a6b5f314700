//! Figures of the captured requests: what is kept, and what had to go.

use super::Origin;
use futures::{SinkExt, StreamExt};
use postern_tests::{Agent, World, condition::finishes, eventually};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

const REQUESTS: u64 = 60;
const STORE: u64 = 1 << 20;
const BODY: usize = 40_000;

async fn gauge(agent: &Agent) -> Value {
    agent.get("/api/status").await.ok()["capture"].clone()
}

async fn listed(agent: &Agent) -> Vec<Value> {
    let found = agent.get("/api/requests/http?limit=1000").await.ok();
    found["requests"].as_array().expect("a list").clone()
}

fn number(of: &Value) -> u64 {
    of.as_u64().unwrap_or_else(|| panic!("a number: {of}"))
}

#[tokio::test]
async fn kept_and_dropped_requests_are_all_requests() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let token = world.operator().credential(&[]).await.1;
    let setup = world.agent_setup("agent", &token);
    let agent = setup.setting("inspect_db_size", &STORE.to_string()).start().await;
    let tunnel = agent.https("site", &origin).await;
    let visitor = world.visitor();
    for _ in 0..REQUESTS {
        let request = visitor.http.post(tunnel.url("/sum")).body(vec![b'x'; BODY]);
        assert_eq!(visitor.send(request).await.status, 200);
    }
    let kept = listed(&agent).await;
    let shown = gauge(&agent).await;
    assert_eq!((number(&shown["count"]), number(&shown["limit"])), (kept.len() as u64, STORE), "{shown}");
    assert_eq!(number(&shown["count"]) + number(&shown["dropped"]), REQUESTS, "{shown}");
    let bodies: u64 = kept.iter().map(|one| number(&one["request"]["body_size"])).sum();
    assert_eq!(bodies, (kept.len() * BODY) as u64, "each is kept whole");
    assert!((bodies..=STORE).contains(&number(&shown["bytes"])), "{bodies} bytes of bodies in {shown}");
    assert_eq!(shown["oldest"], kept.last().expect("one is kept")["start"]);

    let dropped = shown["dropped"].clone();
    for (index, one) in kept.iter().take(3).enumerate() {
        agent.call(reqwest::Method::PATCH, one["uri"].as_str().expect("a path"), json!({ "pinned": true })).await.ok();
        assert_eq!(gauge(&agent).await["pinned"], index as u64 + 1);
    }
    agent.delete(kept[0]["uri"].as_str().expect("a path")).await.ok();
    let shown = gauge(&agent).await;
    let counts = (number(&shown["count"]), number(&shown["pinned"]), &shown["dropped"]);
    assert_eq!(counts, (kept.len() as u64 - 1, 2, &dropped), "who deletes one has dropped none");

    let archive = agent.get("/api/requests/har?limit=4").await.ok();
    let entries = archive["log"]["entries"].as_array().map(Vec::len);
    agent.delete("/api/requests/http").await.ok();
    let imported = agent.post("/api/requests/har", archive).await.ok();
    let shown = gauge(&agent).await;
    assert_eq!((entries, &imported["imported"], &shown["count"]), (Some(4), &json!(4), &json!(4)), "{shown}");
}

#[tokio::test]
async fn kept_and_dropped_frames_are_all_frames() {
    const MESSAGES: usize = 30;
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let token = world.operator().credential(&[]).await.1;
    let agent = world.agent_setup("agent", &token).setting("inspect_body_size", "8192").start().await;
    let tunnel = agent.https("site", &origin).await;
    let (mut socket, _) = world.visitor().websocket(&tunnel.url("/socket")).await;
    for _ in 0..MESSAGES {
        socket.send(Message::binary(vec![7; 1000])).await.expect("sent");
        finishes("the echo", socket.next()).await.expect("open").expect("a message");
    }
    let uri = listed(&agent).await[0]["uri"].as_str().expect("a path").to_owned();
    let page = eventually("all frames have passed", async || {
        let page = agent.get(&format!("{uri}/frames?limit=1000")).await.ok();
        (page["count"] == 2 * MESSAGES).then_some(page)
    })
    .await;
    let frames = page["frames"].as_array().expect("a list");
    assert!(frames.len() <= 8 && !frames.is_empty(), "{} frames of 1,000 bytes are kept", frames.len());
    assert_eq!(frames.len() as u64 + number(&page["dropped"]), 2 * MESSAGES as u64, "{page}");
    assert_eq!(frames.last().expect("one is kept")["number"], 2 * MESSAGES);
}
