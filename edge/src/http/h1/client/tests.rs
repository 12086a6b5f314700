use super::*;
use hyper::header;
use std::future::poll_fn;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

fn post(length: &'static str) -> Request<()> {
    Request::post("/").header("host", "h").header(header::CONTENT_LENGTH, length).body(()).expect("a request")
}

fn get() -> Request<()> {
    Request::get("/").header("host", "h").body(()).expect("a request")
}

async fn text(service: &mut DuplexStream, length: usize) -> String {
    let mut bytes = vec![0; length];
    service.read_exact(&mut bytes).await.expect("bytes");
    String::from_utf8(bytes).expect("ASCII")
}

#[tokio::test]
async fn one_request_follows_another() {
    let (near, mut service) = duplex(1024);
    let mut http = ClientConnection::new(near);
    for _ in 0..3 {
        assert!(http.is_reusable() && http.is_quiet());
        http.start(&mut post("3"), RequestBody::from_bytes("abc".into()), None);
        service.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await.expect("room");
        let response = poll_fn(|cx| http.poll_response(cx)).await.expect("a response");
        assert_eq!((response.status(), http.body_size().exact()), (StatusCode::OK, Some(2)));
        let expected = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc";
        assert_eq!(text(&mut service, expected.len()).await, expected);
        assert!(!http.is_reusable());
        let frame = poll_fn(|cx| http.poll_frame(cx)).await.expect("a frame").expect("data");
        assert_eq!(frame.into_data().expect("data"), "ok");
        assert!(http.is_body_complete());
    }
}

#[tokio::test]
async fn a_body_shorter_than_announced_is_never_taken_for_complete() {
    for body in [RequestBody::empty(), RequestBody::from_bytes("ab".into())] {
        let (near, mut service) = duplex(1024);
        let mut http = ClientConnection::new(near);
        http.start(&mut post("3"), body, None);
        service.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await.expect("room");
        let outcome = poll_fn(|cx| http.poll_response(cx)).await;
        assert!(matches!(outcome, Err(ClientError::Request(_))), "{outcome:?}");
        assert!(!http.is_reusable());
    }
}

#[tokio::test]
async fn a_change_of_protocol_before_the_end_of_the_request_is_refused() {
    let (near, mut service) = duplex(1024);
    let mut http = ClientConnection::new(near);
    let (held, _signal) = {
        let mut body = RequestBody::from_bytes("abc".into());
        let signal = body.hold();
        (body, signal)
    };
    http.start(&mut post("3"), held, None);
    service.write_all(b"HTTP/1.1 101 Switching Protocols\r\n\r\n").await.expect("room");
    let outcome = poll_fn(|cx| http.poll_response(cx)).await;
    assert!(matches!(outcome, Err(ClientError::Malformed)), "{outcome:?}");
}

#[tokio::test]
async fn what_was_not_sent_can_be_sent_again() {
    let (near, service) = duplex(1024);
    drop(service);
    let mut http = ClientConnection::new(near);
    http.start(&mut get(), RequestBody::empty(), None);
    let outcome = poll_fn(|cx| http.poll_response(cx)).await;
    assert!(matches!(outcome, Err(ClientError::Unanswered(_))), "{outcome:?}");
    assert!(http.take_unsent().is_some() && !http.is_reusable());
}

#[tokio::test]
async fn surplus_bytes_keep_a_connection_from_the_next_request() {
    let (near, mut service) = duplex(1024);
    let mut http = ClientConnection::new(near);
    http.start(&mut get(), RequestBody::empty(), None);
    service.write_all(b"HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\n\r\n").await.expect("room");
    poll_fn(|cx| http.poll_response(cx)).await.expect("a response");
    assert!(http.is_body_complete() && !http.is_reusable());
}
