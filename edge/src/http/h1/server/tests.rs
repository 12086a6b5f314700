use super::*;
use crate::http::RequestCounter;
use futures::FutureExt;
use http_body_util::{BodyExt, Full};
use postern_tunnel::proto::frame::MAX_SENT_PAYLOAD;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::io::{AsyncReadExt, DuplexStream, ReadBuf, duplex};

fn connection<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(stream: S) -> ServerConnection<S> {
    let limits = Limits::default();
    ServerConnection::new(Box::new(HttpGuard::new(stream, false, RequestCounter::default(), &limits)), &limits)
}

async fn text(visitor: &mut DuplexStream) -> String {
    let mut bytes = vec![0; 4096];
    let size = visitor.read(&mut bytes).await.expect("bytes");
    String::from_utf8_lossy(&bytes[..size]).into_owned()
}

fn echo(request: Request<VisitorBody>) -> BoxFuture<'static, Response<Full<Bytes>>> {
    async move { Response::new(Full::new(request.into_body().collect().await.expect("a body").to_bytes())) }.boxed()
}

#[tokio::test]
async fn requests_in_one_piece_are_answered_in_order() {
    let (mut visitor, near) = duplex(64 * 1024);
    let posts: String =
        (0..20).map(|number| format!("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\n{number:03}")).collect();
    visitor.write_all(posts.as_bytes()).await.expect("room");
    let (mut http, stop) = (connection(near), CancellationToken::new());
    for number in 0..20 {
        let request = http.request().await.expect("a connection").expect("a request");
        assert_eq!(http.respond(echo(request), &stop).await.expect("a response"), AfterResponse::Continue);
        let response = text(&mut visitor).await;
        assert!(response.ends_with(&format!("\r\n\r\n{number:03}")), "{response}");
    }
    stop.cancel();
    visitor.write_all(b"GET / HTTP/1.1\r\n\r\n").await.expect("room");
    let request = http.request().await.expect("a connection").expect("a request");
    assert_eq!(http.respond(echo(request), &stop).await.expect("a response"), AfterResponse::Close);
    assert!(text(&mut visitor).await.contains("Connection: close\r\n"));
}

/// A stream whose flush waits until it is let go.
struct HeldFlush {
    stream: DuplexStream,
    is_held: Arc<AtomicBool>,
}

impl AsyncRead for HeldFlush {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for HeldFlush {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.is_held.load(Ordering::Relaxed) { Poll::Pending } else { Poll::Ready(Ok(())) }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[tokio::test]
async fn a_flush_that_waits_is_not_forgotten() {
    let (mut visitor, stream) = duplex(1024);
    let is_held = Arc::new(AtomicBool::new(true));
    visitor.write_all(b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n").await.expect("room");
    let mut http = connection(HeldFlush { stream, is_held: is_held.clone() });
    let request = http.request().await.expect("a connection").expect("a request");
    let stop = CancellationToken::new();
    let mut responding = Box::pin(http.respond(echo(request), &stop));
    assert!(responding.as_mut().now_or_never().is_none());
    assert_eq!(text(&mut visitor).await, "HTTP/1.1 100 Continue\r\n\r\n");
    is_held.store(false, Ordering::Relaxed);
    assert!(responding.as_mut().now_or_never().is_none());
    drop(responding);
    assert!(!http.unflushed, "it is flushed as soon as that is possible");
}

#[tokio::test]
async fn tiny_parts_of_a_body_are_taken_in_bounded_number() {
    let (mut visitor, near) = duplex(1024 * 1024);
    visitor.write_all(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n").await.expect("room");
    visitor.write_all("1\r\nx\r\n".repeat(50_000).as_bytes()).await.expect("room");
    let mut http = connection(near);
    let request = http.request().await.expect("a connection").expect("a request");
    let mut current = http.current.take().expect("a request");
    let mut body = request.into_body();
    let mut cx = Context::from_waker(std::task::Waker::noop());
    assert!(Pin::new(&mut body).poll_frame(&mut cx).is_pending());
    assert!(http.poll_feed(&mut cx, &mut current).expect("a connection").is_ready());
    let mut parts = 0;
    while Pin::new(&mut body).poll_frame(&mut cx).is_ready() {
        parts += 1;
    }
    assert_eq!(parts, MAX_FED_BYTES.div_ceil(MIN_PART_BYTES));
}

#[tokio::test]
async fn what_is_read_of_a_body_at_once_fills_one_frame_of_a_tunnel() {
    // The lines in front of and behind a chunk of this size.
    const CHUNK_LINES: usize = "ffff\r\n\r\n".len();
    let (mut visitor, near) = duplex(1024 * 1024);
    visitor.write_all(b"POST / HTTP/1.1\r\nContent-Length: 500000\r\n\r\n").await.expect("room");
    visitor.write_all(&vec![b'x'; 500_000]).await.expect("room");
    let mut http = connection(near);
    let request = http.request().await.expect("a connection").expect("a request");
    let mut current = http.current.take().expect("a request");
    let mut body = request.into_body();
    let mut cx = Context::from_waker(std::task::Waker::noop());
    for _ in 0..7 {
        assert!(Pin::new(&mut body).poll_frame(&mut cx).is_pending());
        assert!(http.poll_feed(&mut cx, &mut current).expect("a connection").is_ready());
        let (mut bytes, mut parts) = (0, 0);
        while let Poll::Ready(Some(frame)) = Pin::new(&mut body).poll_frame(&mut cx) {
            bytes += frame.expect("a body").into_data().expect("data").len();
            parts += 1;
        }
        assert!(bytes > MAX_SENT_PAYLOAD - 2 * MIN_PART_BYTES, "{bytes}");
        assert!(bytes + parts * CHUNK_LINES <= MAX_SENT_PAYLOAD, "{bytes} in {parts} parts");
    }
}

#[tokio::test(start_paused = true)]
async fn the_rest_of_a_body_is_read_as_long_as_something_reads_it() {
    let (mut visitor, near) = duplex(1024);
    visitor.write_all(b"POST / HTTP/1.1\r\nContent-Length: 6\r\n\r\nabc").await.expect("room");
    let mut http = connection(near);
    let request = http.request().await.expect("a connection").expect("a request");
    let reading = tokio::spawn(async move { request.into_body().collect().await.expect("a body").to_bytes() });
    let stop = CancellationToken::new();
    let early = async { Response::new(Full::<Bytes>::default()) }.boxed();
    let late = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        visitor.write_all(b"def").await.expect("room");
    };
    let (after, ()) = tokio::join!(http.respond(early, &stop), late);
    assert_eq!(after.expect("a response"), AfterResponse::Continue);
    assert_eq!(reading.await.expect("read"), "abcdef");
}
