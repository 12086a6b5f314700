//! The connection that writes, and the thread that groups requests.

use super::{
    DatabaseFolder,
    folder_state::FolderState,
    statements::{self, GroupResult, WriteRequest, WriteResponse},
};
use crate::store::{Result, Revision, StoreError, Subscriber, lock::FolderLock, recent_changes::RecentChanges};
use rusqlite::Connection;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{mpsc, oneshot, watch};

/// Requests that may share one transaction.
const MAX_GROUP_SIZE: usize = 128;

/// What the writer thread is asked for.
pub(super) enum Job {
    Write(WriteJob),
    Checkpoint(oneshot::Sender<Result<()>>),
    Subscribe { after: Revision, subscriber: Subscriber, done: oneshot::Sender<Result<()>> },
}

pub(super) struct WriteJob {
    pub(super) request: WriteRequest<'static>,
    pub(super) response: oneshot::Sender<Result<WriteResponse>>,
}

/// The writer, used by one thread at a time; `None` once the database is closed.
pub(super) type SharedWriter = Arc<Mutex<Option<Writer>>>;

/// The connection that writes.
pub(super) struct Writer {
    folder: DatabaseFolder,
    /// Id of the database.
    id: String,
    /// The folder's state says that the log is needed.
    log_needed: bool,
    connection: Connection,
    announce: watch::Sender<Revision>,
    recent: Arc<RecentChanges>,
    subscribers: Vec<Subscriber>,
    _lock: FolderLock,
}

/// Performs what is queued, until the database is closed.
pub(super) fn run(shared: &SharedWriter, mut queue: mpsc::Receiver<Job>) {
    while let Some(first) = queue.blocking_recv() {
        // Taken before the queue is emptied: requests that come while another thread commits join this group.
        let mut writer = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(writer) = writer.as_mut() else { return };
        let mut group = Vec::new();
        let mut next = Some(first);
        while let Some(Job::Write(job)) = next {
            group.push(job);
            next = if group.len() < MAX_GROUP_SIZE { queue.try_recv().ok() } else { None };
        }
        writer.write(group);
        match next {
            Some(Job::Checkpoint(done)) => _ = done.send(writer.checkpoint(false)),
            Some(Job::Subscribe { after, subscriber, done }) => _ = done.send(writer.subscribe(after, subscriber)),
            Some(Job::Write(_)) | None => {}
        }
    }
    let writer = shared.lock().unwrap_or_else(PoisonError::into_inner).take();
    // The last connection that closes moves the log's changes and deletes it.
    if let Some(Err(error)) = writer.map(|mut writer| writer.checkpoint(true)) {
        tracing::warn!(%error, "the last changes stay in the log of the database");
    }
}

impl Writer {
    /// A writer on a prepared database. `announce` is told every new revision.
    pub(super) fn new(
        folder: DatabaseFolder,
        id: String,
        connection: Connection,
        announce: watch::Sender<Revision>,
        recent: Arc<RecentChanges>,
        lock: FolderLock,
    ) -> Self {
        Writer { folder, id, log_needed: false, connection, announce, recent, subscribers: Vec::new(), _lock: lock }
    }

    fn write(&mut self, group: Vec<WriteJob>) {
        if group.is_empty() {
            return;
        }
        match self.perform_group(group.iter().map(|job| &job.request)) {
            Ok(responses) => {
                for (job, response) in group.into_iter().zip(responses) {
                    let _ = job.response.send(Ok(response));
                }
            }
            // One request may not fit on the disk: run each alone, so that the others succeed.
            Err(_) if group.len() > 1 => {
                for job in group {
                    let response = self.perform_alone(&job.request);
                    let _ = job.response.send(response);
                }
            }
            Err(error) => {
                for job in group {
                    let _ = job.response.send(Err(error.clone()));
                }
            }
        }
    }

    /// A final checkpoint first records that the log is not needed: if the process is killed in between, the log is still
    /// there.
    fn checkpoint(&mut self, is_final: bool) -> Result<()> {
        if is_final {
            FolderState::saved(&self.id).write(&self.folder.folder)?;
            self.log_needed = false;
        }
        self.folder.sql(statements::checkpoint(&self.connection, is_final))
    }

    /// Performs one request in a transaction of its own; it is on disk when this returns.
    pub(super) fn perform_alone(&mut self, request: &WriteRequest<'_>) -> Result<WriteResponse> {
        let mut responses = self.perform_group(std::iter::once(request))?;
        responses.pop().ok_or_else(|| StoreError::Broken("a request has no response".to_owned()))
    }

    /// Performs requests in one transaction; they are on disk when this returns.
    fn perform_group<'a>(&mut self, group: impl Iterator<Item = &'a WriteRequest<'a>>) -> Result<Vec<WriteResponse>> {
        if !self.log_needed {
            FolderState::unsaved(&self.id).write(&self.folder.folder)?;
            self.log_needed = true;
        }
        let before = *self.announce.borrow();
        let result = statements::perform_group(&self.connection, before, group);
        let GroupResult { responses, changes, newest } = self.folder.sql(result)?;
        if newest != before {
            self.subscribers.iter_mut().for_each(|subscriber| subscriber(&changes, newest));
            self.recent.add(changes, newest);
            self.announce.send_replace(newest);
        }
        Ok(responses)
    }

    /// Adds a subscriber, after it has been called with the changes after a revision.
    fn subscribe(&mut self, after: Revision, mut subscriber: Subscriber) -> Result<()> {
        self.recent.replay(after, *self.announce.borrow(), &mut subscriber)?;
        self.subscribers.push(subscriber);
        Ok(())
    }
}
