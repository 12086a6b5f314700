//! Agents, connected or away.

use super::{DeletableView, ViewSource};
use crate::{
    LiveTunnel,
    agents::{self, AGENTS, ConnectedAgent, StoredAgent},
    resources::{Caller, Resources, Scope},
    store::Range,
};
use postern_api::{
    AnyId, Id, Result, Timestamp,
    resource::{Agent, AgentState, Credential, NodeName, Ref, TunnelSession, View, list_uri},
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

impl ViewSource for Agent {
    const SEEN_WITH: Scope = Scope::Own;

    fn credential(&self) -> Option<&str> {
        Some(self.credential.id.as_str())
    }

    fn missing_nodes(ctx: &Resources) -> Vec<NodeName> {
        ctx.live.missing_nodes()
    }

    async fn list(ctx: &Resources, before: Option<&Id<Self>>, limit: usize) -> Result<Vec<Self>> {
        let mut range = Range::new(AGENTS, limit);
        range.before = before.map(|before| agents::key(before.as_str()));
        let mut stored = BTreeMap::new();
        for entry in ctx.store.range(range).await?.entries {
            let Some(id) = entry.key.strip_prefix(AGENTS).and_then(|id| Id::parse(id).ok()) else { continue };
            stored.insert(id, agents::read(&entry.value)?);
        }
        let connected = agents::connected(ctx.live.sessions());
        let ids: BTreeSet<&Id<Agent>> = stored.keys().chain(connected.keys()).collect();
        let shown = ids.into_iter().rev().filter(|id| before.is_none_or(|before| *id < before)).take(limit);
        let viewer = Viewer::new(ctx).await?;
        let mut found = Vec::new();
        for id in shown {
            found.extend(viewer.show(id, stored.get(id), connected.get(id)).await?);
        }
        Ok(found)
    }

    async fn get(ctx: &Resources, id: &Id<Self>) -> Result<Option<Self>> {
        let entry = ctx.store.get(&agents::key(id.as_str())).await?;
        let stored = entry.map(|entry| agents::read(&entry.value)).transpose()?;
        let connected = agents::connected(ctx.live.sessions());
        Viewer::new(ctx).await?.show(id, stored.as_ref(), connected.get(id)).await
    }
}

impl DeletableView for Agent {
    async fn delete(ctx: &Resources, caller: &Caller, id: &Id<Self>) -> Result<()> {
        ctx.forget_agent(caller, id).await
    }
}

/// What all agents of a list are shown with.
struct Viewer<'a> {
    ctx: &'a Resources,
    heartbeat: Option<Timestamp>,
    /// Number of tunnels by session.
    tunnels: HashMap<String, u64>,
}

impl<'a> Viewer<'a> {
    async fn new(ctx: &'a Resources) -> Result<Self> {
        let mut tunnels: HashMap<String, u64> = HashMap::new();
        for LiveTunnel { session, .. } in ctx.live.tunnels() {
            *tunnels.entry(session).or_default() += 1;
        }
        let heartbeat = agents::last_heartbeat(ctx.store.as_ref()).await?;
        Ok(Viewer { ctx, heartbeat, tunnels })
    }

    async fn show(
        &self,
        id: &Id<Agent>,
        stored: Option<&StoredAgent>,
        connected: Option<&ConnectedAgent>,
    ) -> Result<Option<Agent>> {
        let agent = match (connected, stored) {
            (Some(connected), stored) => StoredAgent::of(connected, stored),
            (None, Some(stored)) => stored.clone(),
            (None, None) => return Ok(None),
        };
        let sessions = connected.map(ConnectedAgent::sessions).unwrap_or_default();
        let base = self.ctx.base_url();
        let session_uri = |id: &str| format!("{}/{id}", list_uri(base, TunnelSession::PATH));
        let nodes: BTreeSet<NodeName> = sessions.iter().filter_map(|session| session.node.clone()).collect();
        Ok(Some(Agent {
            id: id.clone(),
            uri: Ref::to_view(base, id).uri,
            state: if connected.is_some() { AgentState::Online } else { AgentState::Away },
            connected_since: sessions.last().map(|oldest| oldest.started_at),
            last_seen: connected.is_none().then(|| agent.seen(self.heartbeat)),
            first_seen: agent.first_seen,
            tunnels: sessions.iter().filter_map(|session| self.tunnels.get(&session.id)).sum(),
            tunnel_sessions: sessions
                .iter()
                .map(|session| Ref { id: AnyId::from_text(&session.id), uri: session_uri(&session.id) })
                .collect(),
            nodes: nodes.into_iter().collect(),
            credential: Ref::by_text::<Credential>(base, &agent.credential),
            owner_id: self.ctx.credential_owner(&agent.credential).await?,
            host_name: agent.host_name,
            account: agent.account,
            agent_version: agent.agent_version,
            os: agent.os,
            ip: agent.ip,
            changes: agent.changes,
        }))
    }
}
