//! Start, heartbeat and end of sessions.
#![allow(clippy::unwrap_used)]

mod world;

use postern_api::{Code, Error, Secret};
use postern_tunnel::{
    AcceptError, Accepted, AdoptError, BoxedTransport, ConnectError, EndReason, IncomingEvent, OpenError, ServerEvent,
    accept, connect,
    message::{AppProtocol, Bind, BindKind, Bound, Scheme},
    proto::{
        codec::encode,
        message::{FromAgent, FromServer},
        preamble::Preamble,
        version::VersionRange,
    },
};
use std::{
    io,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
    time::Instant,
};
use world::{SECRET, World, hello, in_time, read, start, until, welcome, write};

fn bind(name: &str) -> Bind {
    Bind {
        request: 0,
        name: name.into(),
        what: BindKind::Http { host: None, scheme: Scheme::Https, previous: None },
        forwards_to: "http://localhost:80".into(),
        metadata: String::new(),
        inspect: true,
        app_protocol: AppProtocol::Http1,
        per_visitor: false,
        modules: None,
    }
}

async fn accept_bytes(bytes: &[u8]) -> (Result<Accepted, AcceptError>, DuplexStream) {
    let (mut peer, server) = duplex(64 * 1024);
    peer.write_all(bytes).await.unwrap();
    (accept(server).await, peer)
}

async fn data_connection(session: &str, secret: &str) -> (postern_tunnel::DataConnection, DuplexStream) {
    let preamble = Preamble::Data { session: session.into(), secret: Secret::new(secret) };
    match accept_bytes(&preamble.encode()).await {
        (Ok(Accepted::Data(connection)), peer) => (connection, peer),
        _ => panic!("it is a data connection"),
    }
}

#[tokio::test]
async fn the_server_reads_the_hello_and_the_agent_the_welcome() {
    let (mut agent, server) = duplex(64 * 1024);
    let mut bytes = Preamble::Control.encode().to_vec();
    bytes.extend_from_slice(&encode(&FromAgent::Hello(hello())).unwrap());
    agent.write_all(&bytes).await.unwrap();
    let Ok(Accepted::Control(handshake)) = accept(server).await else { panic!("it is an agent") };
    assert_eq!(handshake.hello(), &hello());

    let world = World::in_memory().await;
    assert_eq!(world.agent.welcome().session, "ts_1");
    assert_eq!(world.agent.welcome().protocol, VersionRange::SUPPORTED.newest);
    assert_eq!(world.server.id(), "ts_1");
}

#[tokio::test]
async fn a_refused_agent_receives_the_reason() {
    let error = Error::new(Code::TokenUnknown, "This authtoken is not known here.");
    let response = error.clone();
    let dial = move || {
        let (here, there) = duplex(1024);
        let response = response.clone();
        tokio::spawn(async move {
            let Ok(Accepted::Control(handshake)) = accept(there).await else { panic!("an agent comes") };
            handshake.refuse(response).await;
        });
        async { io::Result::Ok(Box::new(here) as BoxedTransport) }
    };
    match in_time(connect(Arc::new(dial), hello())).await {
        Err(ConnectError::Refused(refusal)) => assert_eq!(refusal, error),
        _ => panic!("the agent is refused"),
    }
}

#[tokio::test]
async fn an_agent_without_a_shared_version_is_refused() {
    let dial = || {
        let (here, there) = duplex(1024);
        tokio::spawn(async move { assert!(matches!(accept(there).await, Err(AcceptError::Version))) });
        async { io::Result::Ok(Box::new(here) as BoxedTransport) }
    };
    let mut newer = hello();
    newer.protocol = VersionRange { oldest: 900, newest: 901 };
    match in_time(connect(Arc::new(dial), newer)).await {
        Err(ConnectError::Refused(refusal)) => assert_eq!(refusal.code, Code::AgentTooOld),
        _ => panic!("no version is shared"),
    }
}

#[tokio::test]
async fn metadata_is_sent_only_to_agents_that_support_it() {
    for (newest, expected, expected_of_requests) in
        [(1, false, false), (2, true, false), (4, true, false), (5, true, true)]
    {
        let (mut agent, server) = duplex(64 * 1024);
        let mut hello = hello();
        hello.protocol = VersionRange { oldest: 1, newest };
        let mut bytes = Preamble::Control.encode().to_vec();
        bytes.extend_from_slice(&encode(&FromAgent::Hello(hello)).unwrap());
        agent.write_all(&bytes).await.unwrap();
        let Ok(Accepted::Control(handshake)) = accept(server).await else { panic!("it is an agent") };
        let (session, _events) = handshake.welcome(world::welcome()).await.unwrap();
        assert_eq!(session.supports_metadata(), expected, "version {newest}");
        assert_eq!(session.supports_request_notes(), expected_of_requests, "version {newest}");
    }
}

#[tokio::test(start_paused = true)]
async fn slow_peers_time_out() {
    let started = Instant::now();
    for so_far in [&b""[..], b"POST", &Preamble::Control.encode(), b"POSTERN\x01\x02\x40\x40half"] {
        let (outcome, _peer) = accept_bytes(so_far).await;
        assert!(matches!(outcome, Err(AcceptError::TooSlow)), "{so_far:?} and then silence");
    }
    assert_eq!(started.elapsed().as_secs(), 40);
}

#[tokio::test(start_paused = true)]
async fn connecting_times_out_when_the_server_does_not_respond() {
    let ends = Arc::new(std::sync::Mutex::new(Vec::new()));
    let dial = move || {
        let (here, there) = duplex(1024);
        ends.lock().unwrap().push(there);
        async { io::Result::Ok(Box::new(here) as BoxedTransport) }
    };
    let started = Instant::now();
    match connect(Arc::new(dial), hello()).await {
        Err(ConnectError::Io(error)) => assert_eq!(error.kind(), io::ErrorKind::TimedOut),
        _ => panic!("the server does not respond"),
    }
    assert_eq!(started.elapsed().as_secs(), 10);
}

#[tokio::test]
async fn other_protocols_are_refused_at_once() {
    for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0x16, 3, 1, 2, 0], b"POSTERN\x07"] {
        let (outcome, mut peer) = accept_bytes(bytes).await;
        assert!(matches!(outcome, Err(AcceptError::Preamble(_) | AcceptError::Io(_))), "{bytes:?}");
        drop(outcome);
        assert_eq!(peer.read(&mut [0; 1]).await.unwrap(), 0, "nothing is sent to other protocols");
    }
}

#[tokio::test]
async fn an_endless_hello_is_refused() {
    let mut bytes = Preamble::Control.encode().to_vec();
    bytes.extend_from_slice(&u32::MAX.to_be_bytes());
    let (outcome, _peer) = accept_bytes(&bytes).await;
    assert!(matches!(outcome, Err(AcceptError::Io(_))));
}

#[tokio::test]
async fn a_data_connection_with_a_wrong_secret_is_refused() {
    let world = World::in_memory_with(0).await;
    for (session, secret) in [("ts_1", "guess"), ("ts_1", ""), ("ts_2", SECRET), ("", "")] {
        let (connection, mut peer) = data_connection(session, secret).await;
        assert!(matches!(world.server.adopt(connection).await, Err(AdoptError::Denied)), "{session} {secret}");
        assert_eq!(peer.read(&mut [0; 1]).await.unwrap(), 0, "the connection is closed");
    }
    assert_eq!(world.server.pool().idle, 0);
    let (connection, mut peer) = data_connection("ts_1", SECRET).await;
    world.server.adopt(connection).await.unwrap();
    assert_eq!(read(&mut peer, 1).await, [1], "the connection is adopted");
    assert_eq!(world.server.pool().idle, 1);
}

#[tokio::test]
async fn a_session_accepts_at_most_256_data_connections() {
    let world = World::in_memory_with(0).await;
    let mut peers = Vec::new();
    for _ in 0..256 {
        let (connection, peer) = data_connection("ts_1", SECRET).await;
        world.server.adopt(connection).await.unwrap();
        peers.push(peer);
    }
    let (connection, _peer) = data_connection("ts_1", SECRET).await;
    assert!(matches!(world.server.adopt(connection).await, Err(AdoptError::Full)));
}

#[tokio::test]
async fn a_data_connection_that_broke_while_idle_is_not_used() {
    let mut world = World::in_memory_with(0).await;
    world.agent_echoes();
    for _ in 0..3 {
        let (connection, peer) = data_connection("ts_1", SECRET).await;
        world.server.adopt(connection).await.unwrap();
        drop(peer);
    }
    assert_eq!(world.server.pool().idle, 3);
    let mut visitor = world.open().await;
    assert_eq!(world.server.overflow_streams(), 1, "none of the three is usable");
    visitor.write_all(b"still").await.unwrap();
    assert_eq!(read(&mut visitor, 5).await, b"still");
    assert_eq!(world.server.pool().idle, 0);
}

#[tokio::test]
async fn a_bind_request_returns_the_response_of_the_server() {
    let mut world = World::in_memory().await;
    let server = world.server.clone();
    let mut events = world.events;
    tokio::spawn(async move {
        while let Some(ServerEvent::Bind(bind)) = events.next().await {
            let Bind { request, name, .. } = bind;
            match name.as_str() {
                "taken" => server.bind_refused(request, Error::from(Code::NameTaken)),
                _ => server.bound(Bound {
                    request,
                    tunnel: format!("tn_{name}"),
                    number: 1,
                    url: None,
                    host: None,
                    port: None,
                }),
            }
        }
    });
    let (shop, taken) =
        in_time(async { tokio::join!(world.agent.bind(bind("shop")), world.agent.bind(bind("taken"))) }).await;
    assert_eq!(shop.unwrap().tunnel, "tn_shop");
    assert_eq!(taken.unwrap_err().code, Code::NameTaken);

    world.server.tunnel_closed(1, Error::from(Code::CredentialDeleted));
    world.server.drain();
    let incoming = world.incoming.as_mut().unwrap();
    match in_time(incoming.next()).await {
        Some(IncomingEvent::TunnelClosed { number: 1, error }) => assert_eq!(error.code, Code::CredentialDeleted),
        _ => panic!("the tunnel is closed"),
    }
    assert!(matches!(in_time(incoming.next()).await, Some(IncomingEvent::Drain { error: None })));
}

#[tokio::test]
async fn an_address_is_released_when_the_caller_of_bind_is_gone() {
    let mut world = World::in_memory().await;
    let agent = world.agent.clone();
    let binding = tokio::spawn(async move { agent.bind(bind("shop")).await });
    let Some(ServerEvent::Bind(Bind { request, .. })) = in_time(world.events.next()).await else { panic!("a bind") };
    binding.abort();
    assert!(binding.await.is_err());
    world.server.bound(Bound { request, tunnel: "tn_1".into(), number: 9, url: None, host: None, port: None });
    assert_eq!(in_time(world.events.next()).await, Some(ServerEvent::Unbind { number: 9 }));
}

#[tokio::test]
async fn goodbye_is_a_clean_end_on_both_sides() {
    for mut world in [World::in_memory().await, World::over_tls().await] {
        in_time(world.agent.goodbye()).await;
        assert_eq!(in_time(world.events.next()).await, Some(ServerEvent::Goodbye));
        assert_eq!(in_time(world.events.next()).await, None);
        for end in [in_time(world.server.closed()).await, in_time(world.agent.closed()).await] {
            assert!(end.clean);
            assert_eq!(end.reason, EndReason::Goodbye);
        }
        assert!(in_time(world.incoming.as_mut().unwrap().next()).await.is_none());
    }
}

#[tokio::test]
async fn the_server_sends_the_reason_when_it_ends_a_session() {
    for world in [World::in_memory().await, World::over_tls().await] {
        let error = Error::new(Code::SessionReplaced, "The same agent has connected again.");
        world.server.end(error.clone());
        for end in [in_time(world.agent.closed()).await, in_time(world.server.closed()).await] {
            assert!(end.clean);
            assert_eq!(end.reason, EndReason::Ended(error.clone()));
        }
        assert_eq!(world.server.open_stream(start()).await.err(), Some(OpenError::Ended));
        assert_eq!(world.agent.bind(bind("late")).await.unwrap_err().code, Code::SessionNotReady);
    }
}

#[tokio::test]
async fn the_latency_is_measured() {
    let world = World::in_memory().await;
    until("both ends have measured the latency", || {
        world.server.latency().is_some() && world.agent.latency().is_some()
    })
    .await;
    assert!(world.server.latency().unwrap() < Duration::from_secs(5));
}

#[tokio::test]
async fn loss_of_the_control_connection_ends_the_session_and_its_streams() {
    let (mut world, cut) = World::in_memory_with_cut().await;
    world.idle(16).await;
    let mut visitors = Vec::new();
    for _ in 0..3 {
        let mut visitor = world.open().await;
        write(&mut visitor, b"hold on").await;
        let service = world.next_stream().await.accept().await.unwrap();
        visitors.push((visitor, service));
    }
    assert!(world.server.pool().busy > 0, "some streams use data connections");
    cut.send(()).unwrap();
    for end in [in_time(world.server.closed()).await, in_time(world.agent.closed()).await] {
        assert!(!end.clean);
        assert!(matches!(end.reason, EndReason::Lost(_)), "{end:?}");
    }
    for (mut visitor, mut service) in visitors {
        assert!(world::read_all(&mut visitor).await.is_err());
        let mut received = [0; 7];
        in_time(service.read_exact(&mut received)).await.unwrap();
        assert!(world::read_all(&mut service).await.is_err());
    }
    assert_eq!(world.server.pool().idle, 0, "idle connections are closed");
    assert_eq!(world.server.open_stream(start()).await.err(), Some(OpenError::Ended));
    assert!(in_time(world.incoming.as_mut().unwrap().next()).await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_dead_agent_is_detected_after_fifteen_seconds() {
    let (mut agent, there) = duplex(64 * 1024);
    let mut bytes = Preamble::Control.encode().to_vec();
    bytes.extend_from_slice(&encode(&FromAgent::Hello(hello())).unwrap());
    agent.write_all(&bytes).await.unwrap();
    let Ok(Accepted::Control(handshake)) = accept(there).await else { panic!("an agent comes") };
    let (session, _events) = handshake.welcome(welcome()).await.unwrap();
    let welcomed = Instant::now();
    let end = session.closed().await;
    assert_eq!(end.reason, EndReason::Dead);
    assert!(!end.clean);
    assert_eq!(welcomed.elapsed().as_millis() / 100, 150, "fifteen seconds of silence");
}

#[tokio::test(start_paused = true)]
async fn a_dead_server_is_detected_after_fifteen_seconds() {
    let (kept, mut servers) = tokio::sync::mpsc::unbounded_channel();
    let dial = move || {
        let (here, mut there) = duplex(64 * 1024);
        let kept = kept.clone();
        tokio::spawn(async move {
            let bytes = encode(&FromServer::Welcome(welcome())).unwrap();
            there.write_all(&bytes).await.unwrap();
            kept.send(there).unwrap();
        });
        async { io::Result::Ok(Box::new(here) as BoxedTransport) }
    };
    let (session, _incoming) = connect(Arc::new(dial), hello()).await.unwrap();
    let _server = servers.recv().await.unwrap();
    let welcomed = Instant::now();
    assert_eq!(session.closed().await.reason, EndReason::Dead);
    assert_eq!(welcomed.elapsed().as_millis() / 100, 150, "fifteen seconds of silence");
}

#[tokio::test(start_paused = true)]
async fn heartbeats_keep_an_idle_session_alive_for_days() {
    let world = World::in_memory().await;
    tokio::time::sleep(Duration::from_secs(2 * 24 * 3600)).await;
    assert_eq!(world.server.pool().idle, 16);
    let never = Duration::from_secs(1);
    assert!(tokio::time::timeout(never, world.server.closed()).await.is_err(), "the session lives");
    assert!(tokio::time::timeout(never, world.agent.closed()).await.is_err(), "the session lives");
}

#[tokio::test(start_paused = true)]
async fn connections_of_a_burst_are_closed_when_idle() {
    let mut world = World::in_memory().await;
    world.agent_echoes();
    world.idle(16).await;
    let mut visitors = Vec::new();
    for _ in 0..150 {
        let mut visitor = world.open_alone().await;
        visitor.write_all(b"x").await.unwrap();
        visitors.push(visitor);
    }
    until("the pool is filled", || world.server.pool().idle >= 16).await;
    for visitor in &mut visitors {
        visitor.shutdown().await.unwrap();
        world::read_all(visitor).await.unwrap();
    }
    drop(visitors);
    until("no connection is busy", || world.server.pool().busy == 0).await;
    assert!(world.server.pool().idle > 64);
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(world.server.pool().idle, 64, "the surplus went soon");
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(world.server.pool().idle, 24, "the rest went after a while");
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(world.server.pool().idle, 24, "the reserve stays, and closed connections are not replaced");
}

#[tokio::test]
async fn dropping_the_last_handle_ends_the_session() {
    let world = World::in_memory().await;
    world.test_server.forget().await;
    let (server, agent) = (world.server, world.agent);
    let other = server.clone();
    drop(server);
    assert!(tokio::time::timeout(Duration::from_millis(20), agent.closed()).await.is_err(), "a clone still holds it");
    drop(other);
    assert!(!in_time(agent.closed()).await.clean);
}

#[tokio::test]
async fn an_agent_keeps_its_pool_full_when_connections_are_lost() {
    let world = World::in_memory().await;
    world.idle(16).await;
    let mut lost = Vec::new();
    for _ in 0..10 {
        lost.push(world.open().await);
    }
    until("the pool is filled", || world.server.pool().idle >= 15).await;
    drop(lost);
    until("the pool is idle again", || world.server.pool().busy == 0 && world.server.pool().idle >= 16).await;
    assert!(world.test_server.data_connections.load(Ordering::SeqCst) > 16);
}
