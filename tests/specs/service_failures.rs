//! Failures of local services: the visitor gets a 502 or 504, the owner an explanation with a fix.

use postern_api::Code;
use postern_tests::{Agent, Origin, World, eventually, tls};
use serde_json::json;
use tokio::{io::AsyncWriteExt, net::TcpListener};

/// The explanation is in the captured request and in the log.
async fn assert_explained(agent: &Agent, parts: &[&str]) {
    let fits = |text: &str| parts.iter().all(|part| text.contains(part));
    eventually(&format!("the captured request says {parts:?}"), async || {
        let summaries = agent.get("/api/requests/http/summaries").await.ok();
        summaries["requests"][0]["error"].as_str().is_some_and(fits).then_some(())
    })
    .await;
    eventually(&format!("the log says {parts:?}"), async || agent.process.stderr().lines().any(fits).then_some(()))
        .await;
}

/// A TLS service. It responds to other bytes as TLS libraries do: with an alert, or not at all.
async fn encrypted(alert: bool) -> std::net::SocketAddr {
    let acceptor = tls::acceptor(&tls::self_signed("localhost"), &[]);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let mut first = [0];
                if stream.peek(&mut first).await.is_ok() && first[0] != 0x16 && !alert {
                    // What it has not read would turn the end into a reset.
                    let _ = tokio::io::AsyncReadExt::read(&mut stream, &mut [0; 4096]).await;
                    let _ = stream.shutdown().await;
                    return;
                }
                let Ok(mut stream) = acceptor.accept(stream).await else { return };
                let _ = tokio::io::AsyncReadExt::read(&mut stream, &mut [0; 4096]).await;
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret").await;
                let _ = stream.shutdown().await;
            });
        }
    });
    address
}

#[tokio::test]
async fn a_service_that_refuses() {
    let world = World::start().await;
    let agent = world.agent().await;
    let closed = Origin::start("closed").await.stop().await;
    let tunnel = agent.https("site", closed).await;
    assert_eq!(world.visitor().get(&tunnel.url("/")).await.refused(), Code::ServiceUnreachable);
    assert_explained(&agent, &[&closed.to_string(), "refused", "Is it running"]).await;
}

#[tokio::test]
async fn a_service_of_http2_that_refuses() {
    let world = World::start().await;
    let agent = world.agent().await;
    let closed = Origin::start("closed").await.stop().await;
    let tunnel = json!({ "name": "rpc", "proto": "http", "addr": closed.to_string(), "app_protocol": "http2" });
    let tunnel = agent.tunnel(tunnel).await;
    assert_eq!(world.visitor().get(&tunnel.url("/cart?x=1")).await.refused(), Code::ServiceUnreachable);
    assert_explained(&agent, &[&closed.to_string(), "refused", "Is it running"]).await;
    let listed = agent.get("/api/requests/http").await.ok()["requests"][0].clone();
    let request = &listed["request"];
    assert_eq!(
        (&request["method"], &request["uri"], &request["proto"]),
        (&json!("GET"), &json!("/cart?x=1"), &json!("HTTP/2.0"))
    );
    assert_eq!(listed["complete"], json!({ "request": true, "response": false }), "{listed}");
}

#[tokio::test]
async fn a_service_that_does_not_speak_http2_as_was_said() {
    let world = World::start().await;
    let agent = world.agent().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n").await;
            let _ = tokio::io::AsyncReadExt::read(&mut stream, &mut [0; 4096]).await;
        }
    });
    let tunnel = json!({ "name": "rpc", "proto": "http", "addr": address.to_string(), "app_protocol": "http2" });
    let tunnel = agent.tunnel(tunnel).await;
    assert_eq!(world.visitor().get(&tunnel.url("/")).await.refused(), Code::UpstreamInvalid);
    let error = eventually("the request is listed", async || {
        let summaries = agent.get("/api/requests/http/summaries").await.ok();
        summaries["requests"][0]["error"].as_str().map(str::to_owned)
    })
    .await;
    assert!(error.contains("does not speak HTTP/2"), "{error}");
}

#[tokio::test]
async fn a_service_that_listens_on_the_other_loopback_address_only() {
    let world = World::start().await;
    let agent = world.agent().await;
    let listener = TcpListener::bind("[::1]:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let tunnel = agent.https("site", format!("127.0.0.1:{port}")).await;
    let reply = world.visitor().get(&tunnel.url("/")).await;
    assert_eq!((reply.status, reply.refused()), (502, Code::ServiceUnreachable));
    assert_explained(&agent, &[&format!("[::1]:{port} as addr")]).await;
}

#[tokio::test]
async fn a_service_that_speaks_tls_where_http_was_said() {
    let world = World::start().await;
    let agent = world.agent().await;
    for (name, alert) in [("alert", true), ("silence", false)] {
        let service = encrypted(alert).await;
        let tunnel = agent.https(name, service).await;
        let reply = world.visitor().get(&tunnel.url("/")).await;
        assert_eq!(reply.status, 502, "{name}: {}", reply.text());
        assert!([Code::UpstreamClosed, Code::UpstreamInvalid].contains(&reply.refused()), "{name}");
        let fix = format!("https://{service}");
        assert_explained(&agent, &["speaks TLS", &fix]).await;
        // The advice is good.
        let tunnel = agent.https(&format!("{name}-mended"), &fix).await;
        assert_eq!(world.visitor().get(&tunnel.url("/")).await.text(), "secret");
    }
}

#[tokio::test]
async fn a_service_that_is_slow() {
    let world = World::with(|setup| setup.flags(&["--answer-timeout", "6s"])).await;
    let agent = world.agent().await;
    let origin = Origin::start("hello").await;
    let tunnel = agent.https("site", &origin).await;
    let reply = world.visitor().get(&tunnel.url("/slow")).await;
    assert_eq!((reply.status, reply.refused()), (504, Code::UpstreamTimeout), "{}", reply.text());
    assert_explained(&agent, &["had not responded after", &origin.to_string()]).await;
}

#[tokio::test]
async fn a_service_that_closes_after_plain_text_is_not_taken_for_tls() {
    let world = World::start().await;
    let agent = world.agent().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = tokio::io::AsyncReadExt::read(&mut stream, &mut [0; 4096]).await;
        }
    });
    let tunnel = agent.tunnel(json!({ "name": "site", "proto": "http", "addr": address.to_string() })).await;
    assert_eq!(world.visitor().get(&tunnel.url("/")).await.refused(), Code::UpstreamClosed);
    let error = eventually("the request is listed", async || {
        let summaries = agent.get("/api/requests/http/summaries").await.ok();
        summaries["requests"][0]["error"].as_str().map(str::to_owned)
    })
    .await;
    assert!(error.contains("ended before a response came"), "{error}");
}
