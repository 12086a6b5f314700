//! Protocols of visitors: HTTP/1.1 and HTTP/2, WebSocket, server-sent events.

use ::bytes::Bytes;
use futures::{Stream, StreamExt, future};
use postern_tests::{Origin, World, bytes, condition::finishes, websocket::assert_echoes};
use tokio_tungstenite::tungstenite::Message;

#[tokio::test]
async fn a_visitor_may_speak_either_version_of_http() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let tunnel = agent.https("site", &origin).await;
    let two = world.visitor().get(&tunnel.url("/")).await;
    assert_eq!((two.version, two.text().as_str()), (http::Version::HTTP_2, "hello"));
    let one = world.visitor().with(|client| client.http1_only()).get(&tunnel.url("/")).await;
    assert_eq!((one.version, one.text().as_str()), (http::Version::HTTP_11, "hello"));
}

#[tokio::test]
async fn a_hundred_requests_share_one_http2_connection() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let tunnel = agent.https("site", &origin).await;
    let visitor = world.visitor();
    visitor.get(&tunnel.url("/")).await;
    let requests = (0..100).map(|number| {
        let request = visitor.http.post(tunnel.url("/echo")).body(format!("number {number}"));
        let visitor = &visitor;
        async move { (number, visitor.send(request).await) }
    });
    for (number, reply) in finishes("a hundred requests", future::join_all(requests)).await {
        assert_eq!((reply.status, reply.text()), (200, format!("number {number}")));
        assert_eq!(reply.version, http::Version::HTTP_2);
    }
}

#[tokio::test]
async fn websocket_messages_come_back() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let tunnel = agent.https("site", &origin).await;
    let (mut socket, answer) = world.visitor().websocket(&tunnel.url("/socket")).await;
    assert_eq!(answer.status(), 101);
    let long = bytes::piece(7, 0, 1 << 20);
    for message in [Message::text("hello"), Message::binary(long), Message::text("")] {
        assert_echoes(&mut socket, message).await;
    }
    socket.close(None).await.expect("closed in order");
    let captured =
        agent.wait_for_capture("the upgrade is captured", |request| request["response"]["status_code"] == 101).await;
    assert_eq!(captured["request"]["uri"], "/socket");
}

#[tokio::test]
async fn the_first_event_arrives_while_the_origin_holds_the_rest() {
    let world = World::start().await;
    let agent = world.agent().await;
    for visitor in [world.visitor(), world.visitor().with(|client| client.http1_only())] {
        let held = Origin::start("hello").await;
        let tunnel = agent.https(&format!("held-{}", held.address().port()), &held).await;
        let answer = visitor.http.get(tunnel.url("/events")).send().await.expect("an answer");
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        let mut events = answer.bytes_stream();
        assert_eq!(piece(&mut events).await.as_deref(), Some(&b"data: first\n\n"[..]));
        held.release();
        assert_eq!(piece(&mut events).await.as_deref(), Some(&b"data: second\n\n"[..]));
        assert_eq!(piece(&mut events).await, None);
    }
}

#[tokio::test]
async fn a_response_can_begin_before_the_request_ends() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let tunnel = agent.https("site", &origin).await;
    let (send, pieces) = tokio::sync::mpsc::channel::<Result<Bytes, std::io::Error>>(1);
    let pieces = futures::stream::unfold(pieces, async |mut pieces| Some((pieces.recv().await?, pieces)));
    let request = world.visitor().http.post(tunnel.url("/echo")).body(reqwest::Body::wrap_stream(pieces));
    send.send(Ok("one".into())).await.expect("taken");
    let answer = finishes("the head of the answer", request.send()).await.expect("an answer");
    let mut back = answer.bytes_stream();
    assert_eq!(piece(&mut back).await.as_deref(), Some(&b"one"[..]));
    send.send(Ok("two".into())).await.expect("taken");
    assert_eq!(piece(&mut back).await.as_deref(), Some(&b"two"[..]));
    drop(send);
    assert_eq!(piece(&mut back).await, None);
}

/// The next non-empty chunk of a body; `None` at its end. HTTP/2 may end with an empty one.
async fn piece(body: &mut (impl Stream<Item = reqwest::Result<Bytes>> + Unpin)) -> Option<Bytes> {
    loop {
        let piece = finishes("the next piece", body.next()).await?.expect("the body goes on");
        if !piece.is_empty() {
            return Some(piece);
        }
    }
}
