//! Waits until the edge has applied the published configuration.

use postern_edge::ConfigurationFollower;
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};
use tower::Service;

/// Longest delay of the response to a change.
const APPLY_TIMEOUT: Duration = Duration::from_secs(5);

/// Has the edge apply what is published. Does nothing until the edge has started, which is after the management API is
/// opened.
#[derive(Clone, Default)]
pub(crate) struct EdgeSync(Arc<OnceLock<Arc<ConfigurationFollower>>>);

impl EdgeSync {
    /// Connects it to the started edge.
    pub(crate) fn set(&self, edge: Arc<ConfigurationFollower>) {
        let _ = self.0.set(edge);
    }

    /// Waits until the edge serves the latest published configuration, five seconds at most. The caller applies it,
    /// unless that is happening already: waiting for another thread would take longer.
    pub(crate) async fn wait(&self) {
        if let Some(edge) = self.0.get() {
            let _ = tokio::time::timeout(APPLY_TIMEOUT, edge.catch_up()).await;
        }
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
