//! Periodic work: storing when sessions were last used, and ending those that have expired.

use crate::{last_used::ActiveSession, logins::Logins};
use postern_api::published::LoginSession;
use std::{
    sync::{Arc, Weak},
    time::Duration,
};

/// Time between two writes of the last use of sessions.
const FLUSH_INTERVAL: Duration = Duration::from_secs(30);
/// Seconds for which an unused session without its route is kept.
const ORPHAN_TIMEOUT_SECONDS: i64 = 24 * 3600;

impl Logins {
    /// Flushes at intervals until the future is dropped.
    pub async fn maintain(&self) {
        let mut interval = tokio::time::interval(FLUSH_INTERVAL);
        interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            interval.tick().await;
            self.flush().await;
        }
    }

    /// Stores when sessions were last used, and ends those that have expired. The server calls it at shutdown too.
    pub async fn flush(&self) {
        let now = self.now();
        self.saml.remove_expired(now.as_second());
        self.realms().retain(|_, realm| realm.strong_count() > 0);
        let published = self.sessions();
        let is_current = |active: &ActiveSession| {
            published.get(&active.session().key).is_some_and(|current| Arc::ptr_eq(current, active.session()))
        };
        let realms: Vec<_> = self.realms().values().filter_map(Weak::upgrade).collect();
        realms.iter().for_each(|realm| realm.session_cache.retain(is_current));
        let expired = published.values().filter(|session| self.has_expired(session, now.as_millisecond()));
        let expired: Vec<String> = expired.map(|session| session.id.clone()).collect();
        let used = self.last_used.take_used(|key| published.get(key).cloned());
        let ended = if expired.is_empty() { Ok(()) } else { self.store.end(expired).await };
        let written = if used.is_empty() { Ok(()) } else { self.store.record_use(used).await };
        if let Err(error) = ended.and(written) {
            tracing::warn!(%error, "the last use of sessions could not be stored");
        }
    }

    /// Whether a session can no longer be used. Without its route that is unknown, so the session stays for a day.
    fn has_expired(&self, session: &LoginSession, now: i64) -> bool {
        let last = self.last_request(session);
        match self.realm_of(&session.route) {
            Some(realm) => !realm.accepts(session, &session.host, last, now),
            None => now - last > ORPHAN_TIMEOUT_SECONDS * 1000,
        }
    }
}
