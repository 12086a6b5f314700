//! The last requests and connections that each edge refused, so that its owner can see the reasons.

use crate::telemetry::AccessLogEntry;
use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Entries kept of one edge.
const MAX_PER_EDGE: usize = 100;
/// Entries kept of all edges together.
const MAX_ENTRIES: usize = 10_000;

/// The recent refusals. Its lock is taken for refusals only.
#[derive(Default)]
pub(crate) struct RecentRefusals(Mutex<Refusals>);

#[derive(Default)]
struct Refusals {
    by_edge: HashMap<Arc<str>, VecDeque<(u64, Arc<AccessLogEntry>)>>,
    /// The edge of each entry, the oldest first.
    by_age: BTreeMap<u64, Arc<str>>,
    next: u64,
}

impl RecentRefusals {
    pub(crate) fn add(&self, edge: &Arc<str>, entry: AccessLogEntry) {
        let mut state = self.state();
        let number = state.next;
        state.next += 1;
        state.by_age.insert(number, edge.clone());
        let entries = state.by_edge.entry(edge.clone()).or_default();
        entries.push_back((number, Arc::new(entry)));
        let evicted = if entries.len() > MAX_PER_EDGE { entries.pop_front() } else { None };
        if let Some((number, _)) = evicted {
            state.by_age.remove(&number);
        }
        if state.by_age.len() > MAX_ENTRIES
            && let Some((_, edge)) = state.by_age.pop_first()
            && let Some(entries) = state.by_edge.get_mut(&edge)
        {
            entries.pop_front();
        }
    }

    /// The entries of an edge, the newest first.
    pub(crate) fn of(&self, edge: &str) -> Vec<Arc<AccessLogEntry>> {
        let state = self.state();
        state.by_edge.get(edge).into_iter().flatten().rev().map(|(_, entry)| entry.clone()).collect()
    }

    /// Forgets the entries of edges that no longer exist.
    pub(crate) fn retain(&self, exists: impl Fn(&str) -> bool) {
        let evicted: Vec<Arc<str>> = self.state().by_edge.keys().filter(|edge| !exists(edge)).cloned().collect();
        evicted.iter().for_each(|edge| self.forget(edge));
    }

    /// Forgets the entries of an edge.
    pub(crate) fn forget(&self, edge: &str) {
        let mut state = self.state();
        for (number, _) in state.by_edge.remove(edge).unwrap_or_default() {
            state.by_age.remove(&number);
        }
    }

    fn state(&self) -> MutexGuard<'_, Refusals> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: usize) -> AccessLogEntry {
        AccessLogEntry {
            time: postern_api::clock::now(),
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
        (0..MAX_ENTRIES + MAX_PER_EDGE).for_each(|number| refused.add(&busy, entry(number)));
        assert_eq!(ids(&refused, "edghts_quiet"), ["op_0"]);
        let last = ids(&refused, "edghts_busy");
        assert_eq!(
            (last.len(), last[0].as_str()),
            (MAX_PER_EDGE, format!("op_{}", MAX_ENTRIES + MAX_PER_EDGE - 1).as_str())
        );
        assert_eq!(refused.state().by_age.len(), MAX_PER_EDGE + 1);
        refused.retain(|edge| edge == "edghts_quiet");
        assert!(ids(&refused, "edghts_busy").is_empty());
        assert_eq!(refused.state().by_age.len(), 1);
    }

    #[test]
    fn all_together_are_bounded_and_the_oldest_go_first() {
        let refused = RecentRefusals::default();
        let edges: Vec<Arc<str>> =
            (0..MAX_ENTRIES / MAX_PER_EDGE + 2).map(|edge| format!("edghts_{edge}").into()).collect();
        edges.iter().for_each(|edge| (0..MAX_PER_EDGE).for_each(|number| refused.add(edge, entry(number))));
        assert_eq!(refused.state().by_age.len(), MAX_ENTRIES);
        assert!(ids(&refused, &edges[0]).is_empty() && ids(&refused, &edges[1]).is_empty());
        assert_eq!(ids(&refused, &edges[2]).len(), MAX_PER_EDGE);
    }
}
