//! When sessions were last used, and what is told to local services of each: made at the first request, kept since.

use http::{HeaderName, HeaderValue};
use postern_api::{
    Timestamp,
    published::{LoginSession, SessionKey},
};
use std::{
    collections::HashMap,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicI64, Ordering::Relaxed},
    },
};

/// Sessions are spread over so many locks.
const SHARDS: usize = 16;

/// A session that is in use.
pub struct Known {
    session: Arc<LoginSession>,
    /// Seconds since 1970.
    last: AtomicI64,
    /// Used since it was last written down.
    used: AtomicBool,
    headers: Vec<(HeaderName, HeaderValue)>,
    /// Held by the request that asks the provider for the person again; the others wait for it.
    pub(crate) checking: tokio::sync::Mutex<()>,
}

impl Known {
    /// Who it is.
    pub fn session(&self) -> &Arc<LoginSession> {
        &self.session
    }

    /// What local services are told.
    pub fn headers(&self) -> &[(HeaderName, HeaderValue)] {
        &self.headers
    }

    /// Seconds since 1970 of the last request.
    pub(crate) fn last(&self) -> i64 {
        self.last.load(Relaxed)
    }

    /// There is a request now.
    pub(crate) fn touch(&self, now: i64) {
        // Most requests of a second find it done.
        if self.last.load(Relaxed) < now {
            self.last.fetch_max(now, Relaxed);
            self.used.store(true, Relaxed);
        }
    }
}

#[derive(Default)]
pub(crate) struct Seen {
    shards: [RwLock<HashMap<SessionKey, Arc<Known>>>; SHARDS],
}

impl Seen {
    fn shard(&self, key: &SessionKey) -> &RwLock<HashMap<SessionKey, Arc<Known>>> {
        &self.shards[usize::from(key.0[0]) % SHARDS]
    }

    /// A session as it was last seen here, as long as it has not been changed since.
    pub(crate) fn get(
        &self,
        session: &Arc<LoginSession>,
        headers: impl FnOnce(&LoginSession) -> Vec<(HeaderName, HeaderValue)>,
    ) -> Arc<Known> {
        let shard = self.shard(&session.key);
        let former = shard.read().unwrap_or_else(PoisonError::into_inner).get(&session.key).cloned();
        if let Some(known) = &former
            && Arc::ptr_eq(&known.session, session)
        {
            return known.clone();
        }
        let seconds = former.as_ref().map_or(i64::MIN, |known| known.last()).max(session.last_active.seconds());
        let known = Arc::new(Known {
            session: session.clone(),
            last: AtomicI64::new(seconds),
            used: AtomicBool::new(former.is_some_and(|known| known.used.load(Relaxed))),
            headers: headers(session),
            checking: tokio::sync::Mutex::default(),
        });
        shard.write().unwrap_or_else(PoisonError::into_inner).insert(session.key, known.clone());
        known
    }

    /// When a session was last used, as far as that is known here.
    pub(crate) fn last(&self, key: &SessionKey) -> Option<i64> {
        self.shard(key).read().unwrap_or_else(PoisonError::into_inner).get(key).map(|known| known.last())
    }

    /// Which sessions have been used since this was last asked, by their ids. Forgets those that are no more.
    pub(crate) fn used(&self, find: impl Fn(&SessionKey) -> Option<Arc<LoginSession>>) -> Vec<(String, Timestamp)> {
        let mut used = Vec::new();
        for shard in &self.shards {
            shard.write().unwrap_or_else(PoisonError::into_inner).retain(|key, known| {
                let Some(session) = find(key) else { return false };
                if known.used.swap(false, Relaxed)
                    && let Ok(last) = jiff::Timestamp::from_second(known.last())
                {
                    used.push((session.id.clone(), Timestamp::new(last)));
                }
                true
            });
        }
        used
    }
}
