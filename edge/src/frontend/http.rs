//! The plain HTTP port: tunnels published over HTTP, and redirects to HTTPS.

use super::{ConnectionResources, EdgeState, OverLimit, VisitorConnection, begin_and_serve, serve};
use crate::{
    http::Visitor,
    net::{AcceptedConnection, ConnectionLimiter, IdentifiedConnection, OVERFLOW_TIMEOUT, accept},
    telemetry::metrics::ConnectionGauge,
};
use arc_swap::ArcSwap;
use futures::future::BoxFuture;
use postern_tunnel::message::Scheme;
use std::sync::Arc;
use tokio::{net::TcpListener, time::timeout};
use tokio_util::{
    sync::CancellationToken,
    task::{TaskTracker, task_tracker::TaskTrackerToken},
};

/// Accepts until `stop`; accepted connections go on and are counted in `open`.
pub(crate) async fn serve_http(
    listener: TcpListener,
    state: Arc<ArcSwap<EdgeState>>,
    limiter: Arc<ConnectionLimiter>,
    open: TaskTracker,
    stop: CancellationToken,
) {
    let draining = stop.clone();
    let on_accept = move |accepted: AcceptedConnection| {
        let (state, draining, open) = (state.load_full(), draining.clone(), open.token());
        tokio::spawn(begin_and_serve(begin(accepted, state, open, draining)));
    };
    accept(listener, limiter, stop, on_accept).await;
}

/// What serves a connection that was accepted; `None` if its visitor is not known. A connection over a limit has a deadline.
async fn begin(
    accepted: AcceptedConnection,
    state: Arc<EdgeState>,
    open: TaskTrackerToken,
    draining: CancellationToken,
) -> Option<BoxFuture<'static, ()>> {
    let IdentifiedConnection { stream, visitor, reached, permit } = accepted.identify().await?;
    let over_limit = permit.limit_reached().map(|reason| OverLimit { reason, close: draining.child_token() });
    let presence = ConnectionResources { _permit: permit, _connected: ConnectionGauge::new("http"), _open: open };
    let mut visitor = Visitor::new(visitor, Scheme::Http);
    visitor.reached = reached;
    let mut connection = VisitorConnection::new(visitor, Some(presence));
    let Some(over_limit) = over_limit else { return Some(serve(stream, false, connection, state, draining)) };
    let close = over_limit.close.clone();
    connection.over_limit = Some(over_limit);
    let _ = timeout(OVERFLOW_TIMEOUT, serve(stream, false, connection, state, close)).await;
    None
}
