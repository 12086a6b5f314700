//! Follows the store and publishes complete configurations for the edge.

mod credentials;
mod edges;
mod login_sessions;
mod memo_map;
mod mirror;
mod module_settings;
mod published_kinds;
mod reading;
mod store_changes;

use crate::{
    resources::Codec,
    store::{Result, Revision, Store, StoreError},
};
use mirror::Mirror;
use postern_api::published::Published;
use std::{sync::Arc, time::Duration};
use tokio::sync::watch;

/// Delay before a failed read is retried.
const RETRY_DELAY: Duration = Duration::from_millis(200);

/// Publishes every change until it is dropped.
pub(crate) struct Publisher {
    pub(crate) published: watch::Receiver<Arc<Published>>,
    /// Revision up to which the published configuration is complete.
    pub(crate) revision: watch::Receiver<Revision>,
    task: tokio::task::JoinHandle<()>,
}

impl Publisher {
    /// Publishes the state of the store, then starts to follow its changes.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) async fn start(store: Arc<dyn Store>, codec: Codec) -> Result<Self> {
        let mut mirror = Mirror::new(codec.clone());
        let mut after = mirror.load(store.as_ref()).await?;
        let (announce, published) = watch::channel(Arc::new(mirror.publish(after)));
        let (announce_revision, revision) = watch::channel(after);
        let task = tokio::spawn(async move {
            let mut watch = store.watch("", after);
            loop {
                match watch.next().await {
                    Ok(batch) => {
                        after = batch.revision;
                        let affected =
                            batch.changes.into_iter().fold(false, |affected, change| mirror.apply(change) | affected);
                        if affected {
                            announce.send_replace(Arc::new(mirror.publish(after)));
                        }
                        announce_revision.send_replace(after);
                    }
                    Err(StoreError::Compacted(_)) => {
                        let mut fresh = Mirror::new(codec.clone());
                        if let Ok(loaded) = fresh.load(store.as_ref()).await {
                            (mirror, after) = (fresh, loaded);
                            announce.send_replace(Arc::new(mirror.publish(after)));
                            announce_revision.send_replace(after);
                            watch = store.watch("", after);
                        } else {
                            tokio::time::sleep(RETRY_DELAY).await;
                        }
                    }
                    Err(StoreError::Closed) => return,
                    Err(error) => {
                        tracing::error!(%error, "the configuration could not be read; trying again");
                        tokio::time::sleep(RETRY_DELAY).await;
                    }
                }
            }
        });
        Ok(Publisher { published, revision, task })
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        self.task.abort();
    }
}
