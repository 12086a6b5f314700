//! Who has logged in at the edge: people and their sessions, kept in the store so that they outlive the server and can
//! be ended from elsewhere.

mod ending;
pub(crate) mod stored;

use crate::{
    resources::{ATTEMPTS, Plan, Resources, pause},
    store::{Outcome, Range, Revision},
};
use postern_api::{
    Code, Error, Id, Result, Timestamp,
    published::{LoginSession, Person, SessionKey},
    resource::{AppSession, AppUser},
};
use std::{collections::HashMap, sync::Arc};
use stored::{User, key, use_key};

/// Sessions in one commit.
const BATCH: usize = 200;
/// The most sessions of one person; when there would be more, the oldest ends.
const MOST_SESSIONS: usize = 1000;

/// The logins of all visitors, as the store keeps them. What is done is published when the answer comes.
#[derive(Clone)]
pub struct KeptLogins {
    pub(crate) resources: Arc<Resources>,
}

impl KeptLogins {
    /// A session begins, and the person is made if this is their first. Sessions named by their id go on under another
    /// key. All of that happens, or nothing.
    ///
    /// # Errors
    /// If the store does not take it.
    pub async fn begin(&self, session: LoginSession, renamed: Vec<(String, SessionKey)>) -> Result<()> {
        let here = &self.resources;
        for attempt in 0..ATTEMPTS {
            if let Some(revision) = here.try_begin(&session, &renamed).await? {
                return here.seen(revision).await;
            }
            pause(attempt).await;
        }
        Err(Code::StorageConflict.into())
    }

    /// A session goes on with what the provider says of the person now.
    ///
    /// # Errors
    /// If it has ended meanwhile, or the store does not take it.
    pub async fn renew(&self, session: LoginSession) -> Result<()> {
        let here = &self.resources;
        for attempt in 0..ATTEMPTS {
            if let Some(revision) = here.try_renew(&session).await? {
                return here.seen(revision).await;
            }
            pause(attempt).await;
        }
        Err(Code::StorageConflict.into())
    }

    /// Sessions end, by their ids. Those that are no more are no error.
    ///
    /// # Errors
    /// If the store does not take it.
    pub async fn end(&self, ids: &[String]) -> Result<()> {
        match self.resources.end_sessions(ids, None).await? {
            Some(revision) => self.resources.seen(revision).await,
            None => Ok(()),
        }
    }

    /// Notes down when sessions were last used, by their ids. The edge knows already: nothing is published.
    ///
    /// # Errors
    /// If the store does not take it.
    pub async fn used(&self, used: &[(String, Timestamp)]) -> Result<()> {
        for some in used.chunks(BATCH) {
            self.resources.note_uses(some).await?;
        }
        Ok(())
    }
}

impl Resources {
    /// `None`: something moved, look again.
    async fn try_begin(&self, session: &LoginSession, renamed: &[(String, SessionKey)]) -> Result<Option<Revision>> {
        let mut plan = Plan::default();
        let now = session.created_at;
        let moment = moment(now);
        let Some(user) = self.person(&mut plan, &session.person, now).await? else { return Ok(None) };
        let id = Id::<AppSession>::new(moment);
        let session = LoginSession { id: id.to_string(), user: user.to_string(), ..session.clone() };
        let own = key::<AppSession>(id.as_str());
        plan.unchanged(&own, None);
        plan.put(&own, stored::write_session(&self.codec, &session)?);
        let (tie, tied) = stored::tie(user.as_str(), id.as_str())?;
        plan.put(&tie, tied);
        plan.put(&use_key(user.as_str()), stored::moment(now));
        plan.event("app_session_created", id.as_str(), &user.any(), moment)?;
        for (id, secret) in renamed {
            let Some(entry) = self.store.get(&key::<AppSession>(id)).await? else { continue };
            plan.unchanged(&entry.key, Some(entry.revision));
            let former: LoginSession = stored::read(&self.codec, &entry)?;
            // The browser is there at this moment.
            let moved = LoginSession { key: *secret, last_active: now, ..former };
            plan.put(&entry.key, stored::write_session(&self.codec, &moved)?);
        }
        self.make_room(&mut plan, &user).await?;
        match self.store.commit(plan.commit()).await? {
            Outcome::Done(revision) => Ok(Some(revision)),
            Outcome::Conflict(_) => Ok(None),
        }
    }

    /// Plans that a person has logged in, perhaps for the first time. `None`: they are deleted at this moment.
    async fn person(&self, plan: &mut Plan, person: &Person, now: Timestamp) -> Result<Option<Id<AppUser>>> {
        // What only this session is told about them is nothing to remember.
        let person = Person { told: Default::default(), ..person.clone() };
        let claim = stored::claim(&person);
        let mut user = User { person, created_at: now, last_login: now };
        let id = match self.holder(&claim).await? {
            Some(known) => {
                let id = Id::<AppUser>::parse(known.as_str())?;
                let Some(entry) = self.store.get(&key::<AppUser>(id.as_str())).await? else { return Ok(None) };
                plan.unchanged(&entry.key, Some(entry.revision));
                match stored::read::<User>(&self.codec, &entry) {
                    Ok(former) => user.created_at = former.created_at,
                    // They are who they are, whatever was known of them.
                    Err(error) => tracing::warn!(%error, "a person is written anew"),
                }
                id
            }
            None => {
                let id = Id::<AppUser>::new(moment(now));
                plan.claim(id.as_str(), &[], std::slice::from_ref(&claim));
                plan.event("app_user_created", id.as_str(), &id.any(), moment(now))?;
                id
            }
        };
        plan.put(&key::<AppUser>(id.as_str()), stored::write_user(&self.codec, &id, &user)?);
        Ok(Some(id))
    }

    async fn try_renew(&self, session: &LoginSession) -> Result<Option<Revision>> {
        let Some(entry) = self.store.get(&key::<AppSession>(&session.id)).await? else {
            let sentence = "The session has ended meanwhile. Log in again.";
            return Err(Error::new(Code::LoginNeeded, sentence));
        };
        let mut plan = Plan::default();
        plan.unchanged(&entry.key, Some(entry.revision));
        let former: LoginSession = stored::read(&self.codec, &entry)?;
        let person = session.person.clone();
        if person != former.person
            && let Some(entry) = self.store.get(&key::<AppUser>(&former.user)).await?
            && stored::claim(&person) == stored::claim(&former.person)
        {
            plan.unchanged(&entry.key, Some(entry.revision));
            let known: User = stored::read(&self.codec, &entry)?;
            let now = User { person: Person { told: Default::default(), ..person }, ..known };
            plan.put(&entry.key, stored::write_user(&self.codec, &Id::parse(&former.user)?, &now)?);
        }
        // Another login may have given it another key, and nothing gives it to somebody else.
        let (id, user, key, created_at) = (former.id, former.user, former.key, former.created_at);
        let renewed = LoginSession { id, user, key, created_at, ..session.clone() };
        plan.put(&entry.key, stored::write_session(&self.codec, &renewed)?);
        match self.store.commit(plan.commit()).await? {
            Outcome::Done(revision) => Ok(Some(revision)),
            Outcome::Conflict(_) => Ok(None),
        }
    }

    /// Plans the end of the oldest sessions of somebody who has as many as there may be.
    async fn make_room(&self, plan: &mut Plan, user: &Id<AppUser>) -> Result<()> {
        let page = self.store.range(Range::of(stored::sessions_of(user), MOST_SESSIONS)).await?;
        for tie in page.entries.iter().skip(MOST_SESSIONS - 1) {
            let id = tie.key.rsplit('/').next().unwrap_or_default();
            if let Some(entry) = self.store.get(&key::<AppSession>(id)).await? {
                self.plan_end(plan, id, &entry, &user.any())?;
            }
        }
        Ok(())
    }

    async fn note_uses(&self, used: &[(String, Timestamp)]) -> Result<()> {
        for attempt in 0..ATTEMPTS {
            let mut plan = Plan::default();
            let mut people: HashMap<String, Timestamp> = HashMap::new();
            for (id, at) in used {
                // One that has ended is not used any more.
                let Some(entry) = self.store.get(&key::<AppSession>(id)).await? else { continue };
                plan.present(&entry.key);
                plan.put(&use_key(id), stored::moment(*at));
                people.entry(stored::owner(&entry)?).and_modify(|last| *last = (*last).max(*at)).or_insert(*at);
            }
            for (user, at) in people {
                if self.last_use(&user).await?.is_none_or(|last| last < at) {
                    plan.put(&use_key(&user), stored::moment(at));
                }
            }
            if let Outcome::Done(_) = self.store.commit(plan.commit()).await? {
                return Ok(());
            }
            pause(attempt).await;
        }
        Err(Code::StorageConflict.into())
    }

    /// When a session or a person was active last, as far as that was written down.
    pub(crate) async fn last_use(&self, id: &str) -> Result<Option<Timestamp>> {
        Ok(self.store.get(&use_key(id)).await?.and_then(|entry| stored::read_moment(&entry.value)))
    }
}

fn moment(at: Timestamp) -> jiff::Timestamp {
    jiff::Timestamp::from_second(at.seconds()).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
}
