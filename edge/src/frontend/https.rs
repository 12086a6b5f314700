//! The HTTPS port: agents, visitors of HTTP and visitors of TLS edges, told apart by the first bytes of their
//! handshake.

use super::{Door, Front, Presence, TlsDestination, VisitorConnection, serve};
use crate::{
    access::Passage,
    http::{Tls, Visitor},
    net::{Arrival, Crowd, FAREWELL, Settled, accept},
    tcp,
    telemetry::metrics::Connected,
    tls::{self, Caller, Configs, Rewound},
    tunnels::serve_agent,
    upstream::For,
};
use postern_api::host::HostName;
use postern_tunnel::{StreamKind, message::Scheme};
use std::{
    sync::{Arc, OnceLock},
    time::Instant,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Accepts until `stop`; accepted connections go on and are counted in `open`.
pub(crate) async fn serve_https(
    listener: TcpListener,
    configs: Arc<Configs>,
    front: Arc<Front>,
    crowd: Arc<Crowd>,
    open: TaskTracker,
    stop: CancellationToken,
) {
    let draining = stop.clone();
    let on_accept = move |arrival: Arrival| {
        let (configs, front, draining) = (configs.clone(), front.clone(), draining.clone());
        let tracker = open.clone();
        // Spawned before the handshake: a slow visitor must not delay the others.
        tokio::spawn(async move {
            let Some(settled) = arrival.settle().await else { return };
            match settled.place.full() {
                None => serve_connection(settled, &configs, front, tracker, draining).await,
                Some(_) => {
                    let serving = Box::pin(serve_connection(settled, &configs, front, tracker, draining));
                    let _ = timeout(FAREWELL, serving).await;
                }
            }
        });
    };
    accept(listener, crowd, stop, on_accept).await;
}

/// Serves one connection: finishes the handshake, then hands the connection to the protocol it agreed upon.
async fn serve_connection(
    settled: Settled,
    configs: &Configs,
    front: Arc<Front>,
    open: TaskTracker,
    draining: CancellationToken,
) {
    let Settled { stream, visitor: address, reached, place } = settled;
    let (began, full, server_name) = (Instant::now(), place.full(), OnceLock::new());
    let find = |name: &HostName| {
        let _ = server_name.set(name.clone());
        front.rules_of(name)
    };
    let mut passage = None;
    let admits = |name: &HostName, destination: &TlsDestination| {
        let mut own = Passage::of(&front.access, address, "tls");
        own.host = Some(name.as_str().into());
        destination.mark(&mut own.trace);
        passage = match full {
            None => own.judged(destination.column()),
            Some(full) => {
                own.refused(&full.refusal());
                None
            }
        };
        passage.is_some()
    };
    // Boxed, so that the memory of the handshake is freed when it is done.
    let handshake = Box::pin(tls::handshake(stream, configs, find, admits, front.limits.handshake)).await;
    let relayed = |kind| For { kind, visitor: address, tls: true, reached };
    match handshake {
        // The agent tries again by itself.
        Ok(Caller::Agent(_)) if full.is_some() => {}
        Ok(Caller::Agent(mut stream)) => {
            let _connected = Connected::new("agents");
            postern_tunnel::limit_buffers(stream.get_mut().1);
            Box::pin(serve_agent(stream, address, front.registry.clone())).await;
        }
        Ok(Caller::Visitor { stream, http2, admission }) => {
            let presence = Presence { _place: place, _connected: Connected::new("https"), _open: open.token() };
            let mut visitor = Visitor::new(address, Scheme::Https);
            visitor.reached = reached;
            visitor.tls = Some(Tls::of(stream.get_ref().1));
            let mut connection = VisitorConnection::new(visitor, Some(presence));
            connection.admission = admission;
            let leave = if full.is_some() { draining.child_token() } else { draining };
            connection.door = full.map(|full| Door { full, leave: leave.clone() });
            Box::pin(serve(stream, http2, connection, front, leave)).await;
        }
        Ok(Caller::Terminated(stream, destination)) => {
            relay(stream, relayed(StreamKind::Tcp), passage, destination, &front, &open).await;
        }
        Ok(Caller::Passing(stream, hello, destination)) => {
            let stream = Rewound::new(stream, hello);
            relay(stream, relayed(StreamKind::Tls), passage, destination, &front, &open).await;
        }
        Ok(Caller::Proved | Caller::Refused) => {}
        Err(error) => {
            let host = server_name.get().map(HostName::as_str).unwrap_or_default();
            front.access.handshake_failed(address, host, began, &error);
        }
    }
}

/// Relays a connection of a TLS edge or tunnel, whether TLS ended here or passes through.
async fn relay<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    spec: For,
    passage: Option<Passage>,
    destination: TlsDestination,
    front: &Front,
    open: &TaskTracker,
) {
    let _connected = Connected::new("tls");
    let candidates = destination.candidates(&front.registry.backends);
    // From here on a change of configuration does not concern this connection.
    drop(destination);
    let Some(passage) = passage else { return };
    Box::pin(open.track_future(tcp::join(stream, spec, passage, candidates))).await;
}
