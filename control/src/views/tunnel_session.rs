//! Tunnel sessions: the agents that are connected, and what they can be told to do.

use super::{Seen, gone, newest};
use crate::{
    LiveSession,
    resources::{Caller, Resources},
};
use postern_api::{
    Code, Error, Id, Result,
    resource::{Credential, Ref, SessionCommand, TunnelSession},
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

impl Resources {
    /// Tells the agent of a session what to do: its owner may, and administrators.
    pub(crate) async fn command(&self, caller: &Caller, id: &Id<TunnelSession>, command: SessionCommand) -> Result<()> {
        let found = self.live.sessions().into_iter().find(|session| session.id == id.as_str());
        let session = found.ok_or_else(|| gone(id))?;
        let credential = self.stored(&Id::<Credential>::parse(&session.credential)?).await?;
        let (credential, _) = credential.ok_or_else(|| gone(id))?;
        caller.may_touch_of(Some(&credential.spec.owner_id))?;
        if !session.remote_management {
            let sentence = "The agent does not let itself be managed from here. Set `remote_management: true` in its \
                            configuration, or ask whoever runs it.";
            return Err(Error::new(Code::RemoteRefused, sentence));
        }
        let done = match command {
            SessionCommand::Restart => self.live.restart(id.as_str()),
            SessionCommand::Stop => self.live.stop(id.as_str()).await,
            SessionCommand::Update => {
                let sentence = "An agent cannot update itself. Install the new version where it runs.";
                return Err(Error::new(Code::RemoteUpdate, sentence));
            }
        };
        if done { Ok(()) } else { Err(gone(id)) }
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
