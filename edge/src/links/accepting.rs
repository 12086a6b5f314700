//! The links that other nodes dial: over them this node learns about their agents, and opens streams to these.

use super::{HEARTBEAT_INTERVAL, LinkContext, node_links::DialledBy, tls::is_of_node};
use crate::tunnels::new_data_secret;
use postern_api::id::next_ksuid;
use postern_tunnel::{
    Accepted, AgentHandshake, NODE_ALPN, PoolLimits, ServerEvent, ServerEvents, ServerSession, TlsStream,
    message::Welcome,
    node_link::{Announcement, LinkCommand},
    sockets,
    tls::{self, Negotiated},
};
use rustls_pki_types::CertificateDer;
use std::{io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    net::TcpStream,
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

/// Connections whose peers have not proved who they are, at the same time.
const MAX_HANDSHAKES: usize = 256;
/// Time limit of a TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// Pause after a connection could not be accepted, for lack of descriptors usually.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Accepts the links of other nodes until `stop`.
pub(super) async fn accept(context: Arc<LinkContext>, stop: CancellationToken) {
    let handshakes = Arc::new(Semaphore::new(MAX_HANDSHAKES));
    let accepting = async {
        while let Ok(permit) = handshakes.clone().acquire_owned().await {
            match context.settings.listener.accept().await {
                Ok((stream, address)) => {
                    let context = context.clone();
                    tokio::spawn(async move { serve(&context, stream, address, permit).await });
                }
                Err(error) => {
                    tracing::warn!(%error, "a node's connection was not accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    };
    tokio::select! {
        () = accepting => {}
        () = stop.cancelled() => {}
    }
}

/// Serves one connection of a node, which carries a link or belongs to one.
async fn serve(context: &Arc<LinkContext>, stream: TcpStream, address: SocketAddr, permit: OwnedSemaphorePermit) {
    let (stream, negotiated) = match timeout(HANDSHAKE_TIMEOUT, handshake(context, stream)).await {
        Ok(Ok(established)) => established,
        Ok(Err(error)) => return tracing::warn!(%address, %error, "a peer without a node's certificate was refused"),
        Err(_) => return tracing::debug!(%address, "a peer was too slow to prove which node it is"),
    };
    drop(permit);
    let Some(certificate) = negotiated.peer_certificate else { return };
    match postern_tunnel::accept(stream).await {
        Ok(Accepted::Control(greeting)) => {
            if let Err(error) = serve_link(context, greeting, &certificate).await {
                tracing::debug!(%address, %error, "a node left before it was welcomed");
            }
        }
        Ok(Accepted::Data(connection)) => {
            let Some((node, link)) = context.registry.node_link(connection.session()) else { return };
            if is_of_node(&certificate, &node)
                && let Err(error) = link.adopt(connection).await
            {
                tracing::debug!(%address, node, %error, "a connection of a link was refused");
            }
        }
        Err(error) => tracing::debug!(%address, %error, "a node's connection came to nothing"),
    }
}

async fn handshake(context: &LinkContext, stream: TcpStream) -> io::Result<(TlsStream<TcpStream>, Negotiated)> {
    sockets::tune(&stream);
    let configs = context.tls.configs()?;
    let (stream, negotiated) = tls::accept(stream, configs.accepting, Vec::new()).await.map_err(|(error, _)| error)?;
    match negotiated.protocol.as_deref() {
        Some(NODE_ALPN) => Ok((stream, negotiated)),
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, "the peer does not speak the protocol of nodes")),
    }
}

/// Welcomes a node and serves its link until it ends.
async fn serve_link(
    context: &Arc<LinkContext>,
    greeting: AgentHandshake,
    certificate: &CertificateDer<'_>,
) -> io::Result<()> {
    let (node, name) = (greeting.hello().instance.clone(), greeting.hello().metadata.clone());
    if !is_of_node(certificate, &node) || node == context.settings.node {
        tracing::warn!(node, name, "a node claims an id that its certificate does not have, or that of this node");
        return Ok(());
    }
    let welcome = Welcome {
        protocol: 0,
        session: format!("link_{}", next_ksuid(postern_api::clock::now())),
        data_secret: new_data_secret(),
        server_version: context.registry.settings.server_version.clone(),
        region: context.registry.settings.region.clone(),
        heartbeat: u64::try_from(HEARTBEAT_INTERVAL.as_millis()).unwrap_or(u64::MAX),
        answer_timeout: 0,
        node: String::new(),
        nodes: Vec::new(),
    };
    let (link, events) = greeting.welcome_with(welcome, PoolLimits::NODE).await?;
    if context.registry.node_linked(&node, &link).await {
        context.links.succeeded(&node);
    }
    context.links.up(&node, &name, DialledBy::Other);
    tracing::info!(node, name, "a node has linked itself to this one");
    let node: Arc<str> = node.into();
    tokio::select! {
        () = follow(context, &node, &link, events) => {}
        () = tell_applied(context, &link) => {}
    }
    let end = link.closed().await;
    if context.registry.node_lost(&node, &link).await {
        context.links.down(&node, DialledBy::Other, None);
        context.links.announced_by(&node, 0);
    }
    tracing::info!(%node, name, reason = %end.reason, "the link of a node is lost");
    Ok(())
}

/// Applies what the node announces, until the link ends.
async fn follow(context: &LinkContext, node: &Arc<str>, link: &ServerSession, mut events: ServerEvents) {
    while let Some(event) = events.next().await {
        let ServerEvent::Announcement(announcement) = event else { continue };
        match &announcement {
            Announcement::Applied { revision } => context.links.applied_by(node, *revision),
            Announcement::Draining => context.links.drains(node),
            _ => {}
        }
        if let Announcement::Reached { change } = announcement {
            link.command(LinkCommand::Followed { change });
            continue;
        }
        context.registry.announced(node, link, announcement).await;
        context.links.announced_by(node, context.registry.tunnels_of_node(node));
    }
}

/// Tells the node each revision that this one has applied. Returns when the link has ended.
async fn tell_applied(context: &LinkContext, link: &ServerSession) {
    let mut applied = context.links.applied();
    loop {
        let revision = *applied.borrow_and_update();
        link.command(LinkCommand::Applied { revision });
        tokio::select! {
            changed = applied.changed() => if changed.is_err() { return },
            _ = link.closed() => return,
        }
    }
}
