use crate::world::World;
use futures::StreamExt;
use postern_test_kit::{in_time, scripted_origin::ScriptedOrigin};
use serde_json::{Value as Json, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Sends a raw request and returns the whole response.
async fn typed(world: &World, request: &str) -> String {
    let mut stream = TcpStream::connect(world.agent().context().web_addr().unwrap()).await.expect("connected");
    stream.write_all(request.as_bytes()).await.expect("written");
    let mut answer = String::new();
    in_time(stream.read_to_string(&mut answer)).await.expect("read");
    answer
}

const PATHS: &[&str] = &[
    "/",
    "/api/",
    "/api/status",
    "/api/events",
    "/api/tunnels",
    "/api/endpoints",
    "/api/requests/http",
    "/api/requests/http/summaries",
    "/api/requests/http/0000000100000001",
    "/api/requests/http/0000000100000001/request/body",
    "/api/requests/http/0000000100000001/response/body",
    "/api/requests/http/0000000100000001/frames",
    "/api/requests/http/0000000100000001/curl",
    "/api/requests/har",
    "/api/configured",
    "/assets/x.js",
    "/nothing",
];

/// Operations that change something.
const WRITES: &[(&str, &str)] = &[
    ("POST", "/api/tunnels"),
    ("POST", "/api/endpoints"),
    ("PUT", "/api/endpoints/site"),
    ("POST", "/api/requests/http"),
    ("POST", "/api/requests/har"),
    ("PATCH", "/api/requests/http/0000000100000001"),
    ("DELETE", "/api/requests/http/0000000100000001"),
    ("DELETE", "/api/requests/http"),
];

/// Sends an empty JSON object with one additional header line.
async fn write(world: &World, method: &str, path: &str, lines: &str) -> String {
    let head = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n{lines}");
    typed(world, &format!("{head}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}")).await
}

#[tokio::test]
async fn every_path_is_closed_to_other_hosts_other_sites_and_forwarded_requests() {
    let world = World::start().await;
    for path in PATHS {
        for (head, code) in [
            ("Host: evil.example", "8106"),
            ("Host: 127.0.0.1.evil.example", "8106"),
            ("Host: localhost\r\nHost: localhost", "8106"),
            ("Host: localhost\r\nOrigin: http://evil.example", "8107"),
            ("Host: localhost\r\nSec-Fetch-Site: cross-site", "8107"),
            ("Host: localhost\r\nX-Forwarded-For: 192.0.2.1", "8106"),
        ] {
            let response = typed(&world, &format!("GET {path} HTTP/1.1\r\n{head}\r\nConnection: close\r\n\r\n")).await;
            assert!(
                response.starts_with("HTTP/1.1 403 ") && response.contains(&format!("ERR_POSTERN_{code}")),
                "{path} {head}: {response}"
            );
            assert!(!response.to_ascii_lowercase().contains("access-control-"), "{response}");
        }
    }
}

#[tokio::test]
async fn bodies_that_a_form_can_send_are_refused() {
    let world = World::start().await;
    for (method, path) in WRITES {
        for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
            let response = write(&world, method, path, &format!("Content-Type: {kind}")).await;
            assert!(response.starts_with("HTTP/1.1 415 "), "{method} {path} {kind}: {response}");
        }
    }
}

#[tokio::test]
async fn changes_by_pages_of_other_sites_are_refused() {
    let world = World::start().await;
    for (method, path) in WRITES {
        let lines = "Origin: http://evil.example\r\nContent-Type: application/json";
        let response = write(&world, method, path, lines).await;
        assert!(response.starts_with("HTTP/1.1 403 "), "{method} {path}: {response}");
    }
}

#[tokio::test]
async fn preflight_requests_of_other_sites_are_refused() {
    let world = World::start().await;
    let preflight = "OPTIONS /api/tunnels HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\nConnection: close\r\n\r\n";
    assert!(typed(&world, preflight).await.starts_with("HTTP/1.1 403 "));
}

#[tokio::test]
async fn the_page_and_its_policy_are_served() {
    let world = World::start().await;
    let response = reqwest::get(world.web()).await.expect("answered");
    assert_eq!(response.status(), 200);
    let policy = response.headers()["content-security-policy"].to_str().unwrap().to_owned();
    for part in ["default-src 'none'", "script-src 'self'", "frame-src 'none'", "frame-ancestors 'none'"] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe"));
    assert_eq!(response.headers()["content-type"], "text/html; charset=utf-8");
    let missing = reqwest::get(format!("{}/assets/missing.js", world.web())).await.expect("answered");
    assert_eq!(missing.status(), 404);
}

#[tokio::test]
async fn responses_and_errors_are_json_of_one_shape() {
    let world = World::start().await;
    assert_eq!(world.get("/api/").await["tunnels_uri"], "/api/tunnels");
    assert_eq!(world.get("/api/tunnels").await, json!({"tunnels": [], "uri": "/api/tunnels"}));
    assert_eq!(world.get("/api/configured").await, json!({"tunnels": [], "uri": "/api/configured"}));
    let status = world.get("/api/status").await;
    assert_eq!((status["status"].as_str(), status["uri"].as_str()), (Some("online"), Some("/api/status")));
    assert_eq!(status["session"]["legs"][0]["region"], "local");
    assert_eq!(status["capture"]["limit"], 50 << 20);
    for (method, path, body, expected) in [
        ("GET", "/api/tunnels/unknown", None, 404),
        ("DELETE", "/api/tunnels/unknown", None, 404),
        ("GET", "/api/requests/http/0123", None, 404),
        ("GET", "/api/requests/http?limit=x", None, 400),
        ("GET", "/api/nothing", None, 404),
        ("PUT", "/api/tunnels", Some(json!({})), 405),
        ("POST", "/api/tunnels", Some(json!({})), 400),
        ("POST", "/api/tunnels", Some(json!([])), 400),
        ("POST", "/api/tunnels", Some(json!({"name": "a", "proto": "http", "addr": 1, "oauth": {}})), 400),
        ("POST", "/api/configured/unknown/start", Some(json!({})), 404),
        ("POST", "/api/configured/unknown/stop", Some(json!({})), 404),
    ] {
        let (status, body) = world.call(method, path, body).await;
        assert_eq!(status, expected, "{method} {path}: {body}");
        assert_eq!(body["status_code"], expected, "{body}");
        assert!(
            body["error_code"].is_number() && body["msg"].is_string() && body["details"]["err"].is_string(),
            "{body}"
        );
        assert!(body["details"]["code"].as_str().unwrap().starts_with("ERR_POSTERN_"), "{body}");
    }
}

#[tokio::test]
async fn a_second_tunnel_of_the_same_name_is_rejected() {
    let world = World::start().await;
    world.tunnel("site", "http", 1).await;
    let (status, body) =
        world.call("POST", "/api/tunnels", Some(json!({"name": "site", "proto": "tcp", "addr": 2}))).await;
    assert_eq!((status, body["details"]["code"].as_str()), (409, Some("ERR_POSTERN_8102")));
    assert_eq!(world.get("/api/tunnels/site").await["proto"], "https", "the first is untouched");
}

#[tokio::test]
async fn the_list_is_limited_and_filtered_newest_first() {
    let world = World::start().await;
    let origin = ScriptedOrigin::closing_after_end(b"\r\n\r\n", b"HTTP/1.1 204 No Content\r\n\r\n").await;
    world.tunnel("a", "http", origin.port()).await;
    world.tunnel("b", "http", origin.port()).await;
    for (tunnel, path) in [("a", "/1"), ("b", "/2"), ("a", "/3")] {
        world
            .server
            .http(tunnel, format!("GET {path} HTTP/1.1\r\nHost: h\r\n\r\n").as_bytes())
            .await
            .expect("answered");
    }
    world.captured(3).await;
    let paths = async |query: &str| -> Vec<String> {
        let list = world.get(&format!("/api/requests/http{query}")).await;
        list["requests"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["request"]["uri"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(paths("").await, ["/3", "/2", "/1"]);
    assert_eq!(paths("?limit=1").await, ["/3"]);
    assert_eq!(paths("?tunnel_name=a").await, ["/3", "/1"]);
    assert_eq!(paths("?tunnel_name=a%20(https)&limit=1").await, ["/3"]);
    assert!(paths("?tunnel_name=c").await.is_empty());
    let second =
        world.get("/api/requests/http/summaries?limit=2").await["requests"][1]["id"].as_str().unwrap().to_owned();
    let older = world.get(&format!("/api/requests/http/summaries?before={second}")).await;
    assert_eq!(older["requests"][0]["path"], "/1");
}

#[tokio::test]
async fn lists_are_filtered_and_paged() {
    let world = World::start().await;
    let origin =
        ScriptedOrigin::closing_after_end(b"END", b"HTTP/1.1 201 Created\r\nContent-Length: 4\r\n\r\nmade").await;
    world.tunnel("a", "http", origin.port()).await;
    for number in 1..=5 {
        let request =
            format!("POST /{number} HTTP/1.1\r\nHost: h\r\nX-N: {number}\r\nContent-Length: 5\r\n\r\n{number}.END");
        world.server.http("a", request.as_bytes()).await.expect("answered");
    }
    let all = world.captured(5).await;
    let found = async |query: &str| -> (Vec<String>, Json) {
        let page = world.get(&format!("/api/requests/http/summaries?{query}")).await;
        let paths = page["requests"].as_array().unwrap().iter();
        (paths.map(|one| one["path"].as_str().unwrap().to_owned()).collect(), page["next"].clone())
    };
    assert_eq!(found("filter=status:201%20header.x-n=3").await, (vec!["/3".into()], Json::Null));
    assert_eq!(found("filter=body~%224%5C.end%22%20or%20path:/5").await.0, ["/5", "/4"]);
    assert_eq!(found("filter=not%20method:POST").await.0, [""; 0]);
    let (paths, next) = found("filter=response.body:MADE&limit=2").await;
    assert_eq!(paths, ["/5", "/4"]);
    let next = next.as_str().expect("there is more");
    assert_eq!(found(&format!("filter=response.body:MADE&before={next}")).await.0, ["/3", "/2", "/1"]);
    assert_eq!(found(&format!("since={}", all[2]["id"].as_str().unwrap())).await.0, ["/5", "/4"]);
    assert_eq!(found("since=2020-01-01T00:00:00Z&limit=1").await.0, ["/5"]);
    assert_eq!(found("since=2120-01-01T00:00:00Z").await.0, [""; 0]);
    let list = world.get("/api/requests/http?filter=path=/2").await;
    assert_eq!((&list["requests"][0]["request"]["uri"], &list["next"]), (&json!("/2"), &Json::Null));
    let (status, body) = world.call("GET", "/api/requests/http/summaries?filter=stauts:200", None).await;
    assert_eq!(
        (status, &body["details"]["position"], &body["details"]["code"]),
        (400, &json!("1"), &json!("ERR_POSTERN_8120"))
    );
    assert!(body["details"]["err"].as_str().unwrap().contains("Did you mean `status`?"), "{body}");
}

/// A reader of the live feed.
struct Feed {
    bytes: futures::stream::BoxStream<'static, reqwest::Result<bytes::Bytes>>,
    text: String,
}

impl Feed {
    async fn open(world: &World, query: &str, last: Option<&str>) -> Feed {
        let mut request = reqwest::Client::new().get(format!("{}/api/events{query}", world.web()));
        if let Some(last) = last {
            request = request.header("Last-Event-ID", last);
        }
        let response = request.send().await.expect("answered");
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Feed { bytes: response.bytes_stream().boxed(), text: String::new() }
    }

    /// Name, data and id of the next event.
    async fn next(&mut self) -> (String, Json, Option<String>) {
        loop {
            if let Some((one, rest)) = self.text.split_once("\n\n") {
                let field = |name: &str| {
                    one.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned())
                };
                let parsed = (field("event:"), field("data:"), field("id:"));
                self.text = rest.to_owned();
                if let (Some(event), Some(data), id) = parsed {
                    return (event, serde_json::from_str(&data).expect("JSON"), id);
                }
                continue;
            }
            let piece = in_time(self.bytes.next()).await.expect("open").expect("read");
            self.text.push_str(std::str::from_utf8(&piece).expect("text"));
        }
    }

    async fn next_of(&mut self, kind: &str) -> (Json, Option<String>) {
        loop {
            let (event, data, id) = self.next().await;
            if event == kind {
                return (data, id);
            }
        }
    }
}

#[tokio::test]
async fn the_live_feed_reports_events() {
    let world = World::start().await;
    let origin = ScriptedOrigin::closing_after_end(b"\r\n\r\n", b"HTTP/1.1 204 No Content\r\n\r\n").await;
    let mut feed = Feed::open(&world, "", None).await;
    let (first, second) = (feed.next().await, feed.next().await);
    assert_eq!((first.0.as_str(), second.0.as_str()), ("status", "tunnels"));
    assert_eq!(first.1["status"], "online");
    world.tunnel("site", "http", origin.port()).await;
    world.server.http("site", b"GET /x HTTP/1.1\r\nHost: h\r\n\r\n").await.expect("answered");
    let (begun, ended) = (feed.next_of("request").await.0, feed.next_of("request").await.0);
    assert_eq!((&begun["path"], &begun["status_code"]), (&json!("/x"), &Json::Null));
    assert_eq!((&ended["id"], &ended["status_code"]), (&begun["id"], &json!(204)));
    world.call("DELETE", "/api/requests/http", None).await;
    feed.next_of("requests_deleted").await;
}

#[tokio::test]
async fn a_returning_listener_gets_the_missed_events() {
    let world = World::start().await;
    let origin = ScriptedOrigin::closing_after_end(b"\r\n\r\n", b"HTTP/1.1 204 No Content\r\n\r\n").await;
    world.tunnel("site", "http", origin.port()).await;
    let visit = async |path: &str| {
        world
            .server
            .http("site", format!("GET {path} HTTP/1.1\r\nHost: h\r\n\r\n").as_bytes())
            .await
            .expect("answered");
    };
    let mut feed = Feed::open(&world, "", None).await;
    visit("/seen").await;
    let mut last = None;
    for _ in 0..2 {
        last = feed.next_of("request").await.1;
    }
    drop(feed);
    visit("/missed").await;
    world.captured(2).await;
    let last = last.expect("events of requests have an id");
    for (query, header) in [(String::new(), Some(last.as_str())), (format!("?since={last}"), None)] {
        let mut feed = Feed::open(&world, &query, header).await;
        loop {
            let (request, id) = feed.next_of("request").await;
            if request["path"] == "/missed" {
                assert_eq!(request["status_code"], 204, "as it is now");
                assert!(id.is_some());
                break;
            }
        }
    }
    let missed = world.captured(2).await[0]["id"].as_str().expect("an id").to_owned();
    assert_eq!(world.call("DELETE", &format!("/api/requests/http/{missed}"), None).await.0, 204);
    let mut feed = Feed::open(&world, "", Some(&last)).await;
    let (gone, id) = feed.next_of("request_deleted").await;
    assert_eq!(gone, json!({"id": missed}));
    let mut feed = Feed::open(&world, "", id.as_deref()).await;
    visit("/fresh").await;
    while feed.next_of("request").await.0["path"] != "/fresh" {}
    world.call("DELETE", "/api/requests/http", None).await;
    visit("/after").await;
    let mut feed = Feed::open(&world, "", Some(&last)).await;
    feed.next_of("requests_deleted").await;
    assert_eq!(feed.next_of("request").await.0["path"], "/after");
    let mut feed = Feed::open(&world, "", Some("00000001-5")).await;
    feed.next_of("requests_deleted").await;
    assert_eq!(world.call("GET", "/api/events?since=x", None).await.0, 400);
    assert_eq!(world.call("GET", "/api/events?other=x", None).await.0, 400);
}

#[tokio::test]
async fn a_slow_listener_is_told_to_reload() {
    const MANY: usize = 20_000;
    let world = World::start().await;
    let mut feed = Feed::open(&world, "", None).await;
    feed.next_of("tunnels").await;
    let entry = |number: usize| {
        let url = format!("https://shop.test/{number}/{}", "x".repeat(300));
        json!({
            "startedDateTime": "2026-01-02T03:04:05Z", "time": 1,
            "request": {"method": "GET", "url": url, "httpVersion": "HTTP/1.1", "headers": []},
            "response": {"status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "headers": [], "content": {}},
        })
    };
    let file = json!({"log": {"version": "1.2", "entries": (0..MANY).map(entry).collect::<Vec<_>>()}});
    assert_eq!(world.call("POST", "/api/requests/har", Some(file)).await, (201, json!({"imported": MANY})));

    let mut known = std::collections::HashSet::new();
    let mut reloads = 0;
    while known.len() < MANY {
        let (event, data, _) = feed.next().await;
        match event.as_str() {
            "request" => {
                known.insert(data["id"].as_str().expect("an id").to_owned());
            }
            "requests_missed" => {
                reloads += 1;
                let since = data["since"].as_str().map(|id| format!("&since={id}")).unwrap_or_default();
                let mut before = String::new();
                loop {
                    let path = format!("/api/requests/http/summaries?limit=10000{since}{before}");
                    let page = world.get(&path).await;
                    let listed = page["requests"].as_array().expect("a list");
                    known.extend(listed.iter().map(|one| one["id"].as_str().expect("an id").to_owned()));
                    let Some(next) = page["next"].as_str() else { break };
                    before = format!("&before={next}");
                }
            }
            _ => {}
        }
    }
    assert!(reloads > 0, "a listener that does not read falls behind");
}
