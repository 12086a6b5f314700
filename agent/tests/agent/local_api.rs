use crate::world::{PATIENCE, World, origin::Origin};
use futures::StreamExt;
use serde_json::{Value as Json, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// A request as it is typed, and the whole answer.
async fn typed(world: &World, request: &str) -> String {
    let mut stream = TcpStream::connect(world.agent().core().web_addr().unwrap()).await.expect("connected");
    stream.write_all(request.as_bytes()).await.expect("written");
    let mut answer = String::new();
    tokio::time::timeout(PATIENCE, stream.read_to_string(&mut answer)).await.expect("in time").expect("read");
    answer
}

#[tokio::test]
async fn every_path_is_guarded() {
    let world = World::start().await;
    for path in [
        "/",
        "/api/",
        "/api/status",
        "/api/events",
        "/api/tunnels",
        "/api/requests/http",
        "/api/configured",
        "/assets/x.js",
        "/nothing",
    ] {
        for (head, code) in [
            ("Host: evil.example", "8106"),
            ("Host: 127.0.0.1.evil.example", "8106"),
            ("Host: localhost\r\nHost: localhost", "8106"),
            ("Host: localhost\r\nOrigin: http://evil.example", "8107"),
            ("Host: localhost\r\nSec-Fetch-Site: cross-site", "8107"),
            ("Host: localhost\r\nX-Forwarded-For: 192.0.2.1", "8106"),
        ] {
            let answer = typed(&world, &format!("GET {path} HTTP/1.1\r\n{head}\r\nConnection: close\r\n\r\n")).await;
            assert!(
                answer.starts_with("HTTP/1.1 403 ") && answer.contains(&format!("ERR_POSTERN_{code}")),
                "{path} {head}: {answer}"
            );
            assert!(!answer.to_ascii_lowercase().contains("access-control-"), "{answer}");
        }
    }
    let form = "POST /api/tunnels HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
    assert!(typed(&world, form).await.starts_with("HTTP/1.1 415 "));
    let preflight = "OPTIONS /api/tunnels HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\nConnection: close\r\n\r\n";
    assert!(typed(&world, preflight).await.starts_with("HTTP/1.1 403 "));
}

#[tokio::test]
async fn the_page_and_its_policy_are_served() {
    let world = World::start().await;
    let response = reqwest::get(world.web()).await.expect("answered");
    assert_eq!(response.status(), 200);
    let policy = response.headers()["content-security-policy"].to_str().unwrap().to_owned();
    for part in ["default-src 'self'", "script-src 'self'", "frame-ancestors 'none'"] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe"));
    assert_eq!(response.headers()["content-type"], "text/html; charset=utf-8");
    let missing = reqwest::get(format!("{}/assets/missing.js", world.web())).await.expect("answered");
    assert_eq!(missing.status(), 404);
}

#[tokio::test]
async fn answers_and_errors_are_json_of_one_shape() {
    let world = World::start().await;
    assert_eq!(world.get("/api/").await["tunnels_uri"], "/api/tunnels");
    assert_eq!(world.get("/api/tunnels").await, json!({"tunnels": [], "uri": "/api/tunnels"}));
    assert_eq!(world.get("/api/configured").await, json!({"tunnels": [], "uri": "/api/configured"}));
    let status = world.get("/api/status").await;
    assert_eq!((status["status"].as_str(), status["uri"].as_str()), (Some("online"), Some("/api/status")));
    assert_eq!(status["session"]["legs"][0]["region"], "local");
    assert_eq!(status["capture"]["limit"], 50 << 20);
    for (method, path, body, expected) in [
        ("GET", "/api/tunnels/nobody", None, 404),
        ("DELETE", "/api/tunnels/nobody", None, 404),
        ("GET", "/api/requests/http/0123", None, 404),
        ("GET", "/api/requests/http?limit=x", None, 400),
        ("GET", "/api/nothing", None, 404),
        ("PUT", "/api/tunnels", Some(json!({})), 405),
        ("POST", "/api/tunnels", Some(json!({})), 400),
        ("POST", "/api/tunnels", Some(json!([])), 400),
        ("POST", "/api/tunnels", Some(json!({"name": "a", "proto": "http", "addr": 1, "oauth": {}})), 400),
        ("POST", "/api/configured/nobody/start", Some(json!({})), 404),
        ("POST", "/api/configured/nobody/stop", Some(json!({})), 404),
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
async fn a_second_tunnel_of_the_same_name_is_refused() {
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
    let origin = Origin::says(b"\r\n\r\n", b"HTTP/1.1 204 No Content\r\n\r\n").await;
    world.tunnel("a", "http", origin.port).await;
    world.tunnel("b", "http", origin.port).await;
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
async fn the_live_feed_tells_what_happens() {
    let world = World::start().await;
    let origin = Origin::says(b"\r\n\r\n", b"HTTP/1.1 204 No Content\r\n\r\n").await;
    let response = reqwest::get(format!("{}/api/events", world.web())).await.expect("answered");
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut bytes = response.bytes_stream();
    let mut text = String::new();
    let mut next = async || -> (String, Json) {
        loop {
            if let Some((one, rest)) = text.split_once("\n\n") {
                let field = |name: &str| {
                    one.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned())
                };
                let parsed = (field("event:"), field("data:"));
                text = rest.to_owned();
                if let (Some(event), Some(data)) = parsed {
                    return (event, serde_json::from_str(&data).expect("JSON"));
                }
                continue;
            }
            let piece =
                tokio::time::timeout(PATIENCE, bytes.next()).await.expect("in time").expect("open").expect("read");
            text.push_str(std::str::from_utf8(&piece).expect("text"));
        }
    };
    let (first, second) = (next().await, next().await);
    assert_eq!((first.0.as_str(), second.0.as_str()), ("status", "tunnels"));
    assert_eq!(first.1["status"], "online");
    world.tunnel("site", "http", origin.port).await;
    world.server.http("site", b"GET /x HTTP/1.1\r\nHost: h\r\n\r\n").await.expect("answered");
    let mut seen = Vec::new();
    while seen.len() < 2 {
        let (event, data) = next().await;
        if event == "request" {
            seen.push(data);
        }
    }
    assert_eq!((&seen[0]["path"], &seen[0]["status_code"]), (&json!("/x"), &Json::Null));
    assert_eq!((&seen[1]["id"], &seen[1]["status_code"]), (&seen[0]["id"], &json!(204)));
    world.call("DELETE", "/api/requests/http", None).await;
    while next().await.0 != "requests_deleted" {}
}
