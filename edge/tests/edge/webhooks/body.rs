//! Bodies that are buffered for verification: bounded, complete, and forwarded unchanged.

use super::{
    field::{Field, Topic, route},
    senders::{HOST, Hook, Sending, hook},
};
use crate::kit::{eventually, until, visitor};
use bytes::Bytes;
use http_body_util::Full;
use hyper::{Request, StatusCode};
use postern_api::webhooks::Provider;

/// A route for github, with small limits.
async fn github(each: usize, all: usize) -> Field {
    Field::with(&[route("/github", "github", "right")], Topic, |settings| {
        settings.limits.buffered_body = each;
        settings.limits.buffered_bodies = all;
    })
    .await
}

/// The signature of any body.
fn signature(body: &[u8]) -> String {
    let key = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, b"right");
    format!("sha256={}", super::senders::hex(aws_lc_rs::hmac::sign(&key, body)))
}

fn signed(body: Vec<u8>) -> Request<Full<Bytes>> {
    Request::post(format!("https://{HOST}/github"))
        .header("x-hub-signature-256", signature(&body))
        .body(Full::from(body))
        .expect("a request")
}

/// Bytes that are not text, different at every position.
fn noise(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at.wrapping_mul(31) >> 3) as u8 ^ at as u8).collect()
}

#[tokio::test]
async fn a_body_up_to_the_limit_passes_and_a_longer_one_is_refused() {
    let field = github(100_000, 1_000_000).await;
    for length in [0, 1, 65_536, 65_537, 100_000] {
        let response = field.request(signed(noise(length))).await;
        assert_eq!((response.status, response.body == noise(length)), (StatusCode::OK, true), "{length}");
        assert_eq!(field.last_received().headers["content-length"], length.to_string());
    }
    let response = field.request(signed(noise(100_001))).await;
    assert_eq!((response.status.as_u16(), response.code()), (413, "ERR_POSTERN_247"));
    assert!(response.text().contains("100000"), "{}", response.text());
    // Requests refused by their head are not read further.
    let unsigned = Request::post(format!("https://{HOST}/github")).body(Full::from(noise(100_001))).expect("a request");
    assert_eq!(field.request(unsigned).await.code(), "ERR_POSTERN_3204");
    assert_eq!(field.received(), 5);
}

#[tokio::test]
async fn chunks_are_joined_regardless_of_their_number() {
    let field = github(100_000, 1_000_000).await;
    let body = noise(10_000);
    let mut visitor = visitor::https(&field.world, HOST).await;
    for size in [1, 7, 4096, 10_000] {
        let head = format!(
            "POST /github HTTP/1.1\r\nHost: {HOST}\r\nX-Hub-Signature-256: {}\r\nTransfer-Encoding: chunked\r\n\
             Trailer: x-sum\r\n\r\n",
            signature(&body)
        );
        let mut request = head.into_bytes();
        for piece in body.chunks(size) {
            request.extend(format!("{:x}\r\n", piece.len()).into_bytes());
            request.extend(piece);
            request.extend(b"\r\n");
        }
        request.extend(b"0\r\nx-sum: 42\r\n\r\n");
        visitor.send(&request).await;
        let response = visitor.response().await;
        assert_eq!((response.status, response.body == body), (200, true), "{size}");
        let received = field.last_received();
        assert_eq!(received.body, body);
        assert_eq!(received.trailers.expect("trailers")["x-sum"], "42", "{size}");
    }
}

#[tokio::test]
async fn a_body_of_unknown_length_is_refused_as_soon_as_it_is_too_long() {
    let field = github(10_000, 1_000_000).await;
    let mut visitor = visitor::https(&field.world, HOST).await;
    let head = format!(
        "POST /github HTTP/1.1\r\nHost: {HOST}\r\nX-Hub-Signature-256: {}\r\nTransfer-Encoding: chunked\r\n\r\n",
        signature(b"")
    );
    visitor.send(head.as_bytes()).await;
    visitor.send(&[b"2711\r\n".to_vec(), noise(10_001)].concat()).await;
    let response = visitor.response().await;
    assert_eq!((response.status, response.code()), (413, "ERR_POSTERN_247"));
    let mut visitor = visitor::https(&field.world, HOST).await;
    let head = format!(
        "POST /github HTTP/1.1\r\nHost: {HOST}\r\nX-Hub-Signature-256: {}\r\nContent-Length: 10001\r\n\r\n",
        signature(b"")
    );
    visitor.send(head.as_bytes()).await;
    let response = visitor.response().await;
    assert_eq!((response.status, response.code()), (413, "ERR_POSTERN_247"), "without waiting for it");
    assert_eq!(field.received(), 0);
}

#[tokio::test]
async fn expect_continue_is_answered_only_if_the_head_is_valid() {
    let field = github(10_000, 1_000_000).await;
    let mut visitor = visitor::https(&field.world, HOST).await;
    let head = |signature: &str| {
        format!("POST /github HTTP/1.1\r\nHost: {HOST}\r\n{signature}Content-Length: 5\r\nExpect: 100-continue\r\n\r\n")
    };
    visitor.send(head(&format!("X-Hub-Signature-256: {}\r\n", signature(b"hello"))).as_bytes()).await;
    assert_eq!(visitor.response_head().await.status, 100);
    visitor.send(b"hello").await;
    assert_eq!(visitor.response().await.text(), "hello");
    let mut visitor = visitor::https(&field.world, HOST).await;
    visitor.send(head("").as_bytes()).await;
    assert_eq!(visitor.response().await.status, 403);
}

#[tokio::test]
async fn all_buffered_bodies_share_a_limit_that_is_released() {
    let field = github(10_000, 15_000).await;
    let mut slow = visitor::https(&field.world, HOST).await;
    let head = format!(
        "POST /github HTTP/1.1\r\nHost: {HOST}\r\nX-Hub-Signature-256: {}\r\nContent-Length: 10000\r\n\r\n",
        signature(&noise(10_000))
    );
    slow.send(head.as_bytes()).await;
    slow.send(&noise(10_000)[..9_999]).await;
    // The memory is free until the edge has read this much.
    let mut busy = None;
    for _ in 0..200 {
        let response = field.request(signed(noise(9_000))).await;
        if response.status != StatusCode::OK {
            busy = Some(response);
            break;
        }
    }
    let busy = busy.expect("there is no room for both");
    assert_eq!((busy.status.as_u16(), busy.code()), (503, "ERR_POSTERN_3018"));
    assert!(busy.headers.contains_key("retry-after"));
    slow.send(&noise(10_000)[9_999..]).await;
    assert_eq!(slow.response().await.status, 200);
    for _ in 0..5 {
        assert_eq!(field.request(signed(noise(10_000))).await.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn a_visitor_who_leaves_in_the_middle_leaves_nothing_behind() {
    let field = github(10_000, 10_000).await;
    for _ in 0..3 {
        let mut gone = visitor::https(&field.world, HOST).await;
        let head = format!(
            "POST /github HTTP/1.1\r\nHost: {HOST}\r\nX-Hub-Signature-256: {}\r\nContent-Length: 10000\r\n\r\n",
            signature(&noise(10_000))
        );
        gone.send(head.as_bytes()).await;
        gone.send(&noise(9_000)).await;
    }
    eventually("what they sent is no longer held", async || {
        (field.request(signed(noise(10_000))).await.status == StatusCode::OK).then_some(())
    })
    .await;
    assert_eq!(field.received(), 1);
}

#[tokio::test]
async fn changes_apply_immediately_and_used_tokens_stay_used() {
    let mailgun = |secret: &str| route("/mailgun", "MailGun", secret);
    let field = Field::of(&[mailgun("right")], Topic).await;
    let send = |number: u64, second: i64| {
        hook(Provider::Mailgun, 0, &Sending { path: "/mailgun", secret: "right", second, number }).expect("a form")
    };
    let first = send(1, field.second());
    assert_eq!(field.send("mailgun", &first).await.status, StatusCode::OK);
    let again = field.send("mailgun", &first).await;
    assert_eq!((again.status, again.code()), (StatusCode::FORBIDDEN, "ERR_POSTERN_3204"));
    assert!(again.text().contains("received before"), "{}", again.text());
    let edge = |routes: &[_]| crate::kit::edges::https(&[HOST], routes);
    field.world.https_edge(edge(&[mailgun("other")])).await;
    assert_eq!(field.send("mailgun", &send(2, field.second())).await.code(), "ERR_POSTERN_3204");
    field.world.https_edge(edge(&[mailgun("right")])).await;
    assert_eq!(field.send("mailgun", &first).await.code(), "ERR_POSTERN_3204", "it was used before the changes");
    // Digits moved from the token into the timestamp do not make a new one.
    let text = String::from_utf8(first.body.clone()).expect("text");
    let moved = text.replace(r#""timestamp":"1700000000","token":"000"#, r#""timestamp":"1700000000000","token":""#);
    assert_ne!(moved, text);
    let moved = Hook { body: moved.into_bytes(), ..first.clone() };
    assert!(field.send("mailgun", &moved).await.text().contains("received before"));
    assert_eq!(field.send("mailgun", &send(3, field.second())).await.status, StatusCode::OK);
    let open = crate::kit::edges::below("/mailgun", crate::kit::edges::to("bkdsc_1"));
    field.world.https_edge(edge(&[open])).await;
    assert_eq!(field.send("mailgun", &first).await.status, StatusCode::OK, "the module is gone");
    until("the service has received of all", || field.received() == 3).await;
}
