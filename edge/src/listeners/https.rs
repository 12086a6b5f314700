//! The HTTPS port: agents, visitors of HTTP and visitors of TLS edges, told apart by the first bytes of their
//! handshake.

use super::{Arrival, Crowd, FAREWELL, Settled, accept};
use crate::{
    backends::For,
    counters::Connected,
    gatehouse::Passage,
    http::{self, Door, Front, Presence, Tls, Visitor},
    routing::TlsDestination,
    sessions::serve_agent,
    tcp,
    tls::{self, Caller, Configs, Rewound},
};
use postern_api::host::HostName;
use postern_tunnel::{StreamKind, message::Scheme};
use std::{
    net::SocketAddr,
    sync::{Arc, OnceLock},
    time::Instant,
};
use tokio::{net::TcpListener, time::timeout};
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
    let serve = move |arrival: Arrival| {
        let (configs, front, draining) = (configs.clone(), front.clone(), draining.clone());
        let tracker = open.clone();
        // Spawned before the handshake: a visitor who dawdles holds up nobody.
        tokio::spawn(async move {
            let Some(settled) = arrival.settle().await else { return };
            match settled.place.full() {
                None => greet(settled, &configs, front, tracker, draining).await,
                Some(_) => {
                    let greeting = Box::pin(greet(settled, &configs, front, tracker, draining));
                    let _ = timeout(FAREWELL, greeting).await;
                }
            }
        });
    };
    accept(listener, crowd, stop, serve).await;
}

async fn greet(settled: Settled, configs: &Configs, front: Arc<Front>, open: TaskTracker, draining: CancellationToken) {
    let (deadline, backends) = (front.limits.handshake, &front.registry.backends);
    let Settled { stream, visitor: address, reached, place } = settled;
    let (began, full, asked) = (Instant::now(), place.full(), OnceLock::new());
    let find = |name: &HostName| {
        let _ = asked.set(name.clone());
        front.rules_of(name)
    };
    let mut passage = None;
    let admits = |name: &HostName, destination: &TlsDestination| {
        let mut own = Passage::of(&front.gatehouse, address, "tls");
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
    // Boxed, so that what only the handshake needs is given back when it is done.
    match Box::pin(tls::handshake(stream, configs, find, admits, deadline)).await {
        // It tries again by itself.
        Ok(Caller::Agent(_)) if full.is_some() => {}
        Ok(Caller::Agent(mut stream)) => {
            let _connected = Connected::new("agents");
            postern_tunnel::limit_buffers(stream.get_mut().1);
            Box::pin(serve_agent(stream, address, front.registry.clone())).await;
        }
        Ok(Caller::Visitor { stream, http2, admission }) => {
            let presence = Presence { _place: place, _connected: Connected::new("https"), _open: open.token() };
            let mut visitor = Visitor::new(address, Scheme::Https).holding(presence);
            visitor.reached = reached;
            visitor.admission = admission;
            visitor.tls = Some(Tls::of(stream.get_ref().1));
            let leave = if full.is_some() { draining.child_token() } else { draining };
            visitor.door = full.map(|full| Door { full, leave: leave.clone() });
            Box::pin(http::serve(stream, http2, visitor, front, leave)).await;
        }
        Ok(Caller::Terminated(stream, destination)) => {
            let _connected = Connected::new("tls");
            let candidates = destination.candidates(backends);
            drop(destination);
            let Some(passage) = passage else { return };
            Box::pin(open.track_future(tcp::join(
                stream,
                of_tls(StreamKind::Tcp, address, reached),
                passage,
                candidates,
            )))
            .await;
        }
        Ok(Caller::Passing(stream, hello, destination)) => {
            let _connected = Connected::new("tls");
            let candidates = destination.candidates(backends);
            drop(destination);
            let Some(passage) = passage else { return };
            let stream = Rewound::new(stream, hello);
            Box::pin(open.track_future(tcp::join(
                stream,
                of_tls(StreamKind::Tls, address, reached),
                passage,
                candidates,
            )))
            .await;
        }
        Ok(Caller::Proved | Caller::Refused) => {}
        Err(error) => {
            let host = asked.get().map(HostName::as_str).unwrap_or_default();
            front.gatehouse.handshake_failed(address, host, began, &error);
        }
    }
}

fn of_tls(kind: StreamKind, visitor: SocketAddr, reached: Option<SocketAddr>) -> For {
    For { kind, visitor, tls: true, reached }
}
