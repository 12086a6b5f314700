//! From the management API's snapshot to what the edge publishes: plain data, copied field by field.

use postern_control::{PublishedCredential, PublishedIpRestriction, PublishedTcpEdge, Snapshot};
use postern_edge::{Credential, IpRestriction, Published, TcpEdge};
use std::sync::Arc;
use tokio::sync::watch;

/// The edge's end of the channel, and a way to know that it has caught up.
#[derive(Clone)]
pub(crate) struct Publisher {
    snapshots: watch::Receiver<Arc<Snapshot>>,
    passed_on: watch::Receiver<i64>,
}

/// Starts passing snapshots on.
pub(crate) fn start(snapshots: watch::Receiver<Arc<Snapshot>>) -> (Publisher, watch::Receiver<Arc<Published>>) {
    let first = snapshots.borrow().clone();
    let (revisions, passed_on) = watch::channel(first.revision);
    let (publish, published) = watch::channel(Arc::new(translate(&first)));
    let mut incoming = snapshots.clone();
    tokio::spawn(async move {
        // The first snapshot counts as seen only if nothing changed since it was read above.
        while incoming.changed().await.is_ok() {
            let snapshot = incoming.borrow_and_update().clone();
            publish.send_replace(Arc::new(translate(&snapshot)));
            revisions.send_replace(snapshot.revision);
        }
    });
    (Publisher { snapshots, passed_on }, published)
}

impl Publisher {
    /// Waits until the edge has what the management API has published so far. Who got an answer to a change can
    /// rely on it.
    pub(crate) async fn caught_up(&self) {
        let wanted = self.snapshots.borrow().revision;
        let mut passed_on = self.passed_on.clone();
        // An error means that the program ends; nobody has to wait then.
        let _ = passed_on.wait_for(|revision| *revision >= wanted).await;
    }
}

fn translate(snapshot: &Snapshot) -> Published {
    Published {
        credentials: snapshot
            .credentials
            .iter()
            .map(|(ksuid, PublishedCredential { id, hash, acl })| {
                (ksuid.clone(), Credential { id: id.clone(), hash: hash.clone(), acl: acl.clone() })
            })
            .collect(),
        api_keys: snapshot.api_keys.as_ref().clone(),
        tunnel_groups: snapshot.tunnel_groups.as_ref().clone(),
        tcp_edges: snapshot
            .tcp_edges
            .iter()
            .map(|PublishedTcpEdge { id, ports, backend, ip_restriction }| TcpEdge {
                id: id.clone(),
                ports: ports.clone(),
                backend: backend.clone(),
                ip_restriction: ip_restriction.clone(),
            })
            .collect(),
        ip_restrictions: snapshot
            .ip_restrictions
            .iter()
            .map(|PublishedIpRestriction { id, guards, enforced, rules }| IpRestriction {
                id: id.clone(),
                guards: *guards,
                enforced: *enforced,
                rules: rules.clone(),
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, HashMap};

    fn snapshot(revision: i64, group: &str) -> Arc<Snapshot> {
        let labels = BTreeMap::from([("app".to_owned(), "shop".to_owned())]);
        Arc::new(Snapshot {
            revision,
            tunnel_groups: Arc::new(HashMap::from([(group.to_owned(), labels)])),
            tcp_edges: Arc::new(vec![PublishedTcpEdge {
                id: "edgtcp_1".into(),
                ports: vec![24000],
                backend: Some(group.to_owned()),
                ip_restriction: None,
            }]),
            ..Snapshot::default()
        })
    }

    #[tokio::test]
    async fn a_change_has_reached_the_edge_when_it_is_caught_up() {
        let (change, snapshots) = watch::channel(snapshot(1, "bkdtg_1"));
        let (publisher, published) = start(snapshots);
        assert!(published.borrow().tunnel_groups.contains_key("bkdtg_1"), "the first is there at once");
        for revision in 2..50 {
            change.send_replace(snapshot(revision, &format!("bkdtg_{revision}")));
            publisher.caught_up().await;
            let now = published.borrow().clone();
            assert!(now.tunnel_groups.contains_key(&format!("bkdtg_{revision}")));
            assert_eq!(now.tcp_edges[0].backend, Some(format!("bkdtg_{revision}")));
        }
    }
}
