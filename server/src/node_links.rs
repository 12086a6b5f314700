//! The links with the other servers on the store: what the edge needs for them, and what this server tells over them.

use crate::{node::BoundNode, peers};
use postern_api::Result;
use postern_control::{Cluster, Control};
use postern_edge::{ConfigurationFollower, LinkSettings, NodeIdentity, NodeLinks};
use std::{sync::Arc, time::Duration};
use tokio::sync::watch;

/// Longest sleep before a renewal, so that a change of the system's clock is noticed.
const MAX_SLEEP: Duration = Duration::from_secs(3600);

/// Settings of the links of this server; `None` if it uses its store alone.
///
/// # Errors
/// If no certificate can be issued.
pub(crate) fn settings(control: &Arc<Control>, node: Option<BoundNode>) -> Result<Option<LinkSettings>> {
    let (Some(cluster), Some(node)) = (control.cluster(), node) else { return Ok(None) };
    let (first, renew_at) = issue(cluster)?;
    let (renew, identity) = watch::channel(first);
    tokio::spawn(renew_identity(control.clone(), renew, renew_at));
    let id = cluster.id().to_string();
    let peers = peers::follow(&id, cluster.nodes());
    Ok(Some(LinkSettings { node: id, name: node.name, listener: Arc::new(node.listener), identity, peers }))
}

/// Tells the other servers what this one has applied, each time the configuration has changed.
pub(crate) async fn tell_applied(
    mut revision: watch::Receiver<i64>,
    edge: Arc<ConfigurationFollower>,
    links: Arc<NodeLinks>,
) {
    loop {
        let reached = *revision.borrow_and_update();
        edge.catch_up().await;
        links.set_applied(reached.unsigned_abs());
        if revision.changed().await.is_err() {
            return;
        }
    }
}

/// A new identity, and the time of the next one in seconds since 1970.
fn issue(cluster: &Cluster) -> Result<(Arc<NodeIdentity>, i64)> {
    let issued = cluster.certificate()?;
    let identity = NodeIdentity { chain: issued.chain, key: issued.key, authority: cluster.root().clone() };
    Ok((Arc::new(identity), issued.renew_at.as_second()))
}

async fn renew_identity(control: Arc<Control>, renew: watch::Sender<Arc<NodeIdentity>>, mut renew_at: i64) {
    loop {
        let left = renew_at.saturating_sub(postern_api::clock::now().as_second()).max(0);
        tokio::select! {
            () = tokio::time::sleep(Duration::from_secs(left.unsigned_abs()).min(MAX_SLEEP)) => {}
            () = renew.closed() => return,
        }
        if postern_api::clock::now().as_second() < renew_at {
            continue;
        }
        match control.cluster().map(issue) {
            Some(Ok((identity, next))) => {
                renew.send_replace(identity);
                renew_at = next;
            }
            Some(Err(error)) => {
                tracing::warn!(%error, "the certificate of this server for the others was not renewed");
                tokio::time::sleep(MAX_SLEEP).await;
            }
            None => return,
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_name_in_a_certificate_is_the_one_that_links_expect() {
        let id = "nd_000000000000000000000000000";
        assert_eq!(postern_edge::node_server_name(id), format!("{id}.node.postern"));
    }
}
