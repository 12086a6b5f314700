//! What the tests and the fuzz target of this folder have in common: a server whose codec is released, on a clock that waits for
//! nothing.

use super::transport::{Awaited, HEADER_TABLE_BYTES, Http2Transport};
use crate::{
    http::{HttpGuard, RequestCounter},
    limits::Limits,
};
use bytes::Bytes;
use http_body_util::Full;
use hyper::{Request, Response, body::Incoming, server::conn::http2, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use std::{
    future::poll_fn,
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt, DuplexStream},
    runtime,
};

const CONNECTION_WINDOW_BYTES: u32 = 1024 * 1024;
const STREAM_WINDOW_BYTES: u32 = 200_000;

/// Runs to the end. Time passes when nothing else is left to do.
pub(super) fn paused<F: Future>(future: F) -> F::Output {
    let runtime = runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(future)
}

/// The guard of a connection that may idle for any time.
pub(super) fn guard(stream: DuplexStream) -> HttpGuard<DuplexStream> {
    let limits = Limits { idle: Duration::MAX / 4, ..Limits::default() };
    HttpGuard::new(stream, true, RequestCounter::default(), &limits)
}

/// Serves with one codec until it ends, or `until` is ready. Returns false, or what that says.
pub(super) async fn serve_with_codec<S, A, F>(
    stream: S,
    answer: A,
    mut until: impl FnMut(&mut Context<'_>) -> Poll<bool>,
) -> hyper::Result<bool>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    A: Fn(Request<Incoming>) -> F,
    F: Future<Output = hyper::Result<Response<Full<Bytes>>>> + Send + 'static,
{
    let mut codec = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .header_table_size(HEADER_TABLE_BYTES)
        .serve_connection(TokioIo::new(stream), service_fn(answer));
    poll_fn(|cx| match Pin::new(&mut codec).poll(cx) {
        Poll::Ready(ended) => Poll::Ready(ended.map(|()| false)),
        Poll::Pending => until(cx).map(Ok),
    })
    .await
}

/// Serves a connection until its client leaves, or sends what cannot be read: then it says GOAWAY. Returns how many codecs it took.
pub(super) async fn serve<A, F>(stream: DuplexStream, answer: A) -> io::Result<usize>
where
    A: Fn(Request<Incoming>) -> F,
    F: Future<Output = hyper::Result<Response<Full<Bytes>>>> + Send + 'static,
{
    let transport = Http2Transport::new(Box::new(guard(stream)));
    let mut codecs = 0;
    loop {
        codecs += 1;
        let until = |cx: &mut Context<'_>| match transport.refused() {
            Some(_) => Poll::Ready(false),
            None => transport.poll_released(cx).map(|()| true),
        };
        let served = serve_with_codec(transport.share(), &answer, until).await;
        if !served.map_err(io::Error::other)? || transport.awaited().await? != Awaited::Bytes {
            break;
        }
    }
    if let Some((mut guard, goaway)) = transport.into_goaway() {
        let _ = guard.write_all(&goaway).await;
        let _ = guard.shutdown().await;
    }
    Ok(codecs)
}
