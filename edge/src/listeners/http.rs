//! The plain HTTP port: tunnels that asked for it, and redirects to HTTPS.

use super::accept;
use crate::{
    counters::Connected,
    http::{self, Front, Visitor},
};
use postern_tunnel::message::Scheme;
use std::sync::Arc;
use tokio::{net::TcpListener, sync::Semaphore};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Accepts until `stop`; what was accepted goes on and is counted in `open`.
pub(crate) async fn serve_http(
    listener: TcpListener,
    front: Arc<Front>,
    permits: Arc<Semaphore>,
    open: TaskTracker,
    stop: CancellationToken,
) {
    let draining = stop.clone();
    let serve = move |stream, address, permit| {
        let (front, draining) = (front.clone(), draining.clone());
        tokio::spawn(open.track_future(async move {
            let _permit = permit;
            let _connected = Connected::new("http");
            http::serve(stream, false, Visitor::new(address, Scheme::Http), front, draining).await;
        }));
    };
    accept(listener, permits, stop, serve).await;
}
