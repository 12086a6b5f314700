//! The record of what happened: one event with every change, the newest of them kept.

use crate::store::{Commit, Range, Result, Revision, Store};
use std::sync::Arc;

const PREFIX: &str = "events/";
/// Events that are kept at least.
const KEPT: usize = 10_000;
/// Commits between two looks at how many there are: a look reads all of them.
const EVERY: Revision = 2048;
const STEP: usize = 1000;

/// Now and then, after a commit, forgets the oldest events. Nobody waits for it.
pub(super) fn after_commit(store: &Arc<dyn Store>, revision: Revision) {
    if revision % EVERY != 0 {
        return;
    }
    let store = store.clone();
    tokio::spawn(async move {
        if let Err(error) = trim(store.as_ref(), KEPT).await {
            tracing::warn!(%error, "old events could not be removed");
        }
    });
}

async fn trim(store: &dyn Store, kept: usize) -> Result<()> {
    let mut range = Range::of(PREFIX, STEP);
    let mut seen = 0;
    loop {
        let page = store.range(range.clone()).await?;
        let Some(last) = page.entries.last() else { return Ok(()) };
        range.before = Some(last.key.clone());
        let old = page.entries.iter().skip(kept.saturating_sub(seen));
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
        let left = store.range(Range::of(PREFIX, 5000)).await.expect("a range").entries;
        assert_eq!((left.len(), left[0].key.as_str(), left[1199].key.as_str()), (1200, "events/02499", "events/01300"));
        trim(&store, 1200).await.expect("trimmed");
        assert_eq!(store.range(Range::of("", 5000)).await.expect("a range").entries.len(), 1202);
    }
}
