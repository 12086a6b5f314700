//! Durations that are shown lie between what the local service measured and what the visitor measured around it.

use super::{
    VISITORS, connections,
    metrics::Metrics,
    timed::{Measured, TimedOrigin, assert_percentiles},
    visitor_over,
};
use futures::future::join_all;
use postern_tests::{
    Agent, Origin, Visitor, World,
    condition::finishes,
    eventually,
    scripted_origin::{OriginConnection, ScriptedOrigin},
    tcp::{Echo, EchoClient},
    tls,
    websocket::assert_echoes,
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, time::Duration};
use tokio::{io::AsyncReadExt, net::TcpStream, sync::watch, time::Instant};
use tokio_rustls::server::TlsStream;
use tokio_tungstenite::tungstenite::Message;

/// Requests in each of two rounds; the second one uses the connections of the first.
const ROUND: u64 = 8;

/// How long the visitor waited for `/0` to `/15` and when it began to, by number.
async fn visit(visitor: &Visitor, base: &str) -> BTreeMap<u64, (Instant, Duration)> {
    let mut waited = BTreeMap::new();
    for round in [0..ROUND, ROUND..2 * ROUND] {
        let visits = round.map(|number| async move {
            let began = Instant::now();
            assert_eq!(visitor.get(&format!("{base}/{number}")).await.text(), "ok");
            (number, (began, began.elapsed()))
        });
        waited.extend(join_all(visits).await);
    }
    waited
}

#[tokio::test]
async fn durations_of_requests_are_those_of_the_service_and_the_visitor() {
    let world = World::with(|setup| setup.flags(&["--access-log", "stdout"])).await;
    let operator = world.operator();
    let agent = world.agent_with_one_session().await;
    let mut sums = Measured { inside: Duration::ZERO, around: Duration::ZERO };
    let mut all = Vec::new();
    for http2 in [false, true] {
        let name = if http2 { "two" } else { "one" };
        let service = TimedOrigin::start(Duration::from_millis(4)).await;
        let tunnel = agent.https(name, &service.origin).await;
        let waited = visit(&visitor_over(&world, http2), &tunnel.url("")).await;
        let held = service.held();
        let measured = |number: u64| Measured { inside: held[&number], around: waited[&number].1 };
        let each: Vec<Measured> = waited.keys().map(|&number| measured(number)).collect();

        let shown = agent.get(&format!("/api/tunnels/{name}")).await.ok()["metrics"].clone();
        assert_eq!(shown["http"]["count"], 2 * ROUND, "{shown}");
        assert_percentiles(&shown["http"], &each);
        assert_captured(&agent, name, measured, service.origin.connections()).await;
        for number in waited.keys() {
            let (began, _) = waited[number];
            let line = logged(&world, &tunnel.host(), &format!("/{number}")).await;
            let microseconds = line["duration_microseconds"].as_u64().expect("a duration");
            let around = Measured { inside: measured(*number).inside, around: began.elapsed() };
            around.assert_holds((microseconds + 1) * 1000, "the duration in the access log");
        }
        sums.inside += each.iter().map(|one| one.inside).sum::<Duration>();
        sums.around += each.iter().map(|one| one.around).sum::<Duration>();
        all.extend(each);
    }
    let metrics = Metrics::read(&world).await;
    let histogram = "postern_edge_request_seconds";
    let seconds = metrics.float(&format!("{histogram}_sum"), "kind=\"tunnel\"");
    sums.assert_holds((seconds * 1e9) as u64, "the sum of the histogram");
    for bound in ["0.01", "0.025", "0.05", "0.1", "0.25", "+Inf"] {
        let limit = bound.parse::<f64>().expect("a number");
        let within =
            |side: fn(&Measured) -> Duration| all.iter().filter(|one| side(one).as_secs_f64() <= limit).count();
        let found = metrics.value(&format!("{histogram}_bucket"), &format!("kind=\"tunnel\",le=\"{bound}\""));
        let (fewest, most) = (within(|one| one.around) as i64, within(|one| one.inside) as i64);
        assert!((fewest..=most).contains(&found), "{found} up to {bound} s, not {fewest} to {most}");
    }
    assert_eq!(operator.get("/status").await.ok().body["traffic"]["requests"], 4 * ROUND);
}

/// The line of a request in the access log.
async fn logged(world: &World, host: &str, path: &str) -> Value {
    eventually("the line is written", async || {
        let output = world.server.process.stdout();
        let lines = output.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        // HTTP/1.1 has the port in `Host`.
        let is_host = |line: &Value| line["host"].as_str().is_some_and(|found| found.split(':').next() == Some(host));
        lines.into_iter().find(|line| is_host(line) && line["path"] == path)
    })
    .await
}

/// Compares everything that the agent shows about single requests.
async fn assert_captured(agent: &Agent, name: &str, measured: impl Fn(u64) -> Measured, connections: usize) {
    let query = format!("?tunnel_name={name}&limit=100");
    let captured = agent.get(&format!("/api/requests/http{query}")).await.ok()["requests"].clone();
    let summaries = agent.get(&format!("/api/requests/http/summaries{query}")).await.ok()["requests"].clone();
    let archive = agent.get(&format!("/api/requests/har{query}")).await.ok()["log"]["entries"].clone();
    let number = |target: &Value| -> u64 { target.as_str().expect("text").trim_start_matches('/').parse().unwrap() };
    let list = |of: &Value| of.as_array().expect("a list").clone();
    assert_eq!((list(&captured).len() as u64, list(&archive).len() as u64), (2 * ROUND, 2 * ROUND));
    for one in list(&captured) {
        let expected = measured(number(&one["request"]["uri"]));
        for (what, shown) in [
            ("duration", &one["duration"]),
            ("first_byte", &one["timing"]["first_byte"]),
            ("last_byte", &one["timing"]["last_byte"]),
        ] {
            expected.assert_holds(shown.as_u64().expect("a duration"), what);
        }
    }
    for one in list(&summaries) {
        measured(number(&one["path"])).assert_holds(one["duration"].as_u64().expect("a duration"), "duration");
    }
    let dialed = list(&captured).iter().filter(|one| one["timing"]["connect"].as_u64() > Some(0)).count();
    assert_eq!(dialed, connections, "the first request of each connection waits for it");
    for one in list(&archive) {
        let milliseconds = one["time"].as_f64().expect("a time");
        let expected = measured(number(&one["request"]["_target"]));
        expected.assert_holds((milliseconds * 1e6) as u64, "the time of the archive");
        let timings = one["timings"].as_object().expect("timings").values();
        let parts: f64 = timings.filter_map(Value::as_f64).filter(|part| *part >= 0.0).sum();
        assert!((parts - milliseconds).abs() < 0.001, "the parts are the time: {one}");
    }
}

/// Opens connections one after another, each for a little longer, and compares the durations that are shown.
async fn assert_lasting<C>(agent: &Agent, name: &str, open: impl AsyncFn() -> C) {
    let mut measured = Vec::new();
    for number in 1..=VISITORS {
        let began = Instant::now();
        let connection = open().await;
        let established = Instant::now();
        connections(agent, name, number, 1).await;
        tokio::time::sleep(Duration::from_millis(10) * number as u32).await;
        let inside = established.elapsed();
        drop(connection);
        connections(agent, name, number, 0).await;
        measured.push(Measured { inside, around: began.elapsed() });
    }
    let shown = agent.get(&format!("/api/tunnels/{name}")).await.ok()["metrics"]["conns"].clone();
    assert_percentiles(&shown, &measured);
}

#[tokio::test]
async fn durations_of_connections_are_those_of_the_visitor() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent_with_one_session().await;
    for http2 in [false, true] {
        let name = if http2 { "two" } else { "one" };
        let tunnel = agent.https(name, &origin).await;
        assert_lasting(&agent, name, async || {
            let visitor = visitor_over(&world, http2);
            visitor.get(&tunnel.url("/")).await;
            visitor
        })
        .await;
    }
    let tunnel = agent.https("socket", &origin).await;
    assert_lasting(&agent, "socket", async || {
        let (mut socket, _) = world.visitor().websocket(&tunnel.url("/socket")).await;
        assert_echoes(&mut socket, Message::text("hello")).await;
        socket
    })
    .await;

    let echo = Echo::named("echo").await;
    let port = agent.tcp("shell", &echo).await.port();
    assert_lasting(&agent, "shell", async || EchoClient::connect(port).await.expect("a connection")).await;

    let own = tls::self_signed("vault.localhost");
    let greet = |mut connection: OriginConnection<TlsStream<TcpStream>>| async move {
        connection.send(b"hello").await.expect("sent");
        let _ = connection.stream.read(&mut [0; 1]).await;
    };
    let service = ScriptedOrigin::serving_tls(tls::acceptor(&own, &[]), greet).await;
    agent
        .tunnel(json!({ "name": "vault", "proto": "tls", "addr": service.to_string(), "domain": "vault.localhost" }))
        .await;
    assert_lasting(&agent, "vault", async || {
        let stream = TcpStream::connect(world.server.addresses.https).await.expect("a connection");
        let name = rustls_pki_types::ServerName::try_from("vault.localhost").expect("a name");
        let connector = tls::connector(&[own.cert.der().clone()], &[]);
        let mut stream = connector.connect(name, stream).await.expect("a handshake");
        stream.read_exact(&mut [0; 5]).await.expect("the greeting");
        stream
    })
    .await;
}

#[tokio::test]
async fn the_stages_of_a_request_lie_between_what_both_sides_saw() {
    let world = World::start().await;
    let operator = world.operator();
    let (step, steps) = watch::channel(0);
    let service = ScriptedOrigin::serving(move |mut connection| {
        let mut steps = steps.clone();
        async move {
            while connection.request_ending_in(b"\r\n0\r\n\r\n").await.is_some() {
                for (number, bytes) in [(1, &b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nha"[..]), (2, b"lf")] {
                    steps.wait_for(|now| *now >= number).await.expect("the test goes on");
                    connection.send(bytes).await.expect("sent");
                }
            }
        }
    })
    .await;
    let agent = world.agent_with_one_session().await;
    agent.labelled("shop", "app=shop", &service).await;
    let backend = operator.group("app", "shop").await;
    let edge = operator.post("/edges/https", json!({ "hostports": ["shop.example.test:443"] })).await.ok().text("id");
    let policy = operator.policy(&[("allow", "127.0.0.0/8")]).await;
    let route = json!({ "match_type": "path_prefix", "match": "/", "backend": { "backend_id": backend },
        "ip_restriction": { "ip_policy_ids": [policy] } });
    operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok();
    let url = format!("https://shop.example.test:{}/", world.server.addresses.https.port());

    let (pieces, body) = tokio::sync::mpsc::channel::<Result<bytes::Bytes, std::io::Error>>(1);
    let body = futures::stream::unfold(body, |mut body| async { Some((body.recv().await?, body)) });
    let visitor = world.visitor();
    let request = visitor.http.post(&url).body(reqwest::Body::wrap_stream(body));
    let began = Instant::now();
    let asking = tokio::spawn(async move { request.send().await.expect("a response") });
    pieces.send(Ok("first".into())).await.expect("sent");
    // The head is at the agent when the agent lists the request.
    let first = async |_: &str| agent.get("/api/requests/http").await.ok()["requests"][0].clone();
    eventually("the agent has the head", async || first("head").await["id"].is_string().then_some(())).await;
    let listed = Instant::now();
    pieces.send(Ok("second".into())).await.expect("sent");
    eventually("the service has a part", async || (service.connections() > 0).then_some(())).await;
    let last_piece = Instant::now();
    drop(pieces);
    eventually("the service has all", async || (!service.requests().is_empty()).then_some(())).await;
    let all_arrived = Instant::now();
    step.send_replace(1);
    let mut response = finishes("the head", asking).await.expect("no panic");
    assert_eq!(response.chunk().await.expect("a part").expect("a part"), "ha");
    let half = Instant::now();
    let before_rest = Instant::now();
    step.send_replace(2);
    assert_eq!(response.chunk().await.expect("the rest").expect("the rest"), "lf");
    assert!(response.chunk().await.expect("the end").is_none());
    let end = Instant::now();

    let one =
        eventually("the exchange has ended", async || Some(first("end").await).filter(|one| one["duration"] != 0))
            .await;
    let timing = |name: &str| one["timing"][name].as_u64().unwrap_or_else(|| panic!("{name} in {one}"));
    for (name, from, until) in [
        ("sent", last_piece - listed, all_arrived - began),
        ("first_byte", all_arrived - listed, half - began),
        ("last_byte", before_rest - listed, end - began),
        ("connect", Duration::from_nanos(1), all_arrived - began),
        ("edge", Duration::from_nanos(1), listed - began),
        ("queue", Duration::ZERO, listed - began),
        ("modules", Duration::ZERO, listed - began),
    ] {
        Measured { inside: from, around: until }.assert_holds(timing(name), name);
    }
    assert!(timing("queue") + timing("modules") <= timing("edge"), "both are parts of it: {one}");
    assert_eq!(one["duration"], one["timing"]["last_byte"], "{one}");
    let trace = &one["trace"];
    let microseconds = |of: &Value| of.as_u64().unwrap_or_else(|| panic!("a duration in {trace}"));
    assert_eq!(timing("edge"), microseconds(&trace["microseconds"]) * 1000);
    assert_eq!(timing("queue"), microseconds(&trace["queue_microseconds"]) * 1000);
    assert_eq!(timing("modules"), microseconds(&trace["decisions"][0]["microseconds"]) * 1000);
}
