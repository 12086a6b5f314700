//! An agent that is away is forgotten on request of a caller.

use super::{connected, key, stored_agent::read};
use crate::{
    resources::{Caller, CommitPlan, Resources, admin_needed, audit::NewEvent, view_not_found},
    store::CommitOutcome,
};
use postern_api::{
    Code, Error, Id, Result,
    resource::{Agent, AuditOperation},
};

impl Resources {
    /// Forgets an agent that is away.
    ///
    /// # Errors
    /// `NotFound`, `AgentConnected`, if the caller is neither its owner nor an administrator, or if the store fails.
    pub(crate) async fn forget_agent(&self, caller: &Caller, id: &Id<Agent>) -> Result<()> {
        let connected = connected(self.live.sessions());
        let stored = self.store.get(&key(id.as_str())).await?;
        let credential = match (connected.get(id), &stored) {
            (Some(agent), _) => agent.newest().credential.clone(),
            (None, Some(entry)) => read(&entry.value)?.credential,
            (None, None) => return Err(view_not_found(id)),
        };
        match self.credential_owner(&credential).await? {
            Some(owner) => caller.check_owner_access(Some(&owner))?,
            None if caller.is_admin() => {}
            None => return Err(admin_needed()),
        }
        if connected.contains_key(id) {
            let sentence =
                "The agent is connected, so it would be known again at once. Stop it, or delete its credential.";
            return Err(Error::new(Code::AgentConnected, sentence));
        }
        let entry = stored.ok_or_else(|| view_not_found(id))?;
        let mut plan = CommitPlan::default();
        plan.expect_present(&entry.key);
        plan.delete(&entry.key);
        let event = NewEvent::of_view::<Agent>(AuditOperation::Deleted, id.as_str());
        plan.record_event(&caller.author(), event, postern_api::clock::now())?;
        match self.store.commit(plan.into_commit()).await? {
            CommitOutcome::Done(revision) => self.wait_until_published(revision).await,
            CommitOutcome::Conflict(_) => Err(view_not_found(id)),
        }
    }
}
