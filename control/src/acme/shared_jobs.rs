//! Jobs of the node that orders, for the others: an operator may ask any of them why a name has no certificate.

use crate::{
    resources::Resources,
    store::{Commit, Followed, Following, Result, Store, StoreError, entries_with},
};
use postern_api::{host::HostName, resource::ProvisioningJob};
use std::{collections::BTreeMap, sync::Arc};

/// Prefix of the keys of all jobs; the name follows.
const PREFIX: &str = "acme/orders/";
/// Writes of one commit at most, if the store has no lower limit.
const MAX_WRITES: usize = 500;

/// Keeps the jobs in the store as they are at this node.
pub(super) struct JobPublisher {
    store: Arc<dyn Store>,
    /// What is stored, by key; `None` until it has been read.
    stored: Option<BTreeMap<String, Vec<u8>>>,
}

/// Jobs of the node that orders, as they are in the store.
pub(super) struct JobFollower {
    jobs: BTreeMap<HostName, ProvisioningJob>,
    following: Following,
}

impl JobPublisher {
    /// `None` for a server that uses its store alone.
    pub(super) fn new(resources: &Resources) -> Option<Self> {
        resources.presence.as_ref()?.node()?;
        Some(JobPublisher { store: resources.store.clone(), stored: None })
    }

    /// Stores what differs from the last call.
    ///
    /// # Errors
    /// If the store does not answer. The next call then stores the rest.
    pub(super) async fn publish(&mut self, jobs: &[(HostName, ProvisioningJob)]) -> Result<()> {
        let stored = match &mut self.stored {
            Some(stored) => stored,
            None => {
                let (entries, _) = entries_with(self.store.as_ref(), PREFIX).await?;
                self.stored.insert(entries.into_iter().map(|entry| (entry.key, entry.value)).collect())
            }
        };
        let mut wanted = BTreeMap::new();
        for (name, job) in jobs {
            let value = serde_json::to_vec(job).map_err(|error| StoreError::Broken(error.to_string()))?;
            wanted.insert(format!("{PREFIX}{name}"), value);
        }
        let gone = stored.keys().filter(|key| !wanted.contains_key(*key)).map(|key| (key.clone(), None));
        let changed = wanted.iter().filter(|(key, value)| stored.get(*key) != Some(value));
        let changed = changed.map(|(key, value)| (key.clone(), Some(value.clone())));
        let changes: Vec<(String, Option<Vec<u8>>)> = gone.chain(changed).collect();
        for part in changes.chunks(self.store.limits().writes.min(MAX_WRITES)) {
            let commit = part.iter().fold(Commit::default(), |commit, (key, value)| match value {
                Some(value) => commit.put(key, value.as_slice()),
                None => commit.delete(key),
            });
            self.store.commit(commit).await?;
            for (key, value) in part {
                match value {
                    Some(value) => drop(stored.insert(key.clone(), value.clone())),
                    None => drop(stored.remove(key)),
                }
            }
        }
        Ok(())
    }
}

impl JobFollower {
    pub(super) fn new(store: &Arc<dyn Store>) -> Self {
        JobFollower { jobs: BTreeMap::new(), following: Following::new(Arc::downgrade(store), PREFIX) }
    }

    /// Job of a name, as of the last call of [`JobFollower::changed`].
    pub(super) fn job(&self, name: &HostName) -> Option<ProvisioningJob> {
        self.jobs.get(name).cloned()
    }

    /// Waits until a job has changed; the first call reads them all. Can be cancelled.
    ///
    /// # Errors
    /// If the store is closed or fails.
    pub(super) async fn changed(&mut self) -> Result<()> {
        match self.following.next().await? {
            Followed::All(entries) => {
                self.jobs = entries.iter().filter_map(|entry| parse(&entry.key, &entry.value)).collect();
            }
            Followed::Changed(changes) => {
                for change in changes {
                    self.apply(&change.key, change.value.as_deref());
                }
            }
        }
        Ok(())
    }

    fn apply(&mut self, key: &str, value: Option<&[u8]>) {
        match value.and_then(|value| parse(key, value)) {
            Some((name, job)) => drop(self.jobs.insert(name, job)),
            None => self.jobs.retain(|name, _| key.strip_prefix(PREFIX) != Some(name.as_str())),
        }
    }
}

fn parse(key: &str, value: &[u8]) -> Option<(HostName, ProvisioningJob)> {
    let name = HostName::parse(key.strip_prefix(PREFIX)?).ok()?;
    Some((name, serde_json::from_slice(value).ok()?))
}
