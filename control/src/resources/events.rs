//! The event log: one event with every change; the oldest are removed.

use crate::store::{Commit, Range, Result, Revision, Store};
use std::sync::Arc;

const PREFIX: &str = "events/";
/// Events that are always retained.
const MIN_EVENTS: usize = 10_000;
/// Commits between two trims: each trim reads all events.
const TRIM_INTERVAL: Revision = 2048;
const BATCH_SIZE: usize = 1000;

/// Removes the oldest events every [`TRIM_INTERVAL`] commits, in a task of its own.
pub(super) fn after_commit(store: &Arc<dyn Store>, revision: Revision) {
    if revision % TRIM_INTERVAL != 0 {
        return;
    }
    let store = store.clone();
    tokio::spawn(async move {
        if let Err(error) = trim(store.as_ref(), MIN_EVENTS).await {
            tracing::warn!(%error, "old events could not be removed");
        }
    });
}

async fn trim(store: &dyn Store, retained: usize) -> Result<()> {
    let mut range = Range::new(PREFIX, BATCH_SIZE);
    let mut seen = 0;
    loop {
        let page = store.range(range.clone()).await?;
        let Some(last) = page.entries.last() else { return Ok(()) };
        range.before = Some(last.key.clone());
        let old = page.entries.iter().skip(retained.saturating_sub(seen));
        let commit = old.fold(Commit::default(), |commit, entry| commit.delete(&entry.key));
        if !commit.writes.is_empty() {
            store.commit(commit).await?;
        }
        seen += page.entries.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sqlite;

    #[tokio::test]
    async fn the_newest_events_are_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = sqlite::open(folder.path()).expect("a store");
        let many = (0..2500).fold(Commit::default(), |commit, number| commit.put(format!("events/{number:05}"), "x"));
        store.commit(many.put("eventsx", "x").put("event", "x")).await.expect("a commit");
        trim(&store, 1200).await.expect("trimmed");
        let left = store.range(Range::new(PREFIX, 5000)).await.expect("a range").entries;
        assert_eq!((left.len(), left[0].key.as_str(), left[1199].key.as_str()), (1200, "events/02499", "events/01300"));
        trim(&store, 1200).await.expect("trimmed");
        assert_eq!(store.range(Range::new("", 5000)).await.expect("a range").entries.len(), 1202);
    }
}
