//! `Expect: 100-continue` (RFC 9110, section 10.1.1): the local service decides whether the body is sent.

use super::{HOST, Site};
use crate::kit::{
    ScriptedOrigin,
    frames::{self, Fate, Frames, block},
    visitor,
};

const HEAD: &str = "POST / HTTP/1.1\r\nHost: a.localhost\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n";

#[tokio::test]
async fn a_service_refuses_a_body_before_it_is_sent() {
    let origin = ScriptedOrigin::closing_after_end(
        b"\r\n\r\n",
        b"HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 3\r\n\r\nbig",
    )
    .await;
    let site = Site::of(origin).await;
    let mut visitor = visitor::https(&site.world, HOST).await;
    visitor.send(HEAD.as_bytes()).await;
    let response = visitor.response().await;
    assert_eq!((response.status, response.text().as_str()), (413, "big"), "the first response is the service's");
    let received = site.last_request();
    assert!(received.contains("Expect: 100-continue\r\n"), "{received}");
}

#[tokio::test]
async fn a_service_asks_for_the_body() {
    let origin = ScriptedOrigin::serving(|mut connection| async move {
        while let Some(head) = connection.request_ending_in(b"\r\n\r\n").await {
            assert!(head.contains("Expect: 100-continue\r\n"), "{head}");
            connection.send(b"HTTP/1.1 100 Continue\r\n\r\n").await.unwrap();
            let body = connection.request_ending_in(b"body").await.unwrap();
            let length = body.len();
            connection
                .send(format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{body}").as_bytes())
                .await
                .unwrap();
        }
    })
    .await;
    let site = Site::of(origin).await;
    let mut visitor = visitor::https(&site.world, HOST).await;
    for _ in 0..3 {
        visitor.send(HEAD.as_bytes()).await;
        assert_eq!(visitor.response_head().await.status, 100);
        visitor.send(b"body").await;
        assert_eq!(visitor.response().await.text(), "body");
        // The visitor need not wait.
        visitor.send(format!("{HEAD}body").as_bytes()).await;
        let first = visitor.response_head().await;
        assert_eq!(first.status, 100, "{}", first.head);
        assert_eq!(visitor.response().await.text(), "body");
    }
    assert_eq!(site.origin.connections(), 1, "the connection is used again");
}

#[tokio::test]
async fn a_service_that_knows_nothing_of_it_gets_the_body_nevertheless() {
    let site = Site::empty().await;
    let mut visitor = visitor::https(&site.world, HOST).await;
    visitor.send(HEAD.as_bytes()).await;
    assert_eq!(visitor.response_head().await.status, 100);
    visitor.send(b"body").await;
    assert_eq!(visitor.response().await.status, 200);
    assert!(site.last_request().ends_with("\r\n\r\nbody"), "{}", site.last_request());
}

#[tokio::test]
async fn an_expectation_without_a_body_or_with_another_meaning_ends_here() {
    let site = Site::empty().await;
    for request in [
        format!("GET / HTTP/1.1\r\nHost: {HOST}\r\nExpect: 100-continue\r\n\r\n"),
        format!("POST / HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: 1\r\nExpect: miracles\r\n\r\nx"),
        format!("POST / HTTP/1.0\r\nHost: {HOST}\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\nx"),
    ] {
        assert_eq!(site.request(&request).await.status, 200, "{request}");
        assert!(!site.last_request().contains("Expect"), "{}", site.last_request());
    }
}

#[tokio::test]
async fn over_http2_the_service_hears_of_the_expectation_too() {
    let origin = ScriptedOrigin::closing_after_end(
        b"\r\n\r\n",
        b"HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
    )
    .await;
    let site = Site::of(origin).await;
    let mut frames = Frames::open(&site.world, HOST, &[]).await;
    let fields: [(&[u8], &[u8]); 6] = [
        (b":method", b"POST"),
        (b":scheme", b"https"),
        (b":authority", HOST.as_bytes()),
        (b":path", b"/"),
        (b"content-length", b"4"),
        (b"expect", b"100-continue"),
    ];
    frames.send(frames::HEADERS, frames::END_HEADERS, 1, &block(&fields)).await;
    assert_eq!(frames.fate(1).await, Fate::Responded(413));
    assert!(site.last_request().contains("Expect: 100-continue\r\n"), "{}", site.last_request());
}
