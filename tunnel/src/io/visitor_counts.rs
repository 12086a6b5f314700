//! Counts of visitors' connections to HTTP tunnels. Only the server knows them, because the requests of many visitors
//! share the streams of a tunnel; it reports them to the agent in batches.

use super::session::SessionCore;
use crate::proto::message::{EndedVisitors, FromServer, VisitorChanges};
use std::{
    collections::BTreeMap,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{sync::Notify, time::Instant};

/// Minimum time between two reports.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);
/// Tunnels and durations of one report; with that many it stays below the longest message.
const MAX_REPORT_ENTRIES: usize = 1000;
/// Leading bits of a duration that are reported: it becomes at most one percent shorter, and the number of different
/// durations is bounded.
const DURATION_BITS: u32 = 8;

/// Changes that were not reported yet.
#[derive(Debug, Default)]
pub(crate) struct VisitorCounts {
    /// By tunnel number.
    pending: Mutex<BTreeMap<u32, PendingChanges>>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct PendingChanges {
    opened: u32,
    /// Connections ended, by duration in microseconds.
    ended: BTreeMap<u64, u32>,
}

/// A visitor's connection to an HTTP tunnel, counted as open until it is dropped.
#[derive(Debug)]
pub struct CountedVisitor {
    counts: Arc<VisitorCounts>,
    number: u32,
    since: Instant,
}

impl VisitorCounts {
    /// Counts a connection that begins now.
    pub(crate) fn open(self: &Arc<Self>, number: u32) -> CountedVisitor {
        self.pending().entry(number).or_default().opened += 1;
        self.changed.notify_one();
        CountedVisitor { counts: self.clone(), number, since: Instant::now() }
    }

    /// Adds changes that were counted elsewhere.
    pub(crate) fn add(&self, changes: VisitorChanges) {
        {
            let mut pending = self.pending();
            let own = pending.entry(changes.number).or_default();
            own.opened = own.opened.saturating_add(changes.opened);
            for EndedVisitors { microseconds, count } in changes.ended {
                let ended = own.ended.entry(rounded_micros(Duration::from_micros(microseconds))).or_default();
                *ended = ended.saturating_add(count);
            }
        }
        self.changed.notify_one();
    }

    fn ended(&self, number: u32, took: Duration) {
        *self.pending().entry(number).or_default().ended.entry(rounded_micros(took)).or_default() += 1;
        self.changed.notify_one();
    }

    /// Reports changes, for as long as it is polled.
    pub(crate) async fn report(&self, core: &SessionCore<FromServer>) {
        loop {
            self.changed.notified().await;
            loop {
                // An agent that is slow to read gets larger reports less often.
                if core.has_room() {
                    let tunnels = self.take(MAX_REPORT_ENTRIES);
                    if tunnels.is_empty() {
                        break;
                    }
                    core.send(FromServer::Visitors { tunnels });
                }
                tokio::time::sleep(REPORT_INTERVAL).await;
            }
        }
    }

    /// Takes changes with at most so many tunnels and durations. Connections never end in an earlier report than they
    /// were opened in.
    fn take(&self, max_entries: usize) -> Vec<VisitorChanges> {
        let mut pending = self.pending();
        let (mut taken, mut room) = (Vec::new(), max_entries);
        while let Some(mut first) = pending.first_entry().filter(|_| room > 0) {
            let changes = first.get_mut();
            room -= 1;
            let mut ended = Vec::new();
            while room > 0
                && let Some((microseconds, count)) = changes.ended.pop_first()
            {
                ended.push(EndedVisitors { microseconds, count });
                room -= 1;
            }
            let opened = mem::take(&mut changes.opened);
            taken.push(VisitorChanges { number: *first.key(), opened, ended });
            if first.get().ended.is_empty() {
                first.remove();
            }
        }
        taken
    }

    fn pending(&self) -> MutexGuard<'_, BTreeMap<u32, PendingChanges>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for CountedVisitor {
    fn drop(&mut self) {
        self.counts.ended(self.number, self.since.elapsed());
    }
}

/// A duration in microseconds, with its leading bits only.
fn rounded_micros(took: Duration) -> u64 {
    let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
    let dropped = (u64::BITS - micros.leading_zeros()).saturating_sub(DURATION_BITS);
    micros >> dropped << dropped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_what_changed_since_the_last_one() {
        let counts = Arc::new(VisitorCounts::default());
        let (first, second) = (counts.open(1), counts.open(1));
        let other = counts.open(2);
        let opened = |number, opened| VisitorChanges { number, opened, ended: Vec::new() };
        assert_eq!(counts.take(100), [opened(1, 2), opened(2, 1)]);
        assert_eq!(counts.take(100), []);
        drop((first, other));
        let ended = counts.take(100);
        let count = |changes: &VisitorChanges| changes.ended.iter().map(|ended| ended.count).sum::<u32>();
        assert_eq!(
            ended.iter().map(|changes| (changes.number, changes.opened, count(changes))).collect::<Vec<_>>(),
            [(1, 0, 1), (2, 0, 1)]
        );
        drop(second);
        assert_eq!(counts.take(100).len(), 1);
    }

    #[test]
    fn a_report_is_bounded_and_the_rest_follows() {
        let counts = Arc::new(VisitorCounts::default());
        for micros in 0..300 {
            counts.open(7);
            counts.pending().entry(7).or_default().ended.insert(micros, 1);
        }
        let mut opened = 0;
        let mut ended = 0;
        loop {
            let taken = counts.take(100);
            if taken.is_empty() {
                break;
            }
            assert!(taken.iter().map(|changes| 1 + changes.ended.len()).sum::<usize>() <= 100);
            opened += taken.iter().map(|changes| changes.opened).sum::<u32>();
            ended += taken.iter().flat_map(|changes| &changes.ended).count();
            assert!(ended as u32 <= opened);
        }
        assert_eq!(opened, 300);
        assert!(ended >= 299, "{ended}: the zeros of dropped guards may coincide with an entry");
    }

    #[test]
    fn a_duration_loses_less_than_one_percent() {
        for micros in [0, 1, 255, 256, 999, 65_537, 3_600_000_000, u64::MAX / 2] {
            let rounded = rounded_micros(Duration::from_micros(micros));
            assert!(rounded <= micros && micros - rounded <= micros / 100, "{micros} became {rounded}");
        }
    }
}
