//! Streams that cross a link between nodes before they reach the agent.
#![allow(clippy::unwrap_used)]

mod world;

use postern_api::{Code, Error};
use postern_tunnel::{StreamRefused, StreamStart, TunnelStream, forward};
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use world::{World, in_time, read, read_all, until, write};

/// A link, and the session with the agent at its end: on data connections, and on control connections.
async fn ways() -> Vec<(World, World)> {
    let mut ways = Vec::new();
    for (link, session) in [(16, 16), (0, 16), (16, 0), (0, 0)] {
        let way = (World::in_memory_with(link).await, World::in_memory_with(session).await);
        way.0.idle(link).await;
        way.1.idle(session).await;
        ways.push(way);
    }
    let way = (World::over_tls().await, World::over_tls().await);
    way.0.idle(16).await;
    way.1.idle(16).await;
    ways.push(way);
    ways
}

/// Forwards every stream of the link to the agent.
fn join(link: &mut World, session: &World) {
    let session = session.server.clone();
    link.agent_serves(move |stream| {
        let session = session.clone();
        Box::pin(async move {
            let start = StreamStart { tunnel: stream.start.tunnel + 1, ..stream.start };
            let _ = forward(stream, session.open_stream(start).await.unwrap()).await;
        })
    });
}

fn refusal(error: &io::Error) -> Option<&Error> {
    error.get_ref().and_then(|inner| inner.downcast_ref::<StreamRefused>()).map(|refused| &refused.0)
}

#[tokio::test]
async fn bytes_and_ends_pass_both_ways_and_the_connections_are_used_again() {
    for (mut link, mut session) in ways().await {
        join(&mut link, &session);
        session.agent_echoes();
        for size in [0usize, 1, 70_000, 1_000_000] {
            let sent: Vec<u8> = (0..size).map(|index| (index % 251) as u8).collect();
            let (mut reader, mut writer) = tokio::io::split(link.open().await);
            let writing = async {
                writer.write_all(&sent).await.unwrap();
                writer.shutdown().await.unwrap();
            };
            let mut received = Vec::new();
            in_time(async { tokio::join!(writing, reader.read_to_end(&mut received)).1 }).await.unwrap();
            assert!(received == sent, "{size} bytes");
        }
        until("no connection is busy", || link.server.pool().busy == 0 && session.server.pool().busy == 0).await;
    }
}

#[tokio::test]
async fn the_start_names_the_tunnel_of_the_second_session_and_metadata_stays_in_front_of_its_bytes() {
    for (mut link, mut session) in ways().await {
        join(&mut link, &session);
        let mut visitor = link.open().await;
        let notes = visitor.metadata();
        notes.put(b"about the first".to_vec());
        write(&mut visitor, b"first").await;
        let mut incoming = session.next_stream().await;
        assert_eq!(incoming.start, StreamStart { tunnel: world::start().tunnel + 1, ..world::start() });
        let received = incoming.metadata();
        let mut service = incoming.accept().await.unwrap();
        assert_eq!(read(&mut service, 5).await, b"first");
        assert_eq!(received.take().as_deref(), Some(&b"about the first"[..]));
        write(&mut visitor, b"none").await;
        assert_eq!(read(&mut service, 4).await, b"none");
        assert_eq!(received.take(), None);
        notes.push(b"a".to_vec());
        notes.push(b"b".to_vec());
        write(&mut visitor, b"last").await;
        assert_eq!(read(&mut service, 4).await, b"last");
        assert_eq!(received.take_all(), [b"a", b"b"]);
    }
}

#[tokio::test]
async fn the_opener_learns_that_the_stream_is_taken_before_the_agent_replies() {
    for (mut link, mut session) in ways().await {
        join(&mut link, &session);
        let mut visitor = link.open().await;
        in_time(visitor.taken()).await.unwrap();
        let incoming = session.next_stream().await;
        let mut service = incoming.accept().await.unwrap();
        in_time(visitor.accepted()).await.unwrap();
        write(&mut service, b"220 ready").await;
        service.shutdown().await.unwrap();
        assert_eq!(read_all(&mut visitor).await.unwrap(), b"220 ready");
    }
}

#[tokio::test]
async fn a_refusal_passes_with_its_error_whatever_the_opener_has_sent() {
    for (mut link, mut session) in ways().await {
        join(&mut link, &session);
        let error = Error::new(Code::ServiceUnreachable, "nothing listens there").with("address", "localhost:1");
        for sent in [&b""[..], b"GET / HTTP/1.1\r\n\r\n"] {
            let mut visitor = link.open().await;
            write(&mut visitor, sent).await;
            let reading = async {
                let failed: Result<Vec<u8>, io::Error> = read_all(&mut visitor).await;
                failed.unwrap_err()
            };
            let (failed, ()) = tokio::join!(reading, async { session.next_stream().await.refuse(error.clone()).await });
            assert_eq!(refusal(&failed), Some(&error));
        }
    }
}

#[tokio::test]
async fn a_stream_that_finds_no_agent_is_not_taken() {
    for (mut link, _session) in ways().await {
        link.agent_serves(|stream| Box::pin(async move { stream.refuse(Code::AgentOffline.into()).await }));
        let mut visitor = link.open().await;
        let refused = match in_time(visitor.taken()).await {
            // On a control connection the arrival is told first.
            Ok(()) => in_time(visitor.accepted()).await.unwrap_err(),
            Err(refused) => refused,
        };
        assert_eq!(refusal(&refused).map(|error| error.code), Some(Code::AgentOffline));
        if !visitor.is_overflow() {
            assert!(in_time(link.open().await.taken()).await.is_err());
        }
    }
}

#[tokio::test]
async fn a_stream_that_breaks_at_one_end_breaks_at_the_other() {
    for (mut link, mut session) in ways().await {
        join(&mut link, &session);
        let mut exchange = async || -> (TunnelStream, TunnelStream) {
            let mut visitor = link.open().await;
            write(&mut visitor, b"x").await;
            let mut service = session.next_stream().await.accept().await.unwrap();
            assert_eq!(read(&mut service, 1).await, b"x");
            (visitor, service)
        };
        let (visitor, mut service) = exchange().await;
        drop(visitor);
        assert!(in_time(service.read(&mut [0; 8])).await.is_err(), "never an end");
        let (mut visitor, service) = exchange().await;
        drop(service);
        assert!(in_time(visitor.read(&mut [0; 8])).await.is_err(), "never an end");
    }
}
