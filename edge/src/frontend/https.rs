//! The HTTPS port: agents, HTTP visitors and visitors of TLS edges, told apart by the ClientHello.

use super::{ConnectionResources, EdgeState, OverLimit, TlsDestination, VisitorConnection, begin_and_serve, serve};
use crate::{
    access::ConnectionRecord,
    http::{TlsParameters, Visitor},
    net::{AcceptedConnection, ConnectionLimiter, DRAIN_GRACE, IdentifiedConnection, OVERFLOW_TIMEOUT, accept},
    tcp,
    telemetry::metrics::ConnectionGauge,
    tls::{self, HandshakeOutcome, RewoundStream, TlsConfigs},
    tunnels::serve_agent,
    upstream::StreamSpec,
};
use arc_swap::ArcSwap;
use futures::future::BoxFuture;
use postern_api::host::HostName;
use postern_tunnel::{StreamKind, message::Scheme};
use std::sync::{Arc, OnceLock};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
    time::{Instant, timeout},
};
use tokio_util::{
    sync::CancellationToken,
    task::{TaskTracker, task_tracker::TaskTrackerToken},
};

/// Accepts until `stop`; accepted connections go on and are counted in `open`.
pub(crate) async fn serve_https(
    listener: TcpListener,
    configs: Arc<TlsConfigs>,
    state: Arc<ArcSwap<EdgeState>>,
    limiter: Arc<ConnectionLimiter>,
    open: TaskTracker,
    stop: CancellationToken,
) {
    let draining = stop.clone();
    let on_accept = move |accepted: AcceptedConnection| {
        let (configs, state, draining) = (configs.clone(), state.load_full(), draining.clone());
        // Held from here on, so that a drain waits for handshakes too.
        let open = open.token();
        // Spawned before the handshake: a slow visitor must not delay the others.
        tokio::spawn(begin_and_serve(begin(accepted, configs, state, open, draining)));
    };
    accept(listener, limiter, stop, on_accept).await;
}

/// What serves a connection that was accepted, whose handshake is finished meanwhile; `None` if nothing does. A connection over a
/// limit has a deadline for all of it.
async fn begin(
    accepted: AcceptedConnection,
    configs: Arc<TlsConfigs>,
    state: Arc<EdgeState>,
    open: TaskTrackerToken,
    draining: CancellationToken,
) -> Option<BoxFuture<'static, ()>> {
    let identified = accepted.identify().await?;
    if identified.permit.limit_reached().is_none() {
        return begin_connection(identified, &configs, state, open, draining).await;
    }
    let serving = begin_and_serve(begin_connection(identified, &configs, state, open, draining));
    let _ = timeout(OVERFLOW_TIMEOUT, serving).await;
    None
}

/// Finishes the handshake of one connection. Returns what serves it in the protocol it agreed upon; `None` if nothing does.
async fn begin_connection(
    identified: IdentifiedConnection,
    configs: &TlsConfigs,
    state: Arc<EdgeState>,
    open: TaskTrackerToken,
    draining: CancellationToken,
) -> Option<BoxFuture<'static, ()>> {
    let IdentifiedConnection { stream, visitor: address, reached, permit } = identified;
    let (began, over_limit, server_name) = (Instant::now(), permit.limit_reached(), OnceLock::new());
    let find = |name: &HostName| {
        let _ = server_name.set(name.clone());
        state.rules_of(name)
    };
    let mut record = None;
    let admits = |name: &HostName, destination: &TlsDestination| {
        let mut own = ConnectionRecord::of(&state.access, address, "tls");
        own.host = Some(name.as_str().into());
        destination.mark(&mut own.trace);
        record = match over_limit {
            None => own.checked(destination.pipeline()),
            Some(reason) => {
                own.refused(&reason.refusal());
                None
            }
        };
        record.is_some()
    };
    let handshake = tokio::select! {
        handshake = tls::handshake(stream, configs, find, admits, state.limits.handshake) => handshake,
        () = too_late(&draining) => return None,
    };
    let relayed = |kind| StreamSpec { kind, visitor: address, tls: true, reached };
    match handshake {
        // The agent tries again by itself.
        Ok(HandshakeOutcome::Agent(_)) if over_limit.is_some() => None,
        Ok(HandshakeOutcome::Agent(stream)) => {
            // Agents are asked to leave; a drain does not wait for them.
            drop(open);
            Some(Box::pin(async move {
                let _connected = ConnectionGauge::new("agents");
                serve_agent(stream, address, state.registry.clone()).await;
            }))
        }
        Ok(HandshakeOutcome::Visitor { stream, negotiated, server_name, admission }) => {
            let presence =
                ConnectionResources { _permit: permit, _connected: ConnectionGauge::new("https"), _open: open };
            let mut visitor = Visitor::new(address, Scheme::Https);
            visitor.reached = reached;
            visitor.tls = Some(TlsParameters::new(&negotiated, server_name));
            let mut connection = VisitorConnection::new(visitor, Some(presence));
            connection.admission = admission;
            let close = if over_limit.is_some() { draining.child_token() } else { draining };
            connection.over_limit = over_limit.map(|reason| OverLimit { reason, close: close.clone() });
            let http2 = negotiated.protocol.as_deref() == Some(b"h2");
            Some(serve(stream, http2, connection, state, close))
        }
        Ok(HandshakeOutcome::Terminated(stream, destination)) => {
            relay(stream, relayed(StreamKind::Tcp), record, destination, &state, open)
        }
        Ok(HandshakeOutcome::Passing(stream, hello, destination)) => {
            let stream = RewoundStream::new(stream, hello);
            relay(stream, relayed(StreamKind::Tls), record, destination, &state, open)
        }
        Ok(HandshakeOutcome::Proved | HandshakeOutcome::Refused) => None,
        Err(error) => {
            let host = server_name.get().map(HostName::as_str).unwrap_or_default();
            state.access.handshake_failed(address, host, began, &error);
            None
        }
    }
}

/// Resolves when a drain began a while ago: a peer that has said nothing since then has nothing to lose.
async fn too_late(draining: &CancellationToken) {
    draining.cancelled().await;
    tokio::time::sleep(DRAIN_GRACE).await;
}

/// Relays a connection of a TLS edge or tunnel, whether TLS ended here or passes through.
fn relay<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    stream: S,
    spec: StreamSpec,
    record: Option<ConnectionRecord>,
    destination: TlsDestination,
    state: &EdgeState,
    open: TaskTrackerToken,
) -> Option<BoxFuture<'static, ()>> {
    let candidates = destination.candidates(&state.registry.backends);
    // From here on a change of configuration does not concern this connection.
    drop(destination);
    let record = record?;
    Some(Box::pin(async move {
        let (_connected, _open) = (ConnectionGauge::new("tls"), open);
        tcp::relay_stream(stream, spec, record, candidates).await;
    }))
}
