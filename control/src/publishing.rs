//! Publishes complete configurations for the edge, as part of each commit.

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
    store::{Change, Result, Revision, Store, StoreError},
};
use mirror::Mirror;
use postern_api::published::Published;
use std::sync::Arc;
use tokio::sync::watch;

/// The published configurations of a store.
pub(crate) struct Publisher {
    pub(crate) published: watch::Receiver<Arc<Published>>,
    /// Revision up to which the published configuration is complete.
    pub(crate) revision: watch::Receiver<Revision>,
}

impl Publisher {
    /// Publishes the state of the store, and from then on every change before its commit is acknowledged.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) async fn start(store: Arc<dyn Store>, codec: Codec) -> Result<Self> {
        loop {
            let mut mirror = Mirror::new(codec.clone());
            let after = mirror.load(store.as_ref()).await?;
            let (announce, published) = watch::channel(Arc::new(mirror.publish(after)));
            let (announce_revision, revision) = watch::channel(after);
            let publish = move |changes: &[Change], newest: Revision| {
                let affected = changes.iter().fold(false, |affected, change| mirror.apply(change) | affected);
                if affected {
                    announce.send_replace(Arc::new(mirror.publish(newest)));
                }
                announce_revision.send_replace(newest);
            };
            match store.subscribe(after, Box::new(publish)).await {
                // So much was written meanwhile that the log no longer has all of it.
                Err(StoreError::Compacted(_)) => {}
                subscribed => return subscribed.map(|()| Publisher { published, revision }),
            }
        }
    }
}
