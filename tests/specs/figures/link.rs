//! Figures of the link between agent and server, measured at a link that takes a known time.

use super::{Origin, timed::Measured};
use postern_tests::{World, eventually};
use serde_json::{Value, json};
use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    time::Instant,
};

/// The time that the link takes in each direction.
const ONE_WAY: Duration = Duration::from_millis(20);

/// A way to the server that holds everything for a while.
async fn slow_link(server: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((near, _)) = listener.accept().await {
            let Ok(far) = TcpStream::connect(server).await else { return };
            let ((near_read, near_write), (far_read, far_write)) = (near.into_split(), far.into_split());
            tokio::spawn(hold(near_read, far_write));
            tokio::spawn(hold(far_read, near_write));
        }
    });
    address
}

async fn hold(mut from: OwnedReadHalf, mut to: OwnedWriteHalf) {
    let mut bytes = vec![0; 64 << 10];
    while let Ok(length @ 1..) = from.read(&mut bytes).await {
        tokio::time::sleep(ONE_WAY).await;
        if to.write_all(&bytes[..length]).await.is_err() {
            return;
        }
    }
}

#[tokio::test]
async fn the_round_trip_is_that_of_the_link() {
    let world = World::start().await;
    let link = slow_link(world.agents_server().addresses.https).await;
    let token = world.operator().credential(&[]).await.1;
    let began = Instant::now();
    let setup = world.agent_setup("agent", &token).setting("server_addr", &format!("localhost:{}", link.port()));
    let agent = setup.start().await;
    let leg = eventually("the round trip is measured", async || {
        let leg = agent.get("/api/status").await.ok()["session"]["legs"][0].clone();
        leg["round_trip"].is_u64().then_some(leg)
    })
    .await;
    let measured = Measured { inside: 2 * ONE_WAY, around: began.elapsed() };
    let round_trip = leg["round_trip"].as_u64().expect("a duration");
    measured.assert_holds(round_trip, "the round trip");
    let expected = format!("{:.1}ms", Duration::from_nanos(round_trip).as_secs_f64() * 1000.0);
    assert_eq!(leg["latency"], expected, "the same for people: {leg}");

    let origin = Origin::start("hello").await;
    let tunnel = agent.https("site", &origin).await;
    let asked = Instant::now();
    assert_eq!(world.visitor().get(&tunnel.url("/")).await.text(), "hello");
    let waited = asked.elapsed();
    assert!(waited >= 2 * ONE_WAY, "{waited:?}");
    let captured = agent.captured().await;
    let transit = captured[0]["timing"]["transit"].as_u64().expect("a duration");
    Measured { inside: ONE_WAY, around: began.elapsed() / 2 }.assert_holds(transit, "the way to the agent");

    let began = Instant::now();
    let report = agent.post("/api/diagnosis", json!({})).await.ok();
    let took = began.elapsed();
    let mut names = Vec::new();
    for check in report["checks"].as_array().expect("a list") {
        // The clock's check shows what it measured.
        if check["name"] != "clock" {
            let least = if check["name"] == "latency" { 2 * ONE_WAY } else { Duration::ZERO };
            let nanoseconds = check["milliseconds"].as_f64().expect("a duration") * 1e6;
            Measured { inside: least, around: took }.assert_holds(nanoseconds as u64, &check.to_string());
        }
        names.push(check["name"].clone());
    }
    assert!(names.contains(&Value::from("latency")), "{report}");
}

#[tokio::test]
async fn attempts_are_the_connections_that_arrive() {
    let world = World::start().await;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let arrived = Arc::<AtomicU64>::default();
    let counting = arrived.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            counting.fetch_add(1, SeqCst);
            drop(stream);
        }
    });
    let token = world.operator().credential(&[]).await.1;
    let setup = world.agent_setup("agent", &token).setting("server_addr", &format!("localhost:{}", address.port()));
    let agent = setup.start_without_session().await;
    for least in [1, 2, 3] {
        eventually("attempts and connections are the same", async || {
            let before = arrived.load(SeqCst);
            let attempt = agent.get("/api/status").await.ok()["session"]["attempt"].as_u64().expect("a number");
            (before >= least && attempt == before && arrived.load(SeqCst) == before).then_some(())
        })
        .await;
    }
}
