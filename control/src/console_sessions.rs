//! Sessions of the console: what a browser gets in exchange for an API key or a sign-in by an OpenID provider, and sends as a
//! cookie. They are stored, so that they survive a restart and hold at every node. What a session may do is decided at each call,
//! by the key or the user it was begun with.

mod by_provider;
mod stored_session;
mod sweeping;

pub(crate) use sweeping::sweep_regularly;

use crate::{
    resources::{Caller, CommitPlan, Resources, audit::NewEvent, commit_with_retry},
    store::{CommitOutcome, Page, Range},
};
use postern_api::{
    AnyId, Code, Error, Id, Result, Timestamp,
    resource::{ApiKey, AuditOperation, ConsoleSession},
    token::Token,
};
use std::{cmp::Reverse, sync::Arc};
use stored_session::{BegunWith, SESSIONS, StoredSession, key};

/// Sessions in all; a further one ends the one that has been idle for the longest time.
const MAX_SESSIONS: usize = 1000;
/// Sessions of one user or bot user; a further one ends the user's longest idle one.
const MAX_SESSIONS_PER_OWNER: usize = 20;
/// Seconds between two times of the last use that are stored, at most.
const USE_INTERVAL: i64 = 60;

/// A session that a call was made in.
pub(crate) struct CurrentSession {
    pub(crate) caller: Arc<Caller>,
    pub(crate) session: ConsoleSession,
}

/// How a call uses its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SessionUse {
    /// The cookie is one for HTTPS.
    pub(crate) secure: bool,
    /// The person has done something; otherwise the page refreshes itself.
    pub(crate) active: bool,
}

impl Resources {
    /// Begins a session with the rights of the caller's key. The token is shown once.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) async fn sign_in(&self, caller: &Caller, secure: bool) -> Result<(Token, ConsoleSession)> {
        let begun_with = BegunWith::Key { api_key: Id::<ApiKey>::parse(caller.key.as_str())? };
        self.begin_session(caller, begun_with, secure).await
    }

    async fn begin_session(
        &self,
        caller: &Caller,
        begun_with: BegunWith,
        secure: bool,
    ) -> Result<(Token, ConsoleSession)> {
        let begun_with = &begun_with;
        commit_with_retry(move |_| self.try_sign_in(caller, begun_with, secure, Timestamp::now())).await
    }

    /// The session that a token belongs to, and its caller.
    ///
    /// # Errors
    /// `ConsoleSessionEnded` if there is none, it has expired, or its key or user is gone; `CallerInactive` if its owner is not active.
    pub(crate) async fn session(self: &Arc<Self>, token: &Token, how: SessionUse) -> Result<CurrentSession> {
        self.session_at(token, how, Timestamp::now()).await
    }

    async fn session_at(self: &Arc<Self>, token: &Token, how: SessionUse, now: Timestamp) -> Result<CurrentSession> {
        let entry = self.store.get(&key(token.ksuid())).await?.ok_or_else(ended)?;
        let stored = StoredSession::read(&entry)?;
        if !stored.hash.verifies(token) || stored.secure != how.secure {
            return Err(ended());
        }
        if stored.has_expired(self.settings.console_sessions, now) {
            return Err(ended());
        }
        let caller = match &stored.begun_with {
            BegunWith::Key { api_key } => self.caller_of_key(api_key).await?,
            BegunWith::Provider { provider } => {
                let session = AnyId::from_text(id_text(token.ksuid()));
                self.caller_of_person(&stored.owner, provider, session).await?.map(Arc::new)
            }
        };
        let caller = caller.ok_or_else(ended)?;
        if how.active && now.seconds() - stored.last_used.seconds() >= self.use_interval() {
            self.note_use(entry.revision, &stored, token.ksuid(), now);
        }
        let session = self.shown(&stored, token.ksuid(), &caller)?;
        Ok(CurrentSession { caller, session })
    }

    /// Ends one session of the caller. It may have ended already.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) async fn sign_out(&self, caller: &Caller, session: &Id<ConsoleSession>) -> Result<()> {
        let own = key(session.ksuid());
        self.end_sessions_where(caller, |stored_key, _| *stored_key == own).await
    }

    /// Ends all sessions of the caller's owner, whatever key they were begun with.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) async fn sign_out_everywhere(&self, caller: &Caller) -> Result<()> {
        self.end_sessions_where(caller, |_, stored| stored.owner == caller.owner).await
    }

    async fn try_sign_in(
        &self,
        caller: &Caller,
        begun_with: &BegunWith,
        secure: bool,
        now: Timestamp,
    ) -> Result<Option<(Token, ConsoleSession)>> {
        let moment = postern_api::clock::now();
        let page = self.all_sessions().await?;
        let id = Id::<ConsoleSession>::new(moment);
        let token = Token::generate(id.ksuid());
        let caller = &match begun_with {
            BegunWith::Key { .. } => caller.clone(),
            // What is done in the session has its id in the place of a key.
            BegunWith::Provider { .. } => Caller { key: id.any(), ..caller.clone() },
        };
        let session = StoredSession {
            hash: token.hash(),
            begun_with: begun_with.clone(),
            owner: caller.owner.clone(),
            created_at: now,
            last_used: now,
            secure,
        };
        let mut plan = CommitPlan::default();
        plan.expect_none_newer(SESSIONS, page.revision);
        plan.put(&key(id.ksuid()), session.write()?);
        plan.record_event(&caller.author(), event(AuditOperation::Created, id.ksuid()), moment)?;
        for replaced in replaced(&sessions(&page), &session) {
            plan_end(&mut plan, caller, &replaced, moment)?;
        }
        let shown = self.shown(&session, id.ksuid(), caller)?;
        match self.store.commit(plan.into_commit()).await? {
            CommitOutcome::Done(_) => Ok(Some((token, shown))),
            CommitOutcome::Conflict(_) => Ok(None),
        }
    }

    async fn end_sessions_where(
        &self,
        caller: &Caller,
        is_ended: impl Fn(&String, &StoredSession) -> bool + Copy,
    ) -> Result<()> {
        commit_with_retry(move |_| async move {
            let page = self.all_sessions().await?;
            let ending: Vec<_> = sessions(&page).into_iter().filter(|(key, stored)| is_ended(key, stored)).collect();
            if ending.is_empty() {
                return Ok(Some(()));
            }
            let mut plan = CommitPlan::default();
            // A session that begins meanwhile ends, too.
            plan.expect_none_newer(SESSIONS, page.revision);
            let moment = postern_api::clock::now();
            for (key, _) in &ending {
                plan_end(&mut plan, caller, key, moment)?;
            }
            match self.store.commit(plan.into_commit()).await? {
                CommitOutcome::Done(_) => Ok(Some(())),
                CommitOutcome::Conflict(_) => Ok(None),
            }
        })
        .await
    }

    async fn all_sessions(&self) -> Result<Page> {
        Ok(self.store.range(Range::new(SESSIONS, 2 * MAX_SESSIONS)).await?)
    }

    /// Seconds between two stored uses.
    fn use_interval(&self) -> i64 {
        let inactivity = i64::try_from(self.settings.console_sessions.inactivity.as_secs()).unwrap_or(i64::MAX);
        USE_INTERVAL.min(inactivity / 4)
    }

    /// Stores the time of use in a task of its own. If the session was changed or ended meanwhile, nothing is stored.
    fn note_use(self: &Arc<Self>, revision: i64, stored: &StoredSession, ksuid: &str, now: Timestamp) {
        let (resources, own) = (self.clone(), key(ksuid));
        let Ok(value) = (StoredSession { last_used: now, ..stored.clone() }).write() else { return };
        tokio::spawn(async move {
            let mut plan = CommitPlan::default();
            plan.expect_revision(&own, Some(revision));
            plan.put(&own, value);
            if let Err(error) = resources.store.commit(plan.into_commit()).await {
                tracing::debug!(%error, "the use of a console session is stored later");
            }
        });
    }

    fn shown(&self, stored: &StoredSession, ksuid: &str, caller: &Caller) -> Result<ConsoleSession> {
        let limits = self.settings.console_sessions;
        let (api_key_id, email) = match &stored.begun_with {
            BegunWith::Key { api_key } => (Some(api_key.clone()), String::new()),
            BegunWith::Provider { provider } => (None, provider.email.clone()),
        };
        Ok(ConsoleSession {
            id: Id::parse(&id_text(ksuid))?,
            owner_id: caller.owner.clone(),
            owner_name: caller.name.clone(),
            role: caller.rights.role(),
            api_key_id,
            email,
            created_at: stored.created_at,
            expires_at: stored.expires_at(limits),
            inactivity_timeout: limits.inactivity.as_secs(),
        })
    }
}

fn sessions(page: &Page) -> Vec<(String, StoredSession)> {
    let readable = |entry| StoredSession::read(entry).ok();
    page.entries.iter().filter_map(|entry| Some((entry.key.clone(), readable(entry)?))).collect()
}

/// Keys of the sessions that end because a new one begins.
fn replaced(sessions: &[(String, StoredSession)], new: &StoredSession) -> Vec<String> {
    let mut latest_first: Vec<&(String, StoredSession)> = sessions.iter().collect();
    latest_first.sort_by_key(|(_, stored)| Reverse(stored.last_used));
    let own = latest_first.iter().filter(|(_, stored)| stored.owner == new.owner);
    let mut replaced: Vec<String> = own.skip(MAX_SESSIONS_PER_OWNER - 1).map(|(key, _)| key.clone()).collect();
    let left = latest_first.iter().filter(|(key, _)| !replaced.contains(key));
    let excess: Vec<String> = left.skip(MAX_SESSIONS - 1).map(|(key, _)| key.clone()).collect();
    replaced.extend(excess);
    replaced
}

fn plan_end(plan: &mut CommitPlan, caller: &Caller, key: &str, at: jiff::Timestamp) -> Result<()> {
    plan.delete(key);
    let ksuid = key.strip_prefix(SESSIONS).unwrap_or_default();
    plan.record_event(&caller.author(), event(AuditOperation::Deleted, ksuid), at)
}

fn event(operation: AuditOperation, ksuid: &str) -> NewEvent {
    NewEvent::without_settings(ConsoleSession::KIND, operation, &id_text(ksuid))
}

fn id_text(ksuid: &str) -> String {
    format!("cs_{ksuid}")
}

fn ended() -> Error {
    Error::new(Code::ConsoleSessionEnded, "The session has ended. Sign in to the console again.")
}

#[cfg(test)]
mod tests;
