//! What a visitor's stream promises, on a warm data connection and on the control connection alike.
#![allow(clippy::unwrap_used)]

mod world;

use postern_api::{Code, Error};
use postern_tunnel::proto::frame::MAX_NOTE;
use postern_tunnel::{Refused, StreamKind};
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use world::{World, read, read_all, say, start, until, within};

/// A world whose streams take the pool, one whose streams overflow, one over TLS.
async fn worlds() -> Vec<World> {
    let pooled = World::in_memory().await;
    pooled.idle(16).await;
    let tls = World::over_tls().await;
    tls.idle(16).await;
    vec![pooled, World::in_memory_with(0).await, tls]
}

#[tokio::test]
async fn the_agent_learns_what_a_stream_is_for_and_both_sides_talk() {
    for mut world in worlds().await {
        let mut visitor = world.open().await;
        say(&mut visitor, b"question").await;
        let incoming = world.next_stream().await;
        assert_eq!(incoming.start, start());
        assert_eq!(incoming.start.kind, StreamKind::Http);
        let mut service = incoming.accept().await.unwrap();
        assert_eq!(read(&mut service, 8).await, b"question");
        say(&mut service, b"answer").await;
        assert_eq!(read(&mut visitor, 6).await, b"answer");
    }
}

#[tokio::test]
async fn a_service_that_speaks_first_is_heard() {
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
async fn a_question_is_heard_although_nobody_flushes_it() {
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
        let made = world.door.data_connections.load(Ordering::SeqCst);
        assert!(made <= 40, "200 streams one after the other needed {made} connections");
        assert_eq!(world.server.overflowing(), 0);
        until(|| world.server.pool().busy == 0).await;
    }
}

#[tokio::test]
async fn an_empty_pool_overflows_onto_the_control_connection() {
    let mut world = World::in_memory_with(0).await;
    world.agent_echoes();
    let mut visitor = world.open().await;
    assert_eq!(world.server.overflowing(), 1);
    visitor.write_all(b"over").await.unwrap();
    visitor.shutdown().await.unwrap();
    assert_eq!(read_all(&mut visitor).await.unwrap(), b"over");
    drop(visitor);
    assert_eq!(world.server.overflowing(), 0, "its place is free again");
}

#[tokio::test]
async fn half_a_stream_may_end_while_the_other_half_goes_on() {
    for mut world in worlds().await {
        let mut visitor = world.open().await;
        visitor.write_all(b"all I have").await.unwrap();
        visitor.shutdown().await.unwrap();
        let mut service = world.next_stream().await.accept().await.unwrap();
        assert_eq!(read_all(&mut service).await.unwrap(), b"all I have");
        for word in ["one", "two", "three"] {
            say(&mut service, word.as_bytes()).await;
            assert_eq!(read(&mut visitor, word.len()).await, word.as_bytes());
        }
        service.shutdown().await.unwrap();
        assert_eq!(read_all(&mut visitor).await.unwrap(), b"");
        let error = visitor.write_all(b"more").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BrokenPipe);
    }
}

#[tokio::test]
async fn a_refusal_carries_the_error_and_costs_no_connection() {
    for mut world in worlds().await {
        let error =
            Error::new(Code::ServiceUnreachable, "nothing listens on localhost:1").with("address", "localhost:1");
        let answer = error.clone();
        world.agent_serves(move |stream| {
            let answer = answer.clone();
            Box::pin(async move { stream.refuse(answer).await })
        });
        let before = world.server.pool();
        for _ in 0..5 {
            let mut visitor = world.open().await;
            visitor.write_all(b"is anybody there?").await.unwrap();
            let refused = within(visitor.accepted()).await.unwrap_err();
            let refusal = refused.get_ref().and_then(|source| source.downcast_ref::<Refused>());
            assert_eq!(refusal, Some(&Refused(error.clone())));
            assert!(read_all(&mut visitor).await.is_err(), "a refused stream stays refused");
            assert!(visitor.write_all(b"but").await.is_err());
        }
        until(|| world.server.pool().busy == 0).await;
        assert!(world.server.pool().idle >= before.idle, "refused streams gave their connections back");
    }
}

#[tokio::test]
async fn a_refusal_after_a_glance_has_seen_what_the_visitor_sent() {
    for mut world in worlds().await {
        let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
        world.agent_serves(move |stream| {
            let tell = tell.clone();
            Box::pin(async move {
                let mut seen = Vec::new();
                let look = |bytes: &[u8]| {
                    seen.extend_from_slice(bytes);
                    if seen.ends_with(b"?") { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                };
                stream.refuse_after_a_glance(Error::from(Code::ServiceUnreachable), look).await;
                let _ = tell.send(seen);
            })
        });
        let before = world.server.pool();
        for question in [&b"is anybody there?"[..], b"an unfinished quest"] {
            let mut visitor = world.open().await;
            visitor.write_all(question).await.unwrap();
            let refused = within(visitor.accepted()).await.unwrap_err();
            assert!(refused.get_ref().is_some_and(|source| source.is::<Refused>()));
            assert_eq!(within(told.recv()).await.unwrap(), question);
        }
        until(|| world.server.pool().busy == 0).await;
        assert!(world.server.pool().idle >= before.idle, "refused streams gave their connections back");
    }
}

#[tokio::test]
async fn the_verdict_can_be_awaited_alone() {
    for mut world in worlds().await {
        world.agent_echoes();
        let mut visitor = world.open().await;
        within(visitor.accepted()).await.unwrap();
        within(visitor.accepted()).await.unwrap();
        visitor.write_all(b"hello").await.unwrap();
        assert_eq!(read(&mut visitor, 5).await, b"hello");
    }
}

#[tokio::test]
async fn a_stream_that_is_dropped_midway_never_looks_complete() {
    for mut world in worlds().await {
        let mut visitor = world.open().await;
        say(&mut visitor, b"half a bo").await;
        let mut service = world.next_stream().await.accept().await.unwrap();
        assert_eq!(read(&mut service, 9).await, b"half a bo");
        drop(visitor);
        assert!(read_all(&mut service).await.is_err(), "the visitor broke off");

        let mut visitor = world.open().await;
        say(&mut visitor, b"x").await;
        let mut service = world.next_stream().await.accept().await.unwrap();
        say(&mut service, b"half an ans").await;
        assert_eq!(read(&mut visitor, 11).await, b"half an ans");
        drop(service);
        assert!(read_all(&mut visitor).await.is_err(), "the service broke off");
    }
}

#[tokio::test]
async fn a_visitor_who_leaves_after_his_own_end_does_not_cost_the_connection() {
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
    until(|| world.server.pool().busy == 0).await;
    let made = world.door.data_connections.load(Ordering::SeqCst);
    assert!(made <= 60, "the end of the agent was waited for, {made} connections were made");
    assert!(world.server.pool().idle >= 16);
}

#[tokio::test]
async fn large_amounts_arrive_whole_both_ways_at_once() {
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
async fn two_hundred_opens_at_once_are_all_served() {
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
        within(futures::future::join_all(visits)).await;
        until(|| world.server.pool().busy == 0 && world.server.overflowing() == 0).await;
    }
}

#[tokio::test]
async fn more_streams_than_may_stay_unanswered_do_not_wait_for_the_agents_verdict() {
    let mut world = World::in_memory_with(0).await;
    let mut visitors = Vec::new();
    let mut waiting = Vec::new();
    for _ in 0..600 {
        let mut visitor = within(world.server.open_stream(start())).await.unwrap();
        visitor.flush().await.unwrap();
        visitors.push(visitor);
        waiting.push(world.next_stream().await);
    }
    assert_eq!(world.server.overflowing(), 600);
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
                let mut wish = [0; 1];
                if stream.read_exact(&mut wish).await.is_ok() {
                    // As much as the visitor takes, or the same byte back.
                    let chunk = vec![0; 64 * 1024];
                    while wish == *b"*" && stream.write_all(&chunk).await.is_ok() {}
                    let _ = stream.write_all(&wish).await;
                    let _ = stream.shutdown().await;
                }
            })
        });
        let mut stalled = Vec::new();
        for _ in 0..100 {
            let mut visitor = world.open().await;
            visitor.write_all(b"*").await.unwrap();
            assert_eq!(read(&mut visitor, 1).await, [0], "the download has begun, and is not read any further");
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
async fn a_note_arrives_in_front_of_the_bytes_it_is_about_and_is_no_part_of_them() {
    for mut world in worlds().await {
        let mut visitor = world.open().await;
        let sent = visitor.notes();
        sent.put(b"about the first".to_vec());
        say(&mut visitor, b"first").await;
        let mut incoming = world.next_stream().await;
        let heard = incoming.notes();
        let mut service = incoming.accept().await.unwrap();
        assert_eq!(read(&mut service, 5).await, b"first");
        assert_eq!(heard.take().as_deref(), Some(&b"about the first"[..]));
        say(&mut visitor, b"second").await;
        assert_eq!(read(&mut service, 6).await, b"second");
        assert_eq!(heard.take(), None, "nothing was noted");
        let longest = vec![7; MAX_NOTE];
        sent.put(longest.clone());
        let large = vec![3; 200_000];
        let (_, got) = tokio::join!(say(&mut visitor, &large), read(&mut service, large.len()));
        assert!(got == large, "a full frame still fits");
        assert_eq!(heard.take(), Some(longest));
        sent.put(vec![7; MAX_NOTE + 1]);
        heard.put(b"of an agent".to_vec());
        say(&mut visitor, b"third").await;
        assert_eq!(read(&mut service, 5).await, b"third");
        assert_eq!(heard.take().as_deref(), Some(&b"of an agent"[..]), "too long to be carried");
        say(&mut service, b"answer").await;
        assert_eq!(read(&mut visitor, 6).await, b"answer");
    }
}
