//! After a 101 both sides speak something else: the two connections are joined and nobody looks inside.

use super::{body::Open, pool::Upstream};
use crate::{backends::OriginIo, modules::carry_websocket};
use hyper::{body::Incoming, upgrade::OnUpgrade};
use hyper_util::rt::TokioIo;
use tokio::io::AsyncWriteExt;

/// Runs what is left of a connection after its 101, which counts as open until then.
fn carry_on(open: Open, rest: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(async move {
        let _open = open;
        rest.await;
    });
}

/// Carries a WebSocket connection as a stream of bytes as soon as the visitor has its 101.
pub(super) fn convert(visitor: OnUpgrade, backend: OriginIo, open: Open) {
    carry_on(open, async move {
        match visitor.await {
            Ok(visitor) => carry_websocket(TokioIo::new(visitor), backend).await,
            Err(error) => tracing::debug!(%error, "the visitor did not take its upgrade"),
        }
    });
}

/// Joins both sides as soon as the visitor has its 101. Runs until both have ended.
pub(super) fn join(visitor: OnUpgrade, body: Incoming, mut upstream: Box<Upstream>, open: Open) {
    drop(body);
    carry_on(open, async move {
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
        tracing::debug!(up = end.a_to_b, down = end.b_to_a, "upgraded connection ended");
    });
}
