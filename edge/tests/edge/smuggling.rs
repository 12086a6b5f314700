//! Raw bytes over TLS: requests that two programs could interpret differently never reach a local service.

mod guarded;
mod http2;
mod mutations;
mod probes;

use crate::kit::{ScriptedOrigin, World, agent::Agent, visitor};

#[tokio::test]
async fn ambiguous_requests_are_refused_and_the_connection_is_closed() {
    let world = World::start().await;
    let origin = ScriptedOrigin::with_text("reached").await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("a"), origin.address).await.unwrap();
    let table: &[(&str, u16)] = &[
        (
            "POST / HTTP/1.1\r\nHost: a.localhost\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nX",
            400,
        ),
        (
            "POST / HTTP/1.1\r\nHost: a.localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\nX",
            400,
        ),
        ("POST / HTTP/1.1\r\nHost: a.localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx", 400),
        ("POST / HTTP/1.1\r\nHost: a.localhost\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a.localhost\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a.localhost\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.0\r\nHost: a.localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a.localhost\r\nContent-Length: -1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a.localhost\r\nContent-Length: 1 1\r\n\r\n", 400),
        ("GET / HTTP/1.1\nHost: a.localhost\n\n", 400),
        ("GET / HTTP/1.1\r\nHost: a.localhost\r\nX: a\rb\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a.localhost\r\nX: a\0b\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a.localhost\r\nX: a\r\n folded\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n Host: a.localhost\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a.localhost\r\nHost: a.localhost\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a.localhost\r\nHost: b.localhost\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a.localhost, b.localhost\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a.localhost/x\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: user@a.localhost\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\r\n", 400),
        ("GET http://b.localhost/ HTTP/1.1\r\nHost: a.localhost\r\n\r\n", 400),
        ("GET http://user@a.localhost/ HTTP/1.1\r\nHost: a.localhost\r\n\r\n", 400),
        ("CONNECT a.localhost:443 HTTP/1.1\r\nHost: a.localhost:443\r\n\r\n", 405),
        ("GET a.localhost HTTP/1.1\r\nHost: a.localhost\r\n\r\n", 400),
        ("GET / HTTP/1.1 x\r\nHost: a.localhost\r\n\r\n", 400),
        ("GET /  HTTP/1.1\r\nHost: a.localhost\r\n\r\n", 400),
        ("GET / HTTP/2.0\r\nHost: a.localhost\r\n\r\n", 505),
        ("\0\0\0\r\n\r\n", 400),
    ];
    for (request, expected) in table {
        let response = visitor::https(&world, "a.localhost").await.request(request).await;
        assert_eq!(response.status, *expected, "{request:?}: {}", response.text());
        assert!(response.code().starts_with("ERR_POSTERN_"), "{request:?}: {}", response.head);
    }
    assert!(origin.request_texts().is_empty(), "nothing reached the local service: {:?}", origin.request_texts());
}

#[tokio::test]
async fn a_malformed_chunk_ends_the_connection() {
    let world = World::start().await;
    let origin = ScriptedOrigin::with_text("reached").await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("a"), origin.address).await.unwrap();
    for chunks in ["3\r\nabcd\r\n0\r\n\r\n", "3\nabc\r\n0\r\n\r\n", "0x3\r\nabc\r\n0\r\n\r\n", "zz\r\n"] {
        let mut visitor = visitor::https(&world, "a.localhost").await;
        let head = "POST / HTTP/1.1\r\nHost: a.localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
        visitor.send(head.as_bytes()).await;
        visitor.send(chunks.as_bytes()).await;
        let rest = String::from_utf8_lossy(&visitor.rest().await).into_owned();
        assert!(!rest.contains("reached"), "{chunks:?}: {rest}");
    }
    assert!(origin.request_texts().is_empty(), "no whole request reached the local service");
}

#[tokio::test]
async fn absolute_targets_are_reduced_and_take_no_other_route() {
    let world = World::start().await;
    let (a, b) = (ScriptedOrigin::with_text("a").await, ScriptedOrigin::with_text("b").await);
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("a"), a.address).await.unwrap();
    agent.http(Some("b"), b.address).await.unwrap();
    let mut visitor = visitor::https(&world, "a.localhost").await;
    let response = visitor.request("GET http://a.localhost/path HTTP/1.1\r\nHost: A.localhost:80\r\n\r\n").await;
    assert_eq!(response.text(), "a");
    let response = visitor.request("GET //b.localhost/x HTTP/1.1\r\nHost: a.localhost\r\n\r\n").await;
    assert_eq!(response.text(), "a");
    let response = visitor.request("OPTIONS * HTTP/1.1\r\nHost: b.localhost\r\n\r\n").await;
    assert_eq!(response.text(), "b");
    assert!(
        a.request_texts()[0].starts_with("GET /path HTTP/1.1\r\n")
            && a.request_texts()[1].starts_with("GET //b.localhost/x HTTP/1.1\r\n")
    );
    assert!(b.request_texts()[0].starts_with("OPTIONS * HTTP/1.1\r\n"), "{}", b.request_texts()[0]);
}

#[tokio::test]
async fn requests_split_at_every_byte_are_one_request() {
    let world = World::start().await;
    let origin = ScriptedOrigin::with_text("ok").await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("a"), origin.address).await.unwrap();
    let request = "POST /p HTTP/1.1\r\nHost: a.localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    let mut visitor = visitor::https(&world, "a.localhost").await;
    for byte in request.as_bytes() {
        visitor.send(&[*byte]).await;
    }
    assert_eq!(visitor.response().await.text(), "ok");
    let pipelined = "GET /1 HTTP/1.1\r\nHost: a.localhost\r\n\r\n".repeat(3);
    visitor.send(pipelined.as_bytes()).await;
    for _ in 0..3 {
        assert_eq!(visitor.response().await.text(), "ok");
    }
    assert_eq!(origin.request_texts().len(), 4);
}

#[tokio::test]
async fn too_many_headers_are_431() {
    let world = World::start().await;
    let origin = ScriptedOrigin::with_text("ok").await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("a"), origin.address).await.unwrap();
    let long = |bytes: usize| format!("GET / HTTP/1.1\r\nHost: a.localhost\r\nX: {}\r\n\r\n", "x".repeat(bytes));
    assert_eq!(visitor::https(&world, "a.localhost").await.request(&long(60_000)).await.status, 200);
    let response = visitor::https(&world, "a.localhost").await.request(&long(70_000)).await;
    assert_eq!((response.status, response.code()), (431, "ERR_POSTERN_3011"));
}
