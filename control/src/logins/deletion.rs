//! Deletion of sessions and people, in commits of bounded size.

use super::stored_login::{self, key, use_key};
use crate::{
    resources::{
        Caller, CommitPlan, Resources,
        audit::{EventAuthor, NewEvent},
        commit_with_retry, view_not_found,
    },
    store::{CommitOutcome, Entry, Range, Revision},
};
use postern_api::{
    AnyId, Id, Result,
    resource::{AppSession, AppUser, AuditOperation},
};

impl Resources {
    /// Ends sessions; gives the last commit, if any session existed. `by` is recorded as the cause; by default it is the
    /// person.
    pub(crate) async fn end_sessions(&self, ids: &[String], by: Option<&EventAuthor>) -> Result<Option<Revision>> {
        let mut last = None;
        for batch in ids.chunks(self.sessions_per_commit()) {
            last = self.end_batch(batch, by).await?.or(last);
        }
        Ok(last)
    }

    async fn end_batch(&self, ids: &[String], by: Option<&EventAuthor>) -> Result<Option<Revision>> {
        commit_with_retry(move |_| async move {
            let mut plan = CommitPlan::default();
            let mut any = false;
            for id in ids {
                let Some(entry) = self.store.get(&key::<AppSession>(id)).await? else { continue };
                any = true;
                let user = AnyId::from_text(stored_login::session_user(&entry)?);
                let visitor = EventAuthor::visitor(&user);
                self.plan_session_end(&mut plan, id, &entry, by.unwrap_or(&visitor))?;
            }
            if !any {
                return Ok(Some(None));
            }
            match self.store.commit(plan.into_commit()).await? {
                CommitOutcome::Done(revision) => Ok(Some(Some(revision))),
                CommitOutcome::Conflict(_) => Ok(None),
            }
        })
        .await
    }

    /// Plans the deletion of a session, its link and its time of last use.
    pub(super) fn plan_session_end(
        &self,
        plan: &mut CommitPlan,
        id: &str,
        entry: &Entry,
        by: &EventAuthor,
    ) -> Result<()> {
        let (link, _) = stored_login::session_link(&stored_login::session_user(entry)?, id)?;
        plan.expect_present(&entry.key);
        for key in [&entry.key, &link, &use_key(id)] {
            plan.delete(key);
        }
        let event = NewEvent::of_view::<AppSession>(AuditOperation::Deleted, id);
        self.record_login(plan, by, event, postern_api::clock::now())
    }

    /// Ends one session on request of a caller.
    pub(crate) async fn delete_app_session(&self, caller: &Caller, id: &Id<AppSession>) -> Result<()> {
        let ended = self.end_sessions(&[id.to_string()], Some(&caller.author())).await?;
        self.wait_until_published(ended.ok_or_else(|| view_not_found(id))?).await
    }

    /// Ends all sessions of a person and deletes the person.
    pub(crate) async fn delete_app_user(&self, caller: &Caller, id: &Id<AppUser>) -> Result<()> {
        commit_with_retry(move |_| async move {
            let links = stored_login::session_links(id);
            // A batch of ended sessions is progress, not a collision: the next one follows without a pause.
            let page = loop {
                let page = self.store.range(Range::new(links.clone(), self.sessions_per_commit())).await?;
                if page.entries.is_empty() {
                    break page;
                }
                let ids = page.entries.iter().filter_map(|link| link.key.rsplit('/').next()).map(str::to_owned);
                self.end_sessions(&ids.collect::<Vec<_>>(), Some(&caller.author())).await?;
            };
            let entry = self.store.get(&key::<AppUser>(id.as_str())).await?.ok_or_else(|| view_not_found(id))?;
            let mut plan = CommitPlan::default();
            plan.expect_revision(&entry.key, Some(entry.revision));
            plan.expect_none_newer(&links, page.revision);
            plan.update_claims(id.as_str(), &stored_login::claims(&entry)?, &[]);
            plan.delete(&entry.key);
            plan.delete(&use_key(id.as_str()));
            let event = NewEvent::of_view::<AppUser>(AuditOperation::Deleted, id.as_str());
            plan.record_event(&caller.author(), event, postern_api::clock::now())?;
            match self.store.commit(plan.into_commit()).await? {
                CommitOutcome::Done(revision) => self.wait_until_published(revision).await.map(Some),
                CommitOutcome::Conflict(_) => Ok(None),
            }
        })
        .await
    }
}
