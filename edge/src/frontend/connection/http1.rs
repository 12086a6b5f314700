//! A visitor's connection over HTTP/1.1. While nothing moves on it only the guard and TLS keep memory: hyper's connection,
//! with its buffers, is made anew when the next request arrives.

use crate::{
    frontend::{
        EdgeState, VisitorConnection,
        connection_end::{settled, stopped},
        service::{refuse_unparsed, serve_request},
    },
    http::{HttpGuard, http1},
    limits::Limits,
    refusal::Refusal,
    telemetry::metrics,
};
use hyper::{server::conn::http1::Parts, service::service_fn};
use hyper_util::rt::TokioIo;
use std::{
    future::poll_fn,
    pin::{Pin, pin},
    sync::{Arc, atomic::Ordering},
    task::Poll,
    time::Duration,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio_util::sync::CancellationToken;

/// Interval between checks whether a connection is quiet. It doubles while the connection is in use, so that many busy
/// connections cost few wake-ups.
const FIRST_QUIET_CHECK: Duration = Duration::from_millis(250);
const MAX_QUIET_CHECK: Duration = Duration::from_secs(15);
/// Time limit for the last bytes of a connection that ends.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Why hyper serves a connection no longer.
enum Pause<S> {
    /// It ended.
    Ended,
    /// The guard refused what the visitor sent. The stream is set if the refusal can be sent.
    Refused(Refusal, Option<S>),
    /// Nothing moves on it, and no message has begun.
    Quiet(Box<HttpGuard<S>>),
}

/// Serves requests until the visitor leaves, or until `stop`: then the open ones are finished.
pub(super) async fn serve_http1<S>(
    mut guard: Box<HttpGuard<S>>,
    connection: &Arc<VisitorConnection>,
    state: &Arc<EdgeState>,
    stop: CancellationToken,
) -> hyper::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    loop {
        // Boxed, so that its memory is freed when the connection becomes quiet.
        match Box::pin(serve_until_quiet(guard, connection, state, &stop)).await? {
            Pause::Ended => return Ok(()),
            Pause::Refused(refusal, stream) => {
                let (visitor, code) = (connection.visitor.address, refusal.error.code);
                tracing::debug!(%visitor, %code, "{}", refusal.error.message);
                match stream {
                    None => metrics::refusal(None, code),
                    Some(stream) => {
                        let response = refuse_unparsed(state, connection, &refusal);
                        Box::pin(send_final_response(stream, response.as_bytes(), &state.limits)).await;
                    }
                }
                return Ok(());
            }
            Pause::Quiet(quiet) => guard = quiet,
        }
        let has_input = tokio::select! {
            has_input = poll_fn(|cx| guard.poll_input(cx)) => has_input,
            () = stopped(&stop, &connection.requests) => Ok(false),
        };
        match has_input {
            Ok(true) => {}
            Ok(false) => {
                let _ = tokio::time::timeout(CLOSE_TIMEOUT, guard.shutdown()).await;
                return Ok(());
            }
            Err(error) => {
                tracing::debug!(visitor = %connection.visitor.address, %error, "quiet connection ended");
                return Ok(());
            }
        }
    }
}

/// Serves requests until nothing moves any more.
async fn serve_until_quiet<S>(
    guard: Box<HttpGuard<S>>,
    connection: &Arc<VisitorConnection>,
    state: &Arc<EdgeState>,
    stop: &CancellationToken,
) -> hyper::Result<Pause<S>>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = {
        let (state, connection) = (state.clone(), connection.clone());
        service_fn(move |request| serve_request(state.clone(), connection.clone(), request))
    };
    let (activity, refused) = (guard.activity(), guard.refused());
    let mut http_connection = http1(&state.limits).serve_connection(TokioIo::new(guard), service).with_upgrades();
    let mut stopping = pin!(stopped(stop, &connection.requests));
    let mut quiet = pin!(settled(&activity, &connection.requests, FIRST_QUIET_CHECK..=MAX_QUIET_CHECK));
    let mut shutting_down = false;
    let outcome = poll_fn(|cx| {
        loop {
            let is_fresh = connection.requests.started() == 0;
            if !shutting_down && stopping.as_mut().poll(cx).is_ready() {
                shutting_down = true;
                Pin::new(&mut http_connection).graceful_shutdown();
            }
            match Pin::new(&mut http_connection).poll(cx) {
                // For a visitor that left, hyper would return an error here and send nothing.
                Poll::Pending if refused.load(Ordering::Relaxed) => return Poll::Ready(None),
                Poll::Pending if is_fresh && connection.requests.started() > 0 => {}
                Poll::Pending if !shutting_down => return quiet.as_mut().poll(cx).map(|()| None),
                outcome => return outcome.map(Some),
            }
        }
    })
    .await;
    if let Some(outcome) = outcome {
        return outcome.map(|()| Pause::Ended);
    }
    let responding = connection.requests.is_responding();
    let Some(Parts { io, read_buf, .. }) = http_connection.into_parts() else { return Ok(Pause::Ended) };
    let guard = io.into_inner();
    if !guard.is_refused() {
        // Without a message in part hyper can have read nothing but empty lines.
        let is_quiet = guard.is_between_messages() && read_buf.iter().all(|byte| matches!(byte, b'\r' | b'\n'));
        return Ok(if is_quiet { Pause::Quiet(guard) } else { Pause::Ended });
    }
    Ok(match guard.into_refused() {
        // In the middle of one response no other can be sent.
        Some((refusal, stream)) => Pause::Refused(refusal, stream.filter(|_| !responding)),
        None => Pause::Ended,
    })
}

/// Writes the last response and waits a moment for the visitor to read it: closing at once, with bytes of
/// the visitor still unread, would make the kernel take them back.
async fn send_final_response<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S, response: &[u8], limits: &Limits) {
    let closing = async {
        stream.write_all(response).await?;
        stream.shutdown().await?;
        let mut rest = [0; 4096];
        let mut budget = 2 * limits.head_bytes;
        while budget > 0 {
            match stream.read(&mut rest).await? {
                0 => break,
                read => budget = budget.saturating_sub(read),
            }
        }
        std::io::Result::Ok(())
    };
    let _ = tokio::time::timeout(CLOSE_TIMEOUT, closing).await;
}
