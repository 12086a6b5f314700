use crate::world::World;
use base64::{Engine, engine::general_purpose::STANDARD};
use postern_test_kit::scripted_origin::ScriptedOrigin;
use postern_tunnel::StreamKind;
use serde_json::{Value as Json, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const POST: &[u8] = b"POST /in?x=1 HTTP/1.1\r\nHost: site.localhost\r\nX-A: 1\r\nx-a: 2\r\nTransfer-Encoding: chunked\r\n\r\n3;e=1\r\nabc\r\n0\r\nSum: 1\r\n\r\n";
const MADE: &[u8] = b"HTTP/1.1 201 Made Up\r\nContent-Length: 2\r\nSet-Cookie: a\r\nset-cookie: b\r\n\r\nok";

fn raw(message: &Json) -> Vec<u8> {
    STANDARD.decode(message["raw"].as_str().expect("text")).expect("base64")
}

#[tokio::test]
async fn a_captured_request_has_every_field_and_its_raw_bytes() {
    let world = World::start().await;
    let origin = ScriptedOrigin::closing_after_end(b"Sum: 1\r\n\r\n", MADE).await;
    world.tunnel("site", "http", origin.port()).await;
    world.server.http("site", POST).await.expect("answered");
    let list = world.captured(1).await;
    let one = &list[0];
    let id = one["id"].as_str().expect("an id");
    assert!(id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit()));
    assert_eq!(one["uri"], format!("/api/requests/http/{id}"));
    assert_eq!(one["tunnel_name"], "site (https)");
    assert_eq!(one["remote_addr"], "192.0.2.7:50000");
    assert!(one["start"].as_str().unwrap().parse::<jiff::Timestamp>().is_ok());
    assert!(one["duration"].as_u64().unwrap() > 1000);
    assert_eq!(one["request"]["method"], "POST");
    assert_eq!(one["request"]["proto"], "HTTP/1.1");
    assert_eq!(one["request"]["uri"], "/in?x=1");
    assert_eq!(one["request"]["headers"]["X-A"], json!(["1", "2"]));
    assert_eq!(raw(&one["request"]), POST);
    assert_eq!(one["response"]["status"], "201 Made Up");
    assert_eq!(one["response"]["status_code"], 201);
    assert_eq!(one["response"]["headers"]["Set-Cookie"], json!(["a", "b"]));
    assert_eq!(raw(&one["response"]), MADE);
    assert_eq!(&world.get(&format!("/api/requests/http/{id}")).await, one);
    let stage = |name: &str| one["timing"][name].as_u64().unwrap_or_else(|| panic!("{name} in {}", one["timing"]));
    assert!(stage("connect") > 0 && stage("sent") <= stage("first_byte") && stage("first_byte") <= stage("last_byte"));
    assert_eq!(stage("last_byte"), one["duration"].as_u64().unwrap());
    let summary = world.get("/api/requests/http/summaries").await["requests"][0].clone();
    assert_eq!((summary["path"].as_str(), summary["host"].as_str()), (Some("/in?x=1"), Some("site.localhost")));
    assert_eq!(
        (summary["status_code"].as_u64(), summary["request_size"].as_u64()),
        (Some(201), Some(POST.len() as u64))
    );
}

#[tokio::test]
async fn the_response_is_null_until_the_service_responds() {
    let world = World::start().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("listening");
    world.tunnel("site", "http", listener.local_addr().expect("bound").port()).await;
    let mut stream = world.server.visit("site", StreamKind::Http).await;
    stream.write_all(b"GET /slow HTTP/1.1\r\nHost: h\r\n\r\n").await.expect("written");
    stream.flush().await.expect("flushed");
    let (mut local, _) = listener.accept().await.expect("connected");
    let mut head = [0; 16];
    local.read_exact(&mut head).await.expect("the request arrives");
    let list = world.get("/api/requests/http").await;
    assert_eq!(list["requests"][0]["response"], Json::Null);
    assert!(list["requests"][0].as_object().expect("an object").contains_key("response"));
    local.write_all(MADE).await.expect("answered");
    drop(local);
    assert_eq!(world.captured(1).await[0]["response"]["status_code"], 201);
}

#[tokio::test]
async fn a_replay_reaches_the_service_and_is_captured() {
    let world = World::start().await;
    let (first, second) = (
        ScriptedOrigin::closing_after_end(b"Sum: 1\r\n\r\n", MADE).await,
        ScriptedOrigin::closing_after_end(b"Sum: 1\r\n\r\n", MADE).await,
    );
    world.tunnel("site", "http", first.port()).await;
    world.tunnel("other", "http", second.port()).await;
    world.server.http("site", POST).await.expect("answered");
    let id = world.captured(1).await[0]["id"].clone();

    assert_eq!(world.call("POST", "/api/requests/http", Some(json!({"id": id}))).await, (204, Json::Null));
    let list = world.captured(2).await;
    assert_eq!(first.requests(), [POST, POST], "received twice, byte for byte");
    assert_eq!((&list[0]["replay_of"], &list[0]["tunnel_name"]), (&id, &json!("site (https)")));

    let body = json!({"id": id, "tunnel_name": "other"});
    assert_eq!(world.call("POST", "/api/requests/http", Some(body)).await.0, 204);
    let list = world.captured(3).await;
    assert_eq!((second.requests().len(), &list[0]["tunnel_name"]), (1, &json!("other (https)")));

    for (body, status) in [
        (json!({"id": "0000000000000000"}), 404),
        (json!({"id": id, "tunnel_name": "unknown"}), 404),
        (json!({}), 400),
        (json!({"id": 3}), 400),
        (json!({"id": id, "extra": 1}), 400),
    ] {
        assert_eq!(world.call("POST", "/api/requests/http", Some(body.clone())).await.0, status, "{body}");
    }
    assert_eq!(world.call("DELETE", "/api/requests/http", None).await, (204, Json::Null));
    assert_eq!(
        world.get("/api/requests/http").await,
        json!({"uri": "/api/requests/http", "requests": [], "next": null, "cut": false})
    );
}

#[tokio::test]
async fn a_replay_stays_at_the_configured_address() {
    let world = World::start().await;
    let origin = ScriptedOrigin::closing_after_end(
        b"\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n",
    )
    .await;
    world.tunnel("site", "http", origin.port()).await;
    world
        .server
        .http("site", b"GET http://169.254.169.254/x HTTP/1.1\r\nHost: 169.254.169.254\r\n\r\n")
        .await
        .expect("answered");
    let id = world.captured(1).await[0]["id"].clone();
    assert_eq!(world.call("POST", "/api/requests/http", Some(json!({"id": id}))).await.0, 204);
    let list = world.captured(2).await;
    assert!(origin.requests()[1].starts_with(b"GET /x HTTP/1.1\r\n"), "reduced to its path, sent to the same service");
    assert_eq!(list[0]["response"]["status_code"], 302, "a redirect is an answer, not a way to go");
    assert_eq!(origin.requests().len(), 2);
}

#[tokio::test]
async fn large_bodies_are_truncated_and_a_truncated_request_is_not_replayed() {
    let world = World::start().await;
    let origin = ScriptedOrigin::closing_after_end(b"END", MADE).await;
    world.tunnel("site", "http", origin.port()).await;
    let mut request = format!("PUT /big HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\r\n", 3_000_003).into_bytes();
    let head = request.len();
    request.extend(std::iter::repeat_n(b'x', 3_000_000));
    request.extend_from_slice(b"END");
    world.server.http("site", &request).await.expect("answered");
    assert!(origin.requests()[0] == request, "the traffic itself is whole");
    let one = world.captured(1).await.remove(0);
    assert_eq!(one["cut"], json!({"request": true, "response": false}));
    assert_eq!(raw(&one["request"]), request[..head + (1 << 20)]);
    let (status, body) = world.call("POST", "/api/requests/http", Some(json!({"id": one["id"]}))).await;
    assert_eq!((status, body["details"]["code"].as_str()), (400, Some("ERR_POSTERN_8105")));
}

#[tokio::test]
async fn without_capturing_nothing_is_stored_and_everything_is_counted() {
    let world = World::with("inspect_db_size: -1\n").await;
    let origin = ScriptedOrigin::closing_after_end(b"\r\n\r\n", MADE).await;
    world.tunnel("site", "http", origin.port()).await;
    world.server.http("site", b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").await.expect("answered");
    assert_eq!(world.get("/api/requests/http").await["requests"], json!([]));
    assert_eq!(world.get("/api/tunnels/site").await["metrics"]["http"]["count"], 1);
}

/// Resident memory of this process, in kilobytes.
#[cfg(target_os = "linux")]
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("readable");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("there");
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number")
}

#[cfg(target_os = "linux")]
#[test]
fn hundreds_of_megabytes_of_bodies_take_no_more_memory_than_allowed() {
    use postern_agent::capture::{
        CaptureStore, TunnelTag,
        event::event_channel,
        sniffer::{Conversation, Observer},
    };
    use std::sync::Arc;
    let store = Arc::new(CaptureStore::new(Some(50 << 20), 1 << 20, event_channel()));
    let observer = Observer {
        store: Some(store.clone()),
        meter: Arc::default(),
        tunnel: Arc::new(TunnelTag { definition: "site".into(), proto: "https" }),
        remote: "192.0.2.1:1".into(),
        replay_of: None,
        through_edge: false,
        http2: false,
        notes: None,
    };
    let piece = vec![b'x'; 16 * 1024];
    let before = resident();
    for round in 0..10 {
        // Forty at once, so that bodies in flight count too.
        let mut open: Vec<Conversation> = (0..40).map(|_| Conversation::new(observer.clone())).collect();
        for conversation in &mut open {
            conversation.request_bytes(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1048576\r\n\r\n");
        }
        for _ in 0..64 {
            for conversation in &mut open {
                conversation.request_bytes(&piece);
            }
            assert!(store.bytes() <= 50 << 20);
        }
        for conversation in &mut open {
            conversation.response_bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 1048576\r\n\r\n");
            (0..64).for_each(|_| conversation.response_bytes(&piece));
        }
        let grown = resident().saturating_sub(before);
        assert!(grown < 70 * 1024, "round {round}: {grown} kB more than before");
    }
    assert!(store.bytes() > 40 << 20, "the room is used");
}

/// A captured request that is replayed with changes.
struct Replays {
    world: World,
    origin: ScriptedOrigin,
    id: Json,
}

/// The request as the service received it, and the exchange of the replay.
struct Replayed {
    request: String,
    exchange: Json,
}

impl Replays {
    const REQUEST: &str = "POST /in?x=1 HTTP/1.1\r\nHost: h\r\nContent-Encoding: gzip\r\nX-A: 1\r\nX-B: 2\r\nContent-Length: 3\r\n\r\nabc";

    async fn start() -> Replays {
        let world = World::start().await;
        let origin = ScriptedOrigin::closing_after(MADE).await;
        world.tunnel("site", "http", origin.port()).await;
        world.server.http("site", Replays::REQUEST.as_bytes()).await.expect("answered");
        let id = world.captured(1).await[0]["id"].clone();
        Replays { world, origin, id }
    }

    async fn with(&self, changes: Json) -> Replayed {
        let mut body = changes;
        body["id"] = self.id.clone();
        let before = self.origin.requests().len();
        let url = format!("{}/api/requests/http", self.world.web());
        let response = reqwest::Client::new().post(url).json(&body).send().await.expect("answered");
        assert_eq!(response.status(), 204, "{body}");
        let location = response.headers()["location"].to_str().expect("text").to_owned();
        self.world.captured(before + 1).await;
        let requests = self.origin.request_texts();
        assert_eq!(requests.len(), before + 1, "it is sent once");
        Replayed { request: requests[before].clone(), exchange: self.world.get(&location).await }
    }
}

#[tokio::test]
async fn a_replay_without_changes_is_the_request_as_it_was() {
    let replays = Replays::start().await;
    let Replayed { request, exchange } = replays.with(json!({})).await;
    assert_eq!(request, Replays::REQUEST);
    assert_eq!((&exchange["replay_of"], &exchange["replay_through"]), (&replays.id, &json!("local")));
}

#[tokio::test]
async fn a_replay_applies_another_method_and_path() {
    let replays = Replays::start().await;
    let Replayed { request, exchange } = replays.with(json!({"method": "PUT", "path": "/other?y"})).await;
    assert_eq!(
        request,
        "PUT /other?y HTTP/1.1\r\nHost: h\r\nContent-Encoding: gzip\r\nX-A: 1\r\nX-B: 2\r\nContent-Length: 3\r\n\r\nabc"
    );
    assert_eq!((&exchange["request"]["uri"], &exchange["response"]["status_code"]), (&json!("/other?y"), &json!(201)));
}

#[tokio::test]
async fn a_replay_replaces_removes_and_adds_headers() {
    let replays = Replays::start().await;
    let replayed = replays.with(json!({"headers": {"x-a": ["3", "4"], "X-B": null, "X-New": "é"}})).await;
    assert_eq!(
        replayed.request,
        "POST /in?x=1 HTTP/1.1\r\nHost: h\r\nContent-Encoding: gzip\r\nx-a: 3\r\nx-a: 4\r\nX-New: é\r\nContent-Length: 3\r\n\r\nabc"
    );
}

#[tokio::test]
async fn a_replay_takes_a_whole_list_of_headers_and_corrects_the_length() {
    let replays = Replays::start().await;
    let changes = json!({"headers": [["Host", "x"], ["Content-Length", "99"]], "body": "longer"});
    let replayed = replays.with(changes).await;
    assert_eq!(replayed.request, "POST /in?x=1 HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nlonger");
}

#[tokio::test]
async fn a_replay_without_the_body_is_without_its_coding() {
    let replays = Replays::start().await;
    let replayed = replays.with(json!({"method": "GET", "body_base64": "", "headers": {"Host": "h"}})).await;
    assert_eq!(replayed.request, "GET /in?x=1 HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nX-B: 2\r\n\r\n");
}

#[tokio::test]
async fn invalid_changes_of_a_replay_are_refused_and_nothing_is_sent() {
    let replays = Replays::start().await;
    for wrong in [
        json!({"method": "GET /x HTTP/1.1\r\nA: b"}),
        json!({"method": "CONNECT"}),
        json!({"path": "http://169.254.169.254/"}),
        json!({"path": "/a b"}),
        json!({"path": "/a\r\nX: y"}),
        json!({"headers": {"X": "a\r\nY: b"}}),
        json!({"headers": {"X Y": "a"}}),
        json!({"headers": {"X\r\nY": null}}),
        json!({"headers": {"X": 1}}),
        json!({"headers": [["X"]]}),
        json!({"headers": "X: y"}),
        json!({"body": "a", "body_base64": "YQ=="}),
        json!({"body_base64": "%"}),
        json!({"body": {}}),
        json!({"through": "nothing"}),
    ] {
        let mut body = wrong.clone();
        body["id"] = replays.id.clone();
        let (status, answer) = replays.world.call("POST", "/api/requests/http", Some(body)).await;
        assert_eq!((status, &answer["details"]["code"].is_string()), (400, &true), "{wrong}: {answer}");
    }
    assert_eq!(replays.origin.requests().len(), 1);
}

#[tokio::test]
async fn replays_are_found_by_the_filter() {
    let replays = Replays::start().await;
    for path in ["/a", "/b"] {
        replays.with(json!({"path": path})).await;
    }
    let found = replays.world.get("/api/requests/http/summaries?filter=replayed:yes").await;
    assert_eq!(found["requests"].as_array().expect("a list").len(), 2);
}
