//! Visitors' connections to tunnels of this node that another node has counted. When its link is lost, they have ended.

use postern_tunnel::message::{EndedVisitors, VisitorChanges};
use std::collections::HashMap;
use tokio::time::Instant;

/// Open connections of one node's visitors, by tunnel number.
#[derive(Default)]
pub(super) struct VisitorLedger(HashMap<u32, OpenVisitors>);

struct OpenVisitors {
    count: u32,
    /// Since when there is always one.
    since: Instant,
}

impl VisitorLedger {
    /// Records what a node reports.
    pub(super) fn record(&mut self, changes: &VisitorChanges) {
        let ended = changes.ended.iter().fold(0, |sum: u32, ended| sum.saturating_add(ended.count));
        let open = self.0.entry(changes.number).or_insert_with(|| OpenVisitors { count: 0, since: Instant::now() });
        open.count = open.count.saturating_add(changes.opened).saturating_sub(ended);
        if open.count == 0 {
            self.0.remove(&changes.number);
        }
    }

    /// The end of all that are open. How long each was open is not known; the longest possible time is told.
    pub(super) fn close(self) -> impl Iterator<Item = VisitorChanges> {
        self.0.into_iter().map(|(number, open)| {
            let microseconds = u64::try_from(open.since.elapsed().as_micros()).unwrap_or(u64::MAX);
            VisitorChanges { number, opened: 0, ended: vec![EndedVisitors { microseconds, count: open.count }] }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_open_when_the_link_is_lost_has_ended() {
        let mut ledger = VisitorLedger::default();
        let ended = |count| vec![EndedVisitors { microseconds: 5, count }];
        ledger.record(&VisitorChanges { number: 1, opened: 3, ended: ended(1) });
        ledger.record(&VisitorChanges { number: 2, opened: 2, ended: ended(2) });
        ledger.record(&VisitorChanges { number: 3, opened: 0, ended: ended(9) });
        let closed: Vec<_> = ledger.close().collect();
        assert_eq!(closed.len(), 1);
        assert_eq!((closed[0].number, closed[0].opened, closed[0].ended[0].count), (1, 0, 2));
    }
}
