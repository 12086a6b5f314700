//! The plain HTTP port: tunnels that asked for it, and redirects to HTTPS.

use super::{Arrival, Crowd, FAREWELL, Settled, accept};
use crate::{
    counters::Connected,
    http::{self, Door, Front, Presence, Visitor},
};
use postern_tunnel::message::Scheme;
use std::sync::Arc;
use tokio::{net::TcpListener, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Accepts until `stop`; what was accepted goes on and is counted in `open`.
pub(crate) async fn serve_http(
    listener: TcpListener,
    front: Arc<Front>,
    crowd: Arc<Crowd>,
    open: TaskTracker,
    stop: CancellationToken,
) {
    let draining = stop.clone();
    let serve = move |arrival: Arrival| {
        let (front, draining, open) = (front.clone(), draining.clone(), open.token());
        tokio::spawn(async move {
            let Some(Settled { stream, visitor, reached, place }) = arrival.settle().await else { return };
            let door = place.full().map(|full| Door { full, leave: draining.child_token() });
            let presence = Presence { _place: place, _connected: Connected::new("http"), _open: open };
            let mut visitor = Visitor::new(visitor, Scheme::Http).holding(presence);
            visitor.reached = reached;
            let Some(door) = door else { return http::serve(stream, false, visitor, front, draining).await };
            let leave = door.leave.clone();
            visitor.door = Some(door);
            let _ = timeout(FAREWELL, Box::pin(http::serve(stream, false, visitor, front, leave))).await;
        });
    };
    accept(listener, crowd, stop, serve).await;
}
