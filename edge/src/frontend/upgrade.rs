//! After a 101 both sides speak something else: the two connections are joined and nobody looks inside.

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

/// Runs what is left of a connection after its 101. Until then it is open, and has its place.
fn carry_on(from: Arc<VisitorConnection>, rest: impl Future<Output = ()> + Send + 'static) {
    let open: OpenRequest = from.requests.start().waited_for();
    tokio::spawn(async move {
        let _open = (open, from);
        rest.await;
    });
}

/// Carries a WebSocket connection as a stream of bytes as soon as the visitor has its 101.
pub(crate) fn convert(
    from: Arc<VisitorConnection>,
    visitor: OnUpgrade,
    backend: OriginStream,
    record: Arc<AccessRecord>,
) {
    carry_on(from, async move {
        match visitor.await {
            Ok(visitor) => {
                let received = InspectWriter::new(backend, |bytes| record.came_in(bytes.len() as u64));
                let both = InspectReader::new(received, |bytes| record.went_out(bytes.len() as u64));
                carry_websocket(TokioIo::new(visitor), both).await;
            }
            Err(error) => tracing::debug!(%error, "the visitor did not take its upgrade"),
        }
    });
}

/// Joins both sides as soon as the visitor has its 101. Runs until both have ended.
pub(crate) fn join(
    from: Arc<VisitorConnection>,
    visitor: OnUpgrade,
    body: Incoming,
    mut upstream: Box<H1Connection>,
    record: Arc<AccessRecord>,
) {
    drop(body);
    carry_on(from, async move {
        // Nobody else drives the connection to the local service; it lets go of its stream at once.
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
        record.came_in(end.a_to_b);
        record.went_out(early.len() as u64 + end.b_to_a);
        tracing::debug!(up = end.a_to_b, down = end.b_to_a, "upgraded connection ended");
    });
}
