//! Guarantees of a visitor's stream, on a data connection and on the control connection.
#![allow(clippy::unwrap_used)]

mod world;

use postern_api::{Code, Error};
use postern_tunnel::{
    StreamKind, StreamRefused,
    proto::frame::{self, MAX_METADATA, MAX_PAYLOAD, MAX_SENT_PAYLOAD},
};
use rustls::{ClientConnection, ConnectionCommon, ServerConnection, SideData, pki_types::ServerName};
use std::{
    io::{ErrorKind, IoSlice, Write},
    ops::ControlFlow,
    sync::atomic::Ordering,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use world::{World, in_time, read, read_all, start, tls_configs, until, write};

/// A world whose streams use the pool, one whose streams overflow, one over TLS, and one whose streams share connections.
async fn worlds() -> Vec<World> {
    let pooled = World::in_memory().await;
    pooled.idle(16).await;
    let tls = World::over_tls().await;
    tls.idle(16).await;
    vec![pooled, World::in_memory_with(0).await, tls, World::sharing().await]
}

#[tokio::test]
async fn the_agent_receives_the_start_of_a_stream_and_both_sides_exchange_data() {
    for mut world in worlds().await {
        let mut visitor = world.open().await;
        write(&mut visitor, b"question").await;
        let incoming = world.next_stream().await;
        assert_eq!(incoming.start, start());
        assert_eq!(incoming.start.kind, StreamKind::Http);
        let mut service = incoming.accept().await.unwrap();
        assert_eq!(read(&mut service, 8).await, b"question");
        write(&mut service, b"answer").await;
        assert_eq!(read(&mut visitor, 6).await, b"answer");
    }
}

#[tokio::test]
async fn a_service_may_write_first() {
    for mut world in worlds().await {
        world.agent_serves(|stream| {
            Box::pin(async move {
                let mut stream = stream.accept().await.unwrap();
                stream.write_all(b"220 ready").await.unwrap();
                stream.shutdown().await.unwrap();
            })
        });
        let mut visitor = world.open().await;
        assert_eq!(read_all(&mut visitor).await.unwrap(), b"220 ready");
    }
}

#[tokio::test]
async fn written_bytes_arrive_without_a_flush() {
    for mut world in worlds().await {
        world.agent_echoes();
        let mut visitor = world.open().await;
        for _ in 0..5 {
            visitor.write_all(b"well?").await.unwrap();
            assert_eq!(read(&mut visitor, 5).await, b"well?");
        }
    }
}

#[tokio::test]
async fn slices_arrive_in_order_whatever_their_number_and_size() {
    for mut world in worlds().await {
        world.agent_echoes();
        let mut visitor = world.open().await;
        let head = vec![1; 100];
        let body = vec![2; 3 * MAX_PAYLOAD];
        let small: Vec<[u8; 1]> = (0..20).map(|byte| [byte]).collect();
        let mut slices = vec![IoSlice::new(&head), IoSlice::new(&[]), IoSlice::new(&body)];
        slices.extend(small.iter().map(|byte| IoSlice::new(byte)));
        let sent: Vec<u8> = slices.iter().flat_map(|slice| slice.to_vec()).collect();
        let (mut reader, mut writer) = tokio::io::split(&mut visitor);
        let write = async {
            let mut rest = &mut slices[..];
            while !rest.is_empty() {
                let written = writer.write_vectored(rest).await.unwrap();
                assert!(written > 0, "every write takes something");
                IoSlice::advance_slices(&mut rest, written);
            }
            writer.flush().await.unwrap();
        };
        let (received, ()) = tokio::join!(read(&mut reader, sent.len()), write);
        assert!(received == sent, "the bytes arrive in order");
    }
}

#[tokio::test]
async fn streams_through_the_pool_are_reused() {
    let mut memory = World::in_memory().await;
    let mut tls = World::over_tls().await;
    for world in [&mut memory, &mut tls] {
        world.agent_echoes();
        world.idle(16).await;
        for round in 0..200u32 {
            let mut visitor = world.open().await;
            visitor.write_all(&round.to_be_bytes()).await.unwrap();
            visitor.shutdown().await.unwrap();
            assert_eq!(read_all(&mut visitor).await.unwrap(), round.to_be_bytes());
        }
        let made = world.test_server.data_connections.load(Ordering::SeqCst);
        assert!(made <= 40, "200 streams one after the other needed {made} connections");
        assert_eq!(world.server.overflow_streams(), 0);
        world.no_connection_is_busy().await;
    }
}

#[tokio::test]
async fn an_empty_pool_overflows_onto_the_control_connection() {
    let mut world = World::in_memory_with(0).await;
    world.agent_echoes();
    let mut visitor = world.open().await;
    assert_eq!(world.server.overflow_streams(), 1);
    visitor.write_all(b"over").await.unwrap();
    visitor.shutdown().await.unwrap();
    assert_eq!(read_all(&mut visitor).await.unwrap(), b"over");
    drop(visitor);
    assert_eq!(world.server.overflow_streams(), 0, "its permit is released");
}

#[tokio::test]
async fn one_direction_may_end_while_the_other_continues() {
    for mut world in worlds().await {
        let mut visitor = world.open().await;
        visitor.write_all(b"all I have").await.unwrap();
        visitor.shutdown().await.unwrap();
        let mut service = world.next_stream().await.accept().await.unwrap();
        assert_eq!(read_all(&mut service).await.unwrap(), b"all I have");
        for word in ["one", "two", "three"] {
            write(&mut service, word.as_bytes()).await;
            assert_eq!(read(&mut visitor, word.len()).await, word.as_bytes());
        }
        service.shutdown().await.unwrap();
        assert_eq!(read_all(&mut visitor).await.unwrap(), b"");
        let error = visitor.write_all(b"more").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BrokenPipe);
    }
}

#[tokio::test]
async fn a_refusal_carries_the_error_and_keeps_the_connection() {
    for mut world in worlds().await {
        let error =
            Error::new(Code::ServiceUnreachable, "nothing listens on localhost:1").with("address", "localhost:1");
        let response = error.clone();
        world.agent_serves(move |stream| {
            let response = response.clone();
            Box::pin(async move { stream.refuse(response).await })
        });
        let before = world.server.pool();
        for _ in 0..5 {
            let mut visitor = world.open().await;
            visitor.write_all(b"are you there?").await.unwrap();
            let refused = in_time(visitor.accepted()).await.unwrap_err();
            let refusal = refused.get_ref().and_then(|source| source.downcast_ref::<StreamRefused>());
            assert_eq!(refusal, Some(&StreamRefused(error.clone())));
            assert!(read_all(&mut visitor).await.is_err(), "a refused stream stays refused");
            assert!(visitor.write_all(b"but").await.is_err());
        }
        world.no_connection_is_busy().await;
        assert!(world.server.pool().idle >= before.idle, "refused streams return their connections");
    }
}

#[tokio::test]
async fn a_refusal_after_a_peek_has_read_what_the_visitor_sent() {
    for mut world in worlds().await {
        let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
        world.agent_serves(move |stream| {
            let sender = sender.clone();
            Box::pin(async move {
                let mut seen = Vec::new();
                let inspect = |bytes: &[u8]| {
                    seen.extend_from_slice(bytes);
                    if seen.ends_with(b"?") { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                };
                stream.refuse_after_peek(Error::from(Code::ServiceUnreachable), inspect).await;
                let _ = sender.send(seen);
            })
        });
        let before = world.server.pool();
        for question in [&b"are you there?"[..], b"an unfinished quest"] {
            let mut visitor = world.open().await;
            visitor.write_all(question).await.unwrap();
            let refused = in_time(visitor.accepted()).await.unwrap_err();
            assert!(refused.get_ref().is_some_and(|source| source.is::<StreamRefused>()));
            assert_eq!(in_time(receiver.recv()).await.unwrap(), question);
        }
        world.no_connection_is_busy().await;
        assert!(world.server.pool().idle >= before.idle, "refused streams return their connections");
    }
}

#[tokio::test]
async fn the_reply_can_be_awaited_before_reading() {
    for mut world in worlds().await {
        world.agent_echoes();
        let mut visitor = world.open().await;
        in_time(visitor.accepted()).await.unwrap();
        in_time(visitor.accepted()).await.unwrap();
        visitor.write_all(b"hello").await.unwrap();
        assert_eq!(read(&mut visitor, 5).await, b"hello");
    }
}

#[tokio::test]
async fn a_stream_dropped_midway_never_looks_complete() {
    for mut world in worlds().await {
        let mut visitor = world.open().await;
        write(&mut visitor, b"half a bo").await;
        let mut service = world.next_stream().await.accept().await.unwrap();
        assert_eq!(read(&mut service, 9).await, b"half a bo");
        drop(visitor);
        assert!(read_all(&mut service).await.is_err(), "the visitor broke off");

        let mut visitor = world.open().await;
        write(&mut visitor, b"x").await;
        let mut service = world.next_stream().await.accept().await.unwrap();
        write(&mut service, b"half an ans").await;
        assert_eq!(read(&mut visitor, 11).await, b"half an ans");
        drop(service);
        assert!(read_all(&mut visitor).await.is_err(), "the service broke off");
    }
}

#[tokio::test]
async fn a_stream_dropped_after_its_own_end_keeps_the_connection() {
    let mut world = World::in_memory().await;
    world.agent_echoes();
    world.idle(16).await;
    for _ in 0..50 {
        let mut visitor = world.open().await;
        visitor.write_all(&[1; 1000]).await.unwrap();
        assert_eq!(read(&mut visitor, 1000).await, [1; 1000]);
        visitor.shutdown().await.unwrap();
        drop(visitor);
    }
    world.no_connection_is_busy().await;
    let made = world.test_server.data_connections.load(Ordering::SeqCst);
    assert!(made <= 60, "connections are reused after the agent's end, but {made} were made");
    assert!(world.server.pool().idle >= 16);
}

#[tokio::test]
async fn large_transfers_arrive_whole_in_both_directions_at_once() {
    for mut world in worlds().await {
        world.agent_echoes();
        let visitor = world.open().await;
        let sent: Vec<u8> = (0..3_000_000u32).flat_map(|number| number.to_le_bytes()).collect();
        let (mut reader, mut writer) = tokio::io::split(visitor);
        let outgoing = sent.clone();
        let writing = tokio::spawn(async move {
            writer.write_all(&outgoing).await.unwrap();
            writer.shutdown().await.unwrap();
        });
        let received = read_all(&mut reader).await.unwrap();
        assert!(received == sent, "12 MB came back changed");
        writing.await.unwrap();
    }
}

#[tokio::test]
async fn two_hundred_concurrent_opens_are_all_served() {
    let mut memory = World::in_memory().await;
    let mut tls = World::over_tls().await;
    for world in [&mut memory, &mut tls] {
        world.agent_echoes();
        let visits = (0..200u32).map(|visitor| {
            let server = world.server.clone();
            async move {
                let mut stream = server.open_stream(start()).await.unwrap();
                stream.write_all(&visitor.to_be_bytes()).await.unwrap();
                stream.shutdown().await.unwrap();
                assert_eq!(read_all(&mut stream).await.unwrap(), visitor.to_be_bytes());
            }
        });
        in_time(futures::future::join_all(visits)).await;
        until("no stream is open", || world.server.pool().busy == 0 && world.server.overflow_streams() == 0).await;
    }
}

#[tokio::test]
async fn unaccepted_streams_beyond_the_yamux_backlog_do_not_block_opening() {
    let mut world = World::in_memory_with(0).await;
    let mut visitors = Vec::new();
    let mut waiting = Vec::new();
    for _ in 0..600 {
        let mut visitor = in_time(world.server.open_stream(start())).await.unwrap();
        visitor.flush().await.unwrap();
        visitors.push(visitor);
        waiting.push(world.next_stream().await);
    }
    assert_eq!(world.server.overflow_streams(), 600);
    for stream in waiting {
        stream.accept().await.unwrap();
    }
}

#[tokio::test]
async fn a_hundred_stalled_readers_do_not_stop_others() {
    let mut memory = World::in_memory().await;
    let mut overflowing = World::in_memory_with(0).await;
    let mut tls = World::over_tls().await;
    for world in [&mut memory, &mut overflowing, &mut tls] {
        world.agent_serves(|stream| {
            Box::pin(async move {
                let mut stream = stream.accept().await.unwrap();
                let mut command = [0; 1];
                if stream.read_exact(&mut command).await.is_ok() {
                    // Endless data, or the same byte back.
                    let chunk = vec![0; 64 * 1024];
                    while command == *b"*" && stream.write_all(&chunk).await.is_ok() {}
                    let _ = stream.write_all(&command).await;
                    let _ = stream.shutdown().await;
                }
            })
        });
        let mut stalled = Vec::new();
        for _ in 0..100 {
            let mut visitor = world.open().await;
            visitor.write_all(b"*").await.unwrap();
            assert_eq!(read(&mut visitor, 1).await, [0], "the download has begun and is not read further");
            stalled.push(visitor);
        }
        for _ in 0..50 {
            let mut visitor = world.open().await;
            visitor.write_all(b"?").await.unwrap();
            assert_eq!(read_all(&mut visitor).await.unwrap(), b"?");
        }
        drop(stalled);
    }
}

#[tokio::test]
async fn metadata_arrives_before_the_bytes_it_describes_and_is_not_part_of_them() {
    for mut world in worlds().await {
        let mut visitor = world.open().await;
        let sent = visitor.metadata();
        sent.put(b"about the first".to_vec());
        write(&mut visitor, b"first").await;
        let mut incoming = world.next_stream().await;
        let received = incoming.metadata();
        let mut service = incoming.accept().await.unwrap();
        assert_eq!(read(&mut service, 5).await, b"first");
        assert_eq!(received.take().as_deref(), Some(&b"about the first"[..]));
        write(&mut visitor, b"second").await;
        assert_eq!(read(&mut service, 6).await, b"second");
        assert_eq!(received.take(), None, "no metadata was sent");
        sent.push(b"one".to_vec());
        sent.push(b"another".to_vec());
        write(&mut visitor, b"both").await;
        assert_eq!(read(&mut service, 4).await, b"both");
        assert_eq!(received.take_all(), [&b"one"[..], b"another"]);
        let longest = vec![7; MAX_METADATA];
        sent.put(longest.clone());
        let large = vec![3; 200_000];
        let (_, got) = tokio::join!(write(&mut visitor, &large), read(&mut service, large.len()));
        assert!(got == large, "a full frame still fits");
        assert_eq!(received.take(), Some(longest));
        sent.put(vec![7; MAX_METADATA + 1]);
        received.put(b"of an agent".to_vec());
        write(&mut visitor, b"third").await;
        assert_eq!(read(&mut service, 5).await, b"third");
        assert_eq!(received.take().as_deref(), Some(&b"of an agent"[..]), "too long to be sent");
        write(&mut service, b"answer").await;
        assert_eq!(read(&mut visitor, 6).await, b"answer");
    }
}

/// The bytes that a side of a TLS connection has to send.
fn sent_by<Side: SideData>(side: &mut ConnectionCommon<Side>) -> Vec<u8> {
    let mut bytes = Vec::new();
    while side.wants_write() {
        side.write_tls(&mut bytes).unwrap();
    }
    bytes
}

/// Hands the bytes to a side of a TLS connection.
fn deliver<Side: SideData>(mut bytes: &[u8], side: &mut ConnectionCommon<Side>) {
    while !bytes.is_empty() {
        side.read_tls(&mut bytes).unwrap();
        side.process_new_packets().unwrap();
    }
}

#[test]
fn a_full_frame_fits_one_packet_with_what_tls_adds() {
    // What a network stack hands to a card at once: whole segments, in 64 KiB with their headers. Over loopback it is more.
    const PACKET: usize = 45 * 1448;
    let (server, client) = tls_configs();
    let mut server = ServerConnection::new(server).unwrap();
    let mut client = ClientConnection::new(client, ServerName::try_from("localhost").unwrap()).unwrap();
    while client.is_handshaking() || server.is_handshaking() {
        deliver(&sent_by(&mut client), &mut server);
        deliver(&sent_by(&mut server), &mut client);
    }
    let mut sent = frame::header(MAX_SENT_PAYLOAD).to_vec();
    sent.resize(sent.len() + MAX_SENT_PAYLOAD, b'x');
    assert_eq!(client.writer().write(&sent).unwrap(), sent.len());
    let length = sent_by(&mut client).len();
    assert!((PACKET - 128..=PACKET).contains(&length), "{length} bytes");
}
