//! Waits until the edge has applied the published configuration, and the other servers on the store have.

use axum::http::{HeaderName, HeaderValue};
use postern_edge::{ConfigurationFollower, NodeLinks};
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::{sync::watch, time::Instant};
use tower::Service;

/// Longest delay of the response to a change.
const APPLY_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest further delay, for the other servers.
const NODES_TIMEOUT: Duration = Duration::from_millis(200);
/// Number of connected servers that have not applied a change yet.
static NODES_BEHIND: HeaderName = HeaderName::from_static("postern-nodes-behind");

/// Has the edge apply what is published. Does nothing until the edge has started, which is after the management API is
/// opened.
#[derive(Clone, Default)]
pub(crate) struct EdgeSync(Arc<OnceLock<Synced>>);

struct Synced {
    edge: Arc<ConfigurationFollower>,
    /// The other servers, and the revision up to which changes are published here.
    nodes: Option<(Arc<NodeLinks>, watch::Receiver<i64>)>,
}

impl EdgeSync {
    /// Connects it to the started edge.
    pub(crate) fn set(
        &self,
        edge: Arc<ConfigurationFollower>,
        links: Option<Arc<NodeLinks>>,
        revision: watch::Receiver<i64>,
    ) {
        let _ = self.0.set(Synced { edge, nodes: links.map(|links| (links, revision)) });
    }

    /// Waits until the edge serves the latest published configuration, five seconds at most, and so do the servers that
    /// are connected with this one, 200 ms at most. Gives the number of those that do not. The caller applies it,
    /// unless that is happening already: waiting for another thread would take longer.
    pub(crate) async fn wait(&self) -> usize {
        let Some(Synced { edge, nodes }) = self.0.get() else { return 0 };
        let revision = nodes.as_ref().map(|(_, revision)| revision.borrow().unsigned_abs());
        let _ = tokio::time::timeout(APPLY_TIMEOUT, edge.catch_up()).await;
        match (nodes, revision) {
            (Some((links, _)), Some(revision)) => {
                links.applied_everywhere(revision, Instant::now() + NODES_TIMEOUT).await
            }
            _ => 0,
        }
    }

    /// Delays the responses of `resources` to changes until the edge has applied them.
    pub(crate) fn layer(self, resources: axum::Router) -> axum::Router {
        let handler = move |request: axum::extract::Request| {
            let changes = !request.method().is_safe();
            let responding = resources.clone().call(request);
            let sync = changes.then(|| self.clone());
            async move {
                let mut response = responding.await;
                if let Some(sync) = sync {
                    let behind = sync.wait().await;
                    if behind > 0
                        && let Ok(response) = &mut response
                    {
                        response.headers_mut().insert(NODES_BEHIND.clone(), HeaderValue::from(behind));
                    }
                }
                response
            }
        };
        axum::Router::new().fallback_service(tower::service_fn(handler))
    }
}
