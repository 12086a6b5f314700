//! One visitor's stream: to the local service and back, watched on the way.

use super::{
    Face, Leg, Tunnels,
    local::{LocalStream, Manner},
};
use crate::capture::{
    TunnelTag,
    sniffer::{Conversation, Observer, Tap, Way},
};
use crate::config::identity::Identity;
use postern_api::{Code, Error};
use postern_tunnel::{
    IncomingStream, StreamKind, StreamMetadata, StreamStart, TunnelStream, message::AppProtocol, relay, relay_tapped,
};
use std::{
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsAcceptor;

/// Requests that are on their way when a tunnel is stopped may end; what still runs after this is cut.
const STOP_GRACE: Duration = Duration::from_secs(3);

/// How long a visitor may take to agree upon TLS with this agent.
const HANDSHAKE: Duration = Duration::from_secs(15);

/// A request that is refused is read so far, to be listed and perhaps replayed.
const MOST_OF_A_REFUSED_REQUEST: usize = 64 * 1024;

/// Serves a stream to its end.
pub async fn serve(tunnels: Tunnels, generation: u64, mut incoming: IncomingStream) {
    let start = incoming.start;
    let Some(leg) = tunnels.leg(generation, start.tunnel).await else {
        incoming.refuse(Error::new(Code::TunnelUnknown, "The tunnel has just been stopped.")).await;
        return;
    };
    let _open = leg.connections.open();
    let manner = Manner::of(&leg.definition.wire, start.visitor, start.destination);
    let connecting = Instant::now();
    let local = tokio::select! {
        local = tunnels.local().connect(&leg.definition.upstream, &manner) => local,
        () = leg.stop.cancelled() => Err(Error::new(Code::TunnelUnknown, "The tunnel has just been stopped.")),
    };
    let local = match local {
        Ok(local) => local,
        Err(error) => {
            tracing::warn!(tunnel = leg.name, visitor = %start.visitor, code = %error.code, "{}", error.message);
            refuse(&tunnels, &leg, incoming, error).await;
            return;
        }
    };
    let way = Way { transit: tunnels.transit(), connect: Some(connecting.elapsed()) };
    let notes = incoming.metadata();
    let visitor = match incoming.accept().await {
        Ok(visitor) => visitor,
        Err(error) => {
            tracing::debug!(tunnel = leg.name, %error, "the visitor was gone before the local service answered");
            return;
        }
    };
    let moved = async {
        // Behind labels there may be edges that end TLS, and others that leave it to this agent.
        let ours = leg.face != Face::Labels || start.kind == StreamKind::Tls;
        if let Some(identity) = leg.definition.identity.as_ref().filter(|_| ours) {
            return terminate(identity, &leg, start, visitor, local).await;
        }
        let conversation = Conversation::new(observer(&tunnels, &leg, start, notes)).over(way);
        match local {
            LocalStream::Plain(local) => join(&tunnels, conversation, &leg, start, visitor, local).await,
            LocalStream::Tls(local) => join(&tunnels, conversation, &leg, start, visitor, *local).await,
            LocalStream::Other(local) => join(&tunnels, conversation, &leg, start, visitor, local).await,
        }
    };
    let stopped = async {
        leg.stop.cancelled().await;
        tokio::time::sleep(STOP_GRACE).await;
    };
    tokio::select! {
        () = moved => {}
        () = stopped => tracing::debug!(tunnel = leg.name, "a connection was cut because its tunnel was stopped"),
    }
}

/// Ends the visitor's TLS here and carries what is inside.
async fn terminate(identity: &Identity, leg: &Arc<Leg>, start: StreamStart, visitor: TunnelStream, local: LocalStream) {
    let acceptor = TlsAcceptor::from(identity.config().clone());
    let visitor = match tokio::time::timeout(HANDSHAKE, acceptor.accept(visitor)).await {
        Ok(Ok(visitor)) => visitor,
        Ok(Err(error)) => {
            return tracing::info!(tunnel = leg.name, visitor = %start.visitor, %error, "a TLS handshake failed");
        }
        Err(_) => return tracing::info!(tunnel = leg.name, visitor = %start.visitor, "a TLS handshake took too long"),
    };
    let end = match local {
        LocalStream::Plain(local) => relay(visitor, local).await,
        LocalStream::Tls(local) => relay(visitor, *local).await,
        LocalStream::Other(local) => relay(visitor, local).await,
    };
    let error = end.error.as_ref().map(ToString::to_string).unwrap_or_default();
    tracing::debug!(tunnel = leg.name, visitor = %start.visitor, received = end.a_to_b, sent = end.b_to_a, error, "connection ended");
}

/// Refuses a visitor the local service cannot be reached for. The request is listed with the reason all the same: its
/// owner looks there first.
async fn refuse(tunnels: &Tunnels, leg: &Arc<Leg>, mut incoming: IncomingStream, error: Error) {
    let start = incoming.start;
    if start.kind != StreamKind::Http || !leg.definition.captures() || !tunnels.store().is_on() {
        return incoming.refuse(error).await;
    }
    let mut conversation = Conversation::new(observer(tunnels, leg, start, incoming.metadata()));
    let why = error.message.clone();
    let mut seen = 0;
    let look = |bytes: &[u8]| {
        conversation.request_bytes(bytes);
        seen += bytes.len();
        let enough = conversation.request_has_ended() || seen >= MOST_OF_A_REFUSED_REQUEST;
        if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    incoming.refuse_after_peek(error, look).await;
    conversation.failed(&why);
}

async fn join<L>(
    tunnels: &Tunnels,
    conversation: Conversation,
    leg: &Arc<Leg>,
    start: StreamStart,
    visitor: TunnelStream,
    local: L,
) where
    L: AsyncRead + AsyncWrite + Unpin,
{
    let followed = start.kind == StreamKind::Http && leg.definition.wire.app_protocol == AppProtocol::Http1;
    let end = if followed {
        let (requests, responses, ending) = Tap::pair(conversation);
        let end = relay_tapped(visitor, local, requests, responses).await;
        if let Some(silence) = ending.missing_response()
            && let Some(why) = tunnels.reason(&silence, &leg.definition.upstream).await
        {
            tracing::warn!(tunnel = leg.name, visitor = %start.visitor, "{why}");
            ending.failed(&why);
        }
        end
    } else {
        relay(visitor, local).await
    };
    let error = end.error.as_ref().map(ToString::to_string).unwrap_or_default();
    tracing::debug!(tunnel = leg.name, visitor = %start.visitor, received = end.a_to_b, sent = end.b_to_a, error, "connection ended");
}

fn observer(tunnels: &Tunnels, leg: &Arc<Leg>, start: StreamStart, notes: StreamMetadata) -> Observer {
    // A labelled tunnel learns its protocol from the visitor.
    let tunnel = match leg.face {
        Face::Labels => {
            let proto = if start.tls { "https" } else { "http" };
            Arc::new(TunnelTag { definition: leg.tag.definition.clone(), proto })
        }
        _ => leg.tag.clone(),
    };
    Observer {
        store: leg.definition.captures().then(|| tunnels.store().clone()),
        meter: leg.requests.clone(),
        tunnel,
        remote: start.visitor.to_string(),
        replay_of: None,
        through_edge: false,
        notes: Some(notes),
    }
}
