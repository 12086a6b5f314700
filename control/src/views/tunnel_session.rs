//! Tunnel sessions: the agents that are connected.

use super::{Seen, newest};
use crate::{LiveSession, resources::Resources};
use postern_api::{
    Id, Result,
    resource::{Credential, Ref, TunnelSession},
};

impl Seen for TunnelSession {
    async fn some(here: &Resources, before: Option<&Id<Self>>, limit: usize) -> Result<Vec<Self>> {
        let found = newest(here.live.sessions(), |session| &session.id, before, limit);
        Ok(found.into_iter().map(|(id, session)| show(id, session, here)).collect())
    }

    async fn one(here: &Resources, id: &Id<Self>) -> Result<Option<Self>> {
        let found = here.live.sessions().into_iter().find(|session| session.id == id.as_str());
        Ok(found.map(|session| show(id.clone(), session, here)))
    }
}

fn show(id: Id<TunnelSession>, session: LiveSession, here: &Resources) -> TunnelSession {
    TunnelSession {
        uri: Ref::to_view(here.base_url(), &id).uri,
        id,
        agent_version: session.agent_version,
        credential: Ref::by_text::<Credential>(here.base_url(), &session.credential),
        ip: session.address.to_canonical().to_string(),
        metadata: session.metadata,
        os: session.os,
        region: here.live.region(),
        started_at: session.started_at,
        transport: session.transport,
    }
}
