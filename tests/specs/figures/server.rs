//! Metrics of the server: what visitors, agents and the operator did, counted by themselves.

use super::{
    VISITORS,
    metrics::{Metrics, samples},
    visitor_over,
};
use futures::future::join_all;
use postern_tests::{
    Origin, World,
    condition::finishes,
    eventually,
    http1::Http1Client,
    scripted_origin::{OriginConnection, ScriptedOrigin},
    tcp::{Echo, EchoClient},
    tls,
};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
};
use tokio_rustls::server::TlsStream;

#[tokio::test]
async fn connections_are_open_at_their_listener_until_they_end() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent_with_one_session().await;
    let site = agent.https("site", &origin).await;
    let plain = json!({ "name": "plain", "proto": "http", "schemes": ["http"], "addr": origin.to_string() });
    let plain = agent.tunnel(plain).await;
    let echo = Echo::named("echo").await;
    let port = agent.tcp("shell", &echo).await.port();
    let own = tls::self_signed("vault.localhost");
    let greet = |mut connection: OriginConnection<TlsStream<TcpStream>>| async move {
        connection.send(b"hello").await.expect("sent");
        let _ = connection.stream.read(&mut [0; 1]).await;
    };
    let service = ScriptedOrigin::serving_tls(tls::acceptor(&own, &[]), greet).await;
    let vault = json!({ "name": "vault", "proto": "tls", "addr": service.to_string(), "domain": "vault.localhost" });
    agent.tunnel(vault).await;
    let before = Metrics::read(&world).await;
    assert!(before.value("postern_edge_connections", "listener=\"agents\"") >= 1);

    let visitors: Vec<_> = (0..VISITORS).map(|number| visitor_over(&world, number % 2 == 0)).collect();
    let (secure, insecure) = (site.url("/"), plain.url("/"));
    join_all(visitors.iter().map(|visitor| visitor.get(&secure))).await;
    join_all(visitors.iter().map(|visitor| visitor.get(&insecure))).await;
    let shells = join_all((0..VISITORS).map(|_| EchoClient::connect(port))).await;
    let mut streams = Vec::new();
    for _ in 0..VISITORS {
        let stream = TcpStream::connect(world.server.addresses.https).await.expect("a connection");
        let name = rustls_pki_types::ServerName::try_from("vault.localhost").expect("a name");
        let connector = tls::connector(&[own.cert.der().clone()], &[]);
        let mut stream = connector.connect(name, stream).await.expect("a handshake");
        stream.read_exact(&mut [0; 5]).await.expect("the greeting");
        streams.push(stream);
    }
    let open = VISITORS as i64;
    for listener in ["https", "http", "tcp", "tls"] {
        let labels = format!("listener=\"{listener}\"");
        samples(
            &world,
            &[("postern_edge_connections", &labels, open), ("postern_edge_connections_total", &labels, open)],
        )
        .await;
    }
    drop((visitors, shells, streams));
    for listener in ["https", "http", "tcp", "tls"] {
        let labels = format!("listener=\"{listener}\"");
        samples(&world, &[("postern_edge_connections", &labels, 0), ("postern_edge_connections_total", &labels, open)])
            .await;
    }
    drop(agent);
    samples(
        &world,
        &[
            ("postern_edge_connections", "listener=\"agents\"", 0),
            ("postern_sessions", "", 0),
            ("postern_tunnels", "", 0),
        ],
    )
    .await;
}

#[tokio::test]
async fn requests_take_a_new_stream_or_one_again() {
    let world = World::start().await;
    let service = ScriptedOrigin::with_text("hello").await;
    let agent = world.agent_with_one_session().await;
    let tunnel = agent.https("site", &service).await;
    let echo = Echo::named("echo").await;
    let shell = agent.tcp("shell", &echo).await;
    let visitors = [visitor_over(&world, false), visitor_over(&world, true)];
    for visitor in &visitors {
        for _ in 0..3 {
            assert_eq!(visitor.get(&tunnel.url("/")).await.text(), "hello");
        }
    }
    let url = tunnel.url("/");
    join_all((0..VISITORS).map(|_| visitors[1].get(&url))).await;
    let dialed = service.connections() as i64;
    let requests = 6 + VISITORS as i64;
    assert!(dialed >= 1 && dialed < requests, "{dialed} connections of {requests} requests");
    let (_client, _) = EchoClient::connect(shell.port()).await.expect("a connection");
    // The agent's node opens streams for those of the visitors' node.
    eventually("the streams of the visitors' node are counted", async || {
        let metrics = Metrics::of(&[&world.server]).await;
        let (new, again) =
            (metrics.value("postern_edge_streams_total", ""), metrics.value("postern_edge_upstream_reuse_total", ""));
        ((new, again) == (dialed + 1, requests - dialed)).then_some(())
    })
    .await;
}

#[tokio::test]
async fn visitors_who_leave_before_the_response_are_counted() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent_with_one_session().await;
    let tunnel = agent.https("site", &origin).await;
    for (count, http2) in [(1, false), (2, true)] {
        let visitor = visitor_over(&world, http2);
        let request = visitor.http.get(tunnel.url("/slow"));
        let asking = tokio::spawn(async move { request.send().await.map(drop) });
        origin.wait_for_requests("/slow", count).await;
        asking.abort();
        samples(&world, &[("postern_edge_abandoned_total", "", count as i64)]).await;
    }
    assert_eq!(Metrics::read(&world).await.sum("postern_edge_requests_total"), 0, "they got no response");
}

#[tokio::test]
async fn refusals_are_counted_by_code_and_module() {
    let world = World::start().await;
    let operator = world.operator();
    let fixed = operator.post("/backends/http_response", json!({ "body": "fixed" })).await.ok().text("id");
    let edge = operator.post("/edges/https", json!({ "hostports": ["shop.example.test:443"] })).await.ok().text("id");
    let nowhere = operator.policy(&[("allow", "203.0.113.0/24")]).await;
    let users = json!({ "users": [{ "username": "ada", "password": "planted-secret-1" }] });
    let cases = [
        ("ip_restriction", json!({ "ip_policy_ids": [nowhere] })),
        ("maintenance", json!({ "status_code": 410 })),
        ("user_agent_filter", json!({ "deny": ["curl"] })),
        ("basic_auth", users),
        ("webhook_verification", json!({ "provider": "GITHUB", "secret": "a secret" })),
        ("websocket_tcp_converter", json!({})),
    ];
    for (module, body) in &cases {
        let route =
            json!({ "match_type": "path_prefix", "match": format!("/{module}"), "backend": { "backend_id": fixed } });
        let route = operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok().text("id");
        operator.put(&format!("/edges/https/{edge}/routes/{route}/{module}"), body.clone()).await.ok();
    }
    let base = format!("https://shop.example.test:{}", world.server.addresses.https.port());
    let mut expected = Vec::new();
    for (number, (module, _)) in cases.iter().enumerate() {
        for http2 in [false, true] {
            let visitor = visitor_over(&world, http2);
            for _ in 0..=number {
                let request = visitor.http.post(format!("{base}/{module}")).header("user-agent", "curl/8");
                let refused = visitor.send(request).await;
                let code = refused.header("postern-error-code").replace("ERR_POSTERN_", "");
                expected.push((*module, code));
            }
        }
    }
    let metrics = Metrics::read(&world).await;
    for (number, (module, _)) in cases.iter().enumerate() {
        let code = &expected.iter().find(|(of, _)| of == module).expect("refused").1;
        assert!(!code.is_empty() && expected.iter().all(|(of, other)| of != module || other == code), "{expected:?}");
        let labels = format!("code=\"{code}\",module=\"{module}\"");
        let count = 2 * (number as i64 + 1);
        assert_eq!(metrics.value("postern_edge_refusals_total", &labels), count, "{labels}");
    }
    let all = expected.len() as i64;
    assert_eq!(metrics.sum("postern_edge_refusals_total"), all);
    let seen = operator.get(&format!("/traffic/{edge}")).await.ok().body;
    let counted = |of: &serde_json::Value| of.as_i64().expect("a number");
    assert_eq!((counted(&seen["total"]["requests"]), counted(&seen["total"]["refused"])), (all, all), "{seen}");
    let faults = &seen["total"]["faults"];
    assert_eq!(counted(&faults["configuration"]) + counted(&faults["visitor"]), all, "{seen}");

    let listed =
        world.operator_of_visitors().get(&format!("/edges/https/{edge}/decisions")).await.ok().body["decisions"]
            .clone();
    let listed = listed.as_array().expect("a list");
    assert_eq!(listed.len() as i64, all);
    for one in listed {
        let status = counted(&one["status"]);
        assert!((400..500).contains(&status) && counted(&one["duration_microseconds"]) > 0, "{one}");
    }
}

#[tokio::test]
async fn requests_that_are_not_http_are_refused_and_counted() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent_with_one_session().await;
    let tunnel = agent.https("site", &origin).await;
    for (number, head) in ["Content-Length: 1\r\nContent-Length: 2", "Transfer-Encoding: chunked\r\nContent-Length: 2"]
        .into_iter()
        .enumerate()
    {
        let stream = world.visitor().tls(&tunnel.host(), &[b"http/1.1"]).await.expect("a handshake");
        let mut client = Http1Client::new(stream);
        client.send(format!("GET / HTTP/1.1\r\nHost: {}\r\n{head}\r\n\r\n", tunnel.host()).as_bytes()).await;
        let response = client.response().await;
        assert_eq!(response.status, 400, "{}", response.head);
        let count = number as i64 + 1;
        samples(
            &world,
            &[
                ("postern_edge_requests_total", "class=\"4xx\",kind=\"none\"", count),
                ("postern_edge_request_seconds_count", "kind=\"none\"", count),
            ],
        )
        .await;
        assert_eq!(Metrics::read(&world).await.sum("postern_edge_refusals_total"), count);
        let traffic = world.operator().get("/status").await.ok().body["traffic"].clone();
        assert_eq!(
            (&traffic["requests"], &traffic["refused"], &traffic["faults"]["visitor"]),
            (&json!(count), &json!(count), &json!(count))
        );
    }
}

#[tokio::test]
async fn failed_handshakes_are_counted_by_reason() {
    let world = World::start().await;
    let https = world.server.addresses.https;
    drop(TcpStream::connect(https).await.expect("a connection"));
    let mut half = TcpStream::connect(https).await.expect("a connection");
    half.write_all(&[22, 3, 1, 2, 0, 1, 0, 1]).await.expect("sent");
    drop(half);
    for _ in 0..2 {
        let mut plain = TcpStream::connect(https).await.expect("a connection");
        plain.write_all(b"this is not TLS\n").await.expect("sent");
        let _ = plain.read_to_end(&mut Vec::new()).await;
    }
    let failed = "postern_edge_failed_handshakes_total";
    samples(&world, &[(failed, "reason=\"silent\"", 1), (failed, "reason=\"left\"", 1), (failed, "reason=\"tls\"", 2)])
        .await;
    assert_eq!(Metrics::read(&world).await.sum(failed), 4);
}

#[tokio::test]
async fn floods_and_circuits_are_counted() {
    let world = World::start().await;
    let operator = world.operator();
    let origin = Origin::start("hello").await;
    let agent = world.agent_with_one_session().await;
    let tunnel = agent.https("site", &origin).await;
    for count in 1..=2 {
        let mut stream = world.visitor().tls(&tunnel.host(), &[b"h2"]).await.expect("a handshake");
        stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await.expect("sent");
        // WINDOW_UPDATE frames of the connection by one byte each.
        let frames = b"\0\0\x04\x08\0\0\0\0\0\0\0\0\x01".repeat(1000);
        let flood = async { while stream.write_all(&frames).await.is_ok() {} };
        finishes("the server ends the connection", flood).await;
        samples(&world, &[("postern_edge_reset_floods_total", "", count)]).await;
    }

    agent.labelled("shop", "app=shop", &origin).await;
    let group = operator.group("app", "shop").await;
    let edge = operator.post("/edges/https", json!({ "hostports": ["shop.example.test:443"] })).await.ok().text("id");
    for count in 1..=2 {
        let breaker = json!({ "tripped_duration": 3600, "rolling_window": 60, "volume_threshold": 2, "error_threshold_percentage": 0.5 });
        let route = json!({ "match_type": "path_prefix", "match": format!("/status/50{count}"), "backend": { "backend_id": group },
            "circuit_breaker": breaker });
        operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok();
        let url = format!("https://shop.example.test:{}/status/50{count}", world.server.addresses.https.port());
        let visitor = world.visitor();
        for _ in 0..2 {
            assert_eq!(visitor.get(&url).await.status, 500 + count as u16);
        }
        assert_eq!(visitor.get(&url).await.status, 503);
        samples(&world, &[("postern_edge_circuits_opened_total", "", count)]).await;
    }
}

#[tokio::test]
async fn restrictions_are_counted_by_type() {
    let world = World::start().await;
    let operator = world.operator();
    let token = operator.credential(&[]).await.1;
    let elsewhere = operator.policy(&[("allow", "203.0.113.0/24")]).await;
    for part in ["dashboard", "api", "agent", "endpoints"] {
        let body = json!({ "type": part, "enforced": false, "ip_policy_ids": [elsewhere] });
        operator.post("/ip_restrictions", body).await.ok();
    }
    let warned = "postern_ip_restriction_warnings_total";
    let before = Metrics::read(&world).await.value(warned, "type=\"api\"");
    for _ in 0..3 {
        operator.get("/ip_policies").await.ok();
    }
    for _ in 0..2 {
        operator.get("/console/").await.ok();
    }
    let origin = Origin::start("hello").await;
    let agent = world.agent_setup("agent", &token).with_one_session().start().await;
    let tunnel = agent.https("site", &origin).await;
    let visitor = world.visitor();
    for _ in 0..4 {
        assert_eq!(visitor.get(&tunnel.url("/")).await.text(), "hello");
    }
    let warnings = [("api", before + 3), ("dashboard", 2), ("agent", 1), ("endpoints", 4)];
    for (part, count) in warnings {
        samples(&world, &[(warned, &format!("type=\"{part}\""), count)]).await;
    }

    for part in ["dashboard", "api"] {
        let body = json!({ "type": part, "enforced": true, "ip_policy_ids": [elsewhere] });
        operator.post("/ip_restrictions", body).await.ok();
    }
    let refused = "postern_ip_restriction_refusals_total";
    for _ in 0..3 {
        assert_eq!(operator.get("/ip_policies").await.status, 403);
    }
    for _ in 0..2 {
        assert_eq!(operator.get("/console/").await.status, 403);
    }
    samples(&world, &[(refused, "type=\"api\"", 3), (refused, "type=\"dashboard\"", 2)]).await;
}

#[tokio::test]
async fn lines_that_the_access_log_cannot_take_are_counted() {
    let world = World::with(|setup| setup.flags(&["--access-log", "/dev/full"])).await;
    let url = format!("https://unpublished.localhost:{}/", world.server.addresses.https.port());
    let visitor = world.visitor();
    for count in 1..=3 {
        assert_eq!(visitor.get(&url).await.status, 404);
        samples(&world, &[("postern_access_log_dropped_total", "", count)]).await;
    }
}

#[tokio::test]
async fn events_that_the_audit_log_cannot_take_are_counted() {
    let world = World::with(|setup| setup.flags(&["--audit-log", "/dev/full"])).await;
    let before = Metrics::read(&world).await.value("postern_audit_log_dropped_total", "");
    // Each node writes every event to its own log.
    let nodes = world.servers().len() as i64;
    for count in 1..=3 {
        world.operator().post("/ip_policies", json!({})).await.ok();
        samples(&world, &[("postern_audit_log_dropped_total", "", before + count * nodes)]).await;
    }
}

#[tokio::test]
async fn connections_over_a_limit_are_counted() {
    let turned_away = "postern_edge_connections_turned_away_total";
    let world = World::with(|setup| setup.flags(&["--max-connections", "1"])).await;
    let http = world.server.addresses.http;
    let mut only = TcpStream::connect(http).await.expect("a connection");
    only.write_all(b"GET").await.expect("sent");
    samples(&world, &[("postern_edge_connections", "listener=\"http\"", 1)]).await;
    let url = format!("http://unpublished.localhost:{}/", http.port());
    for count in 1..=3 {
        assert_eq!(world.visitor().get(&url).await.status, 503);
        samples(&world, &[(turned_away, "limit=\"all\"", count)]).await;
    }

    let flags = ["--trusted-proxies", "127.0.0.9/32", "--direct-visitors", "refuse"];
    let world = World::with(|setup| setup.flags(&flags)).await;
    let http = world.server.addresses.http;
    for count in 1..=2 {
        let mut direct = TcpStream::connect(http).await.expect("a connection");
        let _ = direct.read(&mut [0; 1]).await;
        samples(&world, &[(turned_away, "limit=\"direct\"", count)]).await;
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind("127.0.0.9:0".parse().expect("an address")).expect("bound");
        let mut proxied = socket.connect(http).await.expect("a connection");
        proxied.write_all(b"GET / HTTP/1.1\r\n\r\n").await.expect("sent");
        let _ = proxied.read(&mut [0; 1]).await;
        samples(&world, &[(turned_away, "limit=\"proxy\"", count)]).await;
    }
    assert_eq!(Metrics::read(&world).await.sum(turned_away), 4);
}

#[tokio::test]
async fn the_status_counts_what_is_configured_and_stored() {
    let began = postern_api::clock::now().as_second();
    let world = World::start().await;
    let ready = postern_api::clock::now().as_second();
    let started = Metrics::read(&world).await.value("postern_start_time_seconds", "");
    assert!((began..=ready).contains(&started), "{started} is not within {began} and {ready}");
    let operator = world.operator();
    let before = operator.get("/status").await.ok().body;
    let none = json!({ "https_edges": 0, "tls_edges": 0, "tcp_edges": 0, "backends": 0,
        "tls_certificates": before["configured"]["tls_certificates"], "credentials": 0 });
    assert_eq!(before["configured"], none);
    let mut changes = 0;
    let ports = world.server.tcp_ports();
    for (path, count) in
        [("/edges/https", 1), ("/edges/tls", 2), ("/edges/tcp", 3), ("/backends/http_response", 4), ("/credentials", 5)]
    {
        for number in 0..count {
            let body = match path {
                "/edges/tcp" => json!({ "hostports": [format!("localhost:{}", ports.0 + number)] }),
                "/edges/https" | "/edges/tls" => {
                    json!({ "hostports": [format!("{}{number}.example.test:443", &path[7..])] })
                }
                _ => json!({}),
            };
            operator.post(path, body).await.ok();
            changes += 1;
        }
    }
    let after = eventually("the size of the folder", async || {
        let status = operator.get("/status").await.ok().body;
        let entries = std::fs::read_dir(world.server.folder()).expect("a folder");
        let sizes = entries.filter_map(|entry| entry.ok()?.metadata().ok()).filter(|found| found.is_file());
        (status["store"]["bytes"] == sizes.map(|found| found.len()).sum::<u64>()).then_some(status)
    })
    .await;
    let configured = &after["configured"];
    for (member, count) in [("https_edges", 1), ("tls_edges", 2), ("tcp_edges", 3), ("backends", 4), ("credentials", 5)]
    {
        assert_eq!(configured[member], count, "{configured}");
    }
    let revision = |status: &serde_json::Value| status["store"]["revision"].as_u64().expect("a number");
    assert_eq!(revision(&after) - revision(&before), changes, "one for each change");
}
