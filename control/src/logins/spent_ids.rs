//! Ids of SAML assertions that were accepted, for all nodes of a cluster: each is accepted once, at one node.

use crate::{
    resources::Resources,
    store::{Commit, CommitCondition, CommitOutcome, Range, Store},
};
use postern_api::Result;
use std::{fmt::Write, sync::Weak, time::Duration};
use tokio::sync::watch;

/// Prefix of the keys, each of which ends with a digest. The value is the end of the assertion's validity, in seconds since
/// 1970.
const SPENT: &str = "spent/";
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);
const BATCH_SIZE: usize = 1000;
/// Deletions in one commit.
const MAX_DELETIONS: usize = 32;

/// An assertion that was accepted.
pub struct SpentAssertion {
    /// Digest of its id.
    pub digest: [u8; 32],
    /// End of its validity, in seconds since 1970.
    pub until: i64,
}

fn key(digest: &[u8; 32]) -> String {
    digest.iter().fold(SPENT.to_owned(), |mut key, byte| {
        let _ = write!(key, "{byte:02x}");
        key
    })
}

impl Resources {
    /// Marks assertions as used; whether none of them was. A server that has the store for itself knows what it has accepted,
    /// and stores nothing.
    pub(super) async fn spend(&self, assertions: &[SpentAssertion]) -> Result<bool> {
        if self.presence.is_none() || assertions.is_empty() {
            return Ok(true);
        }
        mark_spent(&*self.store, assertions).await
    }
}

async fn mark_spent(store: &dyn Store, assertions: &[SpentAssertion]) -> Result<bool> {
    let commit = assertions.iter().fold(Commit::default(), |commit, assertion| {
        let key = key(&assertion.digest);
        commit.when(CommitCondition::Absent(key.clone())).put(key, assertion.until.to_string())
    });
    Ok(matches!(store.commit(commit).await?, CommitOutcome::Done(_)))
}

/// Removes the ids of assertions that are no longer valid. `now` is in seconds since 1970.
async fn sweep_spent(store: &dyn Store, now: i64) -> Result<()> {
    let mut next = Some(Range::new(SPENT, BATCH_SIZE));
    while let Some(range) = next {
        let page = store.range(range.clone()).await?;
        let expired = page.entries.iter().filter(|entry| has_expired(&entry.value, now));
        let expired: Vec<&str> = expired.map(|entry| entry.key.as_str()).collect();
        for batch in expired.chunks(MAX_DELETIONS) {
            let commit = batch.iter().fold(Commit::default(), |commit, key| commit.delete(*key));
            store.commit(commit).await?;
        }
        next = range.after(&page);
    }
    Ok(())
}

fn has_expired(value: &[u8], now: i64) -> bool {
    std::str::from_utf8(value).ok().and_then(|until| until.parse::<i64>().ok()).is_none_or(|until| until <= now)
}

/// Removes ids at the node that leads, as long as the store is open.
pub(crate) async fn sweep_spent_regularly(resources: Weak<Resources>, leading: watch::Receiver<bool>) {
    loop {
        tokio::time::sleep(SWEEP_INTERVAL).await;
        let Some(resources) = resources.upgrade() else { return };
        if *leading.borrow()
            && let Err(error) = sweep_spent(&*resources.store, postern_api::clock::now().as_second()).await
        {
            tracing::debug!(%error, "ids of SAML assertions are removed later");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sqlite;

    #[tokio::test]
    async fn an_assertion_is_accepted_once_until_it_is_no_longer_valid() {
        let folder = tempfile::tempdir().unwrap();
        let store = sqlite::open(folder.path()).unwrap();
        let assertions = |numbers: &[u8]| -> Vec<SpentAssertion> {
            numbers.iter().map(|number| SpentAssertion { digest: [*number; 32], until: 100 }).collect()
        };
        let accepts = async |numbers: &[u8]| mark_spent(&store, &assertions(numbers)).await.unwrap();
        assert!(accepts(&[1]).await);
        assert!(!accepts(&[1]).await);
        assert!(!accepts(&[2, 1]).await, "one of two is known");
        assert!(accepts(&[2]).await, "nothing of the refused one was stored");
        let many: Vec<u8> = (3..100).collect();
        assert!(accepts(&many).await);
        sweep_spent(&store, 99).await.unwrap();
        assert!(!accepts(&[2]).await, "still valid");
        sweep_spent(&store, 100).await.unwrap();
        assert!(store.range(Range::new(SPENT, 10)).await.unwrap().entries.is_empty());
    }

    #[test]
    fn what_cannot_be_read_has_expired() {
        assert!(!has_expired(b"100", 99));
        assert!(has_expired(b"100", 100));
        assert!(has_expired(b"no time", 0));
    }
}
