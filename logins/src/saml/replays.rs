//! What has been said once counts once: ids of messages and assertions, kept as long as these are valid.

use crate::attempts::digest;
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

/// What is kept for one route at most. When it is full, others wait: what is forgotten too early could be said again.
const MOST: usize = 20_000;
/// Nothing is kept longer, and what is valid for longer is not taken.
pub(super) const LONGEST_SECONDS: i64 = 24 * 3600;

/// What clocks may differ by is remembered on top.
const ROOM_SECONDS: i64 = 600;

/// Whether something may count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// It was not said before.
    New,
    /// It was.
    Before,
    /// There is no room to remember it, or it would have to be remembered for too long.
    NoRoom,
}

/// Ids by route; those of one route never push out those of another.
#[derive(Default)]
pub(crate) struct Replays(Mutex<HashMap<String, HashMap<[u8; 32], i64>>>);

impl Replays {
    /// Remembers an id until it is no longer valid. Times are seconds since 1970.
    pub(super) fn see(&self, route: &str, id: &str, until: i64, now: i64) -> Seen {
        let mut routes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = routes.entry(route.to_owned()).or_default();
        let key = digest(&[id]);
        if kept.get(&key).is_some_and(|until| *until > now) {
            return Seen::Before;
        }
        if until - now > LONGEST_SECONDS + ROOM_SECONDS {
            return Seen::NoRoom;
        }
        if kept.len() >= MOST {
            kept.retain(|_, until| *until > now);
            if kept.len() >= MOST {
                return Seen::NoRoom;
            }
        }
        kept.insert(key, until);
        Seen::New
    }

    /// Forgets what is valid no longer.
    pub(crate) fn tidy(&self, now: i64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|_, kept| {
            kept.retain(|_, until| *until > now);
            !kept.is_empty()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_counts_once_while_it_is_valid() {
        let replays = Replays::default();
        assert_eq!(replays.see("a", "_1", 60, 0), Seen::New);
        assert_eq!(replays.see("a", "_1", 60, 59), Seen::Before);
        assert_eq!(replays.see("b", "_1", 60, 0), Seen::New, "another route");
        replays.tidy(30);
        assert_eq!(replays.see("a", "_1", 60, 59), Seen::Before, "still valid after tidying");
        replays.tidy(60);
        assert!(replays.0.lock().expect("kept").is_empty());
    }

    #[test]
    fn nothing_is_forgotten_to_make_room() {
        let replays = Replays::default();
        for id in 0..MOST {
            assert_eq!(replays.see("a", &id.to_string(), 60, 0), Seen::New);
        }
        assert_eq!(replays.see("a", "more", 60, 0), Seen::NoRoom);
        assert_eq!(replays.see("b", "more", 60, 0), Seen::New, "another route has room");
        assert_eq!(replays.see("a", "0", 60, 0), Seen::Before);
        assert_eq!(replays.see("a", "more", 120, 60), Seen::New, "what is valid no longer makes room");
        assert_eq!(replays.see("a", "for years", LONGEST_SECONDS + ROOM_SECONDS + 61, 60), Seen::NoRoom);
    }
}
