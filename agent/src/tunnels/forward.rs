//! Forwards one visitor's stream to the local service and back, and captures its requests.

use super::{
    EndpointKind, TunnelEndpoint, Tunnels,
    local_dialer::{LocalConnectOptions, LocalStream},
};
use crate::{
    capture::{
        MissingResponse, TunnelTag,
        http2::{Http2Conversation, Http2Tap},
        sniffer::{ConnectTiming, Conversation, ConversationEnd, ConversationTap, Observer},
    },
    config::tls_identity::TlsIdentity,
};
use postern_api::{Code, Error};
use postern_tunnel::{
    IncomingStream, RelayEnd, RelayPeer, StreamKind, StreamMetadata, StreamStart, TunnelStream,
    message::{AppProtocol, UnsentRequest},
    relay, relay_tapped,
};
use std::{ops::ControlFlow, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::Instant,
};
use tokio_rustls::TlsAcceptor;

/// Time that requests in progress have to end after their tunnel was stopped.
const STOP_GRACE_PERIOD: Duration = Duration::from_secs(3);

/// Timeout for the TLS handshake of a visitor with this agent.
const TLS_HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(15);

/// Reason of a request that got no response because the visitor's way was cut.
const SESSION_LOST: &str = "The session with the server was lost before a response came.";

/// Difference between the server's measurement of a silence and this agent's.
const TIMEOUT_TOLERANCE: Duration = Duration::from_millis(250);

/// Bytes of a refused request that are read, for the list and for a replay.
const MAX_REFUSED_REQUEST_BYTES: usize = 64 * 1024;

/// Serves a stream that arrived before its bind response until it ends.
pub async fn serve(tunnels: Tunnels, generation: u64, incoming: IncomingStream) {
    match tunnels.running_endpoint(generation, incoming.start.tunnel).await {
        Some(endpoint) => serve_at(tunnels, generation, endpoint, incoming).await,
        None => incoming.refuse(Error::new(Code::TunnelUnknown, "The tunnel has just been stopped.")).await,
    }
}

/// Serves a stream of a session to this endpoint until it ends.
///
/// What few streams need is in boxes: otherwise each of thousands would have room for it all the time.
pub async fn serve_at(tunnels: Tunnels, generation: u64, endpoint: Arc<TunnelEndpoint>, mut incoming: IncomingStream) {
    let start = incoming.start;
    let is_connection = start.kind != StreamKind::Http || !tunnels.visitors_are_reported();
    let _open = is_connection.then(|| endpoint.connections.open());
    let options =
        LocalConnectOptions::for_visitor(&endpoint.definition.upstream_protocol, start.visitor, start.destination);
    let connecting = Instant::now();
    let local = tokio::select! {
        local = tunnels.local().connect(&endpoint.definition.upstream, &options) => local,
        () = endpoint.stop.cancelled() => Err(Error::new(Code::TunnelUnknown, "The tunnel has just been stopped.")),
    };
    let local = match local {
        Ok(local) => local,
        Err(error) => {
            tracing::warn!(tunnel = endpoint.name, visitor = %start.visitor, code = %error.code, "{}", error.message);
            tunnels.watch_service(&endpoint);
            Box::pin(refuse(&tunnels, &endpoint, incoming, error)).await;
            return;
        }
    };
    tunnels.service_found(&endpoint);
    let timing = ConnectTiming { transit: tunnels.transit(), connect: Some(connecting.elapsed()) };
    let notes = incoming.metadata();
    let visitor = match incoming.accept().await {
        // In a box, because the future has room for it in each of the calls that it is handed through.
        Ok(visitor) => Box::new(visitor),
        Err(error) => {
            tracing::debug!(tunnel = endpoint.name, %error, "the visitor was gone before the stream was accepted");
            return;
        }
    };
    let relayed = async {
        // A labelled tunnel may have edges that terminate TLS and others that leave it to this agent.
        let terminates_here = endpoint.kind != EndpointKind::Labels || start.kind == StreamKind::Tls;
        if let Some(identity) = endpoint.definition.identity.as_ref().filter(|_| terminates_here) {
            return Box::pin(terminate(identity, &endpoint, start, visitor, local)).await;
        }
        let observer = observer(&tunnels, &endpoint, start, notes);
        let forwarding = Forwarding { tunnels: &tunnels, generation, endpoint: &endpoint, start, timing };
        match local {
            LocalStream::Plain(local) => forwarding.join(observer, visitor, local).await,
            LocalStream::Tls(local) => Box::pin(forwarding.join(observer, visitor, *local)).await,
            LocalStream::Other(local) => Box::pin(forwarding.join(observer, visitor, local)).await,
        }
    };
    let stopped = async {
        endpoint.stop.cancelled().await;
        tokio::time::sleep(STOP_GRACE_PERIOD).await;
    };
    tokio::select! {
        () = relayed => {}
        () = stopped => tracing::debug!(tunnel = endpoint.name, "a connection was cut because its tunnel was stopped"),
    }
}

/// Terminates the visitor's TLS here and relays the plain stream.
async fn terminate(
    identity: &TlsIdentity,
    endpoint: &Arc<TunnelEndpoint>,
    start: StreamStart,
    visitor: Box<TunnelStream>,
    local: LocalStream,
) {
    let acceptor = TlsAcceptor::from(identity.config().clone());
    let visitor = match tokio::time::timeout(TLS_HANDSHAKE_TIMEOUT, acceptor.accept(visitor)).await {
        Ok(Ok(visitor)) => visitor,
        Ok(Err(error)) => {
            return tracing::info!(tunnel = endpoint.name, visitor = %start.visitor, %error, "a TLS handshake failed");
        }
        Err(_) => {
            return tracing::info!(tunnel = endpoint.name, visitor = %start.visitor, "a TLS handshake took too long");
        }
    };
    let end = match local {
        LocalStream::Plain(local) => relay(visitor, local).await,
        LocalStream::Tls(local) => relay(visitor, *local).await,
        LocalStream::Other(local) => relay(visitor, local).await,
    };
    let error = end.error.as_ref().map(ToString::to_string).unwrap_or_default();
    tracing::debug!(tunnel = endpoint.name, visitor = %start.visitor, received = end.a_to_b, sent = end.b_to_a, error, "connection ended");
}

/// Refuses a visitor because the local service cannot be reached. The request is captured with the reason, because its
/// developer looks there first.
async fn refuse(tunnels: &Tunnels, endpoint: &Arc<TunnelEndpoint>, mut incoming: IncomingStream, error: Error) {
    let start = incoming.start;
    let observer = observer(tunnels, endpoint, start, incoming.metadata());
    // Over HTTP/2 no request is sent before the service has said that it speaks it; the server reports it instead.
    let is_captured = start.kind == StreamKind::Http && observer.store.is_some() && !observer.http2;
    if !is_captured || !tunnels.store().is_on() {
        return incoming.refuse(error).await;
    }
    let mut conversation = Conversation::new(observer);
    let why = error.message.clone();
    let mut read = 0;
    let inspect = |bytes: &[u8]| {
        conversation.request_bytes(bytes);
        read += bytes.len();
        let enough = conversation.request_has_ended() || read >= MAX_REFUSED_REQUEST_BYTES;
        if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    incoming.refuse_after_peek(error, inspect).await;
    conversation.fail(&why);
}

/// Captures a request that the server could not send to the local service, with the reason, as soon as its bind response
/// has arrived.
pub async fn capture_unsent(tunnels: Tunnels, generation: u64, request: UnsentRequest) {
    if let Some(endpoint) = tunnels.running_endpoint(generation, request.number).await {
        capture_unsent_at(&tunnels, &endpoint, request);
    }
}

/// Captures a request that the server could not send to the local service of this endpoint.
pub fn capture_unsent_at(tunnels: &Tunnels, endpoint: &Arc<TunnelEndpoint>, request: UnsentRequest) {
    let UnsentRequest { number, visitor, tls, head, trace, error } = request;
    let notes = StreamMetadata::default();
    notes.put(trace.unwrap_or_default().into_bytes());
    let start = StreamStart { tunnel: number, visitor, destination: None, kind: StreamKind::Http, tls };
    let mut conversation = Conversation::new(observer(tunnels, endpoint, start, notes));
    conversation.request_bytes(head.as_bytes());
    conversation.fail(&error.message);
}

/// A stream whose connection to the local service is up.
struct Forwarding<'a> {
    tunnels: &'a Tunnels,
    generation: u64,
    endpoint: &'a Arc<TunnelEndpoint>,
    start: StreamStart,
    timing: ConnectTiming,
}

impl Forwarding<'_> {
    /// Relays between visitor and local service.
    async fn join<L>(&self, observer: Observer, visitor: Box<TunnelStream>, local: L)
    where
        L: AsyncRead + AsyncWrite + Unpin,
    {
        let Forwarding { endpoint, start, timing, .. } = self;
        let end = if start.kind != StreamKind::Http {
            relay(visitor, local).await
        } else if observer.http2 {
            let (requests, responses) = Http2Tap::pair(Http2Conversation::new(observer, *timing));
            relay_tapped(visitor, local, requests, responses).await
        } else {
            let conversation = Conversation::new(observer).with_timing(*timing);
            let (requests, responses, ending) = ConversationTap::pair(conversation);
            let end = relay_tapped(visitor, local, requests, responses).await;
            if let Some(missing) = ending.missing_response() {
                Box::pin(self.explain(&missing, ending, &end)).await;
            }
            end
        };
        let error = end.error.as_ref().map(ToString::to_string).unwrap_or_default();
        tracing::debug!(tunnel = endpoint.name, visitor = %start.visitor, received = end.a_to_b, sent = end.b_to_a, error, "connection ended");
    }

    /// Lists a request without a response with the reason, if that can be found out.
    async fn explain(&self, missing: &MissingResponse, ending: ConversationEnd, end: &RelayEnd) {
        let Forwarding { tunnels, generation, endpoint, start, .. } = self;
        if end.ended_first == RelayPeer::A {
            // A visitor who left, or a lost session, says nothing about the local service.
            if end.error.is_some() && tunnels.has_lost_session(*generation).await {
                return ending.fail(SESSION_LOST);
            }
            if !was_timed_out(missing, tunnels.answer_timeout(*generation)) {
                return;
            }
        }
        let Some(why) = tunnels.explain_missing_response(missing, &endpoint.definition.upstream).await else { return };
        tracing::warn!(tunnel = endpoint.name, visitor = %start.visitor, "{why}");
        ending.fail(&why);
    }
}

/// Whether the server gave a request up because the local service was silent. Otherwise the visitor or the session
/// ended, which says nothing about the service.
fn was_timed_out(missing: &MissingResponse, answer_timeout: Option<Duration>) -> bool {
    // Both ends measure the same time on different clocks.
    let is_due = |silence: Duration, timeout: Duration| silence + TIMEOUT_TOLERANCE >= timeout;
    missing.since_request.zip(answer_timeout).is_some_and(|(silence, timeout)| is_due(silence, timeout))
}

fn observer(tunnels: &Tunnels, endpoint: &Arc<TunnelEndpoint>, start: StreamStart, notes: StreamMetadata) -> Observer {
    // A labelled tunnel learns its protocol from the visitor's stream.
    let tunnel = match endpoint.kind {
        EndpointKind::Labels => {
            let proto = if start.tls { "https" } else { "http" };
            Arc::new(TunnelTag { definition: endpoint.tag.definition.clone(), proto })
        }
        _ => endpoint.tag.clone(),
    };
    Observer {
        store: endpoint.definition.captures().then(|| tunnels.store().clone()),
        meter: endpoint.requests.clone(),
        tunnel,
        remote: start.visitor.to_string(),
        replay_of: None,
        through_edge: false,
        http2: endpoint.definition.upstream_protocol.app_protocol == AppProtocol::Http2,
        notes: Some(notes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn future_bytes<A, B, C, F>(_serve: impl Fn(A, B, C) -> F) -> usize {
        size_of::<F>()
    }

    /// The memory of a stream, besides the buffers of its connections.
    #[test]
    fn an_open_stream_is_small() {
        let stream = future_bytes(serve);
        assert!(stream < 2816, "{stream} bytes");
    }
}
