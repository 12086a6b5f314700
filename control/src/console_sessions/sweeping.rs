//! Removal of sessions that have expired, or whose key or user is gone.

use super::stored_session::{BegunWith, SESSIONS, StoredSession};
use crate::{
    resources::{Resources, keys},
    store::{Commit, CommitCondition, Entry, Range},
};
use postern_api::{
    OwnerId, Result, Timestamp,
    resource::{ApiKey, User},
};
use std::{sync::Weak, time::Duration};
use tokio::sync::watch;

const SWEEP_INTERVAL: Duration = Duration::from_secs(300);
const BATCH_SIZE: usize = 500;

/// Removes sessions as long as the store is open; of several nodes, the one that leads does.
pub(crate) async fn sweep_regularly(resources: Weak<Resources>, leading: Option<watch::Receiver<bool>>) {
    loop {
        tokio::time::sleep(SWEEP_INTERVAL).await;
        let Some(resources) = resources.upgrade() else { return };
        if leading.as_ref().is_some_and(|leads| !*leads.borrow()) {
            continue;
        }
        if let Err(error) = resources.sweep_sessions(Timestamp::now()).await {
            tracing::debug!(%error, "console sessions are removed later");
        }
    }
}

impl Resources {
    /// Removes the sessions that are of no use any more.
    pub(super) async fn sweep_sessions(&self, now: Timestamp) -> Result<()> {
        let mut next = Some(Range::new(SESSIONS, BATCH_SIZE));
        while let Some(range) = next {
            let page = self.store.range(range.clone()).await?;
            for entry in &page.entries {
                if self.is_over(entry, now).await? {
                    // Unless it is used at this moment.
                    let unchanged = CommitCondition::Unchanged(entry.key.clone(), entry.revision);
                    self.store.commit(Commit::default().when(unchanged).delete(&entry.key)).await?;
                }
            }
            next = range.after(&page);
        }
        Ok(())
    }

    async fn is_over(&self, entry: &Entry, now: Timestamp) -> Result<bool> {
        match StoredSession::read(entry) {
            Ok(stored) if stored.has_expired(self.settings.console_sessions, now) => Ok(true),
            Ok(stored) => {
                let needed = match (&stored.begun_with, &stored.owner) {
                    (BegunWith::Key { api_key }, _) => keys::record::<ApiKey>(api_key.as_str()),
                    (BegunWith::Provider { .. }, OwnerId::User(user)) => keys::record::<User>(user.as_str()),
                    (BegunWith::Provider { .. }, OwnerId::Bot(_)) => return Ok(true),
                };
                Ok(self.store.get(&needed).await?.is_none())
            }
            Err(_) => Ok(true),
        }
    }
}
