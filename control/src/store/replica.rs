//! All keys of a store that several programs share, in memory. Reads are answered from memory, also while the store is away;
//! a commit is one transaction, and is told when the replica holds it.

mod committing;
mod following;
mod key_space;
mod memory;
mod snapshot;
mod state;
mod transaction;

use super::{
    Batch, CacheKey, CacheVersion, Commit, CommitOutcome, Entry, Health, LeaseId, Limits, MAX_READ_AT_ONCE, Page,
    Range, Result, Revision, Store, StoreError, Subscriber, Watch,
    etcd::{CALL_TIMEOUT, Client, Failure, address::SharedLocation},
};
use following::Following;
use futures::{FutureExt, future::BoxFuture};
use key_space::KeySpace;
use snapshot::Snapshot;
use state::State;
use std::{sync::Arc, time::Duration};
use tokio::{sync::watch, time::Instant};

/// A replica of a store.
pub(super) struct Replica {
    client: Arc<Client>,
    keys: KeySpace,
    state: Arc<State>,
}

impl Replica {
    /// Reads everything, and follows it. Needs a Tokio runtime.
    ///
    /// # Errors
    /// If the store does not answer, or refuses this client.
    pub(super) async fn open(location: &SharedLocation) -> Result<Self> {
        let client = Arc::new(Client::new(location)?);
        let keys = KeySpace::new(location.address.prefix());
        let failed = |failure: Failure| failure.into_error(client.address());
        let version = client.version().await.map_err(failed)?;
        let snapshot = Snapshot::read(&client, &keys).await.map_err(failed)?;
        tracing::info!(store = client.address(), version, revision = snapshot.revision, "the store was read");
        let state = Arc::new(State::new(snapshot.into_memory()));
        Following::start(client.clone(), keys.clone(), state.clone());
        Ok(Replica { client, keys, state })
    }

    fn failed(&self, failure: Failure) -> StoreError {
        failure.into_error(self.client.address())
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        self.state.close();
    }
}

/// Follows the changes that are in memory.
struct ReplicaWatch {
    state: Arc<State>,
    reached: watch::Receiver<Revision>,
    prefix: String,
    after: Revision,
}

impl Watch for ReplicaWatch {
    fn next(&mut self) -> BoxFuture<'_, Result<Batch>> {
        async move {
            let after = self.after;
            let revision = tokio::select! {
                biased;
                () = self.state.closed.cancelled() => return Err(StoreError::Closed),
                reached = self.reached.wait_for(|reached| *reached > after) => *reached.map_err(|_| StoreError::Closed)?,
            };
            self.state.recent.batch(&self.prefix, &mut self.after, revision)
        }
        .boxed()
    }
}

impl Store for Replica {
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Entry>>> {
        let entry = self.state.check_open().map(|()| self.state.memory().entry(key));
        std::future::ready(entry).boxed()
    }

    fn cache_version(&self, key: &CacheKey) -> Option<CacheVersion> {
        self.state.memory().version(key)
    }

    fn get_all(&self, keys: Vec<CacheKey>) -> BoxFuture<'_, Result<Vec<Page>>> {
        let read = || {
            self.state.check_open()?;
            let memory = self.state.memory();
            let page = |key| match key {
                CacheKey::Key(key) => {
                    Page { entries: memory.entry(&key).into_iter().collect(), revision: memory.revision() }
                }
                CacheKey::Range(prefix) => memory.page(&Range::new(prefix, MAX_READ_AT_ONCE)),
            };
            Ok(keys.into_iter().map(page).collect())
        };
        std::future::ready(read()).boxed()
    }

    fn range(&self, range: Range) -> BoxFuture<'_, Result<Page>> {
        std::future::ready(self.state.check_open().map(|()| self.state.memory().page(&range))).boxed()
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<CommitOutcome>> {
        async move { committing::commit(&self.client, &self.state, &self.keys, &commit).await }.boxed()
    }

    fn subscribe(&self, after: Revision, subscriber: Subscriber) -> BoxFuture<'_, Result<()>> {
        let subscribed = self.state.check_open().and_then(|()| self.state.subscribe(after, subscriber));
        std::future::ready(subscribed).boxed()
    }

    fn watch(&self, prefix: &str, after: Revision) -> Box<dyn Watch> {
        let (state, reached) = (self.state.clone(), self.state.follow());
        Box::new(ReplicaWatch { state, reached, prefix: prefix.to_owned(), after })
    }

    fn limits(&self) -> Limits {
        transaction::LIMITS
    }

    fn health(&self) -> watch::Receiver<Health> {
        self.state.health.subscribe()
    }

    fn shared(&self) -> Option<&str> {
        Some(self.client.address())
    }

    fn grant(&self, lasting: Duration, _now: jiff::Timestamp) -> BoxFuture<'_, Result<LeaseId>> {
        async move {
            self.state.check_open()?;
            let seconds = i64::try_from(lasting.as_millis().div_ceil(1000)).unwrap_or(i64::MAX).max(1);
            let id = rand::random_range(1..i64::MAX);
            self.client.grant(id, seconds).await.map_err(|failure| self.failed(failure))?;
            Ok(LeaseId(id))
        }
        .boxed()
    }

    fn keep(&self, lease: LeaseId, _now: jiff::Timestamp) -> BoxFuture<'_, Result<bool>> {
        async move {
            self.state.check_open()?;
            self.client.keep(lease.0).await.map_err(|failure| self.failed(failure))
        }
        .boxed()
    }

    fn revoke(&self, lease: LeaseId) -> BoxFuture<'_, Result<()>> {
        async move {
            self.state.check_open()?;
            self.client.revoke(lease.0).await.map_err(|failure| self.failed(failure))?;
            let deadline = Instant::now() + CALL_TIMEOUT;
            self.state.wait_until(deadline, |memory, _| !memory.has_lease(lease.0)).await;
            Ok(())
        }
        .boxed()
    }

    /// Compaction belongs to the operator of the store.
    fn checkpoint(&self) -> BoxFuture<'_, Result<()>> {
        std::future::ready(Ok(())).boxed()
    }

    /// Leases end in the store itself.
    fn expire(&self, _now: jiff::Timestamp) -> BoxFuture<'_, Result<usize>> {
        std::future::ready(Ok(0)).boxed()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.state.close();
        std::future::ready(()).boxed()
    }
}

#[cfg(test)]
mod tests;
