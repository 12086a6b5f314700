//! Answers that the agent gives by itself: over connections in memory, which are watched like those to any service.

mod canned_response;
mod conditional_requests;
mod directory_listing;
mod static_files;

use crate::config::script::Script;
use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use hyper::{Request, Response, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{convert::Infallible, io, path::Path, sync::Arc};
use tokio::io::DuplexStream;

type Body = UnsyncBoxBody<Bytes, io::Error>;

/// What may lie unread between the two ends of a connection in memory, in bytes.
const ROOM: usize = 64 * 1024;

/// A connection to a folder; fails if there is none.
pub(super) fn folder(path: &Path) -> io::Result<DuplexStream> {
    let folder = Arc::new(static_files::Folder::open(path)?);
    Ok(serve(move |request| {
        let folder = folder.clone();
        async move { folder.answer(request).await }
    }))
}

/// A connection on which every request is answered alike.
pub(super) fn script(script: &Arc<Script>) -> DuplexStream {
    let script = script.clone();
    serve(move |request| {
        let script = script.clone();
        async move { canned_response::answer(&script, request).await }
    })
}

fn serve<F, A>(answer: F) -> DuplexStream
where
    F: Fn(Request<Incoming>) -> A + Send + 'static,
    A: Future<Output = Response<Body>> + Send + 'static,
{
    let (near, far) = tokio::io::duplex(ROOM);
    let service = service_fn(move |request| {
        let answering = answer(request);
        async move { Ok::<_, Infallible>(answering.await) }
    });
    // It ends when the other end is gone.
    tokio::spawn(async move {
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(None)
            .serve_connection(TokioIo::new(far), service);
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection to the agent's own answers broke");
        }
    });
    near
}
