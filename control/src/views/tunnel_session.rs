//! Tunnel sessions: connected agents, and the commands that can be sent to them.

use super::{ViewSource, newest_first};
use crate::{
    CommandOutcome, LiveSession, agents,
    resources::{Access, Caller, Resources, Scope, view_not_found},
};
use postern_api::{
    Code, Error, Id, Result,
    resource::{Credential, NodeName, Ref, SessionCommand, TunnelSession},
};

impl ViewSource for TunnelSession {
    const SEEN_WITH: Scope = Scope::Own;

    fn session(&self) -> Option<&str> {
        Some(self.id.as_str())
    }

    fn missing_nodes(ctx: &Resources) -> Vec<NodeName> {
        ctx.live.missing_nodes()
    }

    async fn list(ctx: &Resources, before: Option<&Id<Self>>, limit: usize) -> Result<Vec<Self>> {
        let found = newest_first(ctx.live.sessions(), |session| &session.id, before, limit);
        Ok(found.into_iter().map(|(id, session)| show(id, session, ctx)).collect())
    }

    async fn get(ctx: &Resources, id: &Id<Self>) -> Result<Option<Self>> {
        let found = ctx.live.sessions().into_iter().find(|session| session.id == id.as_str());
        Ok(found.map(|session| show(id.clone(), session, ctx)))
    }
}

impl Resources {
    /// Sends a command to the agent of a session.
    ///
    /// # Errors
    /// `NotFound`, `RemoteRefused` if the agent does not allow it, `RemoteUncertain` if its node does not answer, or if the caller is neither its owner nor an
    /// administrator.
    pub(crate) async fn command(&self, caller: &Caller, id: &Id<TunnelSession>, command: SessionCommand) -> Result<()> {
        caller.check_scope(Access::Change, Scope::Own)?;
        let found = self.live.sessions().into_iter().find(|session| session.id == id.as_str());
        let session = found.ok_or_else(|| view_not_found(id))?;
        let credential = self.load(&Id::<Credential>::parse(&session.credential)?).await?;
        let (credential, _) = credential.ok_or_else(|| view_not_found(id))?;
        caller.check_owner_access(Some(&credential.spec.owner_id))?;
        if !session.remote_management {
            let sentence = "The agent does not allow remote management. Set `remote_management: true` in its configuration, \
                            or ask its operator to.";
            return Err(Error::new(Code::RemoteRefused, sentence));
        }
        let outcome = match command {
            SessionCommand::Restart => self.live.restart(id.as_str()).await,
            SessionCommand::Stop => self.live.stop(id.as_str()).await,
            SessionCommand::Update => {
                let sentence = "An agent cannot update itself. Install the new version where it runs.";
                return Err(Error::new(Code::RemoteUpdate, sentence));
            }
        };
        match outcome {
            CommandOutcome::Done => Ok(()),
            CommandOutcome::NoSession => Err(view_not_found(id)),
            CommandOutcome::Uncertain => {
                let node = session.node.map(|node| node.name).unwrap_or_default();
                let sentence = format!(
                    "The node `{node}`, which the agent is connected to, did not answer in time. See whether the session has \
                     ended before you try again."
                );
                Err(Error::new(Code::RemoteUncertain, sentence))
            }
        }
    }
}

fn show(id: Id<TunnelSession>, session: LiveSession, ctx: &Resources) -> TunnelSession {
    let told = |text: String| Some(text).filter(|text| !text.is_empty());
    TunnelSession {
        agent: agents::id_of(&session).map(|agent| Ref::to_view(ctx.base_url(), &agent)),
        uri: Ref::to_view(ctx.base_url(), &id).uri,
        id,
        agent_version: session.agent_version,
        credential: Ref::by_text::<Credential>(ctx.base_url(), &session.credential),
        ip: session.address.to_canonical().to_string(),
        metadata: session.metadata,
        os: session.os,
        region: ctx.live.region(),
        started_at: session.started_at,
        transport: session.transport,
        node: session.node,
        host_name: told(session.host_name),
        account: told(session.account),
    }
}
