//! One connection of an agent, from its preamble to its end.

use crate::{
    telemetry::metrics,
    tunnels::{Membership, Session, TunnelRegistry, authenticate, registry::EndKind},
};
use postern_api::{Code, Secret, Timestamp, id::next_ksuid};
use postern_tunnel::{
    Accepted, AgentHandshake, AgentHost, DataConnection, EndReason, PoolLimits, ServerEvent, ServerEvents, Transport,
    message::{DEFAULT_HEARTBEAT_MS, Welcome},
};
use rand::{Rng, distr::Alphanumeric};
use std::{
    net::SocketAddr,
    sync::{Arc, atomic::AtomicBool},
};

/// Characters of the secret of data connections: 43 of base 62 are 256 bits.
const DATA_SECRET_CHARS: usize = 43;

/// A new secret of the data connections of a session.
pub(crate) fn new_data_secret() -> Secret {
    Secret::new(rand::rng().sample_iter(Alphanumeric).take(DATA_SECRET_CHARS).map(char::from).collect::<String>())
}

/// Serves a connection that negotiated the agent protocol by ALPN.
pub(crate) async fn serve_agent<S: Transport>(stream: S, peer: SocketAddr, registry: Arc<TunnelRegistry>) {
    match postern_tunnel::accept(stream).await {
        Ok(Accepted::Control(greeting)) => start_session(greeting, peer, registry).await,
        Ok(Accepted::Data(connection)) => adopt_data_connection(connection, peer, &registry).await,
        Err(error) => tracing::debug!(%peer, %error, "an agent's connection came to nothing"),
    }
}

async fn adopt_data_connection(connection: DataConnection, peer: SocketAddr, registry: &TunnelRegistry) {
    let Some(session) = registry.session(connection.session()) else {
        tracing::debug!(%peer, "data connection for a session that does not exist");
        return;
    };
    if let Err(error) = session.link.adopt(connection).await {
        tracing::debug!(%peer, session = session.id, %error, "data connection refused");
    }
}

async fn start_session(greeting: AgentHandshake, peer: SocketAddr, registry: Arc<TunnelRegistry>) {
    if let Err(error) = registry.access.restrictions.agent(peer.ip()) {
        metrics::refusal(Some("agent_restriction"), error.code);
        return greeting.refuse(error).await;
    }
    let hello = greeting.hello().clone();
    let authenticated = {
        let published = registry.published.borrow();
        authenticate::credential(&published, &hello.token)
            .map(|(key, credential)| (key.to_owned(), credential.id.clone(), credential.owner.clone()))
    };
    let (credential_key, credential, owner) = match authenticated {
        Ok(authenticated) => authenticated,
        Err(error) => {
            tracing::info!(%peer, code = %error.code, "agent refused");
            metrics::refusal(None, error.code);
            return greeting.refuse(error).await;
        }
    };
    let membership = registry.settings.membership.as_ref();
    if membership.is_some_and(|membership| hello.at.contains(&membership.node)) {
        return greeting.refuse(Code::SessionElsewhere.into()).await;
    }
    let now = postern_api::clock::now();
    let id = format!("ts_{}", next_ksuid(now));
    let welcome = Welcome {
        protocol: 0,
        session: id.clone(),
        data_secret: new_data_secret(),
        server_version: registry.settings.server_version.clone(),
        region: registry.settings.region.clone(),
        heartbeat: DEFAULT_HEARTBEAT_MS,
        answer_timeout: u64::try_from(registry.settings.limits.get().answer.as_millis()).unwrap_or(0),
        node: membership.map(|membership| membership.node.clone()).unwrap_or_default(),
        nodes: membership.map(Membership::other_nodes).unwrap_or_default(),
    };
    let limits = if hello.at.is_empty() { PoolLimits::AGENT } else { PoolLimits::STANDBY };
    let (link, events) = match greeting.welcome_with(welcome, limits).await {
        Ok(started) => started,
        Err(error) => return tracing::debug!(%peer, %error, "agent left before it was welcomed"),
    };
    let session = Arc::new(Session {
        id,
        credential_key,
        credential,
        owner,
        instance: hello.instance,
        run: hello.run,
        agent_version: hello.agent_version,
        os: hello.os,
        host: hello.host.as_ref().map(AgentHost::cleaned),
        metadata: hello.metadata,
        remote_management: hello.remote_management,
        peer,
        started_at: Timestamp::new(now),
        link,
        draining: AtomicBool::new(false),
        node: None,
    });
    tracing::info!(session = session.id, %peer, agent = session.agent_version, os = session.os, "agent connected");
    registry.admit(session.clone(), &hello.replaces).await;
    // The credential may have been deleted during the handshake, after its sessions were ended.
    if let Err(error) = registry.acl_of(&session) {
        registry.remove(&session.id, EndKind::Clean).await;
        session.link.end(error);
    }
    serve(session, events, &registry).await;
}

async fn serve(session: Arc<Session>, mut events: ServerEvents, registry: &TunnelRegistry) {
    while let Some(event) = events.next().await {
        match event {
            ServerEvent::Bind(bind) => {
                let request = bind.request;
                match registry.bind(&session, bind).await {
                    Ok(bound) => session.link.bound(bound),
                    Err(error) => {
                        tracing::info!(session = session.id, code = %error.code, "bind refused: {}", error.message);
                        session.link.bind_refused(request, error);
                    }
                }
            }
            ServerEvent::Unbind { number } => registry.unbind(&session.id, number).await,
            ServerEvent::Drain { release } => {
                tracing::info!(session = session.id, release, "agent drains");
                session.start_draining();
                registry.session_changed(&session);
                if release {
                    registry.withdraw(&session.id).await;
                }
            }
            ServerEvent::Goodbye => {
                registry.remove(&session.id, EndKind::Clean).await;
            }
            // Only nodes announce something, on their own listener.
            ServerEvent::Announcement(_) => {}
        }
    }
    let end = session.link.closed().await;
    // A session that the server ended is out of the registry already.
    let end_kind = if end.reason == EndReason::Goodbye { EndKind::Clean } else { EndKind::Unclean };
    registry.remove(&session.id, end_kind).await;
    tracing::info!(session = session.id, reason = %end.reason, "agent disconnected");
}
