use super::*;
use bytes::Bytes;
use futures::{FutureExt, channel::mpsc};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use std::io::Read;

type Sender = mpsc::UnboundedSender<Result<Frame<Bytes>, crate::http::BodyError>>;

/// What the body decodes to, however much of it there is.
fn decoded(coding: Coding, bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    let _ = match coding {
        Coding::Brotli => brotli::Decompressor::new(bytes, 4096).read_to_end(&mut text),
        Coding::Gzip => flate2::read::GzDecoder::new(bytes).read_to_end(&mut text),
        Coding::Deflate => flate2::read::ZlibDecoder::new(bytes).read_to_end(&mut text),
    };
    text
}

/// An answer that is still being written.
fn streaming() -> (Sender, Response<ResponseBody>) {
    let (sender, receiver) = mpsc::unbounded();
    let response = Response::builder().header("content-type", "text/plain");
    (sender, response.body(ResponseBody::boxed(StreamBody::new(receiver))).expect("a response"))
}

fn full(headers: &[(&str, &str)], status: u16, size: usize) -> Response<ResponseBody> {
    let mut response = Response::builder().status(status);
    for (name, value) in headers {
        response = response.header(*name, *value);
    }
    response.body(ResponseBody::full(Bytes::from(vec![b'a'; size]))).expect("a response")
}

fn through(coding: Option<Coding>, response: Response<ResponseBody>) -> Response<ResponseBody> {
    stage(Some(&EncoderRoom::new(1 << 30)), coding, response, &mut Trace::default())
}

type Headers = &'static [(&'static str, &'static str)];

const TEXT: (&str, &str) = ("content-type", "text/html; charset=utf-8");

#[test]
fn every_coding_round_trips_body_and_trailers() {
    for coding in Coding::ALL {
        let (sender, response) = streaming();
        let mut expected = Vec::new();
        for piece in 0..200_u32 {
            let bytes: Vec<u8> = (0..1000).map(|i: u32| (i.wrapping_mul(piece) >> 3) as u8).collect();
            expected.extend_from_slice(&bytes);
            sender.unbounded_send(Ok(Frame::data(Bytes::from(bytes)))).expect("read");
        }
        let mut trailers = HeaderMap::new();
        trailers.insert("x-sum", HeaderValue::from_static("1"));
        sender.unbounded_send(Ok(Frame::trailers(trailers.clone()))).expect("read");
        drop(sender);
        let response = through(Some(coding), response);
        assert_eq!(response.headers()[header::CONTENT_ENCODING], coding.name());
        let whole = response.into_body().collect().now_or_never().expect("ready").expect("whole");
        assert_eq!(whole.trailers(), Some(&trailers), "{coding:?}");
        let bytes = whole.to_bytes();
        assert!(bytes.len() < expected.len(), "{coding:?}");
        assert_eq!(decoded(coding, &bytes), expected, "{coding:?}");
    }
}

#[test]
fn all_data_is_flushed_immediately() {
    for coding in Coding::ALL {
        let (sender, response) = streaming();
        let mut body = through(Some(coding), response).into_body();
        assert!(body.frame().now_or_never().is_none(), "nothing was said");
        let mut sent = Vec::new();
        for event in ["data: one\n\n", "data: two\n\n"] {
            sender.unbounded_send(Ok(Frame::data(Bytes::from(event)))).expect("read");
            let frame = body.frame().now_or_never().expect("at once").expect("a frame").expect("no error");
            sent.extend_from_slice(frame.data_ref().expect("data"));
            assert!(decoded(coding, &sent).ends_with(event.as_bytes()), "{coding:?} {event}");
            assert!(body.frame().now_or_never().is_none(), "no more than that");
        }
    }
}

#[test]
fn an_aborted_body_has_no_proper_end() {
    let (sender, response) = streaming();
    sender.unbounded_send(Ok(Frame::data(Bytes::from("half")))).expect("read");
    sender.unbounded_send(Err("the service left".into())).expect("read");
    let body = through(Some(Coding::Gzip), response).into_body();
    assert!(body.collect().now_or_never().expect("ready").is_err());
}

#[test]
fn an_endless_body_of_zeros_does_not_block_the_thread() {
    let zeros = futures::stream::repeat_with(|| Ok(Frame::data(Bytes::from_static(&[0; 64 * 1024]))));
    let response = Response::builder().header("content-type", "text/plain");
    let response = response.body(ResponseBody::boxed(StreamBody::new(zeros))).expect("a response");
    let mut body = through(Some(Coding::Brotli), response).into_body();
    // Either a piece or a pause, but the call comes back.
    let _ = body.frame().now_or_never();
}

#[test]
fn other_responses_stay_unchanged() {
    let untouched: [(Headers, u16, usize); 13] = [
        (&[TEXT], 200, 255),
        (&[TEXT], 200, 0),
        (&[TEXT], 101, 0),
        (&[TEXT], 204, 0),
        (&[TEXT], 206, 1000),
        (&[TEXT], 304, 0),
        (&[TEXT, ("content-range", "bytes 0-999/5000")], 200, 1000),
        (&[TEXT, ("content-encoding", "zstd")], 200, 1000),
        (&[TEXT, ("cache-control", "public, No-Transform")], 200, 1000),
        (&[("content-type", "image/png")], 200, 1000),
        (&[("content-type", "application/grpc+json")], 200, 1000),
        (&[("content-type", "application/octet-stream")], 200, 1000),
        (&[], 200, 1000),
    ];
    for (headers, status, size) in untouched {
        let before = full(headers, status, size);
        let expected = before.headers().clone();
        let after = through(Some(Coding::Gzip), before);
        assert_eq!(*after.headers(), expected, "{headers:?} {status} {size}");
        let body = after.into_body().collect().now_or_never().expect("ready").expect("whole");
        assert_eq!(body.to_bytes().len(), size);
    }
    let after = through(None, full(&[TEXT], 200, 1000));
    assert!(!after.headers().contains_key(header::CONTENT_ENCODING), "not requested");
    let after = stage(None, Some(Coding::Gzip), full(&[TEXT], 200, 1000), &mut Trace::default());
    assert!(!after.headers().contains_key(header::CONTENT_ENCODING), "the module is not set");
}

#[test]
fn compressible_responses_are_compressed_and_labelled() {
    for kind in
        ["text/css", "application/json", "application/problem+json", "image/svg+xml", "TEXT/HTML", "application/wasm"]
    {
        for status in [200, 201, 404, 500] {
            let after = through(Some(Coding::Gzip), full(&[("content-type", kind)], status, 1000));
            assert_eq!(after.headers()[header::CONTENT_ENCODING], "gzip", "{kind} {status}");
            assert_eq!(after.headers()[header::VARY], "Accept-Encoding");
        }
    }
    let before = [
        TEXT,
        ("content-length", "1000"),
        ("etag", "\"v1\""),
        ("vary", "Origin"),
        ("accept-ranges", "bytes"),
        ("content-encoding", "identity"),
        ("content-digest", "sha-256=:x:"),
        ("x-kept", "yes"),
    ];
    let after = through(Some(Coding::Deflate), full(&before, 200, 1000));
    let headers = after.headers();
    assert_eq!(headers[header::ETAG], "W/\"v1\"");
    assert_eq!(headers.get_all(header::VARY).iter().collect::<Vec<_>>(), ["Origin", "Accept-Encoding"]);
    assert_eq!(
        (&headers[header::CONTENT_ENCODING], &headers["x-kept"]),
        (&"deflate".parse().unwrap(), &"yes".parse().unwrap())
    );
    for name in ["content-length", "accept-ranges", "content-digest"] {
        assert!(!headers.contains_key(name), "{name}");
    }
    let after =
        through(Some(Coding::Gzip), full(&[TEXT, ("etag", "W/\"v1\""), ("vary", "accept-encoding")], 200, 1000));
    assert_eq!(after.headers()[header::ETAG], "W/\"v1\"", "weak already");
    assert_eq!(after.headers().get_all(header::VARY).iter().count(), 1, "said already");
}

#[test]
fn encoders_share_a_memory_budget_and_return_their_part() {
    let room = EncoderRoom::new(Coding::Gzip.cost() * MEMORY_UNIT_BYTES);
    let compress = || stage(Some(&room), Some(Coding::Gzip), full(&[TEXT], 200, 1000), &mut Trace::default());
    let first = compress();
    assert!(first.headers().contains_key(header::CONTENT_ENCODING));
    assert!(!compress().headers().contains_key(header::CONTENT_ENCODING), "no room: as it is");
    first.into_body().collect().now_or_never().expect("ready").expect("whole");
    assert!(compress().headers().contains_key(header::CONTENT_ENCODING), "its room is free again");
    room.set_bytes(Coding::Gzip.cost() * MEMORY_UNIT_BYTES - 1);
    assert!(!compress().headers().contains_key(header::CONTENT_ENCODING), "the budget became smaller");
}
