//! Interim responses of local services (RFC 9110, section 15.2).

use super::{HOST, Site};
use crate::kit::{ScriptedOrigin, visitor};
use bytes::Bytes;
use http_body_util::Full;
use hyper::Request;
use std::sync::Arc;
use tokio::sync::Notify;

const HINTS: &str = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nConnection: x-hop\r\nX-Hop: 1\r\n\r\n";
const FINAL: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A service that sends hints with its response: before it is told to go on, or together with it at `/together`.
async fn hinting() -> (Site, Arc<Notify>) {
    let go = Arc::new(Notify::new());
    let held = go.clone();
    let origin = ScriptedOrigin::serving(move |mut connection| {
        let go = held.clone();
        async move {
            while let Some(request) = connection.request().await {
                if request.starts_with("GET /together") {
                    connection.send(format!("{HINTS}{HINTS}{FINAL}").as_bytes()).await.unwrap();
                } else {
                    connection.send(HINTS.as_bytes()).await.unwrap();
                    go.notified().await;
                    let _ = connection.send(FINAL.as_bytes()).await;
                }
            }
        }
    })
    .await;
    (Site::of(origin).await, go)
}

#[tokio::test]
async fn early_hints_reach_the_visitor_before_the_response_is_there() {
    let (site, go) = hinting().await;
    let mut visitor = visitor::https(&site.world, HOST).await;
    for _ in 0..3 {
        visitor.send(format!("GET / HTTP/1.1\r\nHost: {HOST}\r\n\r\n").as_bytes()).await;
        let hints = visitor.response_head().await;
        assert_eq!((hints.status, hints.header("link")), (103, Some("</a.css>; rel=preload")), "{}", hints.head);
        assert_eq!((hints.header("connection"), hints.header("x-hop")), (None, None), "{}", hints.head);
        go.notify_one();
        let response = visitor.response().await;
        assert_eq!((response.status, response.text().as_str()), (200, "ok"));
    }
}

#[tokio::test]
async fn hints_that_arrive_with_the_response_come_before_it() {
    let (site, _) = hinting().await;
    let mut visitor = visitor::https(&site.world, HOST).await;
    let request = format!("GET /together HTTP/1.1\r\nHost: {HOST}\r\n\r\n");
    visitor.send(request.repeat(20).as_bytes()).await;
    for _ in 0..20 {
        assert_eq!(visitor.response_head().await.status, 103);
        assert_eq!(visitor.response_head().await.status, 103);
        assert_eq!(visitor.response().await.text(), "ok");
    }
}

#[tokio::test]
async fn visitors_that_know_no_interim_responses_get_none() {
    let (site, _) = hinting().await;
    let response = site.request(&format!("GET /together HTTP/1.0\r\nHost: {HOST}\r\n\r\n")).await;
    assert_eq!((response.status, response.text().as_str()), (200, "ok"));
    let mut sender = visitor::http2(&site.world, HOST).await;
    let request = Request::get(format!("https://{HOST}/together")).body(Full::<Bytes>::default()).unwrap();
    let response = sender.send_request(request).await.unwrap();
    assert_eq!(visitor::whole(response).await.1, "ok");
}
