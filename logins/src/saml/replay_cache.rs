//! Replay protection: the ids of messages and assertions, stored as long as these are valid.

use crate::crypto::digest;
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

/// Ids per route. When it is reached, new messages are refused: an id dropped too early could be replayed.
const MAX_IDS: usize = 20_000;
/// Maximum validity of a message or assertion; those with a longer one are refused.
pub(super) const MAX_VALIDITY_SECONDS: i64 = 24 * 3600;

/// Additional storage time for differences between clocks.
const CLOCK_ROOM_SECONDS: i64 = 600;

/// Whether an id may be accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReplayCheck {
    /// The id is new.
    New,
    /// The id was used before.
    Replayed,
    /// The id cannot be stored, or would have to be stored for too long.
    Full,
}

/// Ids by route; those of one route never displace those of another.
#[derive(Default)]
pub(crate) struct SamlReplayCache(Mutex<HashMap<String, HashMap<[u8; 32], i64>>>);

impl SamlReplayCache {
    /// Stores an id until it is no longer valid. Times are seconds since 1970.
    pub(super) fn insert(&self, route: &str, id: &str, until: i64, now: i64) -> ReplayCheck {
        let mut routes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = routes.entry(route.to_owned()).or_default();
        let key = digest(&[id]);
        if seen.get(&key).is_some_and(|until| *until > now) {
            return ReplayCheck::Replayed;
        }
        if until - now > MAX_VALIDITY_SECONDS + CLOCK_ROOM_SECONDS {
            return ReplayCheck::Full;
        }
        if seen.len() >= MAX_IDS {
            seen.retain(|_, until| *until > now);
            if seen.len() >= MAX_IDS {
                return ReplayCheck::Full;
            }
        }
        seen.insert(key, until);
        ReplayCheck::New
    }

    /// Drops ids that are no longer valid.
    pub(crate) fn remove_expired(&self, now: i64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|_, seen| {
            seen.retain(|_, until| *until > now);
            !seen.is_empty()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_accepted_once_while_it_is_valid() {
        let cache = SamlReplayCache::default();
        assert_eq!(cache.insert("a", "_1", 60, 0), ReplayCheck::New);
        assert_eq!(cache.insert("a", "_1", 60, 59), ReplayCheck::Replayed);
        assert_eq!(cache.insert("b", "_1", 60, 0), ReplayCheck::New, "another route");
        cache.remove_expired(30);
        assert_eq!(
            cache.insert("a", "_1", 60, 59),
            ReplayCheck::Replayed,
            "still valid after the removal of expired ids"
        );
        cache.remove_expired(60);
        assert!(cache.0.lock().expect("the cache").is_empty());
    }

    #[test]
    fn valid_ids_are_never_dropped_to_make_room() {
        let cache = SamlReplayCache::default();
        for id in 0..MAX_IDS {
            assert_eq!(cache.insert("a", &id.to_string(), 60, 0), ReplayCheck::New);
        }
        assert_eq!(cache.insert("a", "more", 60, 0), ReplayCheck::Full);
        assert_eq!(cache.insert("b", "more", 60, 0), ReplayCheck::New, "another route has room");
        assert_eq!(cache.insert("a", "0", 60, 0), ReplayCheck::Replayed);
        assert_eq!(cache.insert("a", "more", 120, 60), ReplayCheck::New, "expired ids make room");
        assert_eq!(
            cache.insert("a", "for years", MAX_VALIDITY_SECONDS + CLOCK_ROOM_SECONDS + 61, 60),
            ReplayCheck::Full
        );
    }
}
