//! Connections of visitors to one endpoint. Visitors of HTTP share streams, so their connections are those that the
//! server reports; every other stream is a connection of its own.

use crate::metrics::{InFlight, Meter};
use postern_api::local::ConnectionMetrics;
use postern_tunnel::message::VisitorChanges;
use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// Counts connections of visitors.
#[derive(Default)]
pub struct VisitorConnections {
    meter: Meter,
    /// Connections that the server has reported as opened and not as ended, by the generation of the session.
    reported: Mutex<BTreeMap<u64, u64>>,
}

impl VisitorConnections {
    /// Counts a stream as a connection until the result is dropped.
    pub fn open(&self) -> InFlight<'_> {
        self.meter.open()
    }

    /// Counts what the server reports in a session.
    pub(crate) fn apply(&self, generation: u64, changes: &VisitorChanges) {
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        let reported = reported.entry(generation).or_default();
        self.meter.add_opened(changes.opened.into());
        *reported += u64::from(changes.opened);
        for ended in &changes.ended {
            // A report about more connections than there are is not believed.
            let count = u64::from(ended.count).min(*reported);
            *reported -= count;
            self.meter.add_ended(Duration::from_micros(ended.microseconds), count);
        }
    }

    /// A session has ended: no more is reported about its connections.
    pub(crate) fn forget_reported(&self, generation: u64) {
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        self.meter.remove_open(reported.remove(&generation).unwrap_or_default());
    }

    /// The current values.
    pub fn snapshot(&self) -> ConnectionMetrics {
        self.meter.snapshot()
    }
}

/// Limit on tunnels whose reports are kept before their bind response is handled.
const MAX_EARLY_TUNNELS: usize = 4096;

/// Reports about tunnels whose bind response was not handled yet: it takes another way through the agent.
#[derive(Default)]
pub(crate) struct EarlyVisitors(BTreeMap<(u64, u32), Vec<VisitorChanges>>);

impl EarlyVisitors {
    /// Keeps a report of a session.
    pub(crate) fn add(&mut self, generation: u64, changes: &VisitorChanges) {
        if self.0.len() < MAX_EARLY_TUNNELS {
            self.0.entry((generation, changes.number)).or_default().push(changes.clone());
        }
    }

    /// Takes the reports of a tunnel that is bound now.
    pub(crate) fn take(&mut self, generation: u64, number: u32) -> Vec<VisitorChanges> {
        self.0.remove(&(generation, number)).unwrap_or_default()
    }

    /// Drops the reports of a session that has ended.
    pub(crate) fn forget(&mut self, generation: u64) {
        self.0.retain(|(known, _), _| *known != generation);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_tunnel::message::EndedVisitors;

    fn changes(opened: u32, ended: &[(u64, u32)]) -> VisitorChanges {
        let ended = ended.iter().map(|&(microseconds, count)| EndedVisitors { microseconds, count }).collect();
        VisitorChanges { number: 1, opened, ended }
    }

    #[test]
    fn reports_and_streams_are_counted_together() {
        let connections = VisitorConnections::default();
        connections.apply(1, &changes(5, &[(2_000_000, 2)]));
        let stream = connections.open();
        let shown = connections.snapshot();
        assert_eq!((shown.count, shown.gauge), (6, 4));
        assert!((1_980_000_000..=2_020_000_000).contains(&shown.p50), "{}", shown.p50);
        connections.apply(1, &changes(0, &[(1, 9)]));
        assert_eq!(connections.snapshot().gauge, 1, "no more end than there are");
        drop(stream);
        assert_eq!((connections.snapshot().count, connections.snapshot().gauge), (6, 0));
    }

    #[test]
    fn a_report_that_overtakes_the_bind_response_is_kept_until_it_is_handled() {
        let mut early = EarlyVisitors::default();
        early.add(7, &changes(1, &[]));
        early.add(8, &changes(1, &[]));
        assert_eq!(early.take(7, 2), []);
        assert_eq!(early.take(7, 1), [changes(1, &[])]);
        assert_eq!(early.take(7, 1), []);
        early.forget(8);
        assert_eq!(early.take(8, 1), [], "its session has ended");
    }

    #[test]
    fn the_end_of_a_session_leaves_no_reported_connection_of_it_open() {
        let connections = VisitorConnections::default();
        connections.apply(2, &changes(1, &[]));
        connections.apply(1, &changes(3, &[]));
        connections.forget_reported(1);
        assert_eq!((connections.snapshot().count, connections.snapshot().gauge), (4, 1), "that of the other session");
        connections.apply(1, &changes(1, &[]));
        assert_eq!((connections.snapshot().count, connections.snapshot().gauge), (5, 2));
    }
}
