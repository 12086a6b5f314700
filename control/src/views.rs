//! Views: live and stored state that is shown like resources but cannot be changed.

mod agent;
mod app_session;
mod app_user;
mod decisions;
mod dependents;
mod domain_records;
mod endpoint;
mod node;
mod references;
mod requests;
mod server_facts;
mod status;
mod traffic;
mod tunnel;
mod tunnel_session;

use crate::resources::{Access, Caller, Resources, Scope, admin_needed, view_not_found};
use postern_api::{
    Id, Result,
    resource::{NodeName, Removable, View},
};
use std::collections::{HashMap, HashSet};

/// Records that are read at once to find those of own agents.
const OWN_BATCH: usize = 1000;

/// Source of the records of a view.
pub(crate) trait ViewSource: View {
    /// What a caller must be able to see; with [`Scope::Own`], only records of own agents are seen.
    const SEEN_WITH: Scope = Scope::Shared;

    /// Session of the agent that the record is of; `None` if it is of no agent.
    fn session(&self) -> Option<&str> {
        None
    }

    /// Credential of the agent that the record is of, where that outlasts its sessions.
    fn credential(&self) -> Option<&str> {
        None
    }

    /// Nodes whose records are missing in the list.
    fn missing_nodes(_ctx: &Resources) -> Vec<NodeName> {
        Vec::new()
    }

    /// Records older than `before`, newest first, at most `limit`.
    fn list(ctx: &Resources, before: Option<&Id<Self>>, limit: usize)
    -> impl Future<Output = Result<Vec<Self>>> + Send;

    /// The record with this id, if it exists.
    fn get(ctx: &Resources, id: &Id<Self>) -> impl Future<Output = Result<Option<Self>>> + Send;
}

/// A view whose records can be deleted.
pub(crate) trait DeletableView: ViewSource + Removable {
    /// Deletes a record, or fails with `NotFound`.
    fn delete(ctx: &Resources, caller: &Caller, id: &Id<Self>) -> impl Future<Output = Result<()>> + Send;
}

/// A page of a view, newest first.
pub(crate) struct ViewRecords<V> {
    pub(crate) records: Vec<V>,
    /// Cursor of the next page, if there is one.
    pub(crate) before: Option<Id<V>>,
    /// Nodes whose records are missing.
    pub(crate) nodes_missing: Vec<NodeName>,
}

impl Resources {
    /// Reads a page of a view.
    ///
    /// # Errors
    /// If the caller has no access, or the store fails.
    pub(crate) async fn list_view<V: ViewSource>(
        &self,
        caller: &Caller,
        before: Option<&Id<V>>,
        limit: usize,
    ) -> Result<ViewRecords<V>> {
        check_access::<V>(caller)?;
        let nodes_missing = V::missing_nodes(self);
        let mut records = self.visible_records::<V>(caller, before, limit + 1).await?;
        let more = records.len() > limit;
        records.truncate(limit);
        let before = records.last().filter(|_| more).map(|record| record.id().clone());
        Ok(ViewRecords { records, before, nodes_missing })
    }

    /// Reads one record of a view.
    ///
    /// # Errors
    /// `NotFound`, if the caller has no access, or the store fails.
    pub(crate) async fn get_view<V: ViewSource>(&self, caller: &Caller, id: &Id<V>) -> Result<V> {
        check_access::<V>(caller)?;
        let record = V::get(self, id).await?.ok_or_else(|| view_not_found(id))?;
        if let Some(mut own) = self.own_agents(caller).await?
            && !own.has(self, caller, &record).await?
        {
            return Err(admin_needed());
        }
        Ok(record)
    }

    /// Records that the caller may see, as [`ViewSource::list`] gives them.
    async fn visible_records<V: ViewSource>(
        &self,
        caller: &Caller,
        before: Option<&Id<V>>,
        limit: usize,
    ) -> Result<Vec<V>> {
        let Some(mut own) = self.own_agents(caller).await? else { return V::list(self, before, limit).await };
        let (mut visible, mut before) = (Vec::new(), before.cloned());
        loop {
            let batch = V::list(self, before.as_ref(), OWN_BATCH).await?;
            let is_last = batch.len() < OWN_BATCH;
            before = batch.last().map(|record| record.id().clone()).or(before);
            for record in batch {
                if visible.len() < limit && own.has(self, caller, &record).await? {
                    visible.push(record);
                }
            }
            if is_last || visible.len() == limit {
                return Ok(visible);
            }
        }
    }

    /// The caller's own agents; `None` if the caller sees all of them.
    async fn own_agents(&self, caller: &Caller) -> Result<Option<OwnAgents>> {
        if caller.rights.scope(Access::See) > Scope::Own {
            return Ok(None);
        }
        let mut own = OwnAgents::default();
        for session in self.live.sessions() {
            if own.has_credential(self, caller, &session.credential).await? {
                own.sessions.insert(session.id);
            }
        }
        Ok(Some(own))
    }

    /// Deletes one record of a view.
    ///
    /// # Errors
    /// `NotFound`, if the caller has no access, or the store fails.
    pub(crate) async fn delete_view<V: DeletableView>(&self, caller: &Caller, id: &Id<V>) -> Result<()> {
        caller.check_scope(Access::Change, V::SEEN_WITH)?;
        V::delete(self, caller, id).await
    }
}

fn check_access<V: ViewSource>(caller: &Caller) -> Result<()> {
    caller.check_scope(Access::See, V::SEEN_WITH)
}

/// The agents of a caller who sees no others.
#[derive(Default)]
struct OwnAgents {
    sessions: HashSet<String>,
    /// Credentials that were looked up, and whether they are the caller's.
    credentials: HashMap<String, bool>,
}

impl OwnAgents {
    async fn has<V: ViewSource>(&mut self, ctx: &Resources, caller: &Caller, record: &V) -> Result<bool> {
        if let Some(credential) = record.credential() {
            return self.has_credential(ctx, caller, credential).await;
        }
        Ok(record.session().is_some_and(|session| self.sessions.contains(session)))
    }

    async fn has_credential(&mut self, ctx: &Resources, caller: &Caller, credential: &str) -> Result<bool> {
        if let Some(is_own) = self.credentials.get(credential) {
            return Ok(*is_own);
        }
        let is_own = ctx.credential_owner(credential).await?.is_some_and(|owner| owner == caller.owner);
        self.credentials.insert(credential.to_owned(), is_own);
        Ok(is_own)
    }
}

/// The items older than `before`, newest first, at most `limit`.
fn newest_first<V: View, T>(
    all: Vec<T>,
    id: impl Fn(&T) -> &str,
    before: Option<&Id<V>>,
    limit: usize,
) -> Vec<(Id<V>, T)> {
    let with_id = |item: T| Some((Id::<V>::parse(id(&item)).ok()?, item));
    let mut found: Vec<(Id<V>, T)> =
        all.into_iter().filter_map(with_id).filter(|(id, _)| before.is_none_or(|before| id < before)).collect();
    found.sort_by(|(one, _), (other, _)| other.cmp(one));
    found.truncate(limit);
    found
}
