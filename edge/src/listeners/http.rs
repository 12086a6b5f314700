//! The plain HTTP port: tunnels that asked for it, and redirects to HTTPS.

use super::{Arrival, Crowd, Settled, accept};
use crate::{
    counters::Connected,
    http::{self, Front, Presence, Visitor},
};
use postern_tunnel::message::Scheme;
use std::sync::Arc;
use tokio::net::TcpListener;
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
            let presence = Presence { _place: place, _connected: Connected::new("http"), _open: open };
            let mut visitor = Visitor::new(visitor, Scheme::Http).holding(presence);
            visitor.reached = reached;
            http::serve(stream, false, visitor, front, draining).await;
        });
    };
    accept(listener, crowd, stop, serve).await;
}
