//! Sends the events of one destination in order, each until it is accepted.

use super::{
    backlog::{Backlog, WaitingEvent},
    request::{EventRequest, Outcome, Sender, signature},
};
use crate::{
    resources::{
        Resources, StoredRecord,
        audit::{EVENTS, event_body},
        event_destination::progress::{self, Progress},
    },
    store::{Commit, CommitCondition, CommitOutcome, Store, StoreError},
};
use postern_api::{
    AnyId, Timestamp,
    backoff::{exponential, with_jitter},
    resource::{EventDelivery, EventDestination},
};
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::{Instant, sleep};

/// Delay after the first failure, before jitter; each further failure doubles it.
const FIRST_RETRY_DELAY: Duration = Duration::from_secs(1);
/// Upper bound of the delay.
const MAX_RETRY_DELAY: Duration = Duration::from_secs(3600);
/// Time for which progress may be in memory only, while events follow each other. After a crash, what was sent in that time
/// is sent again.
const SAVE_INTERVAL: Duration = Duration::from_secs(1);
/// Delay after the store failed.
const STORE_RETRY_DELAY: Duration = Duration::from_secs(5);

/// Progress that the next worker of a destination takes over.
pub(super) type SharedProgress = Arc<Mutex<Progress>>;

pub(super) fn locked(progress: &SharedProgress) -> MutexGuard<'_, Progress> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sends the events of one destination.
pub(super) struct Worker {
    pub(super) resources: Arc<Resources>,
    pub(super) sender: Arc<Sender>,
    pub(super) destination: StoredRecord<EventDestination>,
    pub(super) backlog: Arc<Backlog>,
    pub(super) progress: SharedProgress,
}

/// What became of an attempt.
enum Attempt {
    /// The event is done.
    Done,
    /// It is tried again after this time.
    After(Duration),
}

impl Worker {
    /// Sends events until some must be read from the log, or the destination was deleted.
    pub(super) async fn run(self) {
        let mut saved_at = Instant::now();
        while let Some(event) = self.backlog.next().await {
            loop {
                match self.attempt(&event).await {
                    Ok(Attempt::Done) => break,
                    Ok(Attempt::After(delay)) => {
                        if !self.save_or_log().await {
                            return;
                        }
                        sleep(delay).await;
                    }
                    Err(StoreError::Closed) => return,
                    Err(error) => {
                        tracing::warn!(destination = %self.destination.id, %error, "an event cannot be read");
                        sleep(STORE_RETRY_DELAY).await;
                    }
                }
            }
            self.backlog.pop();
            if self.backlog.is_empty() || saved_at.elapsed() >= SAVE_INTERVAL {
                if !self.save_or_log().await {
                    return;
                }
                saved_at = Instant::now();
            }
        }
    }

    /// Sends an event once.
    async fn attempt(&self, event: &WaitingEvent) -> Result<Attempt, StoreError> {
        let Some(entry) = self.resources.store.get(&event.key).await? else {
            let mut progress = locked(&self.progress);
            (progress.event, progress.revision) = (id_of(&event.key).to_owned(), event.revision);
            progress.skipped += 1;
            return Ok(Attempt::Done);
        };
        let id = id_of(&entry.key);
        // Events are filtered when they are read, so this one is readable.
        let Some((created_at, body)) = event_body(&entry, self.resources.base_url()) else { return Ok(Attempt::Done) };
        let now = Timestamp::now();
        let signature = signature(self.destination.hidden.valid_at(now), id, now.seconds(), &body);
        let url = &self.destination.spec.url;
        let request = EventRequest { url, id, timestamp: now.seconds(), body, signature };
        let outcome = self.sender.send(request).await;
        Ok(self.conclude(event, created_at, now, &outcome))
    }

    fn conclude(&self, event: &WaitingEvent, created_at: Timestamp, now: Timestamp, outcome: &Outcome) -> Attempt {
        let id = id_of(&event.key);
        let mut progress = locked(&self.progress);
        let former = progress.last_delivery.as_ref().filter(|last| last.event_id.as_str() == id);
        let failures = former.map_or(0, |last| last.attempts);
        let (error, destination) = (outcome.error(), &self.destination.id);
        let mut delivery = EventDelivery {
            event_id: AnyId::from_text(id),
            at: now,
            attempts: failures.saturating_add(1),
            status_code: outcome.status_code(),
            error,
            next_attempt_at: None,
        };
        if delivery.error.is_empty() {
            if failures > 0 {
                tracing::info!(%destination, attempts = delivery.attempts, "the destination accepts events again");
            }
            (progress.event, progress.revision, progress.at) = (id.to_owned(), event.revision, created_at);
            progress.last_delivery = Some(delivery);
            return Attempt::Done;
        }
        let delay = with_jitter(exponential(FIRST_RETRY_DELAY, failures).min(MAX_RETRY_DELAY));
        if failures == 0 {
            tracing::warn!(%destination, event = id, error = delivery.error, "an event was not accepted; it is sent again");
        }
        let next = jiff::Timestamp::from_second(now.seconds()).ok().and_then(|now| now.checked_add(delay).ok());
        delivery.next_attempt_at = next.map(Timestamp::new);
        progress.last_delivery = Some(delivery);
        Attempt::After(delay)
    }

    /// Writes the progress; false if the destination was deleted, or the store is closed.
    async fn save_or_log(&self) -> bool {
        match self.save().await {
            Ok(exists) => exists,
            Err(StoreError::Closed) => false,
            Err(error) => {
                tracing::warn!(destination = %self.destination.id, %error, "the progress of the destination was not stored");
                true
            }
        }
    }

    async fn save(&self) -> Result<bool, StoreError> {
        save(self.resources.store.as_ref(), &self.destination, &self.progress).await
    }
}

/// Writes the progress of a destination; false if it was deleted.
pub(super) async fn save(
    store: &dyn Store,
    destination: &StoredRecord<EventDestination>,
    progress: &SharedProgress,
) -> Result<bool, StoreError> {
    let broken = |error| StoreError::Broken(format!("the progress of a destination could not be written: {error}"));
    let value = serde_json::to_vec(&*locked(progress)).map_err(broken)?;
    let exists = CommitCondition::Present(destination.key());
    let commit = Commit::default().put(progress::key(&destination.id), value).when(exists);
    Ok(matches!(store.commit(commit).await?, CommitOutcome::Done(_)))
}

fn id_of(key: &str) -> &str {
    key.strip_prefix(EVENTS).unwrap_or(key)
}
