//! The checks of the fuzz target for responses of local services.

use super::client::ClientConnection;
use crate::http::RequestBody;
use bytes::Bytes;
use futures::task::noop_waker_ref;
use http_body_util::{BodyExt, Empty};
use hyper::{HeaderMap, Method, Request, Response, StatusCode, Version, client::conn::http1};
use hyper_util::rt::TokioIo;
use std::{
    future::poll_fn,
    io,
    pin::{Pin, pin},
    task::{Context, Poll},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

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

/// Reads a response in pieces whose size the first byte chooses, to GET or, where the second byte is odd, to HEAD: what is
/// accepted, up to the end of its body, is also what hyper reads.
pub fn response(bytes: &[u8]) {
    let [size, method, bytes @ ..] = bytes else { return };
    let method = if method % 2 == 0 { Method::GET } else { Method::HEAD };
    let ours = run(read(bytes, usize::from(*size) + 1, &method));
    assert_eq!(ours, run(read(bytes, usize::MAX, &method)), "the same however it is split");
    if ours.is_some() {
        assert_eq!(ours, run(read_by_hyper(bytes, &method)), "hyper reads something else");
    }
}

/// A service that sends bytes in pieces of `size` as soon as it is asked, and ends the connection.
struct Service<'a> {
    unsent: &'a [u8],
    size: usize,
    is_asked: bool,
}

impl<'a> Service<'a> {
    fn new(unsent: &'a [u8], size: usize) -> Self {
        Service { unsent, size, is_asked: false }
    }
}

impl AsyncRead for Service<'_> {
    fn poll_read(self: Pin<&mut Self>, _cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.is_asked {
            return Poll::Pending;
        }
        let (piece, unsent) = this.unsent.split_at(this.size.min(this.unsent.len()).min(buffer.remaining()));
        buffer.put_slice(piece);
        this.unsent = unsent;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Service<'_> {
    fn poll_write(self: Pin<&mut Self>, _cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.get_mut().is_asked = true;
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
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

/// The response, if it is complete.
async fn read(bytes: &[u8], size: usize, method: &Method) -> Option<ReadResponse> {
    let mut http = ClientConnection::new(Service::new(bytes, size));
    http.start(&mut request(method), RequestBody::empty(), None);
    let response = poll_fn(|cx| http.poll_response(cx)).await.ok()?;
    let (mut body, mut trailers) = (Vec::new(), None);
    while let Some(frame) = poll_fn(|cx| http.poll_frame(cx)).await {
        match frame.ok()?.into_data() {
            Ok(data) => body.extend_from_slice(&data),
            Err(frame) => trailers = frame.into_trailers().ok(),
        }
    }
    Some(read_response(response, body, trailers))
}

fn read_response(response: Response<()>, body: Vec<u8>, trailers: Option<HeaderMap>) -> ReadResponse {
    let (parts, ()) = response.into_parts();
    ReadResponse { status: parts.status, version: parts.version, headers: parts.headers, body, trailers }
}

/// The same as hyper reads it.
async fn read_by_hyper(bytes: &[u8], method: &Method) -> Option<ReadResponse> {
    let stream = TokioIo::new(Service::new(bytes, usize::MAX));
    let (mut sender, connection) = http1::handshake::<_, Empty<Bytes>>(stream).await.ok()?;
    let mut connection = pin!(connection);
    let mut exchange = pin!(async {
        let response = sender.send_request(request(method).map(|()| Empty::new())).await.ok()?;
        let (parts, body) = response.into_parts();
        let collected = body.collect().await.ok()?;
        let (trailers, body) = (collected.trailers().cloned(), collected.to_bytes().to_vec());
        Some(read_response(Response::from_parts(parts, ()), body, trailers))
    });
    let mut is_open = true;
    poll_fn(|cx| match exchange.as_mut().poll(cx) {
        Poll::Pending if is_open => {
            is_open = connection.as_mut().poll(cx).is_pending();
            exchange.as_mut().poll(cx)
        }
        polled => polled,
    })
    .await
}

#[test]
fn a_response_is_read_to_its_end() {
    let table: &[(&[u8], Option<&[u8]>)] = &[
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", Some(b"a")),
        (b"HTTP/1.1 103 x\r\n\r\nHTTP/1.1 204 No\r\nX: y\r\n\r\n", Some(b"")),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;x\r\nb\r\n0\r\nT: 1\r\n\r\n", Some(b"b")),
        (b"HTTP/1.0 200 OK\r\n\r\ncd", Some(b"cd")),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na", None),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2", None),
    ];
    for (bytes, expected) in table {
        let read = run(read(bytes, 7, &Method::GET));
        assert_eq!(read.as_ref().map(|response| response.body.as_slice()), *expected);
        response(&[&[3, 0][..], bytes].concat());
    }
}
