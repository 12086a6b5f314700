//! Draining: open requests are finished, new connections are refused, the exit status is 0.

use ::bytes::Bytes;
use futures::StreamExt;
use postern_tests::{
    Origin, Process, Visitor, World,
    bytes::{pieces, sum},
    condition::finishes,
    eventually,
    process::exited_successfully,
    tcp::{Echo, EchoClient},
    websocket::assert_echoes,
    within,
};
use rustix::process::Signal;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;

#[tokio::test]
async fn an_open_request_is_finished_and_the_exit_status_is_0() {
    for signal in [Signal::TERM, Signal::INT] {
        let world = World::start().await;
        let origin = Origin::start("hello").await;
        let agent = world.agent().await;
        let tunnel = agent.https("site", &origin).await;
        let visitor = world.visitor().with(|client| client.http1_only());
        let url = tunnel.url("/slow");
        let open = tokio::spawn(async move { visitor.get(&url).await });
        origin.wait_for_requests("/slow", 1).await;

        let (process, addresses) = (world.server.process, world.server.addresses);
        process.signal(signal);
        for address in [addresses.https, addresses.http, addresses.api] {
            eventually("new connections are refused", async || {
                TcpStream::connect(address).await.is_err().then_some(())
            })
            .await;
        }
        assert!(process.is_running() && !open.is_finished(), "the request is waited for");
        origin.release();
        assert_eq!(open.await.unwrap().text(), "at last");
        let ended = process.wait_within(Duration::from_secs(5)).await;
        assert!(exited_successfully(ended.status), "{ended:?}");
    }
}

#[tokio::test]
async fn with_a_drain_delay_visitors_are_served_until_load_balancers_have_noticed() {
    let world = World::with(|setup| setup.flags(&["--drain-delay", "2s"])).await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let tunnel = agent.https("site", &origin).await;
    let operator = world.operator_of_visitors();
    operator.get("/healthz").await.ok();
    world.server.process.terminate();
    eventually("the health check fails", async || (operator.get("/healthz").await.status == 503).then_some(())).await;
    for _ in 0..5 {
        // Each has a connection of its own.
        assert_eq!(world.visitor().get(&tunnel.url("/")).await.text(), "hello");
    }
    agent.https("late", &origin).await;
    let ended = world.server.process.wait_within(Duration::from_secs(10)).await;
    assert!(exited_successfully(ended.status), "{ended:?}");
}

#[tokio::test]
async fn without_open_requests_the_server_ends_at_once_although_agents_are_connected() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let tunnel = agent.https("site", &origin).await;
    world.visitor().get(&tunnel.url("/")).await;
    for server in world.servers() {
        server.process.terminate();
        let status = within(Duration::from_secs(3), "the server ends", async || server.process.status()).await;
        assert!(exited_successfully(status), "{status:?}");
        assert!(!server.folder().join("addresses.json").exists(), "the file is removed");
    }
    agent.wait_for_session("waiting").await;
}

#[tokio::test]
async fn the_drain_timeout_bounds_the_wait() {
    let world = World::with(|setup| setup.flags(&["--drain-timeout", "300ms"])).await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let tunnel = agent.https("site", &origin).await;
    let visitor = world.visitor();
    let request = visitor.http.get(tunnel.url("/slow"));
    let open = tokio::spawn(async move { request.send().await.map(|answer| answer.status()) });
    origin.wait_for_requests("/slow", 1).await;
    world.server.process.terminate();
    let ended = world.server.process.wait_within(Duration::from_secs(3)).await;
    assert!(exited_successfully(ended.status), "{ended:?}");
    assert!(!matches!(open.await.unwrap(), Ok(status) if status == 200), "the origin never answered");
}

#[tokio::test]
async fn a_second_signal_ends_at_once() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let tunnel = agent.https("site", &origin).await;
    let request = world.visitor().http.get(tunnel.url("/slow"));
    tokio::spawn(async move { request.send().await.map(drop) });
    origin.wait_for_requests("/slow", 1).await;
    world.server.process.terminate();
    world.server.process.wait_for_log("SIGTERM").await;
    world.server.process.terminate();
    world.server.process.wait_within(Duration::from_secs(2)).await;
}

/// The bytes of each upload and of the TCP connection.
const LENGTH: u64 = 8 << 20;

/// The body of an upload, sent chunk by chunk on request.
fn upload_body() -> (tokio::sync::mpsc::Sender<Result<Bytes, std::io::Error>>, reqwest::Body) {
    let (send, pieces) = tokio::sync::mpsc::channel(1);
    let pieces = futures::stream::unfold(pieces, async |mut pieces| Some((pieces.recv().await?, pieces)));
    (send, reqwest::Body::wrap_stream(pieces))
}

/// Visitors over HTTP/2 and HTTP/1.1.
fn visitors(world: &World) -> [Visitor; 2] {
    [world.visitor(), world.visitor().with(|client| client.http1_only())]
}

/// Begins to drain, and waits until new connections are refused.
async fn drain(world: &World) {
    world.server.process.terminate();
    for address in [world.server.addresses.https, world.server.addresses.http] {
        eventually("new connections are refused", async || TcpStream::connect(address).await.is_err().then_some(()))
            .await;
    }
}

async fn assert_ends_successfully(process: Process) {
    let ended = process.wait_within(Duration::from_secs(10)).await;
    assert!(exited_successfully(ended.status), "{ended:?}");
}

#[tokio::test]
async fn open_event_streams_are_delivered_to_their_end() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let site = agent.https("site", &origin).await;
    let mut events = Vec::new();
    for visitor in visitors(&world) {
        let answer = visitor.http.get(site.url("/events")).send().await.expect("an answer");
        let mut stream = answer.bytes_stream();
        let first = finishes("the first event", stream.next()).await.expect("open").expect("a piece");
        assert_eq!(first, "data: first\n\n");
        events.push(stream);
    }
    drain(&world).await;
    assert!(world.server.process.is_running(), "the streams are still open");
    origin.release();
    for stream in events {
        let rest = stream.map(|piece| piece.expect("the events go on")).collect::<Vec<_>>();
        assert_eq!(finishes("the last event", rest).await.concat(), b"data: second\n\n");
    }
    assert_ends_successfully(world.server.process).await;
}

#[tokio::test]
async fn open_uploads_lose_no_byte() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let site = agent.https("site", &origin).await;
    let mut uploads = Vec::new();
    for (seed, visitor) in (0..).zip(visitors(&world)) {
        let (send, body) = upload_body();
        let answer = tokio::spawn(visitor.http.post(site.url("/sum")).body(body).send());
        let mut rest = pieces(seed, LENGTH);
        for piece in rest.by_ref().take(20) {
            send.send(Ok(piece)).await.expect("taken");
        }
        uploads.push((seed, send, rest, answer));
    }
    drain(&world).await;
    for (seed, send, rest, answer) in uploads {
        for piece in rest {
            send.send(Ok(piece)).await.expect("the rest is taken");
        }
        drop(send);
        let answer = finishes("the upload", answer).await.expect("sent").expect("an answer");
        assert_eq!(answer.text().await.expect("whole"), sum(seed, LENGTH));
    }
    assert_ends_successfully(world.server.process).await;
}

#[tokio::test]
async fn an_open_websocket_loses_no_message_and_is_waited_for() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let site = agent.https("site", &origin).await;
    let (mut socket, _) = world.visitor().websocket(&site.url("/socket")).await;
    assert_echoes(&mut socket, Message::text("before")).await;
    drain(&world).await;
    for number in 0..100 {
        assert_echoes(&mut socket, Message::binary(postern_tests::bytes::piece(number, 0, 10_000))).await;
    }
    assert!(world.server.process.is_running(), "the WebSocket is still open");
    socket.close(None).await.expect("closed in order");
    let left = finishes("the end of the WebSocket", socket.collect::<Vec<_>>()).await;
    assert!(left.iter().all(|message| message.is_ok()), "{left:?}");
    assert_ends_successfully(world.server.process).await;
}

#[tokio::test]
async fn an_open_tcp_connection_loses_no_byte() {
    let world = World::start().await;
    let echo = Echo::named("echo").await;
    let agent = world.agent().await;
    let line = agent.tcp("line", &echo).await;
    let (mut line, _) = EchoClient::connect(line.port()).await.expect("open");
    assert_eq!(line.echo("before").await.as_deref(), Some("before"));
    drain(&world).await;
    assert_eq!(line.echo("after").await.as_deref(), Some("after"));
    assert_eq!(finishes("the bytes", line.echo_bytes(9, LENGTH)).await, sum(9, LENGTH));
    assert_ends_successfully(world.server.process).await;
}
