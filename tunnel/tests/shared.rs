//! Connections that the streams of small requests share.
#![allow(clippy::unwrap_used)]

mod world;

use postern_test_kit::within;
use postern_tunnel::{StreamKind, StreamStart, TunnelStream, message::Hello, proto::version::VersionRange};
use std::{sync::atomic::Ordering, time::Duration};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use world::{World, hello, in_time, read, read_all, start, until, write};

/// More than the window of a stream takes.
const LARGE: usize = 1024 * 1024;

/// Asks for so many bytes and reads them.
async fn download(visitor: &mut TunnelStream, count: usize) {
    write(visitor, &(count as u32).to_be_bytes()).await;
    assert!(read(visitor, count).await.iter().all(|byte| *byte == 7), "the bytes of the service");
}

/// Ends a stream in both directions.
async fn finish(mut visitor: TunnelStream) {
    visitor.shutdown().await.unwrap();
    assert!(read_all(&mut visitor).await.unwrap().is_empty());
}

/// The agent answers each number on a stream with so many bytes.
fn agent_answers(world: &mut World) {
    world.agent_serves(|stream| {
        Box::pin(async move {
            let mut stream = stream.accept().await.unwrap();
            let chunk = vec![7; 32 * 1024];
            while let Ok(count) = stream.read_u32().await {
                let mut left = count as usize;
                while left > 0 {
                    let part = left.min(chunk.len());
                    if stream.write_all(&chunk[..part]).await.is_err() {
                        return;
                    }
                    left -= part;
                }
                stream.flush().await.unwrap();
            }
            let _ = stream.shutdown().await;
        })
    });
}

#[tokio::test]
async fn the_first_streams_have_connections_of_their_own_and_further_ones_share_two() {
    let mut world = World::sharing().await;
    agent_answers(&mut world);
    let mut visitors = Vec::new();
    for _ in 0..100 {
        let mut visitor = world.open().await;
        assert!(visitor.is_shared());
        download(&mut visitor, 100).await;
        visitors.push(visitor);
    }
    visitors.append(&mut world.held);
    for visitor in &mut visitors {
        download(visitor, 1000).await;
    }
    let counts = world.server.pool();
    assert_eq!((counts.busy, counts.shared, world.server.overflow_streams()), (16, 2, 0));
}

#[tokio::test]
async fn a_sudden_crowd_shares_connections_before_more_are_dialled() {
    let mut world = World::over_tls().await;
    agent_answers(&mut world);
    world.idle(16).await;
    world.test_server.max_connections.store(16, Ordering::SeqCst);
    let mut visitors = Vec::new();
    for _ in 0..200 {
        visitors.push(world.open().await);
    }
    for visitor in &mut visitors {
        download(visitor, 100).await;
    }
    let counts = world.server.pool();
    assert_eq!((counts.idle, counts.busy, counts.shared, world.server.overflow_streams()), (0, 14, 2, 0));
    assert!(world.open_alone().await.is_overflow(), "raw bytes share no data connection");
}

/// Opens so many streams and lets each carry a response. Returns how many share a connection, and how many are on the control
/// connection.
async fn crowd(world: &mut World, count: usize) -> (usize, usize) {
    agent_answers(world);
    let mut visitors = Vec::new();
    for _ in 0..count {
        let mut visitor = world.open().await;
        download(&mut visitor, 100).await;
        visitors.push(visitor);
    }
    let shared = visitors.iter().filter(|visitor| visitor.is_shared()).count();
    (shared, world.server.overflow_streams())
}

#[tokio::test]
async fn thousands_of_streams_share_two_connections() {
    let mut world = World::sharing().await;
    assert_eq!(crowd(&mut world, 4_000).await, (4_000, 0));
}

#[tokio::test]
async fn agents_of_version_6_get_as_many_streams_on_a_connection_as_they_allow() {
    let protocol = VersionRange { newest: 6, ..VersionRange::SUPPORTED };
    let mut world = World::sharing_with(Hello { protocol, ..hello() }).await;
    let (shared, overflow) = crowd(&mut world, 1_500).await;
    assert_eq!(shared, 1024);
    assert!(overflow > 0, "those without a data connection are on the control connection");
}

#[tokio::test]
async fn raw_connections_share_none() {
    let mut world = World::sharing().await;
    world.agent_echoes();
    for kind in [StreamKind::Tcp, StreamKind::Tls] {
        let stream = world.server.open_stream(StreamStart { kind, ..start() }).await.unwrap();
        assert!(!stream.is_shared(), "{kind:?}");
    }
}

#[tokio::test]
async fn a_large_response_moves_its_stream_to_a_connection_of_its_own() {
    let mut world = World::sharing().await;
    agent_answers(&mut world);
    let mut visitor = world.open().await;
    download(&mut visitor, 1000).await;
    assert!(visitor.is_shared(), "a small response stays");
    download(&mut visitor, LARGE).await;
    assert!(!visitor.is_shared(), "a large one does not");
    for count in [100, LARGE, 1] {
        download(&mut visitor, count).await;
    }
    assert_eq!(world.server.pool().busy, world.held.len() + 1);
    finish(visitor).await;
    world.no_connection_is_busy().await;
}

#[tokio::test]
async fn streams_that_have_moved_return_their_connections() {
    let mut world = World::sharing().await;
    agent_answers(&mut world);
    let made = world.test_server.data_connections.load(Ordering::SeqCst);
    for _ in 0..50 {
        let mut visitor = world.open().await;
        download(&mut visitor, 100_000).await;
        assert!(!visitor.is_shared());
        finish(visitor).await;
        world.no_connection_is_busy().await;
    }
    let further = world.test_server.data_connections.load(Ordering::SeqCst) - made;
    assert!(further <= 16, "50 streams one after the other needed {further} connections");
}

#[tokio::test]
async fn a_large_request_moves_its_stream_to_a_connection_of_its_own() {
    let mut world = World::sharing().await;
    world.agent_echoes();
    let visitor = world.open().await;
    let sent: Vec<u8> = (0..LARGE as u32).map(|number| (number % 251) as u8).collect();
    let (mut reader, mut writer) = tokio::io::split(visitor);
    let (received, ()) = tokio::join!(read(&mut reader, LARGE), write(&mut writer, &sent));
    assert!(received == sent, "the bytes come back unchanged");
    assert!(!reader.unsplit(writer).is_shared());
}

#[tokio::test]
async fn a_reader_that_waits_while_its_stream_moves_gets_the_response() {
    let mut world = World::sharing().await;
    world.agent_serves(|stream| {
        Box::pin(async move {
            let mut stream = stream.accept().await.unwrap();
            let mut request = vec![0; LARGE];
            while stream.read_exact(&mut request).await.is_ok() {
                write(&mut stream, b"all of it").await;
            }
        })
    });
    for _ in 0..20 {
        let (mut reader, mut writer) = tokio::io::split(world.open().await);
        let waiting = tokio::spawn(async move { read(&mut reader, 9).await });
        tokio::task::yield_now().await;
        write(&mut writer, &vec![1; LARGE]).await;
        assert_eq!(waiting.await.unwrap(), b"all of it");
    }
}

#[tokio::test]
async fn responses_that_are_not_read_hold_back_no_other_stream() {
    let mut world = World::sharing().await;
    agent_answers(&mut world);
    let mut unread = Vec::new();
    for _ in 0..50 {
        let mut visitor = world.open().await;
        assert!(visitor.is_shared());
        write(&mut visitor, &(LARGE as u32).to_be_bytes()).await;
        unread.push(visitor);
    }
    for _ in 0..50 {
        let mut visitor = world.open().await;
        assert!(visitor.is_shared());
        download(&mut visitor, 1000).await;
    }
    for visitor in &mut unread {
        assert!(read(visitor, LARGE).await.iter().all(|byte| *byte == 7));
    }
}

#[tokio::test]
async fn streams_stay_where_they_are_while_no_connection_is_idle() {
    let mut world = World::over_tls().await;
    world.idle(16).await;
    world.test_server.max_connections.store(24, Ordering::SeqCst);
    world.hold().await;
    agent_answers(&mut world);
    let mut visitors = Vec::new();
    for _ in 0..20 {
        let mut visitor = world.open().await;
        assert!(visitor.is_shared());
        download(&mut visitor, 1).await;
        visitors.push(visitor);
    }
    for visitor in &mut visitors {
        download(visitor, LARGE).await;
    }
    let shared = visitors.iter().filter(|visitor| visitor.is_shared()).count();
    assert_eq!(shared, 20 - 6, "six connections were idle beside the streams that are held and two shared connections");
    for visitor in &mut visitors {
        download(visitor, LARGE).await;
    }
}

#[tokio::test]
async fn the_end_of_a_session_breaks_shared_streams() {
    let mut world = World::sharing().await;
    agent_answers(&mut world);
    let mut visitor = world.open().await;
    download(&mut visitor, 10).await;
    assert!(visitor.is_shared());
    world.agent.goodbye().await;
    assert!(read_all(&mut visitor).await.is_err());
    assert!(visitor.write_all(b"more").await.is_err());
}

#[tokio::test(start_paused = true)]
async fn shared_connections_end_when_they_are_not_used() {
    let mut world = World::in_memory().await;
    agent_answers(&mut world);
    world.idle(16).await;
    world.hold().await;
    let mut visitor = world.open().await;
    download(&mut visitor, 10).await;
    assert_eq!(world.server.pool().shared, 2);
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(world.server.pool().shared, 1);
    assert!(visitor.is_shared(), "a stream keeps its connection");
    download(&mut visitor, 10).await;
    finish(visitor).await;
    let over = async || (world.server.pool().shared == 0).then_some(());
    within(Duration::from_secs(60), "the other connection has ended", over).await;
    until("the pool is full again", || world.server.pool().idle >= 16).await;
    let mut visitor = world.open().await;
    assert!(visitor.is_shared());
    download(&mut visitor, 10).await;
}

#[tokio::test]
async fn many_streams_of_every_size_at_once_arrive_whole() {
    let mut world = World::sharing().await;
    agent_answers(&mut world);
    let world = &world;
    let visits = (0..300usize).map(|number| async move {
        let mut visitor = world.open().await;
        for round in 0..4 {
            download(&mut visitor, [1, 500, 5_000, 16 * 1024, 16 * 1024 + 1, 40_000][(number + round) % 6]).await;
        }
        if number % 3 > 0 {
            finish(visitor).await;
        }
    });
    in_time(futures::future::join_all(visits)).await;
    world.no_connection_is_busy().await;
}
