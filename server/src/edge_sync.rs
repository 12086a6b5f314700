//! Waits until the edge has applied the published configuration.

use postern_api::published::Published;
use std::{sync::Arc, time::Duration};
use tokio::sync::watch;
use tower::Service;

/// Longest delay of the response to a change.
const APPLY_TIMEOUT: Duration = Duration::from_secs(5);

/// Compares the published revision with the one that the edge has applied.
#[derive(Clone)]
pub(crate) struct EdgeSync {
    published: watch::Receiver<Arc<Published>>,
    applied: watch::Receiver<i64>,
}

impl EdgeSync {
    pub(crate) fn new(published: watch::Receiver<Arc<Published>>, applied: watch::Receiver<i64>) -> Self {
        EdgeSync { published, applied }
    }

    /// Waits until the edge serves the latest published configuration, five seconds at most.
    pub(crate) async fn wait(mut self) {
        let published = self.published.borrow().revision;
        // The sender is gone while the program shuts down; then there is nothing to wait for.
        let applied = self.applied.wait_for(|revision| *revision >= published);
        let _ = tokio::time::timeout(APPLY_TIMEOUT, applied).await;
    }

    /// Delays the responses of `resources` to changes until the edge has applied them.
    pub(crate) fn layer(self, resources: axum::Router) -> axum::Router {
        let handler = move |request: axum::extract::Request| {
            let changes = !request.method().is_safe();
            let responding = resources.clone().call(request);
            let sync = changes.then(|| self.clone());
            async move {
                let response = responding.await;
                if let Some(sync) = sync {
                    sync.wait().await;
                }
                response
            }
        };
        axum::Router::new().fallback_service(tower::service_fn(handler))
    }
}
