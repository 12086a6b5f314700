//! How far a destination has read the audit log. Events are sent in the order of their commits, which is not always that of
//! their ids: several nodes write them, and ids are made before the commit.

use super::event_key;
use crate::{
    resources::audit::{EVENTS, key_at, kind_and_operation},
    store::{Entry, Range, Result, Revision, Store, StoreError},
};
use postern_api::{
    Id, Timestamp,
    id::{Kind, next_ksuid},
    resource::{AuditEvent, EventDelivery, EventDestination},
};
use serde::{Deserialize, Serialize};

/// Events that are counted as pending at most.
const MAX_COUNTED: usize = 1000;
const BATCH_SIZE: usize = 500;
/// Time by which the ids of two events may be in another order than their commits, in seconds: clocks of nodes differ.
const MAX_ID_DISORDER: i64 = 3600;

/// How far a destination has read the log, and what became of the latest event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// Latest event that is done; for a new destination, an id before that of the first event.
    pub(crate) event: String,
    /// Commit of that event; 0 for a new destination.
    pub(crate) revision: Revision,
    /// Time of that event.
    pub(crate) at: Timestamp,
    /// Events that the log had dropped.
    #[serde(default)]
    pub(crate) skipped: u64,
    #[serde(default)]
    pub(crate) last_delivery: Option<EventDelivery>,
}

/// Key of the progress of a destination.
pub(crate) fn key(id: &Id<EventDestination>) -> String {
    format!("deliveries/{id}")
}

impl Progress {
    /// That of a destination that is created now.
    pub(crate) fn beginning(now: jiff::Timestamp) -> Self {
        let event = format!("{}_{}", AuditEvent::PREFIX, next_ksuid(now));
        Progress { event, revision: 0, at: Timestamp::new(now), skipped: 0, last_delivery: None }
    }

    /// Reads that of a destination.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) async fn load(store: &dyn Store, id: &Id<EventDestination>) -> Result<Option<Self>> {
        let Some(entry) = store.get(&key(id)).await? else { return Ok(None) };
        let broken = |error| StoreError::Broken(format!("`{}` cannot be read: {error}", entry.key));
        serde_json::from_slice(&entry.value).map(Some).map_err(broken)
    }

    /// Where the events begin that are not done.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) async fn position(&self, store: &dyn Store) -> Result<LogPosition> {
        let key = event_key(&self.event);
        // A store that this one was copied from counted other commits.
        let is_known = store.get(&key).await?.is_some_and(|entry| entry.revision == self.revision);
        if !is_known {
            return Ok(LogPosition { floor: key.clone(), key, revision: None });
        }
        let earliest = jiff::Timestamp::from_second(self.at.seconds().saturating_sub(MAX_ID_DISORDER));
        let floor = key_at(Timestamp::new(earliest.unwrap_or(jiff::Timestamp::MIN)));
        Ok(LogPosition { floor, key, revision: Some(self.revision) })
    }

    /// Number of the events that wait, up to [`MAX_COUNTED`].
    ///
    /// # Errors
    /// If the store fails.
    pub(super) async fn count_pending(&self, store: &dyn Store, destination: &EventDestination) -> Result<u64> {
        let (position, mut pending) = (self.position(store).await?, 0);
        read_newest_first(store, &position.floor, |entry| {
            let counts = position.is_before(&entry.key, entry.revision) && is_wanted(destination, &entry.value);
            pending += u64::from(counts);
            pending < MAX_COUNTED as u64
        })
        .await?;
        Ok(pending)
    }
}

/// A place in the log.
#[derive(Clone, Debug)]
pub(crate) struct LogPosition {
    /// Key of the event at this place.
    key: String,
    /// Its commit; `None` if that is not known: then ids decide.
    revision: Option<Revision>,
    /// No event before this key is after the place.
    pub(crate) floor: String,
}

impl LogPosition {
    /// Whether an event is after this place.
    pub(crate) fn is_before(&self, key: &str, revision: Revision) -> bool {
        match self.revision {
            Some(reached) => revision > reached,
            None => key > self.key.as_str(),
        }
    }

    /// Whether events after this place are in the order of their commits, not of their ids.
    pub(crate) fn is_ordered_by_commit(&self) -> bool {
        self.revision.is_some()
    }
}

/// Whether a destination wants a stored event.
fn is_wanted(destination: &EventDestination, event: &[u8]) -> bool {
    kind_and_operation(event).is_some_and(|(kind, operation)| destination.wants(&kind, operation))
}

/// Visits all events down to a key, newest first, as long as the visitor wants more.
///
/// # Errors
/// If the store fails.
pub(crate) async fn read_newest_first(
    store: &dyn Store,
    floor: &str,
    mut visit: impl FnMut(&Entry) -> bool + Send,
) -> Result<()> {
    let mut range = Range::new(EVENTS, BATCH_SIZE);
    loop {
        let page = store.range(range.clone()).await?;
        let wants_more = page.entries.iter().all(|entry| entry.key.as_str() >= floor && visit(entry));
        let next = range.after(&page).filter(|_| wants_more);
        let Some(next) = next else { return Ok(()) };
        range = next;
        tokio::task::yield_now().await;
    }
}
