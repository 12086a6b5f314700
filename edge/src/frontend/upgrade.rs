//! Upgraded connections: after a 101 both sides are joined and the bytes pass unread.

use crate::{
    frontend::VisitorConnection,
    http::OpenRequest,
    modules::carry_websocket,
    telemetry::AccessRecord,
    upstream::{H1Connection, OriginStream},
};
use hyper::{body::Incoming, upgrade::OnUpgrade};
use hyper_util::rt::TokioIo;
use std::sync::Arc;
use tokio::io::AsyncWriteExt;
use tokio_util::io::{InspectReader, InspectWriter};

/// Runs an upgraded connection, which counts as an open request and keeps the resources of its visitor connection.
fn spawn_upgraded(connection: Arc<VisitorConnection>, rest: impl Future<Output = ()> + Send + 'static) {
    let open: OpenRequest = connection.requests.start().waited_for();
    tokio::spawn(async move {
        let _open = (open, connection);
        rest.await;
    });
}

/// Carries a WebSocket connection as a stream of bytes as soon as the visitor has its 101.
pub(crate) fn convert(
    connection: Arc<VisitorConnection>,
    visitor: OnUpgrade,
    backend: OriginStream,
    record: Arc<AccessRecord>,
) {
    spawn_upgraded(connection, async move {
        match visitor.await {
            Ok(visitor) => {
                let received = InspectWriter::new(backend, |bytes| record.add_bytes_in(bytes.len() as u64));
                let both = InspectReader::new(received, |bytes| record.add_bytes_out(bytes.len() as u64));
                carry_websocket(TokioIo::new(visitor), both).await;
            }
            Err(error) => tracing::debug!(%error, "the visitor did not take its upgrade"),
        }
    });
}

/// Joins both sides as soon as the visitor has its 101. Runs until both have ended.
pub(crate) fn join(
    connection: Arc<VisitorConnection>,
    visitor: OnUpgrade,
    body: Incoming,
    mut upstream: Box<H1Connection>,
    record: Arc<AccessRecord>,
) {
    drop(body);
    spawn_upgraded(connection, async move {
        // No other task drives the upstream connection; it releases its stream at once.
        std::future::poll_fn(|cx| upstream.drive(cx)).await;
        let (service, early) = upstream.into_stream();
        let mut visitor = match visitor.await {
            Ok(visitor) => TokioIo::new(visitor),
            Err(error) => return tracing::debug!(%error, "the visitor did not take its upgrade"),
        };
        if !early.is_empty() && (visitor.write_all(&early).await.is_err() || visitor.flush().await.is_err()) {
            return;
        }
        let end = postern_tunnel::relay(visitor, service).await;
        record.add_bytes_in(end.a_to_b);
        record.add_bytes_out(early.len() as u64 + end.b_to_a);
        tracing::debug!(up = end.a_to_b, down = end.b_to_a, "upgraded connection ended");
    });
}
