//! Time of each session's last request, and its identity headers, which are made at the first request.

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

/// Number of locks that the sessions are spread over.
const SHARDS: usize = 16;

/// A session in use.
pub struct ActiveSession {
    session: Arc<LoginSession>,
    /// Milliseconds since 1970.
    last_request: AtomicI64,
    /// Used since the last flush.
    used: AtomicBool,
    headers: Vec<(HeaderName, HeaderValue)>,
    /// Held by the request that checks the person with the provider again; concurrent requests wait for it.
    pub(crate) recheck: tokio::sync::Mutex<()>,
}

impl ActiveSession {
    /// The session itself.
    pub fn session(&self) -> &Arc<LoginSession> {
        &self.session
    }

    /// Headers that tell local services about the person.
    pub fn headers(&self) -> &[(HeaderName, HeaderValue)] {
        &self.headers
    }

    /// Time of the last request, in milliseconds since 1970.
    pub(crate) fn last_request(&self) -> i64 {
        self.last_request.load(Relaxed)
    }

    /// Records a request; `now` is in milliseconds since 1970.
    pub(crate) fn touch(&self, now: i64) {
        // Concurrent requests of one moment find nothing to write.
        if self.last_request.load(Relaxed) < now {
            self.last_request.fetch_max(now, Relaxed);
            self.used.store(true, Relaxed);
        }
    }
}

/// The last request that a stored session tells of, in milliseconds since 1970. It is stored with whole seconds.
pub(crate) fn stored_last_request(session: &LoginSession) -> i64 {
    session.last_active.seconds().saturating_mul(1000)
}

/// All sessions in use, by key.
#[derive(Default)]
pub(crate) struct LastUsed {
    shards: [RwLock<HashMap<SessionKey, Arc<ActiveSession>>>; SHARDS],
}

impl LastUsed {
    fn shard(&self, key: &SessionKey) -> &RwLock<HashMap<SessionKey, Arc<ActiveSession>>> {
        &self.shards[usize::from(key.0[0]) % SHARDS]
    }

    /// The entry of a session. A session that was published anew gets a new entry, with the former one's last request.
    pub(crate) fn get(
        &self,
        session: &Arc<LoginSession>,
        headers: impl FnOnce(&LoginSession) -> Vec<(HeaderName, HeaderValue)>,
    ) -> Arc<ActiveSession> {
        let shard = self.shard(&session.key);
        let former = shard.read().unwrap_or_else(PoisonError::into_inner).get(&session.key).cloned();
        if let Some(active) = &former
            && Arc::ptr_eq(&active.session, session)
        {
            return active.clone();
        }
        let last_request = former.as_ref().map_or(i64::MIN, |active| active.last_request());
        let active = Arc::new(ActiveSession {
            session: session.clone(),
            last_request: AtomicI64::new(last_request.max(stored_last_request(session))),
            used: AtomicBool::new(former.is_some_and(|active| active.used.load(Relaxed))),
            headers: headers(session),
            recheck: tokio::sync::Mutex::default(),
        });
        shard.write().unwrap_or_else(PoisonError::into_inner).insert(session.key, active.clone());
        active
    }

    /// Time of a session's last request to this process, in milliseconds since 1970.
    pub(crate) fn last_request(&self, key: &SessionKey) -> Option<i64> {
        let shard = self.shard(key).read().unwrap_or_else(PoisonError::into_inner);
        shard.get(key).map(|active| active.last_request())
    }

    /// Ids of the sessions used since the last call, with their last requests. Removes sessions that have ended.
    pub(crate) fn take_used(
        &self,
        find: impl Fn(&SessionKey) -> Option<Arc<LoginSession>>,
    ) -> Vec<(String, Timestamp)> {
        let mut used = Vec::new();
        for shard in &self.shards {
            shard.write().unwrap_or_else(PoisonError::into_inner).retain(|key, active| {
                let Some(session) = find(key) else { return false };
                if active.used.swap(false, Relaxed)
                    && let Ok(last) = jiff::Timestamp::from_millisecond(active.last_request())
                {
                    used.push((session.id.clone(), Timestamp::new(last)));
                }
                true
            });
        }
        used
    }
}
