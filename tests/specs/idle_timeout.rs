//! Silence in the middle of an exchange is not idleness: the idle timeout runs only while no request is open.

use futures::{FutureExt, StreamExt, future, stream::BoxStream};
use postern_tests::{
    Agent, Origin, Visitor, World,
    condition::finishes,
    tcp::{Echo, EchoClient},
    websocket::assert_echoes,
};
use serde_json::json;
use std::time::Duration;
use tokio_tungstenite::tungstenite::Message;

const IDLE_TIMEOUT: Duration = Duration::from_millis(500);
/// The pause in every exchange: several idle timeouts.
const SILENCE: Duration = Duration::from_secs(3);

/// A server with a short idle timeout, and one service behind an HTTPS tunnel, an HTTP tunnel and an HTTPS edge.
struct Site {
    world: World,
    origin: Origin,
    agent: Agent,
    /// Base addresses, each with a name for messages.
    bases: Vec<(&'static str, String)>,
}

impl Site {
    async fn open() -> Site {
        let idle = format!("{}ms", IDLE_TIMEOUT.as_millis());
        let world = World::with(|setup| setup.flags(&["--idle-timeout", &idle])).await;
        let (origin, agent, operator) = (Origin::start("hello").await, world.agent().await, world.operator());
        let https = agent.https("site", &origin).await.url("");
        let definition = json!({ "name": "plain", "proto": "http", "schemes": ["http"], "addr": origin.to_string() });
        let http = agent.tunnel(definition).await.url("");
        agent.labelled("shop", "app=shop", &origin).await;
        let backend = operator.group("app", "shop").await;
        let edge = operator.post("/edges/https", json!({ "hostports": ["shop.localhost:443"] })).await.ok().text("id");
        let route = json!({ "match_type": "path_prefix", "match": "/", "backend": { "backend_id": backend } });
        operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok();
        let edge = format!("https://shop.localhost:{}", world.server.addresses.https.port());
        Site { world, origin, agent, bases: vec![("HTTPS tunnel", https), ("HTTP tunnel", http), ("HTTPS edge", edge)] }
    }

    /// Each address once with HTTP/1.1 and, over TLS, once with HTTP/2.
    fn visits(&self) -> Vec<(String, String, Visitor)> {
        let one = self.world.visitor().with(|client| client.http1_only());
        let two = self.world.visitor();
        let mut visits = Vec::new();
        for (name, base) in &self.bases {
            visits.push((format!("{name}, HTTP/1.1"), base.clone(), one.clone()));
            if base.starts_with("https:") {
                visits.push((format!("{name}, HTTP/2"), base.clone(), two.clone()));
            }
        }
        visits
    }
}

/// The next bytes of a body; empty at its end.
async fn next(name: &str, body: &mut BoxStream<'_, reqwest::Result<bytes::Bytes>>) -> bytes::Bytes {
    loop {
        match finishes(name, body.next()).await {
            None => return bytes::Bytes::new(),
            Some(piece) => match piece.unwrap_or_else(|error| panic!("{name}: {error:?}")) {
                piece if piece.is_empty() => {}
                piece => return piece,
            },
        }
    }
}

#[tokio::test]
async fn a_response_that_pauses_continues_afterwards() {
    let site = Site::open().await;
    let open = site.visits().into_iter().map(async |(name, base, visitor)| {
        let response = finishes(&name, visitor.http.get(format!("{base}/events")).send()).await.expect("a response");
        assert_eq!(response.status(), 200, "{name}");
        let mut body = response.bytes_stream().boxed();
        assert_eq!(next(&name, &mut body).await, "data: first\n\n", "{name}");
        (name, body)
    });
    let open = future::join_all(open).await;
    tokio::time::sleep(SILENCE).await;
    site.origin.release();
    for (name, mut body) in open {
        assert_eq!(next(&name, &mut body).await, "data: second\n\n", "{name}");
        assert_eq!(next(&name, &mut body).await, "", "{name}");
    }
}

#[tokio::test]
async fn a_response_that_begins_late_arrives() {
    let site = Site::open().await;
    let visits = site.visits();
    let count = visits.len();
    let open = visits
        .into_iter()
        .map(|(name, base, visitor)| tokio::spawn(async move { (name, visitor.get(&format!("{base}/slow")).await) }));
    let open: Vec<_> = open.collect();
    site.origin.wait_for_requests("/slow", count).await;
    tokio::time::sleep(SILENCE).await;
    site.origin.release();
    for exchange in open {
        let (name, reply) = finishes("the late response", exchange).await.expect("an exchange");
        assert_eq!((reply.status, reply.text().as_str()), (200, "at last"), "{name}");
    }
}

#[tokio::test]
async fn an_upload_that_pauses_continues_afterwards() {
    let site = Site::open().await;
    let open = site.visits().into_iter().map(async |(name, base, visitor)| {
        let (send, pieces) = tokio::sync::mpsc::channel::<std::io::Result<&str>>(1);
        let pieces = futures::stream::unfold(pieces, async |mut pieces| Some((pieces.recv().await?, pieces)));
        let request = visitor.http.post(format!("{base}/echo")).body(reqwest::Body::wrap_stream(pieces));
        send.send(Ok("one")).await.expect("taken");
        let response = finishes(&name, request.send()).await.expect("a response");
        let mut body = response.bytes_stream().boxed();
        assert_eq!(next(&name, &mut body).await, "one", "{name}");
        (name, send, body)
    });
    let open = future::join_all(open).await;
    tokio::time::sleep(SILENCE).await;
    for (name, send, mut body) in open {
        send.send(Ok("two")).await.expect("taken");
        assert_eq!(next(&name, &mut body).await, "two", "{name}");
        drop(send);
        assert_eq!(next(&name, &mut body).await, "", "{name}");
    }
}

#[tokio::test]
async fn websocket_and_tcp_connections_outlive_any_silence() {
    let site = Site::open().await;
    let (mut socket, _) = site.world.visitor().websocket(&format!("{}/socket", site.bases[0].1)).await;
    let echo = Echo::named("echo").await;
    let port = site.agent.tcp("echo", &echo).await.port();
    let (mut line, _) = EchoClient::connect(port).await.expect("a connection");
    tokio::time::sleep(SILENCE).await;
    assert_echoes(&mut socket, Message::text("still here")).await;
    assert_eq!(finishes("the line", line.echo("still here")).await.as_deref(), Some("still here"));
}

#[tokio::test]
async fn a_connection_without_a_request_is_closed_after_the_idle_timeout() {
    let site = Site::open().await;
    let host = site.bases[0].1.trim_start_matches("https://").split(':').next().expect("a name").to_owned();
    for alpn in [&b"http/1.1"[..], b"h2"] {
        let mut stream = site.world.visitor().tls(&host, &[alpn]).await.expect("a handshake");
        let closed = async {
            let mut bytes = Vec::new();
            tokio::io::AsyncReadExt::read_to_end(&mut stream, &mut bytes).await
        };
        finishes("the idle connection is closed", closed.map(drop)).await;
    }
}
