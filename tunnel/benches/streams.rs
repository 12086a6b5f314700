//! Short streams inside one established session, both ends in this process, TLS over the loopback.
//!
//! Each stream is opened, carries 1 KiB in both directions, and ends on both sides. The target is 10,000 a second with both
//! ends on two cores.
#![expect(clippy::disallowed_types, reason = "a benchmark measures real time")]
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../tests/world/mod.rs"]
mod world;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use postern_tunnel::ServerSession;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use world::{World, start};

async fn visit(server: &ServerSession, body: &[u8]) {
    let mut stream = server.open_stream(start()).await.unwrap();
    stream.write_all(body).await.unwrap();
    let mut answer = vec![0; body.len()];
    stream.read_exact(&mut answer).await.unwrap();
    stream.shutdown().await.unwrap();
    assert_eq!(stream.read(&mut answer).await.unwrap(), 0);
}

/// Time for `count` streams by `visitors` concurrent visitors.
async fn visits(server: ServerSession, count: u64, visitors: u64) -> Duration {
    let body = vec![7; 1024];
    let started = Instant::now();
    let tasks: Vec<_> = (0..visitors)
        .map(|visitor| {
            let (server, body) = (server.clone(), body.clone());
            let own = count / visitors + u64::from(visitor < count % visitors);
            tokio::spawn(async move {
                for _ in 0..own {
                    visit(&server, &body).await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    started.elapsed()
}

fn streams(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let mut world = runtime.block_on(World::over_tls());
    runtime.block_on(async {
        world.agent_echoes();
        world.idle(16).await;
    });

    let mut group = criterion.benchmark_group("short streams");
    group.throughput(Throughput::Elements(1)).measurement_time(Duration::from_secs(8));
    for visitors in [1, 16, 64] {
        group.bench_function(format!("{visitors} at a time"), |bencher| {
            bencher.to_async(&runtime).iter_custom(|count| visits(world.server.clone(), count, visitors));
        });
    }
    group.finish();

    let mut overflowing = runtime.block_on(World::in_memory_with(0));
    runtime.block_on(async { overflowing.agent_echoes() });
    let mut group = criterion.benchmark_group("short streams on the control connection, in memory");
    group.throughput(Throughput::Elements(1));
    group.bench_function("64 at a time", |bencher| {
        bencher.to_async(&runtime).iter_custom(|count| visits(overflowing.server.clone(), count, 64));
    });
    group.finish();
}

criterion_group!(benches, streams);
criterion_main!(benches);
