//! How sessions and people go: in commits of a bounded size, however many there are.

use super::{
    BATCH,
    stored::{self, key, use_key},
};
use crate::{
    resources::{ATTEMPTS, Caller, Plan, Resources, pause},
    store::{Entry, Outcome, Range, Revision},
    views::gone,
};
use postern_api::{
    AnyId, Code, Id, Result,
    resource::{AppSession, AppUser},
};

impl Resources {
    /// Ends sessions. Gives the last commit, if there was something to end. `by`: who wants it, if not the person.
    pub(crate) async fn end_sessions(&self, ids: &[String], by: Option<&AnyId>) -> Result<Option<Revision>> {
        let mut last = None;
        for some in ids.chunks(BATCH) {
            last = self.end_some(some, by).await?.or(last);
        }
        Ok(last)
    }

    async fn end_some(&self, ids: &[String], by: Option<&AnyId>) -> Result<Option<Revision>> {
        for attempt in 0..ATTEMPTS {
            let mut plan = Plan::default();
            let mut any = false;
            for id in ids {
                let Some(entry) = self.store.get(&key::<AppSession>(id)).await? else { continue };
                any = true;
                let user = AnyId::from_text(stored::owner(&entry)?);
                self.plan_end(&mut plan, id, &entry, by.unwrap_or(&user))?;
            }
            if !any {
                return Ok(None);
            }
            if let Outcome::Done(revision) = self.store.commit(plan.commit()).await? {
                return Ok(Some(revision));
            }
            pause(attempt).await;
        }
        Err(Code::StorageConflict.into())
    }

    /// Plans the end of one session and of all that is kept with it.
    pub(super) fn plan_end(&self, plan: &mut Plan, id: &str, entry: &Entry, by: &AnyId) -> Result<()> {
        let (tie, _) = stored::tie(&stored::owner(entry)?, id)?;
        plan.present(&entry.key);
        for key in [&entry.key, &tie, &use_key(id)] {
            plan.delete(key);
        }
        plan.event("app_session_deleted", id, by, jiff::Timestamp::now())
    }

    /// Ends one session because somebody says so.
    pub(crate) async fn remove_app_session(&self, caller: &Caller, id: &Id<AppSession>) -> Result<()> {
        let ended = self.end_sessions(&[id.to_string()], Some(&caller.key)).await?;
        self.seen(ended.ok_or_else(|| gone(id))?).await
    }

    /// Ends all sessions of a person, and forgets them.
    pub(crate) async fn remove_app_user(&self, caller: &Caller, id: &Id<AppUser>) -> Result<()> {
        for attempt in 0..ATTEMPTS {
            let entry = self.store.get(&key::<AppUser>(id.as_str())).await?.ok_or_else(|| gone(id))?;
            let ties = stored::sessions_of(id);
            let page = self.store.range(Range::of(ties.clone(), BATCH)).await?;
            if !page.entries.is_empty() {
                let ids = page.entries.iter().filter_map(|tie| tie.key.rsplit('/').next()).map(str::to_owned);
                self.end_sessions(&ids.collect::<Vec<_>>(), Some(&caller.key)).await?;
                continue;
            }
            let mut plan = Plan::default();
            plan.unchanged(&entry.key, Some(entry.revision));
            plan.none_newer(&ties, page.revision);
            plan.claim(id.as_str(), &stored::claims(&entry)?, &[]);
            plan.delete(&entry.key);
            plan.delete(&use_key(id.as_str()));
            plan.event("app_user_deleted", id.as_str(), &caller.key, jiff::Timestamp::now())?;
            if let Outcome::Done(revision) = self.store.commit(plan.commit()).await? {
                return self.seen(revision).await;
            }
            pause(attempt).await;
        }
        Err(Code::StorageConflict.into())
    }
}
