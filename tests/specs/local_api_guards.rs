//! The agent's local API has no login, but pages of other sites cannot use it.

use postern_api::Code;
use postern_tests::{
    Agent, World,
    http1::{Http1Client, Http1Response},
};
use serde_json::json;
use tokio::net::TcpStream;

async fn get(agent: &Agent, path: &str, headers: &[&str]) -> Http1Response {
    let line = format!("GET {path} HTTP/1.1");
    let mut lines = vec![line.as_str()];
    lines.extend(headers);
    send(agent, &lines, "").await
}

/// Sends header lines and a body on a connection of its own.
async fn send(agent: &Agent, lines: &[&str], body: &str) -> Http1Response {
    let length = if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
    let request = format!("{}\r\nConnection: close\r\n{length}\r\n{body}", lines.join("\r\n"));
    let mut client = Http1Client::new(TcpStream::connect(agent.web).await.expect("a connection"));
    // A server that refuses early may close before it has read the request.
    client.try_send(request.as_bytes()).await;
    client.response().await
}

#[tokio::test]
async fn every_path_responds_only_to_names_of_this_machine() {
    let world = World::start().await;
    let agent = world.agent().await;
    let port = agent.web.port();
    let good = ["127.0.0.1", "localhost", "LOCALHOST", "localhost.", "[::1]", "127.0.0.2"];
    let bad = [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "0.0.0.0",
        "2130706433",
        "0177.0.0.1",
        "0x7f.1",
        "127.1",
        "",
        "localhost@evil.example",
        "[::ffff:10.0.0.1]",
        "192.168.0.1",
    ];
    for path in [
        "/api/status",
        "/api/tunnels",
        "/api/configuration",
        "/api/ports",
        "/api/requests/http",
        "/api/events?",
        "/",
        "/nothing",
    ] {
        if !path.starts_with("/api/events") {
            for name in good {
                let reply = get(&agent, path, &[&format!("Host: {name}:{port}")]).await;
                assert!(![400, 403, 421].contains(&reply.status), "{path} for {name}: {reply:?}");
            }
        }
        for name in bad {
            for host in [format!("Host: {name}:{port}"), format!("Host: {name}")] {
                let reply = get(&agent, path, &[&host]).await;
                assert!([400, 403].contains(&reply.status), "{path} for {host}: {reply:?}");
                assert!(!reply.text().contains(&agent.web.to_string()), "the response reveals nothing: {reply:?}");
            }
        }
    }
    let named = get(&agent, "/api/status", &["Host: evil.example"]).await;
    assert!(named.text().contains(&Code::HostRefused.to_string()), "{named:?}");
    for hosts in [&[][..], &["Host: localhost", "Host: evil.example"]] {
        let reply = get(&agent, "/api/status", hosts).await;
        assert!([400, 403].contains(&reply.status), "{hosts:?}: {reply:?}");
    }
}

#[tokio::test]
async fn requests_from_pages_of_other_sites_are_refused() {
    let world = World::start().await;
    let agent = world.agent().await;
    let host = format!("Host: {}", agent.web);
    let own = format!("Origin: http://{}", agent.web);
    let cases: &[(&str, bool)] = &[
        (&own, true),
        ("Sec-Fetch-Site: same-origin", true),
        ("Sec-Fetch-Site: none", true),
        ("Origin: https://evil.example", false),
        ("Origin: http://localhost:1", false),
        ("Origin: null", false),
        ("Sec-Fetch-Site: cross-site", false),
        ("Sec-Fetch-Site: same-site", false),
    ];
    for (header, allowed) in cases {
        for path in ["/api/status", "/api/tunnels", "/api/requests/http"] {
            let reply = get(&agent, path, &[&host, header]).await;
            let expected = if *allowed { 200 } else { 403 };
            assert_eq!(reply.status, expected, "{header} on {path}: {reply:?}");
            assert!(!reply.head.to_lowercase().contains("access-control-allow"), "no site may read: {}", reply.head);
            if !allowed {
                assert!(reply.text().contains(&Code::OriginRefused.to_string()), "{reply:?}");
            }
        }
        let reply = send(&agent, &["DELETE /api/requests/http HTTP/1.1", &host, header], "").await;
        assert_eq!(reply.status, if *allowed { 204 } else { 403 }, "DELETE with {header}: {reply:?}");
    }
}

#[tokio::test]
async fn bodies_must_be_json() {
    let world = World::start().await;
    let agent = world.agent().await;
    let host = format!("Host: {}", agent.web);
    let body = json!({ "name": "t", "proto": "http", "addr": "9" }).to_string();
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "text/json", ""] {
        let kind_line = format!("Content-Type: {kind}");
        let mut lines = vec!["POST /api/tunnels HTTP/1.1", &host];
        if !kind.is_empty() {
            lines.push(&kind_line);
        }
        let reply = send(&agent, &lines, &body).await;
        assert_eq!(reply.status, 415, "{kind}: {reply:?}");
        assert!(reply.text().contains(&Code::JsonOnly.to_string()), "{reply:?}");
    }
    let tunnels = agent.get("/api/tunnels").await.ok();
    assert_eq!(tunnels["tunnels"], json!([]), "nothing was started");
}

#[tokio::test]
async fn the_local_api_itself_is_never_published() {
    let world = World::start().await;
    let agent = world.agent().await;
    let port = agent.web.port();
    for address in [
        format!("{port}"),
        format!("localhost:{port}"),
        format!("127.0.0.1:{port}"),
        format!("127.0.0.9:{port}"),
        format!("http://localhost:{port}"),
        format!("[::1]:{port}"),
        format!("[::ffff:127.0.0.1]:{port}"),
        format!("0.0.0.0:{port}"),
    ] {
        for proto in ["http", "tcp"] {
            if proto == "tcp" && address.contains("//") {
                continue;
            }
            let answer = agent.request_tunnel(json!({ "name": "own", "proto": proto, "addr": address })).await;
            assert_eq!(answer.code(), Code::OwnListener, "{proto} {address}: {answer:?}");
        }
    }
    let forwarded = get(&agent, "/api/status", &[&format!("Host: {}", agent.web), "X-Forwarded-For: 1.2.3.4"]).await;
    assert_eq!(forwarded.status, 403, "what came through a tunnel is refused: {forwarded:?}");
}
