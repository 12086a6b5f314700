//! Upgraded connections: after a 101 both sides are joined and the bytes pass unread.

use crate::{
    frontend::VisitorConnection,
    http::{OpenRequest, RequestedUpgrade},
    modules::carry_websocket,
    telemetry::AccessRecord,
    upstream::{H1Connection, OriginStream},
};
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
    visitor: RequestedUpgrade,
    backend: OriginStream,
    record: Arc<AccessRecord>,
) {
    spawn_upgraded(connection, async move {
        let Some(visitor) = visitor.stream().await else { return not_taken() };
        let received = InspectWriter::new(backend, |bytes| record.add_bytes_in(bytes.len() as u64));
        let both = InspectReader::new(received, |bytes| record.add_bytes_out(bytes.len() as u64));
        carry_websocket(visitor, both).await;
    });
}

/// Joins both sides as soon as the visitor has its 101. Runs until both have ended.
pub(crate) fn join(
    connection: Arc<VisitorConnection>,
    visitor: RequestedUpgrade,
    upstream: H1Connection,
    record: Arc<AccessRecord>,
) {
    spawn_upgraded(connection, async move {
        let (service, early) = upstream.into_stream();
        let Some(mut visitor) = visitor.stream().await else { return not_taken() };
        if !early.is_empty() && (visitor.write_all(&early).await.is_err() || visitor.flush().await.is_err()) {
            return;
        }
        let end = postern_tunnel::relay(visitor, service).await;
        record.add_bytes_in(end.a_to_b);
        record.add_bytes_out(early.len() as u64 + end.b_to_a);
        tracing::debug!(up = end.a_to_b, down = end.b_to_a, "upgraded connection ended");
    });
}

fn not_taken() {
    tracing::debug!("the visitor left before its upgrade");
}
