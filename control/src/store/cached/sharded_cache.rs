//! Sharded cache of values by key, consistent with concurrent writes.
//!
//! A key is not cached while it is being written. Readers go to the engine meanwhile, and a value that was read before or
//! during a write is not inserted afterwards.

use crate::store::Revision;
use foldhash::quality::RandomState;
use quick_cache::{
    Weighter,
    unsync::{self, DefaultLifecycle},
};
use std::{
    collections::HashMap,
    hash::BuildHasher,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Shards with a lock each, to avoid contention.
const SHARDS: usize = 16;
/// Approximate cost of an item besides its own bytes.
const OVERHEAD_BYTES: u64 = 160;
/// An item larger than this fraction of a shard is not cached: it would displace too many others.
const MAX_ITEM_FRACTION: u64 = 8;

/// A value that can be cached.
pub(super) trait CacheValue: Send + Sync + 'static {
    /// Size in bytes.
    fn bytes(&self) -> usize;
}

/// A cache of values by key, bounded in bytes.
pub(super) struct ShardedCache<V> {
    shards: Vec<Mutex<CacheShard<V>>>,
    hasher: RandomState,
    max_item_bytes: u64,
}

/// Result of a lookup.
pub(super) enum Lookup<V> {
    /// Newest value.
    Hit(Arc<V>),
    /// Not cached. A value that is read from now on may be inserted with this generation.
    Miss(Generation),
    /// The key is being written: nothing may be inserted.
    Writing,
}

/// Counter of the writes that have begun in a shard.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Generation(u64);

/// CommitOutcome of a write.
#[derive(Clone, Copy)]
pub(super) enum WriteOutcome<T> {
    /// The key holds this value since that revision.
    Written(Revision, T),
    /// The key is unchanged.
    Conflict,
    /// The value must be read again.
    Unknown,
}

struct CacheShard<V> {
    cached: unsync::Cache<String, Arc<V>, ByteWeighter, RandomState>,
    /// Keys being written.
    writing: HashMap<String, Writing<V>, RandomState>,
    /// Writes in progress that may change any key.
    unknown_writes: usize,
    generation: u64,
}

/// Writes in progress to one key.
struct Writing<V> {
    count: usize,
    newest: Option<(Revision, Arc<V>)>,
    unknown: bool,
}

#[derive(Clone)]
struct ByteWeighter;

impl<V: CacheValue> Weighter<String, Arc<V>> for ByteWeighter {
    fn weight(&self, key: &String, value: &Arc<V>) -> u64 {
        weight(key, value.as_ref())
    }
}

fn weight<V: CacheValue>(key: &str, value: &V) -> u64 {
    OVERHEAD_BYTES + (key.len() + value.bytes()) as u64
}

impl<V> Lookup<V> {
    /// The generation with which a value may be inserted; `None` if there is one, or if the key is being written.
    pub(super) fn generation(&self) -> Option<Generation> {
        match self {
            Lookup::Miss(generation) => Some(*generation),
            Lookup::Hit(_) | Lookup::Writing => None,
        }
    }
}

impl<V: CacheValue> ShardedCache<V> {
    /// An empty cache of at most about this many bytes.
    pub(super) fn new(bytes: u64) -> Self {
        let each = bytes / SHARDS as u64;
        let items = usize::try_from(each / (4 * OVERHEAD_BYTES)).unwrap_or(usize::MAX);
        let shard = || {
            Mutex::new(CacheShard {
                cached: unsync::Cache::with(
                    items,
                    each,
                    ByteWeighter,
                    RandomState::default(),
                    DefaultLifecycle::default(),
                ),
                writing: HashMap::default(),
                unknown_writes: 0,
                generation: 0,
            })
        };
        ShardedCache {
            shards: std::iter::repeat_with(shard).take(SHARDS).collect(),
            hasher: RandomState::default(),
            max_item_bytes: each / MAX_ITEM_FRACTION,
        }
    }

    /// Looks a key up.
    pub(super) fn lookup(&self, key: &str) -> Lookup<V> {
        let shard = self.shard(key);
        if shard.unknown_writes > 0 {
            return Lookup::Writing;
        }
        // A key that is being written is never cached.
        match shard.cached.get(key) {
            Some(value) => Lookup::Hit(value.clone()),
            None if shard.writing.contains_key(key) => Lookup::Writing,
            None => Lookup::Miss(Generation(shard.generation)),
        }
    }

    /// Cached value of a key. It stays the same object until the key is written or evicted.
    pub(super) fn get(&self, key: &str) -> Option<Arc<V>> {
        match self.lookup(key) {
            Lookup::Hit(value) => Some(value),
            Lookup::Miss(_) | Lookup::Writing => None,
        }
    }

    /// Inserts a value that was read, unless a write has begun in the shard since the lookup.
    pub(super) fn insert_if_unchanged(&self, key: &str, generation: Generation, value: Arc<V>) {
        let mut shard = self.shard(key);
        if Generation(shard.generation) == generation
            && shard.unknown_writes == 0
            && weight(key, value.as_ref()) <= self.max_item_bytes
        {
            shard.cached.insert(key.to_owned(), value);
        }
    }

    /// Begins a write to a key, and removes it from the cache.
    pub(super) fn begin(&self, key: &str) {
        let mut shard = self.shard(key);
        shard.generation += 1;
        shard.cached.remove(key);
        match shard.writing.get_mut(key) {
            Some(writing) => writing.count += 1,
            None => {
                shard.writing.insert(key.to_owned(), Writing { count: 1, newest: None, unknown: false });
            }
        }
    }

    /// Ends a write to a key. The last of several concurrent ones caches the newest value.
    pub(super) fn end(&self, key: &str, outcome: WriteOutcome<Arc<V>>) {
        let mut shard = self.shard(key);
        let Some(writing) = shard.writing.get_mut(key) else { return };
        match outcome {
            WriteOutcome::Written(revision, value) => {
                if writing.newest.as_ref().is_none_or(|(newest, _)| *newest < revision) {
                    writing.newest = Some((revision, value));
                }
            }
            WriteOutcome::Conflict => {}
            WriteOutcome::Unknown => writing.unknown = true,
        }
        writing.count -= 1;
        if writing.count > 0 {
            return;
        }
        let ended = shard.writing.remove_entry(key);
        if let Some((key, Writing { newest: Some((_, value)), unknown: false, .. })) = ended
            && shard.unknown_writes == 0
            && weight(&key, value.as_ref()) <= self.max_item_bytes
        {
            shard.cached.insert(key, value);
        }
    }

    /// Begins a write that may change any key: all reads go to the engine meanwhile.
    pub(super) fn begin_unknown_write(&self) {
        for shard in &self.shards {
            let mut shard = locked(shard);
            shard.generation += 1;
            shard.unknown_writes += 1;
        }
    }

    /// Ends such a write; clears the cache if it changed anything.
    pub(super) fn end_unknown_write(&self, changed: bool) {
        for shard in &self.shards {
            let mut shard = locked(shard);
            shard.unknown_writes -= 1;
            if changed {
                shard.cached.clear();
                // The values of pending writes may be outdated too.
                shard.writing.values_mut().for_each(|writing| writing.unknown = true);
            }
        }
    }

    fn shard(&self, key: &str) -> MutexGuard<'_, CacheShard<V>> {
        let hash = self.hasher.hash_one(key);
        // The remainder is smaller than the number of shards.
        locked(&self.shards[usize::try_from(hash % SHARDS as u64).unwrap_or_default()])
    }

    #[cfg(test)]
    pub(super) fn extent(&self) -> (usize, u64) {
        let shards = self.shards.iter().map(locked);
        shards.fold((0, 0), |(count, bytes), shard| (count + shard.cached.len(), bytes + shard.cached.weight()))
    }
}

/// Ignores poisoning: no code panics under the lock between two changes that belong together.
fn locked<V>(shard: &Mutex<CacheShard<V>>) -> MutexGuard<'_, CacheShard<V>> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}
