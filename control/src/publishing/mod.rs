//! Follows the store and publishes what the edge needs, one whole configuration after another.

mod credentials;
mod edges;
mod logins;
mod mirror;
mod owners;
mod shelf;

use crate::{
    resources::Codec,
    store::{Result, Revision, Store, StoreError},
};
use mirror::Mirror;
use postern_api::published::Published;
use std::{sync::Arc, time::Duration};
use tokio::sync::watch;

/// How long to wait before a failed read is tried again.
const RETRY: Duration = Duration::from_millis(200);

/// Keeps the published configuration up to date until it is dropped.
pub(crate) struct Publisher {
    pub(crate) published: watch::Receiver<Arc<Published>>,
    /// The revision up to which it is complete.
    pub(crate) reached: watch::Receiver<Revision>,
    task: tokio::task::JoinHandle<()>,
}

impl Publisher {
    /// Publishes what the store holds, then goes on following it.
    pub(crate) async fn start(store: Arc<dyn Store>, codec: Codec) -> Result<Self> {
        let mut mirror = Mirror::new(codec.clone());
        let mut after = mirror.load(store.as_ref()).await?;
        let (announce, published) = watch::channel(Arc::new(mirror.publish(after)));
        let (reach, reached) = watch::channel(after);
        let task = tokio::spawn(async move {
            let mut watch = store.watch("", after);
            loop {
                match watch.next().await {
                    Ok(batch) => {
                        after = batch.revision;
                        let touched =
                            batch.changes.into_iter().fold(false, |touched, change| mirror.apply(change) | touched);
                        if touched {
                            announce.send_replace(Arc::new(mirror.publish(after)));
                        }
                        reach.send_replace(after);
                    }
                    Err(StoreError::Compacted(_)) => {
                        let mut fresh = Mirror::new(codec.clone());
                        if let Ok(revision) = fresh.load(store.as_ref()).await {
                            (mirror, after) = (fresh, revision);
                            announce.send_replace(Arc::new(mirror.publish(after)));
                            reach.send_replace(after);
                            watch = store.watch("", after);
                        } else {
                            tokio::time::sleep(RETRY).await;
                        }
                    }
                    Err(error) => {
                        tracing::error!(%error, "the configuration could not be read; trying again");
                        tokio::time::sleep(RETRY).await;
                    }
                }
            }
        });
        Ok(Publisher { published, reached, task })
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        self.task.abort();
    }
}
