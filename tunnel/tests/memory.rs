//! Memory cost of idle and stalled streams.
#![allow(clippy::unwrap_used)]
#![cfg(target_os = "linux")]

mod world;

use std::ops::RangeInclusive;
use world::{World, read, write};

/// Resident memory of this process in bytes.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    let kilobytes: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes * 1024
}

/// Measures the bytes per idle stream. Both ends are in this process, including the pipe to the local service.
async fn cost_of_an_idle_stream(world: &mut World, streams: usize, expected_overflow: RangeInclusive<usize>) -> usize {
    let mut services = world.agent_relays();
    let mut kept = Vec::new();
    for _ in 0..50 {
        kept.push(talk(world, &mut services).await);
    }
    let before = resident();
    for _ in 0..streams {
        kept.push(talk(world, &mut services).await);
    }
    let overflow = world.server.overflow_streams();
    assert!(expected_overflow.contains(&overflow), "{overflow} streams travel on the control connection");
    (resident() - before) / streams
}

type Services = tokio::sync::mpsc::UnboundedReceiver<tokio::io::DuplexStream>;

/// A visitor's stream that has been used and is idle now.
async fn talk(world: &World, services: &mut Services) -> (postern_tunnel::TunnelStream, tokio::io::DuplexStream) {
    let mut visitor = world.open().await;
    write(&mut visitor, &[1; 2000]).await;
    let mut service = world::in_time(services.recv()).await.unwrap();
    assert_eq!(read(&mut service, 2000).await, [1; 2000]);
    write(&mut service, &[2; 2000]).await;
    assert_eq!(read(&mut visitor, 2000).await, [2; 2000]);
    (visitor, service)
}

#[tokio::test]
async fn an_idle_stream_on_a_tls_connection_of_its_own_costs_less_than_71_kib_at_both_ends() {
    let mut world = World::over_tls().await;
    let cost = cost_of_an_idle_stream(&mut world, 150, 0..=20).await;
    assert!(cost < 71 * 1024, "an idle stream costs {cost} bytes");
}

#[tokio::test]
async fn an_idle_stream_on_the_control_connection_costs_less_than_16_kib_at_both_ends() {
    let mut world = World::in_memory_with(0).await;
    let cost = cost_of_an_idle_stream(&mut world, 1000, 1050..=1050).await;
    assert!(cost < 16 * 1024, "an idle stream costs {cost} bytes");
}

#[tokio::test]
async fn a_stalled_visitor_holds_a_bounded_amount() {
    let pooled = World::in_memory().await;
    pooled.idle(16).await;
    for mut world in [pooled, World::in_memory_with(0).await] {
        let mut services = world.agent_relays();
        let mut visitor = world.open().await;
        write(&mut visitor, b"?").await;
        let mut service = world::in_time(services.recv()).await.unwrap();
        let mut taken = 0;
        let chunk = vec![0; 16 * 1024];
        // The service writes until no bytes are taken for a while.
        let write_timeout = std::time::Duration::from_millis(300);
        while let Ok(Ok(count)) =
            tokio::time::timeout(write_timeout, tokio::io::AsyncWriteExt::write(&mut service, &chunk)).await
        {
            taken += count;
            assert!(taken < 2 * 1024 * 1024, "{taken} bytes were buffered for a visitor who does not read");
        }
        assert!(taken > 64 * 1024);
    }
}
