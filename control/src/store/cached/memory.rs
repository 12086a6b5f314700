//! What is remembered under names, and when it may be.
//!
//! The rule that keeps it true: a name that is being written is not remembered. Whoever looks it up meanwhile asks
//! the engine, and what was read before or during a write is not taken in afterwards.

use crate::store::Revision;
use quick_cache::{Weighter, unsync};
use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Parts with a lock each, so that readers rarely meet.
const SHARDS: usize = 16;
/// What an item costs beside its own bytes, roughly.
const OVERHEAD: u64 = 160;
/// An item larger than this share of a part is not worth the others it would drive out.
const LARGEST_SHARE: u64 = 8;

/// Something that can be remembered.
pub(super) trait Remembered: Send + Sync + 'static {
    /// How many bytes it holds.
    fn bytes(&self) -> usize;
}

/// A bounded memory of values under names.
pub(super) struct Memory<V> {
    shards: Vec<Mutex<Shard<V>>>,
    hasher: RandomState,
    largest: u64,
}

/// What a look found.
pub(super) enum Look<V> {
    /// The newest value.
    Found(Arc<V>),
    /// Nothing. What is read from now on may be taken in with this.
    Unknown(Generation),
    /// The name is being written: nothing may be taken in.
    Busy,
}

/// A moment in the life of a part: another write under way there is another moment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Generation(u64);

/// How a write ended.
#[derive(Clone, Copy)]
pub(super) enum Ending<T> {
    /// This is what the name holds since that revision.
    Written(Revision, T),
    /// The name holds what it held before.
    Refused,
    /// It must be read to be known.
    Unknown,
}

struct Shard<V> {
    held: unsync::Cache<String, Arc<V>, Bytes>,
    /// Names being written.
    writing: HashMap<String, Writing<V>>,
    /// Writes under way that may touch any name.
    sweeping: usize,
    generation: u64,
}

/// The writes under way to one name.
struct Writing<V> {
    count: usize,
    newest: Option<(Revision, Arc<V>)>,
    unknown: bool,
}

#[derive(Clone)]
struct Bytes;

impl<V: Remembered> Weighter<String, Arc<V>> for Bytes {
    fn weight(&self, name: &String, value: &Arc<V>) -> u64 {
        weight(name, value.as_ref())
    }
}

fn weight<V: Remembered>(name: &str, value: &V) -> u64 {
    OVERHEAD + (name.len() + value.bytes()) as u64
}

impl<V: Remembered> Memory<V> {
    /// An empty one that holds about so many bytes at most.
    pub(super) fn new(bytes: u64) -> Self {
        let each = bytes / SHARDS as u64;
        let items = usize::try_from(each / (4 * OVERHEAD)).unwrap_or(usize::MAX);
        let shard = || {
            Mutex::new(Shard {
                held: unsync::Cache::with_weighter(items, each, Bytes),
                writing: HashMap::new(),
                sweeping: 0,
                generation: 0,
            })
        };
        Memory {
            shards: std::iter::repeat_with(shard).take(SHARDS).collect(),
            hasher: RandomState::new(),
            largest: each / LARGEST_SHARE,
        }
    }

    /// Looks a name up.
    pub(super) fn look(&self, name: &str) -> Look<V> {
        let shard = self.shard(name);
        if shard.sweeping > 0 {
            return Look::Busy;
        }
        // A name that is being written is never held.
        match shard.held.get(name) {
            Some(value) => Look::Found(value.clone()),
            None if shard.writing.contains_key(name) => Look::Busy,
            None => Look::Unknown(Generation(shard.generation)),
        }
    }

    /// What is held under a name. It stays the same object until it is written or forgotten.
    pub(super) fn held(&self, name: &str) -> Option<Arc<V>> {
        match self.look(name) {
            Look::Found(value) => Some(value),
            Look::Unknown(_) | Look::Busy => None,
        }
    }

    /// Takes in what was read, unless something was written since the look.
    pub(super) fn take_in(&self, name: &str, looked: Generation, value: Arc<V>) {
        let mut shard = self.shard(name);
        if Generation(shard.generation) == looked && shard.sweeping == 0 && weight(name, value.as_ref()) <= self.largest
        {
            shard.held.insert(name.to_owned(), value);
        }
    }

    /// A write to a name begins: it is forgotten.
    pub(super) fn begin(&self, name: &str) {
        let mut shard = self.shard(name);
        shard.generation += 1;
        shard.held.remove(name);
        match shard.writing.get_mut(name) {
            Some(writing) => writing.count += 1,
            None => {
                shard.writing.insert(name.to_owned(), Writing { count: 1, newest: None, unknown: false });
            }
        }
    }

    /// A write to a name has ended. With the last of several, the newest value is remembered.
    pub(super) fn end(&self, name: &str, ending: Ending<Arc<V>>) {
        let mut shard = self.shard(name);
        let Some(writing) = shard.writing.get_mut(name) else { return };
        match ending {
            Ending::Written(revision, value) => {
                if writing.newest.as_ref().is_none_or(|(newest, _)| *newest < revision) {
                    writing.newest = Some((revision, value));
                }
            }
            Ending::Refused => {}
            Ending::Unknown => writing.unknown = true,
        }
        writing.count -= 1;
        if writing.count > 0 {
            return;
        }
        let ended = shard.writing.remove_entry(name);
        if let Some((name, Writing { newest: Some((_, value)), unknown: false, .. })) = ended
            && shard.sweeping == 0
            && weight(&name, value.as_ref()) <= self.largest
        {
            shard.held.insert(name, value);
        }
    }

    /// A write begins that may touch any name: all are asked of the engine meanwhile.
    pub(super) fn begin_sweep(&self) {
        for shard in &self.shards {
            let mut shard = locked(shard);
            shard.generation += 1;
            shard.sweeping += 1;
        }
    }

    /// Such a write has ended; all is forgotten if it touched anything.
    pub(super) fn end_sweep(&self, touched: bool) {
        for shard in &self.shards {
            let mut shard = locked(shard);
            shard.sweeping -= 1;
            if touched {
                shard.held.clear();
                // What writes under way have put down may be gone already.
                shard.writing.values_mut().for_each(|writing| writing.unknown = true);
            }
        }
    }

    fn shard(&self, name: &str) -> MutexGuard<'_, Shard<V>> {
        let hash = self.hasher.hash_one(name);
        // The remainder is smaller than the number of parts.
        locked(&self.shards[usize::try_from(hash % SHARDS as u64).unwrap_or_default()])
    }

    #[cfg(test)]
    pub(super) fn extent(&self) -> (usize, u64) {
        let shards = self.shards.iter().map(locked);
        shards.fold((0, 0), |(count, bytes), shard| (count + shard.held.len(), bytes + shard.held.weight()))
    }
}

/// Nothing that runs under the lock panics between two changes that belong together.
fn locked<V>(shard: &Mutex<Shard<V>>) -> MutexGuard<'_, Shard<V>> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}
