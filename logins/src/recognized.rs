//! Who holds which secret, once that was found out by its digest: making a digest for every request would cost more
//! than everything else that is looked at.

use crate::{cookies::Secret, seen::Known};
// Only what was found to be somebody's secret gets in, so nobody can fill it with what collides.
use foldhash::quality::RandomState;
use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

/// Secrets are spread over so many locks.
const SHARDS: usize = 16;

/// The secrets of one route that were used lately. Where one stands depends on a random key of this process, so the
/// time a search takes tells nothing about the secrets that are there.
#[derive(Default)]
pub(crate) struct Recognized {
    shards: [RwLock<HashMap<Secret, Entry, RandomState>>; SHARDS],
}

struct Entry {
    known: Arc<Known>,
    /// Of the published sessions among which this one was found.
    edition: u64,
}

impl Recognized {
    /// Whose secret this is, and in which edition of the published sessions that was found out.
    pub(crate) fn get(&self, secret: &Secret) -> Option<(Arc<Known>, u64)> {
        let shard = self.shard(secret).read().unwrap_or_else(PoisonError::into_inner);
        shard.get(secret).map(|entry| (entry.known.clone(), entry.edition))
    }

    /// Remembers whose secret this is.
    pub(crate) fn keep(&self, secret: &Secret, known: Arc<Known>, edition: u64) {
        let mut shard = self.shard(secret).write().unwrap_or_else(PoisonError::into_inner);
        shard.insert(*secret, Entry { known, edition });
    }

    /// Forgets all others.
    pub(crate) fn retain(&self, there: impl Fn(&Known) -> bool) {
        for shard in &self.shards {
            shard.write().unwrap_or_else(PoisonError::into_inner).retain(|_, entry| there(&entry.known));
        }
    }

    /// Secrets are random letters: the first ones are as good as any.
    fn shard(&self, secret: &Secret) -> &RwLock<HashMap<Secret, Entry, RandomState>> {
        &self.shards[usize::from(secret[0]) % SHARDS]
    }
}
