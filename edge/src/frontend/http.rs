//! The plain HTTP port: tunnels that asked for it, and redirects to HTTPS.

use super::{Door, Front, Presence, VisitorConnection, serve};
use crate::{
    http::Visitor,
    net::{Arrival, Crowd, FAREWELL, Settled, accept},
    telemetry::metrics::Connected,
};
use postern_tunnel::message::Scheme;
use std::sync::Arc;
use tokio::{net::TcpListener, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Accepts until `stop`; accepted connections go on and are counted in `open`.
pub(crate) async fn serve_http(
    listener: TcpListener,
    front: Arc<Front>,
    crowd: Arc<Crowd>,
    open: TaskTracker,
    stop: CancellationToken,
) {
    let draining = stop.clone();
    let on_accept = move |arrival: Arrival| {
        let (front, draining, open) = (front.clone(), draining.clone(), open.token());
        tokio::spawn(async move {
            let Some(Settled { stream, visitor, reached, place }) = arrival.settle().await else { return };
            let door = place.full().map(|full| Door { full, leave: draining.child_token() });
            let presence = Presence { _place: place, _connected: Connected::new("http"), _open: open };
            let mut visitor = Visitor::new(visitor, Scheme::Http);
            visitor.reached = reached;
            let mut connection = VisitorConnection::new(visitor, Some(presence));
            let Some(door) = door else { return serve(stream, false, connection, front, draining).await };
            let leave = door.leave.clone();
            connection.door = Some(door);
            let _ = timeout(FAREWELL, Box::pin(serve(stream, false, connection, front, leave))).await;
        });
    };
    accept(listener, crowd, stop, on_accept).await;
}
