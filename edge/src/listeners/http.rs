//! The plain HTTP port: tunnels that asked for it, and redirects to HTTPS.

use super::{Crowd, accept};
use crate::{
    counters::Connected,
    http::{self, Front, Presence, Visitor},
};
use postern_tunnel::message::Scheme;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
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
    let serve = move |stream: TcpStream, address, place| {
        let (front, draining) = (front.clone(), draining.clone());
        let presence = Presence { _place: place, _connected: Connected::new("http"), _open: open.token() };
        let mut visitor = Visitor::new(address, Scheme::Http).holding(presence);
        visitor.reached = stream.local_addr().ok();
        tokio::spawn(http::serve(stream, false, visitor, front, draining));
    };
    accept(listener, crowd, stop, serve).await;
}
