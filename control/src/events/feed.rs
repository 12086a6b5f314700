//! Follows the audit log and the destinations, and gives each destination a backlog of the events that it wants, with a worker
//! that sends them. Only one node of a cluster does, and none does anything for a commit while there is no destination.

use super::{
    backlog::{Backlog, WaitingEvent},
    request::Sender,
    worker::{SharedProgress, Worker, locked, save},
};
use crate::{
    resources::{
        Resources, StoredRecord,
        audit::{EVENTS, kind_and_operation},
        event_destination::{
            MAX_DESTINATIONS,
            progress::{LogPosition, Progress, read_newest_first},
        },
        keys,
    },
    store::{Batch, Change, Range, Result, Revision, StoreError},
};
use postern_api::{Id, resource::EventDestination};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    sync::Notify,
    task::{AbortHandle, JoinSet},
};

/// Delay after the store failed.
const STORE_RETRY_DELAY: Duration = Duration::from_secs(5);
/// No commit.
const NEVER: Revision = 0;

/// All destinations that are enabled, and how far the log is read for them.
pub(super) struct Feed {
    resources: Arc<Resources>,
    sender: Arc<Sender>,
    destinations: HashMap<Id<EventDestination>, Destination>,
    workers: JoinSet<Id<EventDestination>>,
    /// Up to this commit, the backlogs have all events.
    reached: Revision,
}

/// A destination with a worker.
struct Destination {
    record: StoredRecord<EventDestination>,
    /// Commit that wrote the record.
    revision: Revision,
    position: LogPosition,
    backlog: Arc<Backlog>,
    progress: SharedProgress,
    worker: AbortHandle,
}

/// A destination whose backlog is being read.
struct Beginning {
    record: StoredRecord<EventDestination>,
    revision: Revision,
    position: LogPosition,
    progress: SharedProgress,
    events: Vec<WaitingEvent>,
}

/// Tells when a destination is created, changed or deleted; `None` once the store is closed.
pub(super) async fn follow_destinations(resources: &Resources) -> Option<Arc<Notify>> {
    let changed = Arc::new(Notify::new());
    loop {
        let (told, records) = (changed.clone(), keys::records::<EventDestination>());
        let subscriber = move |changes: &[Change], _: Revision| {
            if changes.iter().any(|change| change.key.starts_with(&records)) {
                told.notify_one();
            }
        };
        let newest = *resources.published_revision.borrow();
        match resources.store.subscribe(newest, Box::new(subscriber)).await {
            Ok(()) => return Some(changed),
            Err(StoreError::Compacted(_)) => {}
            Err(_) => return None,
        }
    }
}

impl Feed {
    /// Sends events until the store is closed. `changed` is that of [`follow_destinations`].
    pub(super) async fn run(resources: Arc<Resources>, sender: Arc<Sender>, changed: Arc<Notify>) {
        loop {
            let (workers, destinations) = (JoinSet::new(), HashMap::new());
            let feed = Feed { resources: resources.clone(), sender: sender.clone(), destinations, workers, reached: 0 };
            match feed.follow().await {
                Ok(()) => changed.notified().await,
                Err(StoreError::Closed) => return,
                // The log is read from the stored positions again.
                Err(error) => {
                    tracing::debug!(%error, "events are not sent for a moment");
                    tokio::time::sleep(STORE_RETRY_DELAY).await;
                }
            }
        }
    }

    /// Follows the log until there is no destination, the log no longer reaches back to where it was read, or the store fails.
    async fn follow(mut self) -> Result<()> {
        let store = self.resources.store.clone();
        self.reached = store.range(Range::new(EVENTS, 1)).await?.revision;
        let mut events = store.watch(EVENTS, self.reached);
        let mut records = store.watch(&keys::records::<EventDestination>(), self.reached);
        let mut records_reached = self.reached;
        self.read_destinations().await?;
        while !self.destinations.is_empty() {
            let (mut are_stale, mut arrived) = (false, None);
            tokio::select! {
                batch = events.next() => arrived = Some(batch?),
                batch = records.next() => (records_reached, are_stale) = reached_and_changed(&batch?),
                Some(ended) = self.workers.join_next() => are_stale = ended.is_ok_and(|id| self.has_ended(&id)),
            }
            // An event goes to the destinations as they are since its commit.
            while arrived.as_ref().is_some_and(|batch| records_reached < batch.revision) {
                let (reached, have_changed) = reached_and_changed(&records.next().await?);
                (records_reached, are_stale) = (reached, are_stale || have_changed);
            }
            if are_stale {
                self.read_destinations().await?;
            }
            if let Some(batch) = arrived {
                self.distribute(&batch);
            }
        }
        Ok(())
    }

    /// Adds events to the backlogs.
    fn distribute(&mut self, batch: &Batch) {
        for change in &batch.changes {
            let Some((kind, operation)) = change.value.as_deref().and_then(kind_and_operation) else { continue };
            let event = WaitingEvent { key: change.key.as_str().into(), revision: change.revision };
            for destination in self.destinations.values() {
                if destination.position.is_before(&event.key, event.revision)
                    && destination.record.spec.wants(&kind, operation)
                {
                    destination.backlog.push(event.clone());
                }
            }
        }
        self.reached = batch.revision;
    }

    /// A worker has ended, because further events must be read from the log. Those of changed destinations were aborted.
    fn has_ended(&mut self, id: &Id<EventDestination>) -> bool {
        let destination = self.destinations.get_mut(id).filter(|destination| destination.worker.is_finished());
        destination.map(|destination| destination.revision = NEVER).is_some()
    }

    /// Begins with destinations that are new or changed, and ends with those that were deleted or disabled.
    async fn read_destinations(&mut self) -> Result<()> {
        let mut former = std::mem::take(&mut self.destinations);
        let mut beginnings = Vec::new();
        for (record, revision) in self.enabled_destinations().await? {
            let taken_over = match former.remove(&record.id) {
                Some(unchanged) if unchanged.revision == revision => {
                    self.destinations.insert(record.id, unchanged);
                    continue;
                }
                changed => changed.map(Destination::end),
            };
            let progress = match taken_over {
                Some(progress) => progress,
                None => match Progress::load(self.resources.store.as_ref(), &record.id).await? {
                    Some(progress) => Arc::new(Mutex::new(progress)),
                    None => continue,
                },
            };
            let reached = locked(&progress).clone();
            let position = reached.position(self.resources.store.as_ref()).await?;
            beginnings.push(Beginning { record, revision, position, progress, events: Vec::new() });
        }
        for gone in former.into_values() {
            let destination = gone.record.clone();
            save(self.resources.store.as_ref(), &destination, &gone.end()).await?;
        }
        self.read_events(&mut beginnings).await?;
        beginnings.into_iter().for_each(|beginning| self.begin(beginning));
        Ok(())
    }

    /// Enabled destinations, with the commits that wrote them.
    async fn enabled_destinations(&self) -> Result<Vec<(StoredRecord<EventDestination>, Revision)>> {
        let range = Range::new(keys::records::<EventDestination>(), MAX_DESTINATIONS);
        let mut enabled = Vec::new();
        for entry in self.resources.store.range(range).await?.entries {
            match self.resources.codec.read_record::<EventDestination>(&entry) {
                Ok(record) if record.spec.enabled => enabled.push((record, entry.revision)),
                Ok(_) => {}
                Err(error) => {
                    tracing::error!(key = entry.key, "no events are sent to a destination: {}", error.message)
                }
            }
        }
        Ok(enabled)
    }

    /// Reads what waits in the log, up to what is distributed.
    async fn read_events(&self, beginnings: &mut [Beginning]) -> Result<()> {
        let Some(floor) = beginnings.iter().map(|beginning| beginning.position.floor.clone()).min() else {
            return Ok(());
        };
        read_newest_first(self.resources.store.as_ref(), &floor, |entry| {
            let Some((kind, operation)) = kind_and_operation(&entry.value) else { return true };
            let event = WaitingEvent { key: entry.key.as_str().into(), revision: entry.revision };
            for beginning in beginnings.iter_mut() {
                if entry.revision <= self.reached
                    && beginning.position.is_before(&event.key, event.revision)
                    && beginning.record.spec.wants(&kind, operation)
                {
                    beginning.events.push(event.clone());
                }
            }
            true
        })
        .await
    }

    fn begin(&mut self, beginning: Beginning) {
        let Beginning { record, revision, position, progress, mut events } = beginning;
        if position.is_ordered_by_commit() {
            events.sort_by(|one, other| (one.revision, &one.key).cmp(&(other.revision, &other.key)));
        } else {
            events.reverse();
        }
        let id = record.id.clone();
        let backlog = Arc::new(Backlog::new(events.into()));
        let worker = Worker {
            resources: self.resources.clone(),
            sender: self.sender.clone(),
            destination: record.clone(),
            backlog: backlog.clone(),
            progress: progress.clone(),
        };
        let ended = id.clone();
        let worker = self.workers.spawn(async move {
            worker.run().await;
            ended
        });
        self.destinations.insert(id, Destination { record, revision, position, backlog, progress, worker });
    }
}

/// The commit that a watch has reached, and whether anything changed.
fn reached_and_changed(batch: &Batch) -> (Revision, bool) {
    (batch.revision, !batch.changes.is_empty())
}

impl Destination {
    /// Ends its worker; gives the progress to the next one.
    fn end(self) -> SharedProgress {
        self.worker.abort();
        self.progress
    }
}
