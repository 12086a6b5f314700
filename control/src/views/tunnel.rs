//! Tunnels: what agents publish, or offer to backends.

use super::{Seen, endpoint, newest};
use crate::{LiveTunnel, resources::Resources};
use postern_api::{
    AnyId, Id, Result,
    published::Backend,
    resource::{Ref, Tunnel, TunnelGroupBackend, TunnelSession, View, list_uri},
};

impl Seen for Tunnel {
    async fn some(here: &Resources, before: Option<&Id<Self>>, limit: usize) -> Result<Vec<Self>> {
        let found = newest(here.live.tunnels(), |tunnel| &tunnel.id, before, limit);
        Ok(found.into_iter().map(|(id, tunnel)| show(id, tunnel, here)).collect())
    }

    async fn one(here: &Resources, id: &Id<Self>) -> Result<Option<Self>> {
        let found = here.live.tunnels().into_iter().find(|tunnel| tunnel.id == id.as_str());
        Ok(found.map(|tunnel| show(id.clone(), tunnel, here)))
    }
}

fn show(id: Id<Tunnel>, tunnel: LiveTunnel, here: &Resources) -> Tunnel {
    let endpoint = endpoint::of_tunnel(&id).filter(|_| tunnel.address.is_some());
    Tunnel {
        uri: Ref::to_view(here.base_url(), &id).uri,
        id,
        public_url: tunnel.address.as_ref().map(endpoint::url).unwrap_or_default(),
        started_at: tunnel.started_at,
        proto: tunnel.address.as_ref().map(|address| address.scheme.to_owned()).unwrap_or_default(),
        region: here.live.region(),
        tunnel_session: session(&tunnel, here),
        endpoint: endpoint.map(|endpoint| Ref::to_view(here.base_url(), &endpoint)),
        backends: backends(&tunnel, here),
        metadata: tunnel.metadata,
        labels: tunnel.labels,
        forwards_to: tunnel.forwards_to,
    }
}

/// The session that carries a tunnel.
pub(super) fn session(tunnel: &LiveTunnel, here: &Resources) -> Ref {
    let uri = format!("{}/{}", list_uri(here.base_url(), TunnelSession::PATH), tunnel.session);
    Ref { id: AnyId::from_text(&tunnel.session), uri }
}

/// The groups whose labels a tunnel carries, in the order they were made.
fn backends(tunnel: &LiveTunnel, here: &Resources) -> Vec<Ref> {
    if tunnel.labels.is_empty() {
        return Vec::new();
    }
    let backends = here.published.borrow().backends.clone();
    let carried = |(key, value): (&String, &String)| tunnel.labels.get(key) == Some(value);
    let carries =
        |backend: &Backend| matches!(backend, Backend::TunnelGroup(group) if group.labels.iter().all(carried));
    let mut ids: Vec<&String> = backends.iter().filter(|(_, backend)| carries(backend)).map(|(id, _)| id).collect();
    ids.sort();
    ids.into_iter().map(|id| Ref::by_text::<TunnelGroupBackend>(here.base_url(), id)).collect()
}
