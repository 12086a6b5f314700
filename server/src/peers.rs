//! The other servers on the store, as the links between servers need them. One whose record has gone without a farewell is
//! dialled for a while: leases end by mistake too, when most members of the store were away.

use postern_api::resource::NodeState;
use postern_control::store::{NodeRecord, Nodes};
use postern_edge::Peer;
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

/// Time after which a server without a record is given up.
const ABSENCE_LIMIT: Duration = Duration::from_secs(30);

/// Known servers, by id.
#[derive(Default)]
struct Known(BTreeMap<String, KnownPeer>);

struct KnownPeer {
    peer: Peer,
    /// Since when it has no record.
    absent_since: Option<Instant>,
}

/// Follows the servers on the store, but for the one with this id.
pub(crate) fn follow(own: &str, nodes: watch::Receiver<Arc<Nodes>>) -> watch::Receiver<Arc<[Peer]>> {
    let mut known = Known::default();
    known.update(own, &nodes.borrow(), Instant::now());
    let (announce, peers) = watch::channel(known.list());
    tokio::spawn(announce_peers(own.to_owned(), nodes, known, announce));
    peers
}

async fn announce_peers(
    own: String,
    mut nodes: watch::Receiver<Arc<Nodes>>,
    mut known: Known,
    announce: watch::Sender<Arc<[Peer]>>,
) {
    loop {
        let forgotten = known.next_forgotten();
        tokio::select! {
            // The last list stays in use when the store is closed.
            changed = nodes.changed() => if changed.is_err() { return },
            () = sleep_until(forgotten.unwrap_or_else(Instant::now)), if forgotten.is_some() => {}
            () = announce.closed() => return,
        }
        known.update(&own, &nodes.borrow_and_update().clone(), Instant::now());
        let list = known.list();
        announce.send_if_modified(|former| {
            let changed = *former != list;
            *former = list;
            changed
        });
    }
}

impl Known {
    fn update(&mut self, own: &str, nodes: &Nodes, now: Instant) {
        for (id, record) in nodes.records.iter().filter(|(id, _)| id.as_str() != own) {
            self.0.insert(id.clone(), KnownPeer { peer: peer(id, record), absent_since: None });
        }
        self.0.retain(|id, known| {
            if nodes.records.contains_key(id) {
                return true;
            }
            let since = *known.absent_since.get_or_insert(now);
            !known.peer.draining && now < since + ABSENCE_LIMIT
        });
    }

    /// Time at which the next one is given up.
    fn next_forgotten(&self) -> Option<Instant> {
        self.0.values().filter_map(|known| known.absent_since).min().map(|since| since + ABSENCE_LIMIT)
    }

    fn list(&self) -> Arc<[Peer]> {
        self.0.values().map(|known| known.peer.clone()).collect()
    }
}

fn peer(id: &str, record: &NodeRecord) -> Peer {
    Peer {
        id: id.to_owned(),
        name: record.name.clone(),
        address: record.address.clone(),
        agent_address: record.for_agents.clone(),
        draining: record.state == NodeState::Draining,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn nodes(states: &[(&str, &str)]) -> Arc<Nodes> {
        let record = |(id, state): &(&str, &str)| {
            let record = json!({
                "name": id, "address": format!("{id}:1"), "version": "0.1.0", "state": state,
                "since": "2026-01-01T00:00:00Z", "run": "r", "host": "h", "process": 1,
            });
            ((*id).to_owned(), serde_json::from_value(record).expect("a record"))
        };
        Arc::new(Nodes::new(states.iter().map(record).collect()))
    }

    fn ids(peers: &[Peer]) -> Vec<&str> {
        peers.iter().map(|peer| peer.id.as_str()).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_without_a_record_is_dialled_for_a_while_unless_it_drained() {
        let (tell, told) = watch::channel(nodes(&[("own", "serving"), ("a", "serving"), ("b", "draining")]));
        let mut peers = follow("own", told);
        assert_eq!(ids(&peers.borrow_and_update()), ["a", "b"]);
        tell.send_replace(nodes(&[("own", "serving")]));
        peers.changed().await.expect("a change");
        assert_eq!(ids(&peers.borrow_and_update()), ["a"], "the other one has said farewell");
        let gone = Instant::now();
        tell.send_replace(nodes(&[("c", "starting")]));
        peers.changed().await.expect("a change");
        assert_eq!(ids(&peers.borrow_and_update()), ["a", "c"]);
        peers.changed().await.expect("a change");
        assert_eq!(ids(&peers.borrow_and_update()), ["c"]);
        assert_eq!(gone.elapsed().as_secs(), 30);
    }
}
