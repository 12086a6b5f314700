//! A session store in memory that publishes changes immediately.

use futures::future::BoxFuture;
use postern_api::{
    Error, Timestamp,
    published::{LoginSession, LoginSessions, SessionKey},
};
use postern_logins::{Logins, SessionStore, SpentId};
use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex, OnceLock, Weak,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

#[derive(Default)]
pub(crate) struct MemoryStore {
    sessions: Mutex<Vec<LoginSession>>,
    logins: OnceLock<Weak<Logins>>,
    next: AtomicUsize,
    pub(crate) renewals: AtomicUsize,
    /// Assertions that were accepted; nodes share it.
    spent: Arc<Mutex<HashSet<[u8; 32]>>>,
}

impl MemoryStore {
    /// The store of a node that shares the assertions that were accepted.
    pub(crate) fn sharing(spent: &Arc<Mutex<HashSet<[u8; 32]>>>) -> Self {
        MemoryStore { spent: spent.clone(), ..MemoryStore::default() }
    }

    pub(crate) fn connect(&self, logins: &Arc<Logins>) {
        let _ = self.logins.set(Arc::downgrade(logins));
    }

    pub(crate) fn sessions(&self) -> Vec<LoginSession> {
        self.sessions.lock().expect("sessions").clone()
    }

    fn change(&self, change: impl FnOnce(&mut Vec<LoginSession>)) -> BoxFuture<'_, Result<(), Error>> {
        let mut sessions = self.sessions.lock().expect("sessions");
        change(&mut sessions);
        let all: LoginSessions = sessions.iter().map(|session| (session.key, Arc::new(session.clone()))).collect();
        if let Some(logins) = self.logins.get().and_then(Weak::upgrade) {
            logins.publish(all);
        }
        Box::pin(std::future::ready(Ok(())))
    }
}

impl SessionStore for MemoryStore {
    fn create(
        &self,
        mut session: LoginSession,
        rekeyed: Vec<(String, SessionKey)>,
    ) -> BoxFuture<'_, Result<(), Error>> {
        session.id = format!("as_{}", self.next.fetch_add(1, Relaxed));
        session.user = format!("au_{}", session.person.id);
        self.change(|sessions| {
            for (id, key) in rekeyed {
                sessions.iter_mut().filter(|stored| stored.id == id).for_each(|stored| stored.key = key);
            }
            sessions.push(session);
        })
    }

    fn renew(&self, session: LoginSession) -> BoxFuture<'_, Result<(), Error>> {
        self.renewals.fetch_add(1, Relaxed);
        self.change(|sessions| {
            sessions.iter_mut().filter(|stored| stored.id == session.id).for_each(|stored| *stored = session.clone())
        })
    }

    fn end(&self, ids: Vec<String>) -> BoxFuture<'_, Result<(), Error>> {
        self.change(|sessions| sessions.retain(|session| !ids.contains(&session.id)))
    }

    fn spend(&self, ids: Vec<SpentId>) -> BoxFuture<'_, Result<bool, Error>> {
        let mut spent = self.spent.lock().expect("the ids");
        let is_new = ids.iter().all(|id| !spent.contains(&id.digest));
        spent.extend(ids.into_iter().map(|id| id.digest));
        Box::pin(std::future::ready(Ok(is_new)))
    }

    fn record_use(&self, used: Vec<(String, Timestamp)>) -> BoxFuture<'_, Result<(), Error>> {
        self.change(|sessions| {
            for (id, last) in used {
                sessions.iter_mut().filter(|stored| stored.id == id).for_each(|stored| stored.last_active = last);
            }
        })
    }
}
