//! Bodies, trailers and hop-by-hop headers of requests.

use super::{HOST, Site, fields};
use crate::kit::{
    Http1Client,
    frames::{self, Fate, Frames, block},
    in_time, until, visitor,
};
use tokio::{io::AsyncWriteExt, net::TcpStream};

#[tokio::test]
async fn the_body_of_get_and_head_is_never_lost() {
    let site = Site::empty().await;
    for method in ["GET", "HEAD", "OPTIONS", "DELETE", "SEARCH"] {
        let head = format!("{method} /_search HTTP/1.1\r\nHost: {HOST}\r\n");
        let chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n5\r\nquery\r\n0\r\n\r\n");
        assert_eq!(site.request(&chunked).await.status, 200);
        let received = site.last_request();
        assert!(received.contains("Transfer-Encoding: chunked\r\n") && received.contains("query"), "{received}");
        let measured = format!("{head}Content-Length: 5\r\n\r\nquery");
        assert_eq!(site.request(&measured).await.status, 200);
        let received = site.last_request();
        assert!(received.contains("Content-Length: 5\r\n") && received.ends_with("\r\n\r\nquery"), "{received}");

        let mut frames = Frames::open(&site.world, HOST, &[]).await;
        frames.send(frames::HEADERS, frames::END_HEADERS, 1, &block(&fields(method, "/h2"))).await;
        frames.send(frames::DATA, frames::END_STREAM, 1, b"query").await;
        assert_eq!(frames.fate(1).await, Fate::Responded(200));
        let received = site.last_request();
        assert!(received.starts_with(&format!("{method} /h2 HTTP/1.1\r\n")), "{received}");
        assert!(received.contains("Transfer-Encoding: chunked\r\n") && received.contains("query"), "{received}");
    }
}

#[tokio::test]
async fn a_request_without_a_body_says_nothing_about_one() {
    let site = Site::empty().await;
    assert_eq!(site.request(&format!("GET / HTTP/1.1\r\nHost: {HOST}\r\n\r\n")).await.status, 200);
    let mut frames = Frames::open(&site.world, HOST, &[]).await;
    frames.request(1, &fields("GET", "/")).await;
    assert_eq!(frames.fate(1).await, Fate::Responded(200));
    for received in site.origin.request_texts() {
        let received = received.to_ascii_lowercase();
        assert!(!received.contains("transfer-encoding") && !received.contains("content-length"), "{received}");
    }
}

#[tokio::test]
async fn lengths_that_others_may_not_count_are_refused() {
    let site = Site::empty().await;
    for length in ["9223372036854775808", "18446744073709551615", "99999999999999999999"] {
        let request = format!("POST / HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: {length}\r\n\r\n");
        assert_eq!(site.request(&request).await.status, 400, "{length}");
        let mut frames = Frames::open(&site.world, HOST, &[]).await;
        let mut fields = fields("POST", "/");
        fields.push((b"content-length", length.as_bytes()));
        frames.send(frames::HEADERS, frames::END_HEADERS, 1, &block(&fields)).await;
        let fate = frames.fate(1).await;
        assert!(!matches!(fate, Fate::Responded(200..300)), "{length}: {fate:?}");
    }
    assert!(site.origin.request_texts().is_empty());
}

#[tokio::test]
async fn trailers_pass_unless_they_belong_in_front_of_a_body() {
    let site = Site::empty().await;
    let names = "X-Sum, Cookie, Expect, Range, Proxy-Authorization, Authorization, If-Match, Content-Type, Set-Cookie";
    let trailers: String = names.split(", ").map(|name| format!("{name}: behind\r\n")).collect();
    let request = format!(
        "POST / HTTP/1.1\r\nHost: {HOST}\r\nTE: trailers\r\nTrailer: {names}\r\nTransfer-Encoding: chunked\r\n\r\n\
         1\r\nx\r\n0\r\n{trailers}\r\n"
    );
    assert_eq!(site.request(&request).await.status, 200);
    let received = site.last_request();
    let (_, trailers) = received.split_once("\r\n0\r\n").expect("a last chunk");
    assert_eq!(trailers.to_ascii_lowercase(), "x-sum: behind\r\n\r\n", "{received}");
}

#[tokio::test]
async fn te_is_said_to_concern_this_connection_only() {
    let site = Site::empty().await;
    site.request(&format!("GET / HTTP/1.1\r\nHost: {HOST}\r\nTE: trailers, gzip\r\n\r\n")).await;
    let received = site.last_request();
    assert!(received.contains("TE: trailers\r\n") || received.contains("Te: trailers\r\n"), "{received}");
    assert!(received.contains("Connection: TE\r\n"), "{received}");
    let upgrade = "Connection: upgrade\r\nUpgrade: websocket\r\nTE: trailers\r\nConnection: TE\r\n";
    site.request(&format!("GET / HTTP/1.1\r\nHost: {HOST}\r\n{upgrade}\r\n")).await;
    let received = site.last_request();
    assert!(received.contains("Connection: Upgrade, TE\r\n"), "{received}");
}

#[tokio::test]
async fn max_forwards_ends_at_the_edge() {
    let site = Site::empty().await;
    let request = |method: &str, hops: &str| {
        format!("{method} / HTTP/1.1\r\nHost: {HOST}\r\nMax-Forwards: {hops}\r\nConnection: close\r\n\r\n")
    };
    assert_eq!(site.request(&request("OPTIONS", "0")).await.status, 204);
    let response = site.request(&request("TRACE", "0")).await;
    assert_eq!((response.status, response.code()), (405, "ERR_POSTERN_3027"));
    assert!(site.origin.request_texts().is_empty());
    assert_eq!(site.request(&request("OPTIONS", "2")).await.status, 200);
    assert!(site.last_request().contains("Max-Forwards: 1\r\n"), "{}", site.last_request());
    assert_eq!(site.request(&request("GET", "0")).await.status, 200);
    assert!(site.last_request().contains("Max-Forwards: 0\r\n"), "{}", site.last_request());
}

#[tokio::test]
async fn a_mistake_in_a_later_packet_is_answered_where_no_response_has_begun() {
    let site = Site::empty().await;
    let mut visitor = visitor::https(&site.world, HOST).await;
    let head = format!("POST / HTTP/1.1\r\nHost: {HOST}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
    visitor.send(head.as_bytes()).await;
    until("the request has begun at the service", || site.origin.connections() == 1).await;
    visitor.send(b"no size\r\n").await;
    let response = visitor.response().await;
    assert_eq!((response.status, response.code()), (400, "ERR_POSTERN_3010"));
    assert!(visitor.rest().await.is_empty(), "the connection ends");
    assert!(site.origin.request_texts().is_empty(), "no whole request reached the service");
}

#[tokio::test]
async fn who_closes_the_sending_half_behind_a_request_gets_the_response() {
    let site = Site::empty().await;
    for request in [
        "GET / HTTP/1.1\r\nHost: plain.localhost\r\n\r\n".to_owned(),
        "POST / HTTP/1.1\r\nHost: plain.localhost\r\nContent-Length: 4\r\n\r\nbody".to_owned(),
        "GET /1 HTTP/1.1\r\nHost: plain.localhost\r\n\r\nGET /2 HTTP/1.1\r\nHost: plain.localhost\r\n\r\n".to_owned(),
    ] {
        let mut stream = TcpStream::connect(site.world.edge.http_addr()).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let received = in_time(Http1Client::new(stream).rest()).await;
        let received = String::from_utf8(received).unwrap();
        assert_eq!(received.matches("HTTP/1.1 200 OK").count(), request.matches("Host").count(), "{received}");
    }
}

#[tokio::test]
async fn half_a_request_behind_which_the_visitor_closes_is_given_up_at_once() {
    let site = Site::empty().await;
    let mut stream = TcpStream::connect(site.world.edge.http_addr()).await.unwrap();
    let request = b"POST / HTTP/1.1\r\nHost: plain.localhost\r\nContent-Length: 10\r\n\r\nhalf";
    stream.write_all(request).await.unwrap();
    stream.shutdown().await.unwrap();
    in_time(Http1Client::new(stream).rest()).await;
    until("its stream is closed", || site.world.live().tunnels().iter().all(|tunnel| tunnel.streams == 0)).await;
    assert!(site.origin.request_texts().is_empty());
}
