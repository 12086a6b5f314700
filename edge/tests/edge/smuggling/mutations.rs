//! Valid requests with seeded mistakes: whatever reaches a local service has one reading.

use crate::kit::{World, agent::Agent, in_time, strict_origin::StrictOrigin, visitor};
use futures::{StreamExt, stream};
use postern_tunnel::message::Scheme;
use rand::{Rng, SeedableRng, rngs::StdRng};
use tokio::io::AsyncWriteExt;

const SEED: u64 = 0x9112;
const MUTATIONS: u64 = 20_000;
/// Connections at a time.
const CONCURRENCY: usize = 32;

const REQUESTS: &[&str] = &[
    "GET /a/b?c=d HTTP/1.1\r\nHost: probe.localhost\r\nAccept: */*\r\nCookie: a=b; c=d\r\n\r\n",
    "POST /form HTTP/1.1\r\nHost: probe.localhost\r\nContent-Length: 11\r\nContent-Type: text/plain\r\n\r\nhello world",
    "POST /chunks HTTP/1.1\r\nHost: probe.localhost\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n6\r\n world\r\n0\r\nX: y\r\n\r\n",
    "GET http://probe.localhost/x HTTP/1.1\r\nHost: probe.localhost:80\r\nConnection: keep-alive, x-hop\r\nX-Hop: 1\r\n\r\n",
    "OPTIONS * HTTP/1.1\r\nHost: probe.localhost\r\nMax-Forwards: 3\r\nTE: trailers\r\n\r\n",
    "PUT /e HTTP/1.1\r\nHost: probe.localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nok",
    "GET /1 HTTP/1.1\r\nHost: probe.localhost\r\n\r\nDELETE /2 HTTP/1.1\r\nHost: probe.localhost\r\nContent-Length: 1\r\n\r\nx",
    "GET / HTTP/1.1\r\nHost: probe.localhost\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nGET /y HTTP/1.1\r\n\r\n",
];

/// Pieces that parsers disagree about.
const PIECES: &[&[u8]] = &[
    b"\r\n",
    b"\n",
    b"\r",
    b"\0",
    b" ",
    b"\t",
    b":",
    b";",
    b",",
    b"%",
    b"#",
    b"*",
    b"_",
    b"-",
    b"+",
    b"0",
    b"f",
    b"\"",
    b"\xff",
    b"\xc3\xa9",
    b"\x0b",
    b"\x7f",
    b"\r\n\r\n",
    b"\r\n ",
    b"0\r\n\r\n",
    b"Content-Length: 5\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Host: other.localhost\r\n",
    b"HTTP/1.1",
    b"GET / HTTP/1.1\r\n",
];

fn mutated(random: &mut StdRng) -> Vec<u8> {
    let mut bytes = REQUESTS[random.random_range(0..REQUESTS.len())].as_bytes().to_vec();
    for _ in 0..random.random_range(1..4) {
        let at = random.random_range(0..bytes.len());
        let end = (at + random.random_range(1..12)).min(bytes.len());
        let piece = PIECES[random.random_range(0..PIECES.len())].iter().copied();
        match random.random_range(0..6) {
            0 => bytes[at] = random.random(),
            1 => drop(bytes.splice(at..at, piece)),
            2 => drop(bytes.splice(at..end, piece)),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let again = bytes[at..end].to_vec();
                drop(bytes.splice(at..at, again));
            }
            _ => bytes[at] ^= 0x20,
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_mistake_makes_a_second_reading() {
    let world = World::start().await;
    let origin = StrictOrigin::start().await;
    let agent = Agent::connect(&world, "one").await;
    agent.http_on(Scheme::Http, Some("probe"), None, origin.address).await.unwrap();
    let world = &world;
    stream::iter(0..MUTATIONS)
        .for_each_concurrent(CONCURRENCY, |number| async move {
            let mut random = StdRng::seed_from_u64(SEED + number);
            let bytes = mutated(&mut random);
            let mut visitor = visitor::plain(world).await;
            // Some arrive in two pieces.
            let split = if random.random_bool(0.3) { random.random_range(0..=bytes.len()) } else { 0 };
            visitor.try_send(&bytes[..split]).await;
            visitor.try_send(&bytes[split..]).await;
            let _ = visitor.stream.shutdown().await;
            let received = in_time(visitor.rest()).await;
            let first = String::from_utf8_lossy(&received).into_owned();
            assert!(!first.starts_with("HTTP/1.1 500"), "{}: {first}", bytes.escape_ascii());
        })
        .await;
    assert_eq!(origin.violations(), [""; 0]);
    let served = origin.heads().len();
    assert!((MUTATIONS as usize / 10..MUTATIONS as usize * 2).contains(&served), "{served} reached the service");
    let mut visitor = visitor::plain(world).await;
    assert_eq!(visitor.request(REQUESTS[0]).await.status, 200, "the edge serves after all that");
}
