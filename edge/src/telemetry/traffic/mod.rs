//! What passes each edge, route and tunnel. Requests only add to a few numbers that their edge, route and tunnel carry
//! with them; once a second these are looked at, and what came since is entered into histories.

mod counter;
mod history;

pub(crate) use counter::{Outcome, ReachedCounters, TrafficCounter};

use history::Rings;
use postern_api::traffic::{Counts, History, Point, Traffic as Shown, TrafficKind};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

/// Between two looks.
pub(crate) const LOOK: Duration = Duration::from_secs(1);

/// All that is counted.
#[derive(Default)]
pub(crate) struct Traffic {
    /// Of everything together.
    all: TrafficCounter,
    /// Taken once a second, by changes of the configuration and by whoever wants to see it; never by a request.
    book: Mutex<TrafficState>,
}

#[derive(Default)]
struct TrafficState {
    second: u64,
    all: HistoryCursor,
    each: HashMap<Arc<str>, Watched>,
}

/// An edge, route or tunnel for as long as it is there.
struct Watched {
    counter: Weak<TrafficCounter>,
    kind: TrafficKind,
    followed: HistoryCursor,
}

/// What was seen of a counter so far.
#[derive(Default)]
struct HistoryCursor {
    seen: Counts,
    /// Nothing while nothing passes.
    rings: Option<Box<Rings>>,
}

impl Traffic {
    /// The numbers of something that has this id: those it had, if it was there before.
    pub(crate) fn of(&self, kind: TrafficKind, id: &str) -> Arc<TrafficCounter> {
        let mut book = self.book();
        if let Some(counter) = book.each.get(id).and_then(|watched| watched.counter.upgrade()) {
            return counter;
        }
        let counter = Arc::new(TrafficCounter::of(id));
        let watched = Watched { counter: Arc::downgrade(&counter), kind, followed: HistoryCursor::default() };
        book.each.insert(counter.id().clone(), watched);
        counter
    }

    /// The numbers of everything together.
    pub(crate) fn all(&self) -> &TrafficCounter {
        &self.all
    }

    /// Enters what came since the last look. `second` is how long the edge has been running.
    pub(crate) fn look(&self, second: u64) {
        let mut book = self.book();
        book.second = second;
        book.all.look(&self.all, second);
        book.each.retain(|_, watched| match watched.counter.upgrade() {
            Some(counter) => {
                watched.followed.look(&counter, second);
                true
            }
            None => false,
        });
    }

    /// Everything that something has passed, in no order and without histories.
    pub(crate) fn shown(&self) -> Vec<Shown> {
        let book = self.book();
        let shown = book.each.iter().filter_map(|(id, watched)| watched.shown(id, book.second));
        shown.filter(|shown| shown.total != Counts::default()).collect()
    }

    /// One of them, with its history; none if nothing has this id.
    pub(crate) fn one(&self, id: &str) -> Option<Shown> {
        let book = self.book();
        let watched = book.each.get(id)?;
        Some(Shown { history: Some(watched.followed.history(book.second)), ..watched.shown(id, book.second)? })
    }

    /// Everything together, with its history.
    pub(crate) fn total(&self) -> (Counts, History) {
        let book = self.book();
        (self.all.counts(), book.all.history(book.second))
    }

    fn book(&self) -> MutexGuard<'_, TrafficState> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watched {
    fn shown(&self, id: &str, second: u64) -> Option<Shown> {
        let total = self.counter.upgrade()?.counts();
        let last_minute = self.followed.rings.as_ref().map(|rings| rings.last_minute(second)).unwrap_or_default();
        Some(Shown { id: id.to_owned(), kind: self.kind, total, last_minute, history: None })
    }
}

impl HistoryCursor {
    fn look(&mut self, counter: &TrafficCounter, second: u64) {
        let now = counter.counts();
        let more = |now: u64, before: u64| u32::try_from(now.saturating_sub(before)).unwrap_or(u32::MAX);
        let point = Point {
            requests: more(now.requests, self.seen.requests),
            refused: more(now.refused, self.seen.refused),
            failed: more(now.failed, self.seen.failed),
        };
        self.seen = now;
        if point != Point::default() {
            self.rings.get_or_insert_default().enter(second, point);
        } else if self.rings.as_ref().is_some_and(|rings| rings.is_over(second)) {
            self.rings = None;
        }
    }

    fn history(&self, second: u64) -> History {
        self.rings.as_ref().map_or_else(Rings::silence, |rings| rings.history(second))
    }
}

#[cfg(test)]
mod tests;
