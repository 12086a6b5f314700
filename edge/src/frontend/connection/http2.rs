//! A visitor's connection over HTTP/2.

use crate::{
    frontend::{
        EdgeState, VisitorConnection,
        connection_end::{settled, stopped},
        service::serve_request,
    },
    http::{HttpGuard, StreamExecutor, VisitorBody},
    telemetry::metrics,
};
use futures::FutureExt;
use hyper::{Request, body::Incoming, server::conn::http2, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{
    convert::Infallible,
    pin::{Pin, pin},
    sync::{Arc, atomic::Ordering},
    task::Poll,
    time::Duration,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

/// Flow-control windows of an HTTP/2 connection: bytes that may wait unread (RFC 9113, section 5.2).
const STREAM_WINDOW_BYTES: u32 = 1024 * 1024;
const CONNECTION_WINDOW_BYTES: u32 = 4 * 1024 * 1024;
const SEND_BUFFER_BYTES: usize = 128 * 1024;
/// Requests that were reset before they were accepted; well-behaved clients have a few at most.
const MAX_PENDING_RESETS: usize = 20;

/// Serves requests until the visitor leaves, or until `stop`: then the open ones are finished.
pub(super) async fn serve_http2<S>(
    guard: Box<HttpGuard<S>>,
    connection: &Arc<VisitorConnection>,
    state: &Arc<EdgeState>,
    stop: CancellationToken,
) -> hyper::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = {
        let (state, connection) = (state.clone(), connection.clone());
        // Boxed: a stream whose response has begun has no room for the request any more.
        service_fn(move |request: Request<Incoming>| {
            Box::pin(
                serve_request(state.clone(), connection.clone(), request.map(VisitorBody::from))
                    .map(Ok::<_, Infallible>),
            )
        })
    };
    let (limits, activity, refused) = (&state.limits, guard.activity(), guard.refused());
    let mut http_connection = http2::Builder::new(StreamExecutor { stall: limits.stall })
        .timer(TokioTimer::new())
        .max_concurrent_streams(limits.streams)
        .max_pending_accept_reset_streams(MAX_PENDING_RESETS)
        .max_local_error_reset_streams(limits.resets)
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_send_buf_size(SEND_BUFFER_BYTES)
        .max_header_list_size(limits.head_bytes.try_into().unwrap_or(u32::MAX))
        .keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(20))
        .serve_connection(TokioIo::new(guard), service);
    let mut stopping = pin!(stopped(&stop, &connection.requests));
    let mut settling = pin!(settled(&activity, &connection.requests));
    let mut shutting_down = false;
    std::future::poll_fn(|cx| {
        loop {
            let is_fresh = connection.requests.started() == 0;
            if !shutting_down && stopping.as_mut().poll(cx).is_ready() {
                shutting_down = true;
                Pin::new(&mut http_connection).graceful_shutdown();
            }
            let polled = Pin::new(&mut http_connection).poll(cx);
            if polled.is_ready() {
                return polled;
            }
            if connection.requests.excess_abandoned() > limits.resets {
                metrics::flood_ended();
                tracing::info!(visitor = %connection.visitor.address, "requests are begun and abandoned too often; the connection is closed");
                return Poll::Ready(Ok(()));
            }
            if refused.load(Ordering::Relaxed) {
                metrics::flood_ended();
                tracing::info!(visitor = %connection.visitor.address, "too many frames without effect; the connection is closed");
                return Poll::Ready(Ok(()));
            }
            if shutting_down {
                return settling.as_mut().poll(cx).map(Ok);
            }
            if !is_fresh || connection.requests.started() == 0 {
                return Poll::Pending;
            }
        }
    })
    .await
}
