//! Applies the published configuration: in a task of its own, and at once for those who wait for it.

use crate::{access::Access, routing::Routing, tunnels::TunnelRegistry};
use postern_api::published::{Changed, Published};
use postern_logins::Logins;
use std::{future::poll_fn, pin::pin, sync::Arc, time::Duration};
use tokio::{
    runtime::Handle,
    sync::{Mutex, watch},
};

/// Between two configurations that are applied by the follower's own task. A change that a caller waits for is applied by
/// the caller, and need not wake the task each time.
const APPLY_INTERVAL: Duration = Duration::from_millis(5);
/// After an edge's port could not be opened.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// Applies the published configuration.
pub struct ConfigurationFollower {
    registry: Arc<TunnelRegistry>,
    routing: Arc<Routing>,
    access: Arc<Access>,
    logins: Arc<Logins>,
    published: watch::Receiver<Arc<Published>>,
    applied: watch::Sender<i64>,
    /// The configuration that is applied in full; `None` before the first, and after one that failed in parts.
    current: Mutex<Option<Arc<Published>>>,
    /// The runtime of the listeners: the ports that a configuration opens are served there, whichever thread applies it.
    runtime: Handle,
}

impl ConfigurationFollower {
    /// A follower that has applied nothing yet; must be made within the runtime of the listeners.
    pub(crate) fn new(
        registry: Arc<TunnelRegistry>,
        routing: Arc<Routing>,
        access: Arc<Access>,
        logins: Arc<Logins>,
        published: watch::Receiver<Arc<Published>>,
        applied: watch::Sender<i64>,
    ) -> Self {
        let (current, runtime) = (Mutex::default(), Handle::current());
        ConfigurationFollower { registry, routing, access, logins, published, applied, current, runtime }
    }

    /// Applies the newest configuration, if it is not in use yet. When it returns, new requests and connections use it.
    /// Returns whether a part of it failed and must be tried again.
    pub async fn catch_up(&self) -> bool {
        let mut work = pin!(self.apply_newest());
        poll_fn(|context| {
            let _entered = self.runtime.enter();
            work.as_mut().poll(context)
        })
        .await
    }

    /// Builds the routes with logins by OAuth anew.
    pub(super) async fn rebuild_oauth(&self) {
        // Held, so that no configuration is applied at the same time.
        let _current = self.current.lock().await;
        self.routing.rebuild_oauth();
    }

    async fn apply_newest(&self) -> bool {
        let mut current = self.current.lock().await;
        let newest = self.published.borrow().clone();
        if current.as_ref().is_some_and(|current| Arc::ptr_eq(current, &newest)) {
            return false;
        }
        // Taken, because nothing is known about the state if this future is dropped half-way.
        let former = current.take();
        let changed = former.and_then(|former| former.cursor.until(&newest.cursor));
        let failed = self.apply(&newest, changed.as_ref()).await;
        *current = (!failed).then_some(newest);
        failed
    }

    /// Applies one configuration, or the changes since the former one. Returns whether it must be applied again in
    /// full.
    async fn apply(&self, published: &Published, changed: Option<&Changed>) -> bool {
        self.access.follow(published, changed);
        self.logins.publish(published.logins.clone());
        self.logins.publish_edges(published.https_edges.clone());
        self.routing.follow(published, changed);
        self.registry.follow(published, changed).await;
        let changed = changed.map(|changed| &changed.tcp_edges);
        let failed = self.registry.ports.follow(&published.tcp_edges, changed).await;
        self.applied.send_replace(published.revision);
        failed
    }

    /// Applies every configuration, and retries what failed.
    pub(super) async fn follow(self: Arc<Self>) {
        let mut published = self.published.clone();
        loop {
            published.mark_unchanged();
            let failed = self.catch_up().await;
            tokio::time::sleep(APPLY_INTERVAL).await;
            tokio::select! {
                changed = published.changed() => if changed.is_err() {
                    // The publisher is gone; the last configuration stays in use.
                    return;
                },
                () = tokio::time::sleep(RETRY_INTERVAL), if failed => {}
            }
        }
    }
}
