//! Compression of responses.

use crate::kit::{
    Http1Client, Http1Response, ScriptedOrigin, World,
    edges::{address, below, https, response, to},
    visitor,
};
use bytes::Bytes;
use http_body_util::Full;
use postern_api::{
    module::{Compression, HeaderChanges},
    published::Settings,
};
use std::io::Read;
use tokio::sync::watch;

const HOST: &str = "shop.localhost";

fn compressing() -> Settings {
    Settings { compression: Some(Compression { enabled: true }), ..to("bkdsc_1") }
}

async fn world(origin: &ScriptedOrigin, settings: Settings) -> World {
    let world = World::start().await;
    world.backends([("bkdsc_1", address(origin.address)), ("bkdhr_1", response(200, &text(5000)))]).await;
    world.https_edge(https(&[HOST], &[below("/", settings)])).await;
    world
}

fn text(size: usize) -> String {
    "A line of text that comes again and again. ".repeat(size / 43 + 1)[..size].to_owned()
}

/// The decodable part of a body, even if it is incomplete.
fn decoded(coding: &str, bytes: &[u8]) -> String {
    let mut plain = Vec::new();
    let _ = match coding {
        "br" => brotli::Decompressor::new(bytes, 4096).read_to_end(&mut plain),
        "gzip" => flate2::read::GzDecoder::new(bytes).read_to_end(&mut plain),
        "deflate" => flate2::read::ZlibDecoder::new(bytes).read_to_end(&mut plain),
        other => panic!("coded as {other}"),
    };
    String::from_utf8(plain).unwrap()
}

/// Responds by path: `/<what>` is the lines of the head, with 5,000 bytes of text.
async fn origin() -> ScriptedOrigin {
    ScriptedOrigin::responding(|request| {
        let path = request.split(' ').nth(1).unwrap_or_default();
        let (status, lines) = match path {
            "/plain" => ("200 OK", "Content-Type: text/plain\r\nETag: \"v1\"\r\n"),
            "/error" => ("404 Not Found", "Content-Type: application/json\r\n"),
            "/picture" => ("200 OK", "Content-Type: image/png\r\n"),
            "/fixed" => ("200 OK", "Content-Type: text/plain\r\nCache-Control: no-transform\r\n"),
            "/coded" => ("200 OK", "Content-Type: text/plain\r\nContent-Encoding: gzip\r\n"),
            "/part" => ("206 Partial Content", "Content-Type: text/plain\r\nContent-Range: bytes 0-4999/9999\r\n"),
            "/same" => return "HTTP/1.1 304 Not Modified\r\nContent-Type: text/plain\r\nETag: \"v1\"\r\n\r\n".to_owned(),
            "/small" => {
                return "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nsmall".to_owned();
            }
            "/chunks" => {
                let chunk = format!("9c4\r\n{}\r\n", text(2500));
                return format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n\
                     {chunk}{chunk}0\r\nX-Sum: 42\r\n\r\n"
                );
            }
            other => panic!("{other}"),
        };
        let body = if request.starts_with("HEAD") { String::new() } else { text(5000) };
        format!("HTTP/1.1 {status}\r\n{lines}Content-Length: 5000\r\n\r\n{body}")
    })
    .await
}

async fn get(world: &World, path: &str, accept: &str) -> Http1Response {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {HOST}\r\nAccept-Encoding: {accept}\r\nTE: trailers\r\n\r\n");
    visitor::https(world, HOST).await.request(&request).await
}

#[tokio::test]
async fn the_visitor_gets_the_preferred_coding() {
    let origin = origin().await;
    let world = world(&origin, compressing()).await;
    for (accept, coding) in [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip", "gzip"),
        ("deflate", "deflate"),
        ("br;q=0.5, gzip;q=0.8, deflate;q=0.7", "gzip"),
    ] {
        let response = get(&world, "/plain", accept).await;
        assert_eq!(response.header("content-encoding"), Some(coding), "{accept}");
        assert_eq!(response.header("vary"), Some("Accept-Encoding"));
        assert_eq!(response.header("etag"), Some("W/\"v1\""));
        assert_eq!(response.header("content-length"), None);
        assert!(response.body.len() < 500, "{} bytes", response.body.len());
        assert_eq!(decoded(coding, &response.body), text(5000));
    }
    let response = get(&world, "/error", "gzip").await;
    assert_eq!((response.status, decoded("gzip", &response.body)), (404, text(5000)));

    let mut sender = visitor::http2(&world, HOST).await;
    let request = hyper::Request::get(format!("https://{HOST}/chunks")).header("accept-encoding", "br");
    let response = sender.send_request(request.body(Full::new(Bytes::new())).unwrap()).await.unwrap();
    assert_eq!(response.headers()["content-encoding"], "br");
    let (_, body) = visitor::whole(response).await;
    assert_eq!(decoded("br", &body), text(2500).repeat(2));
}

#[tokio::test]
async fn trailers_come_after_the_last_compressed_byte() {
    let origin = origin().await;
    let world = world(&origin, compressing()).await;
    let response = get(&world, "/chunks", "gzip").await;
    assert_eq!(response.header("content-encoding"), Some("gzip"));
    assert!(response.body.to_ascii_lowercase().ends_with(b"x-sum: 42\r\n"), "{response:?}");
    assert_eq!(decoded("gzip", &response.body), text(2500).repeat(2));
}

#[tokio::test]
async fn other_responses_stay_uncompressed() {
    let origin = origin().await;
    let world = world(&origin, compressing()).await;
    for path in ["/picture", "/fixed", "/part"] {
        let response = get(&world, path, "gzip, br").await;
        assert_eq!((response.header("content-encoding"), response.header("vary")), (None, None), "{path}");
        assert_eq!((response.header("content-length"), response.text()), (Some("5000"), text(5000)), "{path}");
    }
    let response = get(&world, "/coded", "br").await;
    assert_eq!((response.header("content-encoding"), response.text()), (Some("gzip"), text(5000)), "the backend's own");
    let response = get(&world, "/same", "br").await;
    assert_eq!(
        (response.status, response.header("etag"), response.header("content-encoding")),
        (304, Some("\"v1\""), None)
    );
    assert_eq!(get(&world, "/small", "br").await.text(), "small");
    for accept in ["identity", "zstd", "gzip;q=0, *;q=0", ""] {
        let response = get(&world, "/plain", accept).await;
        assert_eq!((response.header("content-encoding"), response.text()), (None, text(5000)), "{accept}");
        assert_eq!(response.header("etag"), Some("\"v1\""));
    }
    let head = format!("HEAD /plain HTTP/1.1\r\nHost: {HOST}\r\nAccept-Encoding: br\r\n\r\n");
    let response = visitor::https(&world, HOST).await.request(&head).await;
    assert_eq!((response.header("content-length"), response.header("content-encoding")), (Some("5000"), None));
}

/// Sends one event, and the next one when told to.
async fn events(go_on: &watch::Sender<bool>) -> ScriptedOrigin {
    let go_on = go_on.subscribe();
    ScriptedOrigin::serving(move |mut connection| {
        let mut go_on = go_on.clone();
        async move {
            while connection.request().await.is_some() {
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
                let first = format!("{head}c\r\ndata: first\n\r\n");
                if connection.send(first.as_bytes()).await.is_err() || go_on.wait_for(|go_on| *go_on).await.is_err() {
                    return;
                }
                if connection.send(b"d\r\ndata: second\n\r\n0\r\n\r\n").await.is_err() {
                    return;
                }
            }
        }
    })
    .await
}

#[tokio::test]
async fn events_arrive_as_soon_as_they_are_sent_and_a_change_does_not_cut_them() {
    for coding in ["br", "gzip", "deflate"] {
        let go_on = watch::Sender::new(false);
        let origin = events(&go_on).await;
        let world = world(&origin, compressing()).await;
        let mut visitor = visitor::https(&world, HOST).await;
        let request = format!("GET / HTTP/1.1\r\nHost: {HOST}\r\nAccept-Encoding: {coding}\r\n\r\n");
        visitor.send(request.as_bytes()).await;
        let head = String::from_utf8(visitor.read_until(b"\r\n\r\n").await).unwrap().to_ascii_lowercase();
        assert!(head.contains(&format!("content-encoding: {coding}\r\n")), "{head}");
        let mut body = Vec::new();
        while decoded(coding, &body) != "data: first\n" {
            body.extend(chunk(&mut visitor).await);
        }
        world.https_edge(https(&[HOST], &[below("/", to("bkdsc_1"))])).await;
        go_on.send_replace(true);
        loop {
            let chunk = chunk(&mut visitor).await;
            if chunk.is_empty() {
                break;
            }
            body.extend(chunk);
        }
        assert_eq!(decoded(coding, &body), "data: first\ndata: second\n", "what began compressed ends so");
        let response = visitor.request(&request).await;
        assert_eq!(
            (response.header("content-encoding"), response.text().as_str()),
            (None, "data: first\ndata: second\n")
        );
        world.https_edge(https(&[HOST], &[below("/", compressing())])).await;
        let response = visitor.request(&request).await;
        assert_eq!(response.header("content-encoding"), Some(coding), "on again, on the same connection");
    }
}

async fn chunk<S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin>(visitor: &mut Http1Client<S>) -> Vec<u8> {
    let line = String::from_utf8(visitor.read_until(b"\r\n").await).unwrap();
    let size = usize::from_str_radix(line.trim(), 16).unwrap();
    let bytes = visitor.read_exactly(size).await;
    visitor.read_exactly(2).await;
    bytes
}

#[tokio::test]
async fn a_large_response_passes_complete_and_an_aborted_one_is_noticed() {
    let origin = ScriptedOrigin::serving(|mut connection| async move {
        while let Some(request) = connection.request().await {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3000000\r\n\r\n";
            let size = if request.starts_with("GET /half") { 1_000_000 } else { 3_000_000 };
            if connection.send(format!("{head}{}", text(size)).as_bytes()).await.is_err() || size < 3_000_000 {
                return;
            }
        }
    })
    .await;
    let world = world(&origin, compressing()).await;
    for coding in ["br", "gzip"] {
        let response = get(&world, "/", coding).await;
        assert!(decoded(coding, &response.body) == text(3_000_000), "{coding}");
    }
    let mut visitor = visitor::https(&world, HOST).await;
    visitor.send(format!("GET /half HTTP/1.1\r\nHost: {HOST}\r\nAccept-Encoding: gzip\r\n\r\n").as_bytes()).await;
    let all = visitor.rest().await;
    assert!(!all.ends_with(b"\r\n0\r\n\r\n"), "no end where there was none");
}

#[tokio::test]
async fn header_changes_come_after_compression() {
    let origin = origin().await;
    let remove =
        |name: &str| Some(HeaderChanges { enabled: true, add: Default::default(), remove: vec![name.to_owned()] });
    let settings =
        Settings { request_headers: remove("accept-encoding"), response_headers: remove("vary"), ..compressing() };
    let world = world(&origin, settings).await;
    let response = get(&world, "/plain", "gzip").await;
    assert_eq!((response.header("content-encoding"), response.header("vary")), (Some("gzip"), None));
    assert!(!origin.request_texts()[0].to_ascii_lowercase().contains("accept-encoding"), "the backend is not asked to");

    let mut settings = compressing();
    settings.backend = Some("bkdhr_1".to_owned());
    world.https_edge(https(&[HOST], &[below("/", settings)])).await;
    let response = get(&world, "/", "gzip").await;
    assert_eq!(response.header("content-encoding"), None, "an response without a type may be anything");
}
