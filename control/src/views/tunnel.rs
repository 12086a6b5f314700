//! Tunnels: endpoints that agents publish, or offer to backends.

use super::{ViewSource, newest_first, references};
use crate::{
    LiveTunnel,
    resources::{Resources, Scope},
};
use postern_api::{
    Id, Result,
    published::Backend,
    resource::{NodeName, Ref, Tunnel, TunnelGroupBackend},
};

impl ViewSource for Tunnel {
    const SEEN_WITH: Scope = Scope::Own;

    fn session(&self) -> Option<&str> {
        Some(self.tunnel_session.id.as_str())
    }

    fn missing_nodes(ctx: &Resources) -> Vec<NodeName> {
        ctx.live.missing_nodes()
    }

    async fn list(ctx: &Resources, before: Option<&Id<Self>>, limit: usize) -> Result<Vec<Self>> {
        let found = newest_first(ctx.live.tunnels(), |tunnel| &tunnel.id, before, limit);
        Ok(found.into_iter().map(|(id, tunnel)| show(id, tunnel, ctx)).collect())
    }

    async fn get(ctx: &Resources, id: &Id<Self>) -> Result<Option<Self>> {
        let found = ctx.live.tunnels().into_iter().find(|tunnel| tunnel.id == id.as_str());
        Ok(found.map(|tunnel| show(id.clone(), tunnel, ctx)))
    }
}

fn show(id: Id<Tunnel>, tunnel: LiveTunnel, ctx: &Resources) -> Tunnel {
    let endpoint = references::endpoint_id(&id).filter(|_| tunnel.address.is_some());
    Tunnel {
        uri: Ref::to_view(ctx.base_url(), &id).uri,
        id,
        public_url: tunnel.address.as_ref().map(references::url).unwrap_or_default(),
        started_at: tunnel.started_at,
        proto: tunnel.address.as_ref().map(|address| address.scheme.to_owned()).unwrap_or_default(),
        region: ctx.live.region(),
        tunnel_session: references::session_of(&tunnel, ctx),
        endpoint: endpoint.map(|endpoint| Ref::to_view(ctx.base_url(), &endpoint)),
        backends: backends(&tunnel, ctx),
        metadata: tunnel.metadata,
        labels: tunnel.labels,
        forwards_to: tunnel.forwards_to,
        node: tunnel.node,
    }
}

/// Tunnel groups whose labels a tunnel has, in the order of their creation.
fn backends(tunnel: &LiveTunnel, ctx: &Resources) -> Vec<Ref> {
    if tunnel.labels.is_empty() {
        return Vec::new();
    }
    let backends = ctx.published.borrow().backends.clone();
    let has_label = |(key, value): (&String, &String)| tunnel.labels.get(key) == Some(value);
    let matches =
        |backend: &Backend| matches!(backend, Backend::TunnelGroup(group) if group.labels.iter().all(has_label));
    let mut ids: Vec<&String> = backends.iter().filter(|(_, backend)| matches(backend)).map(|(id, _)| id).collect();
    ids.sort();
    ids.into_iter().map(|id| Ref::by_text::<TunnelGroupBackend>(ctx.base_url(), id)).collect()
}
