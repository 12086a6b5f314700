//! Responses of the agent itself: static files and canned responses, over in-memory connections that are captured like
//! any other.

mod canned_response;
mod conditional_requests;
mod directory_listing;
mod static_files;

use crate::config::canned_response::CannedResponse;
use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use hyper::{Request, Response, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{convert::Infallible, io, path::Path, sync::Arc};
use tokio::io::DuplexStream;

type BuiltinBody = UnsyncBoxBody<Bytes, io::Error>;

/// Buffer of an in-memory connection, in bytes.
const DUPLEX_BUFFER_BYTES: usize = 64 * 1024;

/// Connects to a folder.
pub(super) fn folder(path: &Path) -> io::Result<DuplexStream> {
    let folder = Arc::new(static_files::StaticFolder::open(path)?);
    Ok(serve(move |request| {
        let folder = folder.clone();
        async move { folder.respond(request).await }
    }))
}

/// Connects to a service that sends the same response to every request.
pub(super) fn script(script: &Arc<CannedResponse>) -> DuplexStream {
    let script = script.clone();
    serve(move |request| {
        let script = script.clone();
        async move { canned_response::respond(&script, request).await }
    })
}

fn serve<F, A>(respond: F) -> DuplexStream
where
    F: Fn(Request<Incoming>) -> A + Send + 'static,
    A: Future<Output = Response<BuiltinBody>> + Send + 'static,
{
    let (near, far) = tokio::io::duplex(DUPLEX_BUFFER_BYTES);
    let service = service_fn(move |request| {
        let response = respond(request);
        async move { Ok::<_, Infallible>(response.await) }
    });
    // Ends when the other end is dropped.
    tokio::spawn(async move {
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(None)
            .serve_connection(TokioIo::new(far), service);
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection to a built-in response failed");
        }
    });
    near
}
