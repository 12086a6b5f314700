//! Figures: traffic of known size is driven through tunnels, and every number that is shown about it is compared.

mod bytes;
mod capture;
mod dashboard;
mod durations;
mod faults;
mod history;
mod link;
mod metrics;
mod rates;
mod server;
mod table;
mod timed;

use self::metrics::Metrics;
use futures::{StreamExt, future::join_all};
use postern_tests::{
    Agent, Operator, Origin, Visitor, World,
    condition::finishes,
    eventually,
    scripted_origin::{OriginConnection, ScriptedOrigin},
    tcp::{Echo, EchoClient},
    tls,
    websocket::assert_echoes,
};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_tungstenite::tungstenite::Message;

const VISITORS: usize = 5;

/// The metrics of a tunnel at the agent, once those of connections are as expected.
async fn connections(agent: &Agent, name: &str, count: usize, gauge: usize) -> Value {
    eventually(&format!("{count} connections of {name}, {gauge} open"), async || {
        let metrics = agent.get(&format!("/api/tunnels/{name}")).await.ok()["metrics"].clone();
        let fits = (&metrics["conns"]["count"], &metrics["conns"]["gauge"]) == (&json!(count), &json!(gauge));
        fits.then_some(metrics)
    })
    .await
}

/// The totals of one tunnel at the server, once they are as expected.
async fn totals(operator: &Operator, tunnel: &str, expected: &Value) {
    let id = tunnel_id(operator, tunnel).await;
    eventually(&format!("the totals of {tunnel} are {expected}"), async || {
        let seen = operator.get(&format!("/traffic/{id}")).await.ok().body["total"].clone();
        let members = expected.as_object().expect("an object");
        members.iter().all(|(member, value)| seen[member] == *value).then_some(())
    })
    .await;
}

async fn tunnel_id(operator: &Operator, url: &str) -> String {
    let tunnels = operator.get("/tunnels").await.ok().body["tunnels"].clone();
    let found = tunnels.as_array().expect("a list").iter().find(|tunnel| tunnel["public_url"] == url);
    found.unwrap_or_else(|| panic!("{url} in {tunnels}"))["id"].as_str().expect("an id").to_owned()
}

/// A visitor with a connection pool of its own, so that it is one connection.
fn visitor_over(world: &World, http2: bool) -> Visitor {
    world.visitor().with(|client| if http2 { client } else { client.http1_only() })
}

fn nanoseconds(metrics: &Value, part: &str, percentile: &str) -> u64 {
    metrics[part][percentile].as_u64().unwrap_or_else(|| panic!("{part}.{percentile} in {metrics}"))
}

#[tokio::test]
async fn visitors_one_after_another_are_counted_once_each() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent_with_one_session().await;
    for http2 in [false, true] {
        let name = if http2 { "two" } else { "one" };
        let tunnel = agent.https(name, &origin).await;
        for _ in 0..VISITORS {
            let visitor = visitor_over(&world, http2);
            for _ in 0..2 {
                let response = visitor.get(&tunnel.url("/")).await;
                assert_eq!(response.version == http::Version::HTTP_2, http2);
            }
        }
        let metrics = connections(&agent, name, VISITORS, 0).await;
        assert_eq!(metrics["http"]["count"], 2 * VISITORS, "{metrics}");
        for percentile in ["p50", "p90", "p95", "p99"] {
            let (connection, request) =
                (nanoseconds(&metrics, "conns", percentile), nanoseconds(&metrics, "http", percentile));
            assert!(request > 0 && connection >= request / 2, "a connection lasts as long as its requests: {metrics}");
        }
    }
}

#[tokio::test]
async fn visitors_at_once_are_open_until_they_leave() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent_with_one_session().await;
    for http2 in [false, true] {
        let name = if http2 { "two" } else { "one" };
        let tunnel = agent.https(name, &origin).await;
        let visitors: Vec<Visitor> = (0..VISITORS).map(|_| visitor_over(&world, http2)).collect();
        let url = tunnel.url("/");
        join_all(visitors.iter().map(|visitor| visitor.get(&url))).await;
        connections(&agent, name, VISITORS, VISITORS).await;
        // Idle streams between the server and the agent do not matter.
        join_all(visitors.iter().map(|visitor| visitor.get(&url))).await;
        let metrics = connections(&agent, name, VISITORS, VISITORS).await;
        assert_eq!(metrics["conns"]["p50"], 0, "no connection has ended: {metrics}");
        drop(visitors);
        let metrics = connections(&agent, name, VISITORS, 0).await;
        assert!(nanoseconds(&metrics, "conns", "p50") > 0, "{metrics}");
        let endpoint = agent.get(&format!("/api/endpoints/{name}")).await.ok();
        assert_eq!(endpoint["metrics"]["conns"]["count"], VISITORS, "{endpoint}");
    }
}

#[tokio::test]
async fn plain_http_and_labelled_tunnels_count_visitors_as_well() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent_with_one_session().await;
    let definition = json!({ "name": "plain", "proto": "http", "schemes": ["http"], "addr": origin.to_string() });
    let plain = agent.tunnel(definition).await;
    agent.labelled("shop", "app=shop", &origin).await;
    let operator = world.operator();
    let backend = operator.group("app", "shop").await;
    let edge = operator.post("/edges/https", json!({ "hostports": ["shop.example.test:443"] })).await.ok().text("id");
    let route = json!({ "match_type": "path_prefix", "match": "/", "backend": { "backend_id": backend } });
    operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok();
    let shop = format!("https://shop.example.test:{}/", world.server.addresses.https.port());
    for (name, url) in [("plain", plain.url("/")), ("shop", shop)] {
        let visitor = world.visitor();
        assert_eq!(visitor.get(&url).await.text(), "hello", "{name}");
        connections(&agent, name, 1, 1).await;
        drop(visitor);
        connections(&agent, name, 1, 0).await;
    }
}

#[tokio::test]
async fn an_upgraded_connection_is_open_until_its_end() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent_with_one_session().await;
    let tunnel = agent.https("site", &origin).await;
    let (mut socket, _) = world.visitor().websocket(&tunnel.url("/socket")).await;
    assert_echoes(&mut socket, Message::text("hello")).await;
    let metrics = connections(&agent, "site", 1, 1).await;
    assert_eq!(metrics["http"]["count"], 1, "{metrics}");
    socket.close(None).await.expect("closed in order");
    while finishes("the end", socket.next()).await.is_some() {}
    drop(socket);
    connections(&agent, "site", 1, 0).await;
    let listed = agent.get("/api/requests/http/summaries").await.ok()["requests"].clone();
    assert_eq!((listed.as_array().map(Vec::len), &listed[0]["frames"]), (Some(1), &json!(4)), "{listed}");
}

#[tokio::test]
async fn connections_of_tcp_and_tls_tunnels_and_their_bytes() {
    let world = World::start().await;
    let operator = world.operator();
    let agent = world.agent_with_one_session().await;
    let echo = Echo::named("echo").await;
    let tcp = agent.tcp("shell", &echo).await;
    let mut clients = Vec::new();
    for _ in 0..VISITORS {
        let (mut client, greeting) = EchoClient::connect(tcp.port()).await.expect("a connection");
        assert_eq!((greeting.as_str(), client.echo("abc").await.as_deref()), ("echo", Some("abc")));
        clients.push(client);
    }
    let metrics = connections(&agent, "shell", VISITORS, VISITORS).await;
    assert_eq!(metrics["http"]["count"], 0, "{metrics}");
    drop(clients);
    connections(&agent, "shell", VISITORS, 0).await;
    let (received, sent) = (VISITORS * "abc\n".len(), VISITORS * "echo\nabc\n".len());
    let url = tcp.url("");
    totals(&operator, &url, &json!({ "requests": VISITORS, "bytes_in": received, "bytes_out": sent })).await;

    let own = tls::self_signed("vault.localhost");
    let greet = |mut connection: OriginConnection<_>| async move { connection.close_with(b"secret").await };
    let service = ScriptedOrigin::serving_tls(tls::acceptor(&own, &[]), greet).await;
    let definition =
        json!({ "name": "vault", "proto": "tls", "addr": service.port().to_string(), "domain": "vault.localhost" });
    agent.tunnel(definition).await;
    for _ in 0..VISITORS {
        let stream = tokio::net::TcpStream::connect(world.server.addresses.https).await.expect("a connection");
        let name = rustls_pki_types::ServerName::try_from("vault.localhost").expect("a name");
        let connector = tls::connector(&[own.cert.der().clone()], &[]);
        let mut stream = connector.connect(name, stream).await.expect("a handshake");
        let mut text = String::new();
        let _ = stream.read_to_string(&mut text).await;
        assert_eq!(text, "secret");
    }
    connections(&agent, "vault", VISITORS, 0).await;
}

#[tokio::test]
async fn requests_bytes_refusals_and_failures_are_the_same_numbers_everywhere() {
    let world = World::start().await;
    let operator = world.operator();
    let origin = Origin::start("hello").await;
    let agent = world.agent_with_one_session().await;
    let before = Metrics::read(&world).await;
    for (name, http2) in [("one", false), ("two", true)] {
        let tunnel = agent.https(name, &origin).await;
        let visitor = visitor_over(&world, http2);
        let body = vec![b'x'; 1000];
        for _ in 0..3 {
            let request = visitor.http.post(tunnel.url("/echo")).body(body.clone());
            assert_eq!(visitor.send(request).await.body.len(), body.len());
        }
        for status in [404, 500] {
            assert_eq!(visitor.get(&tunnel.url(&format!("/status/{status}"))).await.status, status);
        }
        drop(visitor);
        let expected = json!({
            "requests": 5, "refused": 1, "failed": 1, "bytes_in": 3000, "bytes_out": 3000 + 2 * "status 404".len(),
            "faults": { "visitor": 1, "configuration": 0, "agent": 0, "service": 1, "server": 0 },
        });
        totals(&operator, &tunnel.url(""), &expected).await;
        let metrics = connections(&agent, name, 1, 0).await;
        assert_eq!(metrics["http"]["count"], 5, "{metrics}");
        let path = format!("/api/requests/http?tunnel_name={name}");
        let captured = agent.get(&path).await.ok()["requests"].clone();
        let echoes = captured.as_array().expect("a list").iter().filter(|request| request["request"]["uri"] == "/echo");
        for echo in echoes.clone() {
            assert_eq!((&echo["request"]["body_size"], &echo["response"]["body_size"]), (&json!(1000), &json!(1000)));
        }
        assert_eq!((captured.as_array().map(Vec::len), echoes.count()), (Some(5), 3));
    }
    // Nothing of a refusal by the edge itself reaches the agent.
    let unpublished = format!("https://unpublished.localhost:{}/", world.server.addresses.https.port());
    assert_eq!(world.visitor().get(&unpublished).await.status, 404);

    let status = operator.get("/status").await.ok().body;
    let traffic = &status["traffic"];
    assert_eq!(
        (&traffic["requests"], &traffic["refused"], &traffic["failed"]),
        (&json!(11), &json!(3), &json!(2)),
        "{status}"
    );
    assert_eq!((&status["sessions"], &status["tunnels"]), (&json!(1), &json!(2)), "{status}");

    let after = Metrics::read(&world).await;
    for (metric, labels, more) in [
        ("postern_edge_requests_total", "class=\"2xx\",kind=\"tunnel\"", 6),
        ("postern_edge_requests_total", "class=\"4xx\",kind=\"tunnel\"", 2),
        ("postern_edge_requests_total", "class=\"5xx\",kind=\"tunnel\"", 2),
        ("postern_edge_request_seconds_count", "kind=\"tunnel\"", 10),
        ("postern_edge_received_bytes_total", "kind=\"tunnel\"", 6000),
        ("postern_edge_sent_bytes_total", "kind=\"tunnel\"", 6040),
    ] {
        assert_eq!(after.value(metric, labels) - before.value(metric, labels), more, "{metric}{{{labels}}}");
    }
    assert_eq!(after.value("postern_tunnels", ""), 2);
    assert_eq!(after.value("postern_sessions", ""), 1);

    let capture = agent.get("/api/status").await.ok()["capture"].clone();
    assert_eq!((&capture["count"], &capture["pinned"], &capture["dropped"]), (&json!(10), &json!(0), &json!(0)));
    let bytes = capture["bytes"].as_u64().expect("bytes");
    assert!((12_000..200_000).contains(&bytes) && bytes < capture["limit"].as_u64().expect("a limit"), "{capture}");
}

#[tokio::test]
async fn a_visitor_who_leaves_in_the_middle_is_counted_and_leaves() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent_with_one_session().await;
    let tunnel = agent.https("site", &origin).await;
    let mut stream = world.visitor().tls(&tunnel.host(), &[b"http/1.1"]).await.expect("a handshake");
    let head = format!("POST /echo HTTP/1.1\r\nHost: {}\r\nContent-Length: 10\r\n\r\nhalf", tunnel.host());
    stream.write_all(head.as_bytes()).await.expect("sent");
    stream.flush().await.expect("sent");
    connections(&agent, "site", 1, 1).await;
    drop(stream);
    let metrics = connections(&agent, "site", 1, 0).await;
    assert_eq!(metrics["http"]["count"], 0, "it got no response: {metrics}");
}
