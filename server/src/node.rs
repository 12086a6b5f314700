//! This server as one of several on a store: where the others connect to, and what it tells them.

use crate::{configuration, io_error::reason};
use postern_api::{Code, Error, Result, resource::NodeState};
use postern_control::{Cluster, store::Usage};
use std::{io, time::Duration};
use tokio::{net::TcpListener, time::timeout};

/// A state that the store does not take in this time is not told: it must not hold up the start or the end.
const STATE_TIMEOUT: Duration = Duration::from_secs(1);

/// The listener for the other servers, and how they know this one.
pub(crate) struct BoundNode {
    pub(crate) listener: TcpListener,
    /// Address that they connect to.
    pub(crate) address: String,
    /// Address of exactly this one for agents.
    for_agents: Option<String>,
    pub(crate) name: String,
}

impl BoundNode {
    /// Binds the address.
    ///
    /// # Errors
    /// [`Code::ListenFailed`] if the address cannot be used.
    pub(crate) async fn bind(node: &configuration::Node) -> Result<Self> {
        let refuse = |error: io::Error| {
            Error::new(
                Code::ListenFailed,
                format!(
                    "The address for other servers {} (--node-addr) cannot be used: {}. Choose another with --node-addr HOST:PORT.",
                    node.listen,
                    reason(&error)
                ),
            )
        };
        let listener = TcpListener::bind(node.listen).await.map_err(refuse)?;
        let bound = listener.local_addr().map_err(refuse)?;
        let address = node.advertised.clone().unwrap_or_else(|| bound.to_string());
        Ok(BoundNode { listener, address, for_agents: node.for_agents.clone(), name: node.name.clone() })
    }

    /// How it uses the store.
    pub(crate) fn usage(&self) -> Usage {
        let (name, address, for_agents) = (self.name.clone(), self.address.clone(), self.for_agents.clone());
        Usage::Shared { name, address, for_agents }
    }
}

/// Tells the other servers what this one does.
pub(crate) async fn announce(cluster: Option<&Cluster>, state: NodeState) {
    let Some(cluster) = cluster else { return };
    match timeout(STATE_TIMEOUT, cluster.set_state(state)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, ?state, "the other servers were not told the state of this one"),
        Err(_) => tracing::warn!(?state, "the other servers were not told the state of this one"),
    }
}
