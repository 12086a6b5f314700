//! Keeps sessions in memory and publishes them at once.

use futures::future::BoxFuture;
use postern_api::{
    Error, Timestamp,
    published::{LoginSession, LoginSessions, SessionKey},
};
use postern_logins::{Ledger, Logins};
use std::sync::{
    Arc, Mutex, OnceLock, Weak,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

#[derive(Default)]
pub(crate) struct Books {
    kept: Mutex<Vec<LoginSession>>,
    logins: OnceLock<Weak<Logins>>,
    next: AtomicUsize,
    pub(crate) renewals: AtomicUsize,
}

impl Books {
    pub(crate) fn tell(&self, logins: &Arc<Logins>) {
        let _ = self.logins.set(Arc::downgrade(logins));
    }

    pub(crate) fn sessions(&self) -> Vec<LoginSession> {
        self.kept.lock().expect("kept").clone()
    }

    fn change(&self, change: impl FnOnce(&mut Vec<LoginSession>)) -> BoxFuture<'_, Result<(), Error>> {
        let mut kept = self.kept.lock().expect("kept");
        change(&mut kept);
        let all: LoginSessions = kept.iter().map(|session| (session.key, Arc::new(session.clone()))).collect();
        if let Some(logins) = self.logins.get().and_then(Weak::upgrade) {
            logins.publish(all);
        }
        Box::pin(std::future::ready(Ok(())))
    }
}

impl Ledger for Books {
    fn begin(&self, mut session: LoginSession, renamed: Vec<(String, SessionKey)>) -> BoxFuture<'_, Result<(), Error>> {
        session.id = format!("as_{}", self.next.fetch_add(1, Relaxed));
        session.user = format!("au_{}", session.person.id);
        self.change(|kept| {
            for (id, key) in renamed {
                kept.iter_mut().filter(|kept| kept.id == id).for_each(|kept| kept.key = key);
            }
            kept.push(session);
        })
    }

    fn renew(&self, session: LoginSession) -> BoxFuture<'_, Result<(), Error>> {
        self.renewals.fetch_add(1, Relaxed);
        self.change(|kept| {
            kept.iter_mut().filter(|kept| kept.id == session.id).for_each(|kept| *kept = session.clone())
        })
    }

    fn end(&self, ids: Vec<String>) -> BoxFuture<'_, Result<(), Error>> {
        self.change(|kept| kept.retain(|session| !ids.contains(&session.id)))
    }

    fn used(&self, used: Vec<(String, Timestamp)>) -> BoxFuture<'_, Result<(), Error>> {
        self.change(|kept| {
            for (id, last) in used {
                kept.iter_mut().filter(|kept| kept.id == id).for_each(|kept| kept.last_active = last);
            }
        })
    }
}
