//! The framing of local services' responses: one length or none, and no coding that the visitor is not told of.

use super::{HOST, Site};
use crate::kit::{ScriptedOrigin, visitor};
use bytes::Bytes;
use http_body_util::Full;
use hyper::Request;

/// A service that responds to a path with the response of this number.
async fn responding(responses: &'static [&'static str]) -> Site {
    let respond = move |request: &str| {
        let number = request.split('/').nth(1).and_then(|rest| rest.split(' ').next()?.parse::<usize>().ok());
        responses[number.expect("a number")].to_owned()
    };
    Site::of(ScriptedOrigin::responding(respond).await).await
}

#[tokio::test]
async fn a_list_of_lengths_is_one_length_or_no_response() {
    const RESPONSES: &[&str] = &[
        "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nOK",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nOK",
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2, 4\r\n\r\nOKOK",
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\nContent-Length: 4\r\n\r\nOKOK",
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: +2\r\n\r\nOK",
    ];
    let site = responding(RESPONSES).await;
    for number in [0, 1] {
        let response = site.request(&format!("GET /{number} HTTP/1.1\r\nHost: {HOST}\r\n\r\n")).await;
        let lengths = response.head.to_ascii_lowercase().matches("content-length").count();
        assert_eq!((lengths, response.header("content-length")), (1, Some("2")), "{}", response.head);
        assert_eq!(response.text(), "OK");
    }
    for number in [2, 3, 4] {
        let response = site.request(&format!("GET /{number} HTTP/1.1\r\nHost: {HOST}\r\n\r\n")).await;
        assert_eq!((response.status, response.code()), (502, "ERR_POSTERN_3004"), "{}", RESPONSES[number]);
    }
}

#[tokio::test]
async fn lengths_of_responses_to_head_are_checked_too() {
    let site = responding(&["HTTP/1.1 200 OK\r\nContent-Length: 2, 4\r\n\r\n"]).await;
    let response = site.request(&format!("HEAD /0 HTTP/1.1\r\nHost: {HOST}\r\n\r\n")).await;
    assert_eq!((response.status, response.code()), (502, "ERR_POSTERN_3004"), "{}", response.head);
}

#[tokio::test]
async fn transfer_codings_that_would_be_lost_are_refused() {
    const RESPONSES: &[&str] = &[
        "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nOK\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: xchunked\r\n\r\n2\r\nOK\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: identity\r\n\r\nOK",
    ];
    let site = responding(RESPONSES).await;
    for (number, response) in RESPONSES.iter().enumerate() {
        let refused = site.request(&format!("GET /{number} HTTP/1.1\r\nHost: {HOST}\r\n\r\n")).await;
        assert_eq!((refused.status, refused.code()), (502, "ERR_POSTERN_3004"), "{response}");
        assert!(refused.text().contains("transfer coding"), "{}", refused.text());
    }
}

#[tokio::test]
async fn a_response_without_content_has_no_length() {
    let site = responding(&["HTTP/1.1 204 No Content\r\nContent-Length: 42\r\n\r\n"]).await;
    let response = site.request(&format!("GET /0 HTTP/1.1\r\nHost: {HOST}\r\n\r\n")).await;
    assert_eq!((response.status, response.header("content-length")), (204, None), "{}", response.head);
    let mut sender = visitor::http2(&site.world, HOST).await;
    let request = Request::get(format!("https://{HOST}/0")).body(Full::<Bytes>::default()).unwrap();
    let response = sender.send_request(request).await.unwrap();
    assert_eq!((response.status().as_u16(), response.headers().get("content-length")), (204, None));
}

#[tokio::test]
async fn no_refusal_is_written_into_a_response_that_has_begun() {
    let origin = ScriptedOrigin::serving(|mut connection| async move {
        while connection.request().await.is_some() {
            connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nbegun").await.unwrap();
        }
    })
    .await;
    let site = Site::of(origin).await;
    let mut visitor = visitor::https(&site.world, HOST).await;
    visitor.send(format!("GET / HTTP/1.1\r\nHost: {HOST}\r\n\r\n").as_bytes()).await;
    visitor.read_until(b"begun").await;
    visitor.send(b"this is no HTTP\n").await;
    assert_eq!(String::from_utf8_lossy(&visitor.rest().await), "", "the connection ends without another word");
}
