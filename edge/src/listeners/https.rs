//! The HTTPS port: agents and visitors, told apart by the first bytes of their handshake.

use super::{Crowd, accept};
use crate::{
    counters::Connected,
    http::{self, Front, Visitor},
    sessions::serve_agent,
    tls::{self, Caller, Configs},
};
use postern_tunnel::message::Scheme;
use std::{net::SocketAddr, sync::Arc};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Accepts until `stop`; what was accepted goes on and is counted in `open`.
pub(crate) async fn serve_https(
    listener: TcpListener,
    configs: Arc<Configs>,
    front: Arc<Front>,
    crowd: Arc<Crowd>,
    open: TaskTracker,
    stop: CancellationToken,
) {
    let draining = stop.clone();
    let serve = move |stream, address, place| {
        let (configs, front, draining) = (configs.clone(), front.clone(), draining.clone());
        let tracker = open.clone();
        // Spawned before the handshake: a visitor who dawdles holds up nobody.
        tokio::spawn(async move {
            let _place = place;
            greet(stream, address, &configs, front, tracker, draining).await;
        });
    };
    accept(listener, crowd, stop, serve).await;
}

async fn greet(
    stream: TcpStream,
    address: SocketAddr,
    configs: &Configs,
    front: Arc<Front>,
    open: TaskTracker,
    draining: CancellationToken,
) {
    // Boxed, so that what only the handshake needs is given back when it is done.
    match Box::pin(tls::handshake(stream, configs, front.limits.handshake)).await {
        Ok(Caller::Agent(mut stream)) => {
            let _connected = Connected::new("agents");
            postern_tunnel::limit_buffers(stream.get_mut().1);
            Box::pin(serve_agent(stream, address, front.registry.clone())).await;
        }
        Ok(Caller::Visitor { stream, http2 }) => {
            let _connected = Connected::new("https");
            let visitor = Visitor::new(address, Scheme::Https);
            Box::pin(open.track_future(http::serve(stream, http2, visitor, front, draining))).await;
        }
        Err(error) => tracing::debug!(visitor = %address, %error, "TLS handshake failed"),
    }
}
