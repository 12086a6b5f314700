//! The last requests and connections that each edge turned away, so that their owner can see why.

use crate::telemetry::AccessLogEntry;
use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Kept of one edge.
const EACH: usize = 100;
/// Kept of all edges together.
const ALL: usize = 10_000;

/// All that are kept. Its lock is taken for refusals only.
#[derive(Default)]
pub(crate) struct RecentRefusals(Mutex<Refusals>);

#[derive(Default)]
struct Refusals {
    by_edge: HashMap<Arc<str>, VecDeque<(u64, Arc<AccessLogEntry>)>>,
    /// Whose each of them is, the oldest first.
    by_age: BTreeMap<u64, Arc<str>>,
    next: u64,
}

impl RecentRefusals {
    pub(crate) fn add(&self, edge: &Arc<str>, entry: AccessLogEntry) {
        let mut book = self.book();
        let number = book.next;
        book.next += 1;
        book.by_age.insert(number, edge.clone());
        let own = book.by_edge.entry(edge.clone()).or_default();
        own.push_back((number, Arc::new(entry)));
        let gone = if own.len() > EACH { own.pop_front() } else { None };
        if let Some((number, _)) = gone {
            book.by_age.remove(&number);
        }
        if book.by_age.len() > ALL
            && let Some((_, edge)) = book.by_age.pop_first()
            && let Some(own) = book.by_edge.get_mut(&edge)
        {
            own.pop_front();
        }
    }

    /// Those of an edge, the newest first.
    pub(crate) fn of(&self, edge: &str) -> Vec<Arc<AccessLogEntry>> {
        let book = self.book();
        book.by_edge.get(edge).into_iter().flatten().rev().map(|(_, entry)| entry.clone()).collect()
    }

    /// Forgets those of edges that are no more.
    pub(crate) fn forget_all_but(&self, there: impl Fn(&str) -> bool) {
        let gone: Vec<Arc<str>> = self.book().by_edge.keys().filter(|edge| !there(edge)).cloned().collect();
        gone.iter().for_each(|edge| self.forget(edge));
    }

    /// Forgets those of an edge that is no more.
    pub(crate) fn forget(&self, edge: &str) {
        let mut book = self.book();
        for (number, _) in book.by_edge.remove(edge).unwrap_or_default() {
            book.by_age.remove(&number);
        }
    }

    fn book(&self) -> MutexGuard<'_, Refusals> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: usize) -> AccessLogEntry {
        AccessLogEntry {
            time: jiff::Timestamp::now(),
            kind: "request",
            id: format!("op_{number}"),
            visitor: ([127, 0, 0, 1], 1).into(),
            scheme: "https",
            protocol: "HTTP/1.1",
            host: String::new(),
            method: "GET".to_owned(),
            path: "/".to_owned(),
            status: 403,
            bytes_in: 0,
            bytes_out: 0,
            duration_microseconds: 0,
            edge: String::new(),
            route: String::new(),
            backend: String::new(),
            served_by: String::new(),
            decisions: Vec::new(),
            error_code: None,
            message: String::new(),
        }
    }

    fn ids(refused: &RecentRefusals, edge: &str) -> Vec<String> {
        refused.of(edge).iter().map(|entry| entry.id.clone()).collect()
    }

    #[test]
    fn each_edge_keeps_its_last_ones_and_a_busy_one_takes_nothing_from_others() {
        let refused = RecentRefusals::default();
        let (quiet, busy): (Arc<str>, Arc<str>) = ("edghts_quiet".into(), "edghts_busy".into());
        refused.add(&quiet, entry(0));
        (0..ALL + EACH).for_each(|number| refused.add(&busy, entry(number)));
        assert_eq!(ids(&refused, "edghts_quiet"), ["op_0"]);
        let last = ids(&refused, "edghts_busy");
        assert_eq!((last.len(), last[0].as_str()), (EACH, format!("op_{}", ALL + EACH - 1).as_str()));
        assert_eq!(refused.book().by_age.len(), EACH + 1);
        refused.forget_all_but(|edge| edge == "edghts_quiet");
        assert!(ids(&refused, "edghts_busy").is_empty());
        assert_eq!(refused.book().by_age.len(), 1);
    }

    #[test]
    fn all_together_are_bounded_and_the_oldest_go_first() {
        let refused = RecentRefusals::default();
        let edges: Vec<Arc<str>> = (0..ALL / EACH + 2).map(|edge| format!("edghts_{edge}").into()).collect();
        edges.iter().for_each(|edge| (0..EACH).for_each(|number| refused.add(edge, entry(number))));
        assert_eq!(refused.book().by_age.len(), ALL);
        assert!(ids(&refused, &edges[0]).is_empty() && ids(&refused, &edges[1]).is_empty());
        assert_eq!(ids(&refused, &edges[2]).len(), EACH);
    }
}
