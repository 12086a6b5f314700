//! A visitor's connection over HTTP/2: requests side by side, until the visitor leaves or the edge ends it.

use super::boxed_in_place;
use crate::{
    frontend::{
        EdgeState, VisitorConnection,
        connection_end::{send_last, settled, stopped},
        service::serve_request,
    },
    http::{
        Awaited, CODECS, ConnectionActivity, HEADER_TABLE_BYTES, Http2Transport, HttpGuard, RefusedInput,
        StreamExecutor, VisitorBody,
    },
    net::DRAIN_GRACE,
    telemetry::metrics,
};
use futures::FutureExt;
use hyper::{Request, body::Incoming, server::conn::http2, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{
    convert::Infallible,
    io,
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
    time::Duration,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

/// Flow-control windows of an HTTP/2 connection: bytes that may wait unread (RFC 9113, section 5.2). That of the connection is
/// more than the initial one, so that a codec tells it when it begins (`Http2Transport`).
const STREAM_WINDOW_BYTES: u32 = 1024 * 1024;
const CONNECTION_WINDOW_BYTES: u32 = 4 * 1024 * 1024;
const SEND_BUFFER_BYTES: usize = 128 * 1024;
/// Requests that were reset before they were accepted; well-behaved clients have a few at most.
const MAX_PENDING_RESETS: usize = 20;

/// One visitor's connection.
struct Http2Connection<S> {
    transport: Http2Transport<S>,
    visitor: Arc<VisitorConnection>,
    state: Arc<EdgeState>,
    stop: CancellationToken,
    activity: Arc<ConnectionActivity>,
}

/// Why a codec is no longer needed.
enum CodecEnd {
    /// There is no stream on the connection any more.
    AtRest,
    /// It gets no more to read.
    Refused,
    /// The connection has ended.
    Closed,
}

/// Serves requests until the visitor leaves, or until `stop`: then the open ones are finished. While no stream is open, the
/// connection has no codec.
pub(super) async fn serve_http2<S>(
    mut guard: Box<HttpGuard<S>>,
    visitor: &Arc<VisitorConnection>,
    state: &Arc<EdgeState>,
    stop: CancellationToken,
) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let connection = Http2Connection {
        activity: guard.activity(),
        transport: Http2Transport::new(guard),
        visitor: visitor.clone(),
        state: state.clone(),
        stop,
    };
    let mut outcome = Ok(());
    loop {
        // Boxed, so that a connection without a codec has no room for one.
        match Box::pin(connection.serve_with_codec()).await.map_err(io::Error::other)? {
            CodecEnd::AtRest => {}
            CodecEnd::Refused => break,
            CodecEnd::Closed => return Ok(()),
        }
        let awaited = tokio::select! {
            biased;
            awaited = connection.transport.awaited() => awaited,
            () = stopped(&connection.stop, &visitor.requests) => match Box::pin(connection.awaited_at_end()).await {
                Some(awaited) => awaited,
                None => break,
            },
        };
        match awaited {
            Ok(Awaited::Bytes) => {}
            Ok(Awaited::Refused) => break,
            Ok(Awaited::End) => {
                if let Some((guard, _)) = connection.transport.into_goaway() {
                    Box::pin(send_last(guard, &[], &state.limits)).await;
                }
                return Ok(());
            }
            Err(error) => {
                outcome = Err(error);
                break;
            }
        }
    }
    if connection.transport.refused() == Some(RefusedInput::Flood) {
        connection.flood_ended("too many frames without effect");
    } else if let Some((guard, goaway)) = connection.transport.into_goaway() {
        Box::pin(send_last(guard, &goaway, &state.limits)).await;
    }
    outcome
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> Http2Connection<S> {
    async fn serve_with_codec(&self) -> hyper::Result<CodecEnd> {
        let _counted = CODECS.count();
        let requests = &self.visitor.requests;
        let service = {
            let (state, visitor) = (self.state.clone(), self.visitor.clone());
            // Boxed: a stream whose response has begun has no room for the request any more.
            service_fn(move |request: Request<Incoming>| {
                let (state, visitor) = (state.clone(), visitor.clone());
                boxed_in_place(move || {
                    serve_request(state, visitor, request.map(VisitorBody::from)).map(Ok::<_, Infallible>)
                })
            })
        };
        let mut codec = self.builder().serve_connection(TokioIo::new(self.transport.share()), service);
        let mut stopping = pin!(stopped(&self.stop, requests));
        let mut settling = pin!(settled(&self.activity, requests));
        let mut shutting_down = false;
        std::future::poll_fn(|cx| {
            loop {
                let is_fresh = requests.started() == 0;
                if !shutting_down && stopping.as_mut().poll(cx).is_ready() {
                    shutting_down = true;
                    Pin::new(&mut codec).graceful_shutdown();
                }
                if let Poll::Ready(ended) = Pin::new(&mut codec).poll(cx) {
                    return Poll::Ready(ended.map(|()| CodecEnd::Closed));
                }
                if requests.excess_abandoned() > self.state.limits.resets {
                    self.flood_ended("requests are begun and abandoned too often");
                    return Poll::Ready(Ok(CodecEnd::Closed));
                }
                if self.transport.refused().is_some() {
                    return Poll::Ready(Ok(CodecEnd::Refused));
                }
                if shutting_down {
                    return settling.as_mut().poll(cx).map(|()| Ok(CodecEnd::Closed));
                }
                if !is_fresh || requests.started() == 0 {
                    break;
                }
            }
            self.transport.poll_released(cx).map(|()| Ok(CodecEnd::AtRest))
        })
        .await
    }

    /// Waits a moment for a request that was sent before its visitor could know that the connection ends.
    async fn awaited_at_end(&self) -> Option<io::Result<Awaited>> {
        let awaited = async {
            self.transport.announce_end().await?;
            self.transport.awaited().await
        };
        tokio::time::timeout(DRAIN_GRACE, awaited).await.ok()
    }

    fn builder(&self) -> http2::Builder<StreamExecutor> {
        let limits = &self.state.limits;
        let mut builder = http2::Builder::new(StreamExecutor { stall: limits.stall });
        builder
            .timer(TokioTimer::new())
            .max_concurrent_streams(limits.streams)
            .max_pending_accept_reset_streams(MAX_PENDING_RESETS)
            .max_local_error_reset_streams(limits.resets)
            .initial_stream_window_size(STREAM_WINDOW_BYTES)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .header_table_size(HEADER_TABLE_BYTES)
            .max_send_buf_size(SEND_BUFFER_BYTES)
            .max_header_list_size(limits.head_bytes.try_into().unwrap_or(u32::MAX))
            .keep_alive_interval(Duration::from_secs(20))
            .keep_alive_timeout(Duration::from_secs(20));
        builder
    }

    fn flood_ended(&self, cause: &str) {
        metrics::flood_ended();
        tracing::info!(visitor = %self.visitor.visitor.address, "{cause}; the connection is closed");
    }
}
