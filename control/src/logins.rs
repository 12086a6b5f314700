//! People who have logged in at the edge, and their sessions. They are stored, so that they survive a restart and can be
//! ended through the API.

mod deletion;
mod spent_ids;
pub(crate) mod stored_login;

use crate::{
    resources::{
        CommitPlan, Resources,
        audit::{EventAuthor, NewEvent},
        commit_with_retry,
    },
    store::{CommitOutcome, Range, Revision},
};
use postern_api::{
    Code, Error, Id, Result, Timestamp,
    published::{LoginSession, Person, SessionKey},
    resource::{AppSession, AppUser, AuditOperation},
};
pub use spent_ids::SpentAssertion;
pub(crate) use spent_ids::sweep_spent_regularly;
use std::{collections::HashMap, sync::Arc};
use stored_login::{StoredUser, key, use_key};

const MAX_SESSIONS_PER_COMMIT: usize = 200;
/// Sessions of one person; a further login ends the oldest.
const MAX_SESSIONS_PER_USER: usize = 1000;

/// Store of all logins. A change is published when its call returns.
#[derive(Clone)]
pub struct LoginStore {
    pub(crate) resources: Arc<Resources>,
}

impl LoginStore {
    /// Stores a new session, and the person if this is their first login. Sessions in `renamed`, by id, get another key.
    /// All of it happens, or nothing.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn begin(&self, session: LoginSession, renamed: Vec<(String, SessionKey)>) -> Result<()> {
        let (ctx, session, renamed) = (&self.resources, &session, &renamed);
        let begun = commit_with_retry(move |_| ctx.try_begin(session, renamed)).await?;
        ctx.wait_until_published(begun).await
    }

    /// Renews a session with the provider's current description of the person.
    ///
    /// # Errors
    /// `LoginNeeded` if the session has ended, or if the store fails.
    pub async fn renew(&self, session: LoginSession) -> Result<()> {
        let (ctx, session) = (&self.resources, &session);
        let renewed = commit_with_retry(move |_| ctx.try_renew(session)).await?;
        ctx.wait_until_published(renewed).await
    }

    /// Ends sessions by their ids. Unknown ids are ignored.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn end(&self, ids: &[String]) -> Result<()> {
        match self.resources.end_sessions(ids, None).await? {
            Some(revision) => self.resources.wait_until_published(revision).await,
            None => Ok(()),
        }
    }

    /// Marks SAML assertions as used, in one commit. Whether none of them was used before, at any node.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn spend(&self, assertions: &[SpentAssertion]) -> Result<bool> {
        self.resources.spend(assertions).await
    }

    /// Stores when sessions were last used, by their ids. Nothing is published: the edge tracks it itself.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn record_uses(&self, uses: &[(String, Timestamp)]) -> Result<()> {
        for batch in uses.chunks(self.resources.sessions_per_commit()) {
            self.resources.store_uses(batch).await?;
        }
        Ok(())
    }
}

impl Resources {
    /// Sessions that one commit changes at most; each is one condition.
    fn sessions_per_commit(&self) -> usize {
        MAX_SESSIONS_PER_COMMIT.min(self.store.limits().conditions)
    }

    /// Commits a new session; `None` if it collided with another change.
    async fn try_begin(&self, session: &LoginSession, renamed: &[(String, SessionKey)]) -> Result<Option<Revision>> {
        let mut plan = CommitPlan::default();
        let now = session.created_at;
        let started_at = jiff_timestamp(now);
        let Some(user) = self.plan_person(&mut plan, &session.person, now).await? else { return Ok(None) };
        let id = Id::<AppSession>::new(started_at);
        let session = LoginSession { id: id.to_string(), user: user.to_string(), ..session.clone() };
        let own = key::<AppSession>(id.as_str());
        plan.expect_revision(&own, None);
        plan.put(&own, stored_login::encode_session(&self.codec, &session)?);
        let (link, link_entry) = stored_login::session_link(user.as_str(), id.as_str())?;
        plan.put(&link, link_entry);
        plan.put(&use_key(user.as_str()), stored_login::encode_time(now));
        let event = NewEvent::of_view::<AppSession>(AuditOperation::Created, id.as_str());
        self.record_login(&mut plan, &EventAuthor::visitor(&user.any()), event, started_at)?;
        for (id, secret) in renamed {
            let Some(entry) = self.store.get(&key::<AppSession>(id)).await? else { continue };
            plan.expect_revision(&entry.key, Some(entry.revision));
            let former: LoginSession = stored_login::read(&self.codec, &entry)?;
            // The browser has just used it.
            let moved = LoginSession { key: *secret, last_active: now, ..former };
            plan.put(&entry.key, stored_login::encode_session(&self.codec, &moved)?);
        }
        self.plan_session_limit(&mut plan, &user).await?;
        match self.store.commit(plan.into_commit()).await? {
            CommitOutcome::Done(revision) => Ok(Some(revision)),
            CommitOutcome::Conflict(_) => Ok(None),
        }
    }

    /// Records what a visitor does, unless the server does not record logins.
    fn record_login(
        &self,
        plan: &mut CommitPlan,
        author: &EventAuthor,
        event: NewEvent,
        at: jiff::Timestamp,
    ) -> Result<()> {
        if author.is_visitor() && !self.settings.audited.logins {
            return Ok(());
        }
        plan.record_event(author, event, at)
    }

    /// Plans the login of a known or new person. `None` if the person is being deleted.
    async fn plan_person(&self, plan: &mut CommitPlan, person: &Person, now: Timestamp) -> Result<Option<Id<AppUser>>> {
        // Claims of a single session are not part of the person.
        let person = Person { told: Default::default(), ..person.clone() };
        let claim = stored_login::claim(&person);
        let mut user = StoredUser { person, created_at: now, last_login: now };
        let id = match self.claim_holder(&claim).await? {
            Some(holder) => {
                let id = Id::<AppUser>::parse(holder.as_str())?;
                let Some(entry) = self.store.get(&key::<AppUser>(id.as_str())).await? else { return Ok(None) };
                plan.expect_revision(&entry.key, Some(entry.revision));
                match stored_login::read::<StoredUser>(&self.codec, &entry) {
                    Ok(former) => user.created_at = former.created_at,
                    // The identity is known from the claim; the rest comes from the new login.
                    Err(error) => tracing::warn!(%error, "a stored person cannot be read and is replaced"),
                }
                id
            }
            None => {
                let id = Id::<AppUser>::new(jiff_timestamp(now));
                plan.update_claims(id.as_str(), &[], std::slice::from_ref(&claim));
                let event = NewEvent::of_view::<AppUser>(AuditOperation::Created, id.as_str());
                self.record_login(plan, &EventAuthor::visitor(&id.any()), event, jiff_timestamp(now))?;
                id
            }
        };
        plan.put(&key::<AppUser>(id.as_str()), stored_login::encode_user(&self.codec, &id, &user)?);
        Ok(Some(id))
    }

    /// Commits a renewed session; `None` if it collided with another change.
    async fn try_renew(&self, session: &LoginSession) -> Result<Option<Revision>> {
        let Some(entry) = self.store.get(&key::<AppSession>(&session.id)).await? else {
            let sentence = "The session has ended meanwhile. Log in again.";
            return Err(Error::new(Code::LoginNeeded, sentence));
        };
        let mut plan = CommitPlan::default();
        plan.expect_revision(&entry.key, Some(entry.revision));
        let former: LoginSession = stored_login::read(&self.codec, &entry)?;
        let person = session.person.clone();
        if person != former.person
            && let Some(entry) = self.store.get(&key::<AppUser>(&former.user)).await?
            && stored_login::claim(&person) == stored_login::claim(&former.person)
        {
            plan.expect_revision(&entry.key, Some(entry.revision));
            let user: StoredUser = stored_login::read(&self.codec, &entry)?;
            let updated = StoredUser { person: Person { told: Default::default(), ..person }, ..user };
            plan.put(&entry.key, stored_login::encode_user(&self.codec, &Id::parse(&former.user)?, &updated)?);
        }
        // Another login may have changed the key; id, person and start never change.
        let (id, user, key, created_at) = (former.id, former.user, former.key, former.created_at);
        let renewed = LoginSession { id, user, key, created_at, ..session.clone() };
        plan.put(&entry.key, stored_login::encode_session(&self.codec, &renewed)?);
        match self.store.commit(plan.into_commit()).await? {
            CommitOutcome::Done(revision) => Ok(Some(revision)),
            CommitOutcome::Conflict(_) => Ok(None),
        }
    }

    /// Plans the end of a person's oldest sessions if the limit is reached.
    async fn plan_session_limit(&self, plan: &mut CommitPlan, user: &Id<AppUser>) -> Result<()> {
        let page = self.store.range(Range::new(stored_login::session_links(user), MAX_SESSIONS_PER_USER)).await?;
        for link in page.entries.iter().skip(MAX_SESSIONS_PER_USER - 1) {
            let id = link.key.rsplit('/').next().unwrap_or_default();
            if let Some(entry) = self.store.get(&key::<AppSession>(id)).await? {
                self.plan_session_end(plan, id, &entry, &EventAuthor::visitor(&user.any()))?;
            }
        }
        Ok(())
    }

    async fn store_uses(&self, uses: &[(String, Timestamp)]) -> Result<()> {
        commit_with_retry(move |_| async move {
            let mut plan = CommitPlan::default();
            let mut people: HashMap<String, Timestamp> = HashMap::new();
            for (id, at) in uses {
                // The session may have ended.
                let Some(entry) = self.store.get(&key::<AppSession>(id)).await? else { continue };
                plan.expect_present(&entry.key);
                plan.put(&use_key(id), stored_login::encode_time(*at));
                let user = stored_login::session_user(&entry)?;
                people.entry(user).and_modify(|last| *last = (*last).max(*at)).or_insert(*at);
            }
            for (user, at) in people {
                if self.last_use(&user).await?.is_none_or(|last| last < at) {
                    plan.put(&use_key(&user), stored_login::encode_time(at));
                }
            }
            match self.store.commit(plan.into_commit()).await? {
                CommitOutcome::Done(_) => Ok(Some(())),
                CommitOutcome::Conflict(_) => Ok(None),
            }
        })
        .await
    }

    /// Stored time at which a session or a person was last active.
    pub(crate) async fn last_use(&self, id: &str) -> Result<Option<Timestamp>> {
        Ok(self.store.get(&use_key(id)).await?.and_then(|entry| stored_login::decode_time(&entry.value)))
    }
}

fn jiff_timestamp(at: Timestamp) -> jiff::Timestamp {
    jiff::Timestamp::from_second(at.seconds()).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
}
