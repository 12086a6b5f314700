//! The memory of the process while more is captured at the same time than the store keeps.

use crate::world::World;
use futures::future::join_all;
use postern_test_kit::in_time;
use postern_tunnel::StreamKind;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

const MIB: usize = 1 << 20;
const STORE: usize = 32 * MIB;
const BODY: usize = STORE / 4;
const VISITORS: usize = 24;
/// Memory of the process for everything but captured bytes: streams, TLS, buffers of the test.
const OTHER: usize = 40 * MIB;

/// The most memory that this process has had, in bytes.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number") * 1024
}

/// The port of a service that answers when the end of a body has arrived, and keeps nothing of it.
async fn discarding_service() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("bound").port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut buffer = [0; 16 * 1024];
                while let Ok(count @ 1..) = stream.read(&mut buffer).await {
                    if buffer[..count].ends_with(b"d") {
                        return stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await;
                    }
                }
                Ok(())
            });
        }
    });
    port
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_being_captured_is_part_of_the_limit() {
    let world = World::with(&format!("inspect_db_size: {STORE}\ninspect_body_size: {BODY}\n")).await;
    world.tunnel("site", "http", discarding_service().await).await;
    let before = peak();
    let piece = vec![b'x'; MIB];
    let (world, piece) = (&world, &piece);
    let visits = (0..VISITORS).map(|_| async move {
        let mut stream = world.server.visit("site", StreamKind::Http).await;
        let length = BODY + b"the end".len();
        let head = format!("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: {length}\r\n\r\n");
        stream.write_all(head.as_bytes()).await.expect("written");
        for _ in 0..BODY / MIB {
            stream.write_all(piece).await.expect("written");
        }
        stream.write_all(b"the end").await.expect("written");
        stream.flush().await.expect("flushed");
        let mut response = Vec::new();
        in_time(stream.read_to_end(&mut response)).await.expect("answered");
        assert!(response.ends_with(b"ok"));
    });
    join_all(visits).await;
    let capture = world.get("/api/status").await["capture"].clone();
    assert!(capture["bytes"].as_u64().expect("bytes") as usize <= STORE, "{capture}");
    assert!(capture["count"].as_u64() >= Some(3), "{capture}");
    let grown = peak() - before;
    println!("grown by {} MiB", grown / MIB);
    assert!(grown <= STORE + OTHER, "the process grew by {} MiB for a store of {}", grown / MIB, STORE / MIB);
}
