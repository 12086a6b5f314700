//! How often something is told. Of many notes of one kind the last is told, with how many there were.

use super::{Kind, Note};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// What comes at the same time is told together.
const GATHER: Duration = Duration::from_millis(500);
/// Two notes of one kind are so far apart.
const APART: Duration = Duration::from_secs(10);

#[derive(Default)]
pub(super) struct Throttle {
    kinds: HashMap<Kind, Row>,
    /// Notes taken since they were looked at last.
    fresh: Vec<Note>,
}

#[derive(Default)]
struct Row {
    told: Option<Instant>,
    waiting: Option<Waiting>,
}

struct Waiting {
    note: Note,
    more: usize,
    from: Instant,
}

impl Throttle {
    pub(super) fn take(&mut self, note: Note) {
        self.fresh.push(note);
    }

    /// What waits of this kind need not be told any more.
    pub(super) fn forget(&mut self, kind: Kind) {
        self.fresh.retain(|note| note.kind != kind);
        if let Some(row) = self.kinds.get_mut(&kind) {
            row.waiting = None;
        }
    }

    /// How long until something is due.
    pub(super) fn next(&self, now: Instant) -> Option<Duration> {
        let waiting = self.kinds.values().filter_map(|row| row.waiting.as_ref());
        waiting.map(|waiting| waiting.from.saturating_duration_since(now)).min()
    }

    /// What is to be told now.
    pub(super) fn due(&mut self, now: Instant) -> Vec<Note> {
        for note in std::mem::take(&mut self.fresh) {
            let row = self.kinds.entry(note.kind).or_default();
            let earliest = row.told.map_or(now, |told| told + APART);
            row.waiting = Some(match row.waiting.take() {
                Some(waiting) => Waiting { note, more: waiting.more + 1, from: waiting.from },
                None => Waiting { note, more: 0, from: earliest.max(now + GATHER) },
            });
        }
        let mut due = Vec::new();
        for row in self.kinds.values_mut() {
            if row.waiting.as_ref().is_some_and(|waiting| waiting.from <= now)
                && let Some(Waiting { mut note, more, .. }) = row.waiting.take()
            {
                if more > 0 {
                    note.text = format!("{} And {more} more.", note.text);
                }
                row.told = Some(now);
                due.push(note);
            }
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(kind: Kind, text: &str) -> Note {
        Note { kind, title: "Title".into(), text: text.into() }
    }

    #[test]
    fn many_at_once_become_one_and_the_next_waits_its_turn() {
        let (mut throttle, begin) = (Throttle::default(), Instant::now());
        for number in 0..50 {
            throttle.take(note(Kind::Errors, &format!("{number}.")));
            assert!(throttle.due(begin).is_empty(), "what comes at the same time is gathered");
        }
        assert_eq!(throttle.next(begin), Some(GATHER));
        assert_eq!(throttle.due(begin + GATHER), [note(Kind::Errors, "49. And 49 more.")]);
        throttle.take(note(Kind::Errors, "again."));
        assert!(throttle.due(begin + GATHER * 2).is_empty());
        assert_eq!(throttle.due(begin + GATHER + APART), [note(Kind::Errors, "again.")]);
        assert_eq!(throttle.next(begin), None);
    }

    #[test]
    fn kinds_do_not_wait_for_each_other() {
        let (mut throttle, begin) = (Throttle::default(), Instant::now());
        throttle.take(note(Kind::Errors, "a"));
        throttle.due(begin);
        throttle.due(begin + GATHER);
        throttle.take(note(Kind::Connection, "b"));
        throttle.due(begin + GATHER);
        assert_eq!(throttle.due(begin + GATHER * 2), [note(Kind::Connection, "b")]);
    }

    #[test]
    fn what_is_over_is_not_told() {
        let (mut throttle, begin) = (Throttle::default(), Instant::now());
        throttle.take(note(Kind::Tunnels, "a"));
        throttle.due(begin);
        throttle.take(note(Kind::Tunnels, "b"));
        throttle.forget(Kind::Tunnels);
        assert!(throttle.due(begin + APART).is_empty());
    }
}
