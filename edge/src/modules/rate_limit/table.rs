//! Counts of all rate limits of the server, in bounded memory.
//!
//! A key is a digest with a secret of the process, so that visitors cannot choose where they are counted. Keys are in sets
//! of eight places; a shard has a lock of its own and doubles its sets until its share of the memory is used. In a full
//! set, the key that has used the smallest part of its limit makes room: an address that is at its limit is forgotten only
//! if all others of its set are too, and a new visitor is always counted.

use super::window::{Quota, Window};
use std::{
    hash::{BuildHasher, Hash, RandomState},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

/// The most keys that are counted at a time, of all rate limits together.
const MAX_KEYS: usize = 1 << 20;
const SHARDS: usize = 256;
const PLACES: usize = 8;
const MAX_SETS: usize = MAX_KEYS / SHARDS / PLACES;
/// A shard is halved when fewer than this part of its places is in use.
const SPARSE: usize = 8;

/// A digest of what is counted: the owner of the limit, its settings, and the address, person or header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key(u64);

/// The counts of all rate limits.
pub(crate) struct RateTable {
    secret: RandomState,
    began: Instant,
    shards: Box<[Mutex<Vec<Set>>]>,
}

type Set = [Entry; PLACES];

/// The count of one key; 32 bytes. The digest of a vacant place is 0.
#[derive(Clone, Copy, Default)]
struct Entry {
    digest: u64,
    window: Window,
}

impl Default for RateTable {
    fn default() -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        RateTable { secret: RandomState::new(), began: Instant::now(), shards }
    }
}

impl RateTable {
    /// The key of a value.
    pub(super) fn key(&self, value: impl Hash) -> Key {
        Key(self.secret.hash_one(value).max(1))
    }

    /// Counts one request of a key if its quota admits it.
    ///
    /// # Errors
    /// The time after which it would be admitted.
    pub(super) fn admit(&self, key: Key, quota: Quota, now: Instant) -> Result<(), Duration> {
        let now = self.millis(now);
        let mut sets = self.shard(key);
        if sets.is_empty() {
            sets.push(Set::default());
        }
        loop {
            let at = index(key, sets.len());
            let set = &mut sets[at];
            if let Some(entry) = set.iter_mut().find(|entry| entry.digest == key.0) {
                return entry.window.admit(quota, now);
            }
            if let Some(entry) = set.iter_mut().find(|entry| !entry.is_live(now)) {
                return entry.begin(key, quota, now);
            }
            let doubled = sets.len() * 2;
            if doubled > MAX_SETS {
                return least_used(&mut sets[at]).begin(key, quota, now);
            }
            resize(&mut sets, doubled, now);
        }
    }

    /// Gives memory back that is not needed any more.
    pub(crate) fn tidy(&self, now: Instant) {
        let now = self.millis(now);
        for shard in &self.shards {
            let mut sets = lock(shard);
            let live = sets.iter().flatten().filter(|entry| entry.is_live(now)).count();
            if live == 0 {
                *sets = Vec::new();
            } else if sets.len() > 1 && live * SPARSE < sets.len() * PLACES {
                let half = sets.len() / 2;
                resize(&mut sets, half, now);
            }
        }
    }

    fn millis(&self, now: Instant) -> u64 {
        now.saturating_duration_since(self.began).as_millis().try_into().unwrap_or(u64::MAX)
    }

    fn shard(&self, key: Key) -> MutexGuard<'_, Vec<Set>> {
        lock(&self.shards[(key.0 % SHARDS as u64) as usize])
    }

    #[cfg(test)]
    fn bytes(&self) -> usize {
        let held: usize = self.shards.iter().map(|shard| lock(shard).capacity() * size_of::<Set>()).sum();
        held + size_of_val(&*self.shards)
    }
}

/// The locks are held for one comparison with eight places, and rarely for moving a shard of at most 128 KiB.
fn lock(shard: &Mutex<Vec<Set>>) -> MutexGuard<'_, Vec<Set>> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The set of a key. The number of sets is a power of two.
fn index(key: Key, sets: usize) -> usize {
    (key.0 / SHARDS as u64) as usize & (sets - 1)
}

fn least_used(set: &mut Set) -> &mut Entry {
    let least = (0..PLACES).min_by_key(|place| set[*place].window.used_share()).unwrap_or_default();
    &mut set[least]
}

/// Moves the live entries into another number of sets.
fn resize(sets: &mut Vec<Set>, count: usize, now: u64) {
    let mut moved = vec![Set::default(); count];
    for entry in sets.iter().flatten().filter(|entry| entry.is_live(now)) {
        let set = &mut moved[index(Key(entry.digest), count)];
        let vacant = set.iter().position(|place| place.digest == 0);
        match vacant {
            Some(place) => set[place] = *entry,
            None => {
                let least = least_used(set);
                if least.window.used_share() < entry.window.used_share() {
                    *least = *entry;
                }
            }
        }
    }
    *sets = moved;
}

impl Entry {
    fn is_live(&self, now: u64) -> bool {
        self.digest != 0 && self.window.is_live(now)
    }

    fn begin(&mut self, key: Key, quota: Quota, now: u64) -> Result<(), Duration> {
        *self = Entry { digest: key.0, window: Window::new(now) };
        self.window.admit(quota, now)
    }
}

#[cfg(test)]
mod tests;
