//! HTTP/2 connections that create work for the server and abandon it.

use crate::kit::{
    ScriptedOrigin, World,
    agent::Agent,
    frames::{self, Fate, Frames, MAX_STREAMS, block},
    until, visitor,
};

const REQUEST: [(&[u8], &[u8]); 4] =
    [(b":method", b"GET"), (b":scheme", b"https"), (b":authority", b"a.localhost"), (b":path", b"/")];
const CANCEL: [u8; 4] = 8_u32.to_be_bytes();

async fn world(change: impl FnOnce(&mut postern_edge::Limits)) -> (World, ScriptedOrigin, Agent) {
    let world = World::with(|settings| change(&mut settings.limits)).await;
    let origin = ScriptedOrigin::serving(|mut connection| async move {
        while let Some(request) = connection.request().await {
            if request.starts_with("GET /page") {
                let _ = connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await;
            }
        }
    })
    .await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("a"), origin.address).await.unwrap();
    (world, origin, agent)
}

async fn others_are_served(world: &World) {
    assert_eq!(visitor::get(world, "a.localhost", "/page").await.status, 200, "others are served");
}

#[tokio::test]
async fn an_endless_header_block_is_cut_off() {
    let (world, origin, _agent) = world(|_| {}).await;
    // Empty CONTINUATION frames, and frames that grow the block beyond the limit.
    for piece in [&b""[..], &block(&[(b"x-filler", &[b'x'; 4000])])] {
        let mut frames = Frames::open(&world, "a.localhost", &[]).await;
        frames.send(frames::HEADERS, frames::END_STREAM, 1, &block(&REQUEST)).await;
        let mut sent = 0;
        while sent < 200_000 && frames.send(frames::CONTINUATION, 0, 1, piece).await {
            sent += 1;
        }
        assert!(sent < 200_000, "the flood is taken in for ever");
        assert!(matches!(frames.fate(1).await, Fate::Closed(_)));
        others_are_served(&world).await;
    }
    assert_eq!(origin.request_texts().len(), 2, "only the requests of the others");
}

#[tokio::test]
async fn a_header_block_longer_than_allowed_is_refused() {
    let (world, origin, _agent) = world(|limits| limits.head_bytes = 32 * 1024).await;
    let filler = vec![b'x'; 12_000];
    let mut frames = Frames::open(&world, "a.localhost", &[]).await;
    frames.send(frames::HEADERS, frames::END_STREAM, 1, &block(&REQUEST)).await;
    for number in [b"x-1", b"x-2", b"x-3"] {
        frames.send(frames::CONTINUATION, 0, 1, &block(&[(number, &filler)])).await;
    }
    frames.send(frames::CONTINUATION, frames::END_HEADERS, 1, &[]).await;
    let fate = frames.fate(1).await;
    assert!(matches!(fate, Fate::Responded(431) | Fate::Reset(_) | Fate::Closed(_)), "{fate:?}");
    assert!(origin.request_texts().is_empty());
}

#[tokio::test]
async fn requests_that_are_reset_immediately_end_the_connection() {
    let (world, origin, _agent) = world(|_| {}).await;
    let mut frames = Frames::open(&world, "a.localhost", &[]).await;
    let mut sent_requests = 0;
    while sent_requests < 100_000 {
        let stream = 1 + 2 * sent_requests;
        if !frames.request(stream, &REQUEST).await || !frames.send(frames::RST_STREAM, 0, stream, &CANCEL).await {
            break;
        }
        sent_requests += 1;
    }
    assert!(sent_requests < 100_000, "the flood is taken in for ever");
    others_are_served(&world).await;
    let received = origin.requests().len();
    assert!(received <= 20_000, "{received} of the flood reached the local service");
}

#[tokio::test]
async fn a_visitor_who_abandons_nearly_all_requests_is_disconnected() {
    let (world, origin, _agent) = world(|limits| limits.resets = 10).await;
    let mut frames = Frames::open(&world, "a.localhost", &[]).await;
    let mut sent_requests = 0;
    // Each request has reached the local service when it is reset, so it has caused real work.
    while sent_requests < 30 {
        let (stream, received) = (1 + 2 * sent_requests, origin.requests().len());
        if !frames.request(stream, &REQUEST).await {
            break;
        }
        let is_received = tokio::select! {
            () = until("the request arrives", || origin.requests().len() > received) => true,
            () = frames.ended() => false,
        };
        if !is_received || !frames.send(frames::RST_STREAM, 0, stream, &CANCEL).await {
            break;
        }
        sent_requests += 1;
    }
    assert!((10..=13).contains(&sent_requests), "{sent_requests} requests");
    others_are_served(&world).await;
    until("nothing is left open", || world.live().tunnels()[0].streams <= 1).await;
}

#[tokio::test]
async fn a_visitor_who_abandons_a_few_requests_is_served() {
    let (world, ..) = world(|limits| limits.resets = 3).await;
    let mut frames = Frames::open(&world, "a.localhost", &[]).await;
    let mut page = REQUEST;
    page[3].1 = b"/page";
    for round in 0..30 {
        let stream = 1 + 4 * round;
        assert!(frames.request(stream, &REQUEST).await && frames.send(frames::RST_STREAM, 0, stream, &CANCEL).await);
        assert!(frames.request(stream + 2, &page).await);
        let is_served = loop {
            match frames.next().await {
                Some(frame) if frame.stream == stream + 2 && frame.kind == frames::HEADERS => break true,
                Some(frame) if frame.kind != frames::GOAWAY => {}
                _ => break false,
            }
        };
        assert!(is_served, "round {round}");
    }
}

#[tokio::test]
async fn streams_beyond_the_announced_number_are_refused() {
    let (world, origin, _agent) = world(|limits| limits.streams = 5).await;
    let mut frames = Frames::open(&world, "a.localhost", &[]).await;
    let announced = frames.next().await.expect("settings");
    let setting = announced.payload.chunks(6).find(|setting| setting[..2] == MAX_STREAMS.to_be_bytes());
    assert_eq!(setting.expect("it is announced")[2..], 5_u32.to_be_bytes());
    for number in 0..5 {
        frames.request(1 + 2 * number, &REQUEST).await;
    }
    until("five are served", || origin.request_texts().len() == 5).await;
    frames.request(11, &REQUEST).await;
    const REFUSED_STREAM: u32 = 7;
    assert_eq!(frames.fate(11).await, Fate::Reset(REFUSED_STREAM));
    assert_eq!(origin.request_texts().len(), 5);
}

#[tokio::test]
async fn frames_that_bring_nothing_any_further_end_the_connection() {
    let (world, _origin, _agent) = world(|_| {}).await;
    const PRIORITY: u8 = 2;
    const PING: u8 = 6;
    const UNKNOWN: u8 = 0xbe;
    for (kind, stream, payload) in [
        (PING, 0, &[0; 8][..]),
        (frames::WINDOW_UPDATE, 0, &[0, 0, 0, 1]),
        (PRIORITY, 1, &[0, 0, 0, 0, 16]),
        (UNKNOWN, 0, &[]),
    ] {
        let mut frames = Frames::open(&world, "a.localhost", &[]).await;
        let mut sent = 0;
        while sent < 1_000 && frames.send_many(kind, stream, payload, 500).await {
            sent += 1;
        }
        assert!(sent < 1_000, "the flood of frames of type {kind} is taken in for ever");
        others_are_served(&world).await;
    }
}

#[tokio::test]
async fn a_visitor_that_reads_in_small_steps_is_served() {
    let world = World::start().await;
    let origin = ScriptedOrigin::responding(|_| {
        format!("HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n{}", "x".repeat(400_000))
    })
    .await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("a"), origin.address).await.unwrap();
    let mut frames = Frames::open(&world, "a.localhost", &[(frames::INITIAL_WINDOW, 0)]).await;
    frames.request(1, &REQUEST).await;
    assert_eq!(frames.fate(1).await, Fate::Responded(200));
    let mut received = 0;
    while received < 400_000 {
        // Two updates for every 64 bytes, as some clients send them: more frames in all than are allowed in a row.
        for stream in [0, 1] {
            assert!(frames.send(frames::WINDOW_UPDATE, 0, stream, &64_u32.to_be_bytes()).await);
        }
        loop {
            let frame = frames.next().await.expect("the connection is kept");
            if frame.kind == frames::DATA {
                received += frame.payload.len();
                break;
            }
        }
    }
}
