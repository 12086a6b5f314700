//! A visitor's connection over HTTP/1.1: one request after another, until the visitor leaves or the edge ends it.

use super::boxed_in_place;
use crate::{
    frontend::{
        EdgeState, VisitorConnection,
        connection_end::{CLOSE_TIMEOUT, send_last, stopped},
        service::{refuse_unparsed, serve_request},
    },
    http::{AfterResponse, HttpGuard, ServerConnection, ServerError},
    refusal::Refusal,
    telemetry::metrics,
};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

/// Serves requests until the visitor leaves, or until `stop`: then the open ones are finished.
pub(super) async fn serve_http1<S>(
    guard: Box<HttpGuard<S>>,
    connection: &Arc<VisitorConnection>,
    state: &Arc<EdgeState>,
    stop: CancellationToken,
) -> Result<(), ServerError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut http = ServerConnection::new(guard, &state.limits);
    let error = loop {
        let next = tokio::select! {
            biased;
            request = http.request() => request,
            () = stopped(&stop, &connection.requests) => Ok(None),
        };
        let request = match next {
            Ok(Some(request)) => request,
            Ok(None) => {
                close(&mut http).await;
                return Ok(());
            }
            Err(error) => break error,
        };
        let service = {
            let (state, visitor) = (state.clone(), connection.clone());
            boxed_in_place(move || serve_request(state, visitor, request))
        };
        // Boxed, so that an idle connection has no room for it.
        match boxed_in_place(|| http.respond(service, &stop)).await {
            Ok(AfterResponse::Continue) => {}
            Ok(AfterResponse::Close) => {
                close(&mut http).await;
                return Ok(());
            }
            Ok(AfterResponse::Upgrade) => {
                http.upgrade();
                return Ok(());
            }
            Err(error) => break error,
        }
    };
    // Boxed, because it takes the stream out of its box, for which an idle connection has no room.
    Box::pin(end(error, http, connection, state)).await
}

/// Ends a connection with an error: that input is no request is said, if it can be.
async fn end<S>(
    error: ServerError,
    http: ServerConnection<S>,
    connection: &VisitorConnection,
    state: &EdgeState,
) -> Result<(), ServerError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let is_responding = http.is_responding();
    let refused = match error {
        ServerError::Refused => http.into_guard().into_refused(),
        ServerError::Malformed(refusal) => Some((*refusal, http.into_guard().into_unwritten())),
        error => return Err(error),
    };
    if let Some((refusal, stream)) = refused {
        // In the middle of one response no other can be sent.
        let stream = stream.filter(|_| !is_responding);
        refuse(refusal, stream, connection, state).await;
    }
    Ok(())
}

/// Sends the refusal of input that is no request, if it can be sent.
async fn refuse<S: AsyncRead + AsyncWrite + Unpin>(
    refusal: Refusal,
    stream: Option<S>,
    connection: &VisitorConnection,
    state: &EdgeState,
) {
    let (visitor, code) = (connection.visitor.address, refusal.error.code);
    tracing::debug!(%visitor, %code, "{}", refusal.error.message);
    match stream {
        None => metrics::refusal(None, code),
        Some(stream) => {
            let response = refuse_unparsed(state, connection, &refusal);
            send_last(stream, response.as_bytes(), &state.limits).await;
        }
    }
}

/// Ends a connection behind its last response.
async fn close<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(http: &mut ServerConnection<S>) {
    let _ = tokio::time::timeout(CLOSE_TIMEOUT, http.shutdown()).await;
}
