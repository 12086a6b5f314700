//! The links that this node dials: one to each peer, kept up, over which the peer reaches this node's agents.

use super::{
    LinkContext, announcer::Announcer, node_links::DialledBy, node_server_name, questions,
    visitor_ledger::VisitorLedger,
};
use crate::tunnels::Peer;
use postern_api::Code;
use postern_tunnel::{
    AgentSession, BoxedTransport, ConnectError, Incoming, IncomingEvent, IncomingStream, NODE_ALPN,
    backoff::Backoff,
    connect_node,
    message::{Hello, UnsentRequest, VisitorChanges},
    node_link::{Announcement, LinkCommand},
    sockets, tls,
};
use rustls_pki_types::ServerName;
use std::{collections::HashSet, io, sync::Arc, time::Duration};
use tokio::{net::TcpStream, sync::Semaphore, task::JoinSet, time::Instant};
use tokio_util::task::AbortOnDropHandle;

/// Longest delay before a peer is dialled again.
const MAX_REDIAL_DELAY: Duration = Duration::from_secs(5);
/// A link that is lost sooner does not reset the delay.
const MIN_LINK_LIFETIME: Duration = Duration::from_secs(5);
/// Questions of one peer that are answered at the same time; further ones get an empty answer.
const MAX_QUESTIONS: usize = 32;

/// Keeps a link to every peer in the list.
pub(super) async fn dial_peers(context: Arc<LinkContext>) {
    let mut peers = context.settings.peers.clone();
    let (mut dialled, mut tasks) = (HashSet::new(), JoinSet::new());
    let mut is_listed = true;
    loop {
        for peer in peers.borrow_and_update().iter() {
            context.links.peer_listed(peer);
            if peer.id != context.settings.node && dialled.insert(peer.id.clone()) {
                tasks.spawn(keep_linked(context.clone(), peer.id.clone()));
            }
        }
        tokio::select! {
            changed = peers.changed(), if is_listed => is_listed = changed.is_ok(),
            Some(ended) = tasks.join_next() => {
                if let Ok(peer) = ended {
                    dialled.remove(&peer);
                    context.links.peer_unlisted(&peer);
                }
            }
            else => return,
        }
    }
}

/// Keeps a link to one peer until it has left the list, and returns its id.
async fn keep_linked(context: Arc<LinkContext>, id: String) -> String {
    let mut peers = context.settings.peers.clone();
    let mut backoff = Backoff::new();
    // Links with processes of the peer that are about to stop: they carry their open streams to their end.
    let mut former: Vec<AbortOnDropHandle<String>> = Vec::new();
    loop {
        let listed = peers.borrow_and_update().iter().find(|peer| peer.id == id).cloned();
        let Some(peer) = listed else { return id };
        let began = Instant::now();
        let successions = context.links.successions(&id);
        let mut current = AbortOnDropHandle::new(tokio::spawn(link(context.clone(), peer.clone())));
        let error = tokio::select! {
            ended = &mut current => ended.unwrap_or_else(|error| error.to_string()),
            () = context.links.succession_after(&id, successions) => {
                former.retain(|link| !link.is_finished());
                former.push(current);
                backoff.reset();
                continue;
            }
        };
        context.registry.followers.lost(&id);
        tracing::info!(peer = peer.id, name = peer.name, address = peer.address, error, "no link to this node");
        context.links.down(&id, DialledBy::This, Some(error));
        if began.elapsed() >= MIN_LINK_LIFETIME {
            backoff.reset();
        }
        let delay = backoff.next_delay().min(MAX_REDIAL_DELAY);
        tokio::select! {
            () = tokio::time::sleep(delay) => {}
            // It may have another address.
            changed = peers.changed() => if changed.is_err() {
                tokio::time::sleep(delay).await;
            },
        }
    }
}

/// Dials a peer and serves the link until it ends. Returns the reason.
async fn link(context: Arc<LinkContext>, peer: Peer) -> String {
    let (session, incoming) = match connect(&context, &peer).await {
        Ok(linked) => linked,
        Err(ConnectError::Refused(error)) => return error.message,
        Err(ConnectError::Io(error)) => return error.to_string(),
    };
    tracing::info!(peer = peer.id, name = peer.name, "linked");
    context.links.up(&peer.id, &peer.name, DialledBy::This);
    let announcer = Arc::new(Announcer::default());
    let mut ledger = VisitorLedger::default();
    let end = tokio::select! {
        end = session.closed() => end,
        () = serve(&context, &peer.id, (&session, incoming), &announcer, &mut ledger) => session.closed().await,
        () = announcer.run(&session, &context.registry) => session.closed().await,
        () = tell_applied(&context, &session) => session.closed().await,
    };
    for changes in ledger.close() {
        pass_visitors(&announcer, changes);
    }
    end.reason.to_string()
}

async fn connect(context: &Arc<LinkContext>, peer: &Peer) -> Result<(AgentSession, Incoming), ConnectError> {
    let hello = Hello {
        agent_version: context.registry.settings.server_version.clone(),
        instance: context.settings.node.clone(),
        metadata: context.settings.name.clone(),
        ..Hello::default()
    };
    let (context, peer) = (context.clone(), peer.clone());
    let dial = move || {
        let (context, peer) = (context.clone(), peer.clone());
        async move { dial(&context, &peer).await }
    };
    connect_node(Arc::new(dial), hello).await
}

async fn dial(context: &LinkContext, peer: &Peer) -> io::Result<BoxedTransport> {
    let configs = context.tls.configs()?;
    let name = ServerName::try_from(node_server_name(&peer.id)).map_err(io::Error::other)?;
    let socket = TcpStream::connect(&peer.address).await?;
    sockets::tune(&socket);
    let (stream, negotiated) = tls::connect(socket, configs.dialling, name).await?;
    if negotiated.protocol.as_deref() != Some(NODE_ALPN) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the peer is not a node"));
    }
    Ok(Box::new(stream))
}

/// Tells the peer each revision that this node has applied.
async fn tell_applied(context: &LinkContext, session: &AgentSession) {
    let mut applied = context.links.applied();
    loop {
        let revision = *applied.borrow_and_update();
        session.announce(Announcement::Applied { revision }).await;
        if applied.changed().await.is_err() {
            return;
        }
    }
}

/// Serves what the peer sends. Returns when the link has ended.
async fn serve(
    context: &Arc<LinkContext>,
    peer: &str,
    (session, mut incoming): (&AgentSession, Incoming),
    announcer: &Arc<Announcer>,
    ledger: &mut VisitorLedger,
) {
    let room = Arc::new(Semaphore::new(MAX_QUESTIONS));
    while let Some(event) = incoming.next().await {
        match event {
            IncomingEvent::Stream(stream) => {
                tokio::spawn(context.open.track_future(carry(context.clone(), announcer.clone(), stream)));
            }
            IncomingEvent::Visitors(changes) => {
                for changes in changes {
                    ledger.record(&changes);
                    pass_visitors(announcer, changes);
                }
            }
            IncomingEvent::Unsent(request) => pass_unsent(announcer, *request),
            IncomingEvent::Command(LinkCommand::Applied { revision }) => context.links.applied_by(peer, revision),
            IncomingEvent::Command(LinkCommand::Followed { change }) => {
                context.registry.followers.followed(peer, change);
            }
            IncomingEvent::Command(LinkCommand::Question { number, question }) => {
                let (context, session) = (context.clone(), session.clone());
                let permit = room.clone().try_acquire_owned();
                tokio::spawn(async move {
                    let answer = match permit {
                        Ok(_permit) => questions::answer(&context.registry, &context.logins, &question).await,
                        Err(_) => String::new(),
                    };
                    session.answer(number, &answer).await;
                });
            }
            IncomingEvent::Command(LinkCommand::Unknown)
            | IncomingEvent::TunnelClosed { .. }
            | IncomingEvent::Drain { .. } => {}
        }
    }
}

/// Carries the stream of a visitor of the peer to the agent of its tunnel.
async fn carry(context: Arc<LinkContext>, announcer: Arc<Announcer>, stream: IncomingStream) {
    match announcer.tunnel_of_stream(stream.start.tunnel) {
        Some(tunnel) => context.registry.in_force(tunnel).upstream.carry(stream).await,
        None => stream.refuse(Code::AgentOffline.into()).await,
    }
}

fn pass_visitors(announcer: &Announcer, changes: VisitorChanges) {
    if let Some(tunnel) = announcer.tunnel(changes.number) {
        tunnel.upstream.pass_visitors(changes);
    }
}

fn pass_unsent(announcer: &Announcer, request: UnsentRequest) {
    if let Some(tunnel) = announcer.tunnel(request.number) {
        tunnel.upstream.pass_unsent(request);
    }
}
