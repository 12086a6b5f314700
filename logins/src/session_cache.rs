//! Cache from the secret in a session cookie to its session: computing the secret's digest for every request would
//! cost more than the rest of the lookup.

use crate::{cookies::CookieSecret, last_used::ActiveSession};
// Only secrets that a digest has confirmed get in, so visitors cannot fill the map with colliding keys.
use foldhash::quality::RandomState;
use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

/// Number of locks that the entries are spread over.
const SHARDS: usize = 16;

/// The recently used secrets of one route. Their positions depend on a random key of this process, so the duration of
/// a lookup reveals nothing about the stored secrets.
#[derive(Default)]
pub(crate) struct SessionCache {
    shards: [RwLock<HashMap<CookieSecret, Entry, RandomState>>; SHARDS],
}

struct Entry {
    session: Arc<ActiveSession>,
    /// Revision of the published sessions in which this one was found.
    revision: u64,
}

impl SessionCache {
    /// The session of a secret, and the revision of the published sessions in which it was found.
    pub(crate) fn get(&self, secret: &CookieSecret) -> Option<(Arc<ActiveSession>, u64)> {
        let shard = self.shard(secret).read().unwrap_or_else(PoisonError::into_inner);
        shard.get(secret).map(|entry| (entry.session.clone(), entry.revision))
    }

    /// Stores the session of a secret.
    pub(crate) fn insert(&self, secret: &CookieSecret, session: Arc<ActiveSession>, revision: u64) {
        let mut shard = self.shard(secret).write().unwrap_or_else(PoisonError::into_inner);
        shard.insert(*secret, Entry { session, revision });
    }

    /// Removes the sessions that are not current.
    pub(crate) fn retain(&self, is_current: impl Fn(&ActiveSession) -> bool) {
        for shard in &self.shards {
            shard.write().unwrap_or_else(PoisonError::into_inner).retain(|_, entry| is_current(&entry.session));
        }
    }

    /// The shard of a secret. Secrets are random, so their first byte spreads them evenly.
    fn shard(&self, secret: &CookieSecret) -> &RwLock<HashMap<CookieSecret, Entry, RandomState>> {
        &self.shards[usize::from(secret[0]) % SHARDS]
    }
}
