//! Bytes that are shown are those that the visitor and the local service counted themselves.

use super::{connections, metrics::Metrics, totals, visitor_over};
use futures::{SinkExt, StreamExt, stream};
use postern_tests::{
    Origin, World,
    condition::finishes,
    eventually,
    scripted_origin::{OriginConnection, ScriptedOrigin},
    tcp::{Echo, EchoClient},
    tls,
};
use serde_json::{Value, json};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering::SeqCst},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_rustls::server::TlsStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_util::io::{InspectReader, InspectWriter};

#[tokio::test]
async fn sizes_of_captured_messages_are_what_the_service_received_and_sent() {
    let world = World::start().await;
    let agent = world.agent_with_one_session().await;
    for http2 in [false, true] {
        let name = if http2 { "two" } else { "one" };
        let sent = Arc::new(Mutex::new(Vec::new()));
        let noted = sent.clone();
        let service = ScriptedOrigin::responding(move |request| {
            let body = "b".repeat(request.len() % 7 + 1);
            let response = match request.contains("GET") {
                true => format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()),
                false => format!(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
                    body.len()
                ),
            };
            noted.lock().expect("not poisoned").push(response.clone().into_bytes());
            response
        })
        .await;
        let tunnel = agent.https(name, &service).await;
        let visitor = visitor_over(&world, http2);
        let pieces = stream::iter(["abc", "defg"].map(Ok::<_, std::io::Error>));
        for request in [
            visitor.http.get(tunnel.url("/")),
            visitor.http.post(tunnel.url("/length")).body(vec![b'x'; 1234]),
            visitor.http.post(tunnel.url("/chunked")).body(reqwest::Body::wrap_stream(pieces)),
        ] {
            assert_eq!(visitor.send(request).await.status, 200);
        }
        let query = format!("?tunnel_name={name}");
        let listed = agent.get(&format!("/api/requests/http{query}")).await.ok()["requests"].clone();
        let lines = agent.get(&format!("/api/requests/http/summaries{query}")).await.ok()["requests"].clone();
        let newest_first = |list: &Value| list.as_array().expect("a list").iter().rev().cloned().collect::<Vec<_>>();
        let (received, sent) = (service.requests(), sent.lock().expect("not poisoned").clone());
        assert_eq!(newest_first(&listed).len(), received.len());
        let body = |message: &[u8]| message.len() - message.windows(4).position(|end| end == b"\r\n\r\n").unwrap() - 4;
        for (((one, line), received), sent) in
            newest_first(&listed).iter().zip(newest_first(&lines)).zip(&received).zip(&sent)
        {
            assert_eq!((&line["request_size"], &line["response_size"]), (&json!(received.len()), &json!(sent.len())));
            assert_eq!(one["request"]["body_size"], body(received), "{one}");
            assert_eq!(one["response"]["body_size"], body(sent), "{one}");
            assert_eq!((&one["response"]["status_code"], &line["status_code"]), (&json!(200), &json!(200)));
        }
    }
}

#[tokio::test]
async fn frames_and_bytes_of_a_websocket() {
    let world = World::start().await;
    let operator = world.operator();
    let origin = Origin::start("hello").await;
    let agent = world.agent_with_one_session().await;
    let tunnel = agent.https("site", &origin).await;
    let before = Metrics::read(&world).await;
    let (mut socket, _) = world.visitor().websocket(&tunnel.url("/socket")).await;
    let messages = [Message::text("hello"), Message::binary(vec![7; 300]), Message::text("")];
    for message in &messages {
        socket.send(message.clone()).await.expect("sent");
        assert_eq!(finishes("the echo", socket.next()).await.expect("open").expect("a message"), *message);
    }
    socket.close(None).await.expect("closed in order");
    while finishes("the end", socket.next()).await.is_some() {}
    drop(socket);

    // RFC 6455, section 5.2: two bytes, two more for a length above 125, and a mask of four from the client.
    let lengths = [5, 300, 0, 0];
    let framed =
        |mask: u64| lengths.iter().map(|&length| 2 + if length > 125 { 2 } else { 0 } + mask + length).sum::<u64>();
    let (received, sent) = (framed(4), framed(0));
    let expected = json!({ "requests": 1, "refused": 0, "failed": 0, "bytes_in": received, "bytes_out": sent });
    totals(&operator, &tunnel.url(""), &expected).await;
    let after = Metrics::read(&world).await;
    let more = |metric: &str| after.value(metric, "kind=\"tunnel\"") - before.value(metric, "kind=\"tunnel\"");
    assert_eq!(more("postern_edge_received_bytes_total"), received as i64);
    assert_eq!(more("postern_edge_sent_bytes_total"), sent as i64);
    assert_eq!(after.value("postern_edge_requests_total", "class=\"1xx\",kind=\"tunnel\""), 1);

    let line = eventually("the frames have passed", async || {
        let line = agent.get("/api/requests/http/summaries").await.ok()["requests"][0].clone();
        (line["frames"] == 8 && line["open"] == false).then_some(line)
    })
    .await;
    let uri = format!("/api/requests/http/{}", line["id"].as_str().expect("an id"));
    assert_eq!(agent.get(&uri).await.ok()["frames"], 8);
    let page = agent.get(&format!("{uri}/frames")).await.ok();
    assert_eq!((&page["count"], &page["dropped"], &page["next"]), (&json!(8), &json!(0), &Value::Null), "{page}");
    let frames = page["frames"].as_array().expect("a list");
    for from in ["visitor", "service"] {
        let found = frames.iter().filter(|frame| frame["from"] == from).map(|frame| frame["length"].as_u64());
        assert_eq!(found.collect::<Vec<_>>(), lengths.map(Some), "{from} in {page}");
    }
    let members = |name: &str| frames.iter().map(|frame| frame[name].as_u64().expect("a number")).collect::<Vec<_>>();
    assert_eq!(members("number"), (1..=8).collect::<Vec<_>>());
    let offsets = members("offset");
    assert!(offsets.is_sorted() && offsets[0] > 0, "{page}");
    let last = agent.get(&format!("{uri}/frames?limit=3")).await.ok();
    assert_eq!((last["frames"].as_array().map(Vec::len), &last["next"]), (Some(3), &json!(3)));
}

/// Bytes of a TCP connection in both directions.
#[derive(Default)]
struct Counted {
    sent: AtomicU64,
    received: AtomicU64,
}

#[tokio::test]
async fn bytes_of_tls_are_those_on_the_visitors_socket() {
    let world = World::start().await;
    let operator = world.operator();
    let agent = world.agent_with_one_session().await;
    let own = tls::self_signed("vault.localhost");
    let answer = |mut connection: OriginConnection<TlsStream<TcpStream>>| async move {
        let _ = connection.stream.read_exact(&mut [0; 1000]).await;
        connection.close_with(&[b'x'; 5000]).await;
    };
    let service = ScriptedOrigin::serving_tls(tls::acceptor(&own, &[]), answer).await;
    let definition =
        json!({ "name": "vault", "proto": "tls", "addr": service.to_string(), "domain": "vault.localhost" });
    let tunnel = agent.tunnel(definition).await;
    let counted = Counted::default();
    for _ in 0..3 {
        let stream = TcpStream::connect(world.server.addresses.https).await.expect("a connection");
        let stream = InspectWriter::new(stream, |bytes| _ = counted.sent.fetch_add(bytes.len() as u64, SeqCst));
        let stream = InspectReader::new(stream, |bytes| _ = counted.received.fetch_add(bytes.len() as u64, SeqCst));
        let name = rustls_pki_types::ServerName::try_from("vault.localhost").expect("a name");
        let connector = tls::connector(&[own.cert.der().clone()], &[]);
        let mut stream = connector.connect(name, stream).await.expect("a handshake");
        stream.write_all(&[b'y'; 1000]).await.expect("sent");
        stream.flush().await.expect("sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.expect("the end");
        assert_eq!(answer.len(), 5000);
        stream.shutdown().await.expect("closed in order");
    }
    connections(&agent, "vault", 3, 0).await;
    let (received, sent) = (counted.sent.load(SeqCst), counted.received.load(SeqCst));
    let expected = json!({ "requests": 3, "bytes_in": received, "bytes_out": sent });
    totals(&operator, &tunnel.url(""), &expected).await;
}

#[tokio::test]
async fn bytes_of_edges_are_those_that_visitors_got() {
    let world = World::with(|setup| setup.flags(&["--api-host", "api.example.test"])).await;
    let operator = world.operator();
    let greeting = "the same words again and again; ".repeat(100);
    let origin = Origin::start(&greeting).await;
    let agent = world.agent_with_one_session().await;
    agent.labelled("shop", "app=shop", &origin).await;
    let group = operator.group("app", "shop").await;
    let fixed = operator.post("/backends/http_response", json!({ "body": "fixed" })).await.ok().text("id");
    let edge = operator.post("/edges/https", json!({ "hostports": ["shop.example.test:443"] })).await.ok().text("id");
    let nowhere = operator.policy(&[("allow", "203.0.113.0/24")]).await;
    for (path, backend, module, body) in [
        ("/packed", &group, "compression", json!({})),
        ("/fixed", &fixed, "compression", json!({ "enabled": false })),
        ("/shut", &group, "ip_restriction", json!({ "ip_policy_ids": [nowhere] })),
        ("/signed", &group, "webhook_verification", json!({ "provider": "GITHUB", "secret": "a secret" })),
    ] {
        let route = json!({ "match_type": "path_prefix", "match": path, "backend": { "backend_id": backend } });
        let route = operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok().text("id");
        operator.put(&format!("/edges/https/{edge}/routes/{route}/{module}"), body).await.ok();
    }
    let base = format!("https://shop.example.test:{}", world.server.addresses.https.port());
    let (mut received, mut sent, mut refused) = (0, 0, 0);
    for http2 in [false, true] {
        let visitor = visitor_over(&world, http2);
        for (path, body, status) in
            [("/packed", 0, 200), ("/fixed", 0, 200), ("/shut", 0, 403), ("/signed", 1500, 403), ("/none", 0, 404)]
        {
            let request = visitor.http.post(format!("{base}{path}")).header("accept-encoding", "gzip");
            // Of another body, so that this one is read.
            let request = request.header("x-hub-signature-256", format!("sha256={}", "0".repeat(64)));
            let response = visitor.send(request.body(vec![b'x'; body])).await;
            assert_eq!(response.status, status, "{path}");
            assert!(path != "/packed" || response.body.len() < greeting.len() / 2, "{} bytes", response.body.len());
            (received, sent, refused) =
                (received + body, sent + response.body.len(), refused + i64::from(status >= 400));
        }
    }
    let expected = json!({ "requests": 10, "refused": refused, "failed": 0, "bytes_in": received, "bytes_out": sent });
    let total = eventually(&format!("the totals of the edge are {expected}"), async || {
        let seen = operator.get(&format!("/traffic/{edge}")).await.ok().body["total"].clone();
        let members = expected.as_object().expect("an object");
        members.iter().all(|(member, value)| seen[member] == *value).then_some(seen)
    })
    .await;
    assert_eq!(operator.get("/status").await.ok().body["traffic"], total);
    let metrics = Metrics::read(&world).await;
    for (metric, bytes) in [("received", received), ("sent", sent)] {
        let found = metrics.value(&format!("postern_edge_{metric}_bytes_total"), "kind=\"https_edge\"");
        assert_eq!(found, bytes as i64, "{metric}");
    }

    // The management API under its own name.
    let visitor = world.visitor();
    let url = format!("https://api.example.test:{}/ip_policies", world.server.addresses.https.port());
    let body = json!({ "description": "by its own name" }).to_string();
    let request = visitor.http.post(url).bearer_auth(world.admin_key()).header("Service-Version", "2");
    let request = request.header("content-type", "application/json").body(body.clone());
    let response = visitor.send(request).await;
    assert_eq!(response.status, 201, "{}", response.text());
    let kind = "kind=\"api\"";
    super::metrics::samples(
        &world,
        &[
            ("postern_edge_requests_total", "class=\"2xx\",kind=\"api\"", 1),
            ("postern_edge_sent_bytes_total", kind, response.body.len() as i64),
            ("postern_edge_received_bytes_total", kind, body.len() as i64),
        ],
    )
    .await;
}

#[tokio::test]
async fn bytes_of_tcp_edges_are_those_on_the_visitors_socket() {
    let world = World::start().await;
    let operator = world.operator();
    let agent = world.agent_with_one_session().await;
    let echo = Echo::named("echo").await;
    agent.labelled("shell", "app=shell", &echo).await;
    let group = operator.group("app", "shell").await;
    let port = world.server.tcp_ports().1;
    let body = json!({ "hostports": [format!("localhost:{port}")], "backend": { "backend_id": group } });
    let edge = operator.post("/edges/tcp", body).await.ok().text("id");
    for _ in 0..3 {
        let (client, _) = EchoClient::connect(port).await.expect("a connection");
        finishes("the echo", client.echo_bytes(3, 70_000)).await;
    }
    eventually("the bytes of the edge", async || {
        let seen = operator.get(&format!("/traffic/{edge}")).await.ok().body["total"].clone();
        let found = (&seen["requests"], &seen["bytes_in"], &seen["bytes_out"]);
        (found == (&json!(3), &json!(210_000), &json!(210_000 + 3 * "echo\n".len()))).then_some(())
    })
    .await;
    let metrics = Metrics::read(&world).await;
    let bytes = |metric: &str| metrics.value(&format!("postern_edge_{metric}_bytes_total"), "kind=\"tcp_edge\"");
    assert_eq!((bytes("received"), bytes("sent")), (210_000, 210_015));
    connections(&agent, "shell", 3, 0).await;
}
