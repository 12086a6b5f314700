//! Connections to a local service over HTTP/1.1: reused by requests, as many as are in use at the same time.

use crate::kit::{
    Http1Client, ScriptedOrigin, World,
    agent::{Agent, hello},
    eventually, in_time, until,
    visitor::{self, https},
};
use futures::future::join_all;
use postern_tunnel::{
    message::{AppProtocol, BindKind, Hello, Scheme},
    proto::version::VersionRange,
};
use std::sync::{Arc, atomic::Ordering};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::Barrier,
};

const HOST: &str = "busy.localhost";
const GET: &str = "GET / HTTP/1.1\r\nHost: busy.localhost\r\n\r\n";
const RESPONSE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A local service that responds when `crowd` requests are open.
async fn waiting_for(crowd: usize) -> ScriptedOrigin {
    let barrier = Arc::new(Barrier::new(crowd));
    ScriptedOrigin::serving(move |mut connection| {
        let barrier = barrier.clone();
        async move {
            while connection.request().await.is_some() {
                barrier.wait().await;
                connection.send(RESPONSE).await.unwrap();
            }
        }
    })
    .await
}

async fn each_requests<S: AsyncRead + AsyncWrite + Unpin>(visitors: &mut [Http1Client<S>]) {
    let responses = join_all(visitors.iter_mut().map(|visitor| in_time(visitor.request(GET)))).await;
    assert!(responses.iter().all(|response| response.status == 200));
}

/// An agent that knows no shared connections.
async fn older_agent(world: &World) -> Agent {
    let older = Hello { protocol: VersionRange { newest: 5, ..VersionRange::SUPPORTED }, ..hello(&world.token, "one") };
    Agent::greet(world, older).await.map_err(|error| error.to_string()).expect("welcome")
}

#[tokio::test]
async fn a_hundred_and_fifty_requests_at_a_time_share_connections_to_the_agent() {
    const VISITORS: usize = 150;
    let world = World::start().await;
    let origin = waiting_for(VISITORS).await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("busy"), origin.address).await.unwrap();
    let mut visitors = join_all((0..VISITORS).map(|_| https(&world, HOST))).await;
    for _ in 0..4 {
        each_requests(&mut visitors).await;
    }
    let (opened, dialled) = (agent.starts.lock().unwrap().len(), agent.dialled.load(Ordering::SeqCst));
    assert_eq!((opened, agent.overflow.load(Ordering::SeqCst)), (VISITORS, 0));
    assert!(dialled <= 40, "{dialled} connections were dialled");
}

#[tokio::test]
async fn large_responses_of_a_crowd_arrive_whole() {
    const VISITORS: usize = 60;
    let world = World::start().await;
    let body = "0123456789abcdef".repeat(20_000);
    let response = Arc::new(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()));
    let origin = ScriptedOrigin::serving(move |mut connection| {
        let response = response.clone();
        async move {
            while connection.request().await.is_some() {
                connection.send(response.as_bytes()).await.unwrap();
            }
        }
    })
    .await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("busy"), origin.address).await.unwrap();
    let mut visitors = join_all((0..VISITORS).map(|_| https(&world, HOST))).await;
    for _ in 0..3 {
        let responses = join_all(visitors.iter_mut().map(|visitor| in_time(visitor.request(GET)))).await;
        assert!(responses.iter().all(|response| response.status == 200 && response.body == body.as_bytes()));
    }
}

#[tokio::test]
async fn a_hundred_and_fifty_requests_at_a_time_reuse_their_connections() {
    const VISITORS: usize = 150;
    const ROUNDS: usize = 4;
    let world = World::start().await;
    let origin = waiting_for(VISITORS).await;
    let agent = older_agent(&world).await;
    agent.http(Some("busy"), origin.address).await.unwrap();
    let mut visitors = join_all((0..VISITORS).map(|_| https(&world, HOST))).await;
    for _ in 0..ROUNDS {
        each_requests(&mut visitors).await;
    }
    // What began on the control connection moves to connections of its own once they are there.
    let moved = agent.starts.lock().unwrap().len() - VISITORS;
    assert!(moved <= VISITORS, "{moved} streams were opened again");
}

#[tokio::test]
async fn after_a_burst_requests_leave_the_control_connection() {
    const BURST: usize = 200;
    let world = World::start().await;
    let burst = waiting_for(BURST).await;
    let agent = older_agent(&world).await;
    agent.http(Some("busy"), burst.address).await.unwrap();
    let mut visitors = join_all((0..BURST).map(|_| https(&world, HOST))).await;
    each_requests(&mut visitors).await;
    drop(visitors);
    until("no stream is left on the control connection", || agent.overflow.load(Ordering::SeqCst) == 0).await;
}

#[tokio::test]
async fn connections_for_one_visitor_are_closed_when_the_visitor_leaves() {
    let world = World::start().await;
    let origin = ScriptedOrigin::with_text("ok").await;
    let agent = Agent::connect(&world, "one").await;
    let what = BindKind::Http { host: Some("busy".into()), scheme: Scheme::Https, previous: None };
    agent.bind_speaking(what, AppProtocol::Http1, true, origin.address).await.unwrap();
    let mut staying = https(&world, HOST).await;
    assert_eq!(in_time(staying.request(GET)).await.status, 200);
    for _ in 0..3 {
        assert_eq!(visitor::get(&world, HOST, "/").await.status, 200);
    }
    assert_eq!(origin.connections(), 4, "each visitor has a connection of its own");
    eventually("one stream is left", async || (open_streams(&world) == 1).then_some(())).await;
    assert_eq!(in_time(staying.request(GET)).await.status, 200);
    assert_eq!(origin.connections(), 4, "a visitor that stays keeps its connection");
}

fn open_streams(world: &World) -> usize {
    world.live().tunnels().iter().map(|tunnel| tunnel.streams).sum()
}
