//! The checks of the fuzz target for responses of local services.

use super::client::ClientConnection;
use crate::http::RequestBody;
use bytes::Bytes;
use futures::{StreamExt, stream, task::noop_waker_ref};
use http_body_util::{BodyExt, Empty};
use hyper::{HeaderMap, Method, Request, Response, StatusCode, Version, client::conn::http1};
use hyper_util::rt::TokioIo;
use std::{
    future::poll_fn,
    io,
    pin::pin,
    task::{Context, Poll},
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::io::StreamReader;

/// The polls after which a test gives up: more than any input takes.
const MAX_POLLS: usize = 100_000;

/// A response that was read to its end.
#[derive(Debug, PartialEq, Eq)]
struct ReadResponse {
    status: StatusCode,
    version: Version,
    headers: HeaderMap,
    body: Vec<u8>,
    trailers: Option<HeaderMap>,
}

/// Reads responses in pieces whose size the first byte chooses, to GET and, where the second byte is odd, to HEAD: each
/// that is accepted, up to the end of its body, is also what hyper reads.
pub fn responses(bytes: &[u8]) {
    let [size, method, bytes @ ..] = bytes else { return };
    let method = if method % 2 == 0 { Method::GET } else { Method::HEAD };
    let ours = run(read(bytes, usize::from(*size) + 1, &method));
    assert_eq!(ours, run(read(bytes, usize::MAX, &method)), "the same however it is split");
    let by_hyper = run(read_by_hyper(bytes, &method));
    assert!(by_hyper.len() >= ours.len(), "hyper reads less: {ours:?} {by_hyper:?}");
    for (ours, by_hyper) in ours.iter().zip(&by_hyper) {
        assert_eq!(ours, by_hyper, "hyper reads something else");
    }
}

/// A service that sends bytes in pieces of `size` and ends the connection.
fn service(bytes: &[u8], size: usize) -> impl AsyncRead + AsyncWrite + Unpin + Send + 'static + use<> {
    let pieces: Vec<io::Result<Bytes>> = bytes.chunks(size).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    tokio::io::join(StreamReader::new(stream::iter(pieces).chain(stream::empty())), tokio::io::sink())
}

fn run<T>(task: impl Future<Output = T>) -> T {
    let mut task = pin!(task);
    for _ in 0..MAX_POLLS {
        if let Poll::Ready(outcome) = task.as_mut().poll(&mut Context::from_waker(noop_waker_ref())) {
            return outcome;
        }
    }
    panic!("reading does not come to an end");
}

fn request(method: &Method) -> Request<()> {
    Request::builder().method(method).uri("/").header("host", "h").body(()).expect("a request")
}

/// All complete responses on one connection.
async fn read(bytes: &[u8], size: usize, method: &Method) -> Vec<ReadResponse> {
    let mut http = ClientConnection::new(service(bytes, size));
    let mut responses = Vec::new();
    while http.is_reusable() {
        http.start(&mut request(method), RequestBody::empty(), None);
        let Ok(response) = poll_fn(|cx| http.poll_response(cx)).await else { break };
        if response.status() == StatusCode::SWITCHING_PROTOCOLS {
            break;
        }
        let (mut body, mut trailers) = (Vec::new(), None);
        let is_complete = loop {
            match poll_fn(|cx| http.poll_frame(cx)).await {
                None => break true,
                Some(Err(_)) => break false,
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => body.extend_from_slice(&data),
                    Err(frame) => trailers = frame.into_trailers().ok(),
                },
            }
        };
        if !is_complete {
            break;
        }
        responses.push(read_response(response, body, trailers));
    }
    responses
}

fn read_response(response: Response<()>, body: Vec<u8>, trailers: Option<HeaderMap>) -> ReadResponse {
    let (parts, ()) = response.into_parts();
    ReadResponse { status: parts.status, version: parts.version, headers: parts.headers, body, trailers }
}

/// The same as hyper reads it.
async fn read_by_hyper(bytes: &[u8], method: &Method) -> Vec<ReadResponse> {
    let stream = TokioIo::new(service(bytes, usize::MAX));
    let Ok((mut sender, connection)) = http1::handshake::<_, Empty<Bytes>>(stream).await else { return Vec::new() };
    let mut connection = pin!(connection);
    let mut is_open = true;
    let mut responses = Vec::new();
    loop {
        let exchange = async {
            sender.ready().await.ok()?;
            let response = sender.send_request(request(method).map(|()| Empty::new())).await.ok()?;
            let (parts, body) = response.into_parts();
            if parts.status == StatusCode::SWITCHING_PROTOCOLS {
                return None;
            }
            let collected = body.collect().await.ok()?;
            let (trailers, body) = (collected.trailers().cloned(), collected.to_bytes().to_vec());
            Some(read_response(Response::from_parts(parts, ()), body, trailers))
        };
        let mut exchange = pin!(exchange);
        let response = poll_fn(|cx| {
            if is_open && connection.as_mut().poll(cx).is_ready() {
                is_open = false;
            }
            match exchange.as_mut().poll(cx) {
                Poll::Pending if !is_open => exchange.as_mut().poll(cx).map(|_| None),
                polled => polled,
            }
        })
        .await;
        match response {
            Some(response) => responses.push(response),
            None => return responses,
        }
    }
}

#[test]
fn plain_responses_are_read_to_their_end() {
    let bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 103 x\r\n\r\nHTTP/1.1 204 No\r\nX: y\r\n\r\n\
        HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;x\r\nb\r\n0\r\nT: 1\r\n\r\nHTTP/1.0 200 OK\r\n\r\ncd";
    let read: Vec<_> = run(read(bytes, 7, &Method::GET)).iter().map(|response| response.body.clone()).collect();
    assert_eq!(read, [&b"a"[..], b"", b"b", b"cd"]);
    responses(&[&[3, 0][..], bytes].concat());
}
