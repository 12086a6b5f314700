//! Retention: events are kept by age, number and size; the oldest are removed.

use super::{EVENTS, list::first_key, stored_event::kind_and_operation};
use crate::{
    AuditRetention,
    store::{Commit, Entry, Range, Result, Revision, Store},
};
use postern_api::{
    Timestamp,
    resource::{ALERT_FIRING, ALERT_RESOLVED, ALERT_WARNING, API_REFUSAL, AppSession, AppUser, ConsoleSession, View},
};
use std::{
    collections::HashMap,
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::sync::watch;

/// Commits between two trims by number and size: each trim reads all events.
const TRIM_INTERVAL: Revision = 2048;
/// Time between two trims by age.
const AGE_CHECK_INTERVAL: Duration = Duration::from_secs(3600);
const BATCH_SIZE: usize = 500;
/// Bytes of all events that are kept of each class.
const MAX_CLASS_BYTES: usize = 64 << 20;

/// Removes the oldest events every [`TRIM_INTERVAL`] commits, in a task of its own.
pub(crate) fn after_commit(store: &Arc<dyn Store>, retention: AuditRetention, revision: Revision) {
    if revision % TRIM_INTERVAL != 0 {
        return;
    }
    let store = store.clone();
    tokio::spawn(async move {
        if let Err(error) = trim(store.as_ref(), retention.max_events, MAX_CLASS_BYTES).await {
            tracing::warn!(%error, "old audit events could not be removed");
        }
    });
}

/// Removes events that are too old, as long as the store is open; of several nodes, the one that leads does.
pub(crate) async fn remove_expired_regularly(
    store: Weak<dyn Store>,
    retention: AuditRetention,
    leading: Option<watch::Receiver<bool>>,
) {
    loop {
        tokio::time::sleep(AGE_CHECK_INTERVAL).await;
        let Some(store) = store.upgrade() else { return };
        if leading.as_ref().is_some_and(|leads| !*leads.borrow()) {
            continue;
        }
        let now = postern_api::clock::now();
        let oldest = jiff::SignedDuration::try_from(retention.max_age).ok().and_then(|age| now.checked_sub(age).ok());
        let Some(oldest) = oldest.map(Timestamp::new) else { continue };
        if let Err(error) = remove_before(store.as_ref(), oldest).await {
            tracing::warn!(%error, "expired audit events could not be removed");
        }
    }
}

/// Removes the events before a time.
async fn remove_before(store: &dyn Store, oldest: Timestamp) -> Result<()> {
    let mut range = Range::new(EVENTS, BATCH_SIZE);
    range.before = Some(first_key(oldest));
    loop {
        let page = store.range(range.clone()).await?;
        delete(store, page.entries.iter()).await?;
        let Some(next) = range.after(&page) else { return Ok(()) };
        range = next;
    }
}

/// Removes the oldest events of each class that exceed a number or a size.
async fn trim(store: &dyn Store, max_events: usize, max_bytes: usize) -> Result<()> {
    let mut range = Range::new(EVENTS, BATCH_SIZE);
    let mut kept = HashMap::new();
    loop {
        let page = store.range(range.clone()).await?;
        let excess = page.entries.iter().filter(|entry| {
            let (events, bytes) = kept.entry(EventClass::of(entry)).or_insert((0, 0));
            (*events, *bytes) = (*events + 1, *bytes + entry.key.len() + entry.value.len());
            *events > max_events || *bytes > max_bytes
        });
        delete(store, excess).await?;
        let Some(next) = range.after(&page) else { return Ok(()) };
        range = next;
    }
}

async fn delete(store: &dyn Store, entries: impl Iterator<Item = &Entry>) -> Result<()> {
    let commit = entries.fold(Commit::default(), |commit, entry| commit.delete(&entry.key));
    if !commit.writes.is_empty() {
        store.commit(commit).await?;
    }
    Ok(())
}

/// Events that are counted together, so that many of one class never displace those of another.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum EventClass {
    Change,
    /// About a login of a visitor, or a sign-in to the console.
    Login,
    /// About refused calls of the API.
    Refusal,
    /// About alert rules that came into another state.
    Alert,
}

impl EventClass {
    fn of(entry: &Entry) -> Self {
        match kind_and_operation(&entry.value).map(|(kind, _)| kind).as_deref() {
            Some(AppSession::KIND | AppUser::KIND | ConsoleSession::KIND) => EventClass::Login,
            Some(API_REFUSAL) => EventClass::Refusal,
            Some(ALERT_FIRING | ALERT_WARNING | ALERT_RESOLVED) => EventClass::Alert,
            _ => EventClass::Change,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sqlite;

    async fn left(store: &dyn Store) -> Vec<String> {
        let entries = store.range(Range::new("", 5000)).await.expect("a range").entries;
        entries.into_iter().map(|entry| entry.key).collect()
    }

    #[tokio::test]
    async fn the_newest_events_are_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = sqlite::open(folder.path()).expect("a store");
        let many = (0..2500).fold(Commit::default(), |commit, number| commit.put(format!("events/{number:05}"), "x"));
        store.commit(many.put("eventsx", "x").put("event", "x")).await.expect("a commit");
        trim(&store, 1200, MAX_CLASS_BYTES).await.expect("trimmed");
        let left_over = left(&store).await;
        assert_eq!(
            (left_over.len(), left_over[1].as_str(), left_over[1200].as_str()),
            (1202, "events/02499", "events/01300")
        );
        trim(&store, 1200, MAX_CLASS_BYTES).await.expect("trimmed");
        assert_eq!(left(&store).await.len(), 1202);
        trim(&store, 1200, 13 * 100).await.expect("trimmed");
        assert_eq!(left(&store).await.len(), 102, "each has 13 bytes");
    }

    #[tokio::test]
    async fn logins_do_not_displace_changes() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = sqlite::open(folder.path()).expect("a store");
        let event = |name: &str| format!(r#"{{"type":"{name}","object":"","by":"","at":"2026-11-20T13:00:00Z"}}"#);
        let change = Commit::default().put("events/0", event("ip_policy_created"));
        let commit = (1..50).fold(change, |commit, number| {
            commit.put(format!("events/{number:02}"), event(["app_session_created", "app_user_created"][number % 2]))
        });
        store.commit(commit).await.expect("a commit");
        trim(&store, 2, MAX_CLASS_BYTES).await.expect("trimmed");
        assert_eq!(left(&store).await, ["events/49", "events/48", "events/0"]);
    }

    #[tokio::test]
    async fn events_before_a_time_are_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = sqlite::open(folder.path()).expect("a store");
        let at = |second| Timestamp::new(jiff::Timestamp::from_second(second).expect("a moment"));
        let keys: Vec<String> = (0..1200).map(|minute| first_key(at(1_790_000_000 + 60 * minute))).collect();
        let commit = keys.iter().fold(Commit::default(), |commit, key| commit.put(key, "x"));
        store.commit(commit).await.expect("a commit");
        remove_before(&store, at(1_790_000_000 + 60 * 1100)).await.expect("removed");
        let mut kept = left(&store).await;
        kept.reverse();
        assert_eq!(kept, keys[1100..]);
    }
}
