//! Removes claims of names and ports that no node has announced a tunnel for: their agents have not come back in time.

use super::{
    Resources,
    bound_address::BoundAddress,
    keys::{self, BOUND},
};
use crate::store::{Commit, CommitCondition, Range, Revision};
use postern_api::{Result, host::HostName};
use std::{
    collections::{HashMap, HashSet},
    sync::Weak,
    time::Duration,
};
use tokio::{sync::watch, time::Instant};

/// Time that an agent has to come back.
const AWAY_TIMEOUT: Duration = Duration::from_secs(60);
const SWEEP_INTERVAL: Duration = Duration::from_secs(5);
const BATCH_SIZE: usize = 1000;

/// Claims without a tunnel, each with its revision and since when.
#[derive(Default)]
struct Unannounced(HashMap<String, (Revision, Instant)>);

/// Sweeps at the node that leads, as long as the store is open.
pub(crate) async fn sweep_regularly(resources: Weak<Resources>, leading: watch::Receiver<bool>) {
    let mut unannounced = Unannounced::default();
    loop {
        tokio::time::sleep(SWEEP_INTERVAL).await;
        let Some(resources) = resources.upgrade() else { return };
        // What a node has bound that is not connected is not known here.
        if !*leading.borrow() || !resources.hears_all_nodes() {
            unannounced = Unannounced::default();
            continue;
        }
        if let Err(error) = resources.sweep_claims(&mut unannounced, Instant::now()).await {
            tracing::debug!(%error, "claims of agents that are gone are removed later");
        }
    }
}

impl Resources {
    fn hears_all_nodes(&self) -> bool {
        let Some(presence) = &self.presence else { return false };
        let (Some(own), Some(nodes)) = (presence.node(), presence.nodes()) else { return false };
        let links = self.live.links();
        let is_heard =
            |node: &String| node == own.as_str() || links.iter().any(|link| link.connected && link.node == *node);
        nodes.borrow().records.keys().all(is_heard)
    }

    async fn sweep_claims(&self, unannounced: &mut Unannounced, now: Instant) -> Result<()> {
        let mut claims = Vec::new();
        let mut next = Some(Range::new(BOUND, BATCH_SIZE));
        while let Some(range) = next {
            let page = self.store.range(range.clone()).await?;
            claims.extend(page.entries.iter().map(|entry| (entry.key.clone(), entry.revision)));
            next = range.after(&page);
        }
        let announced: HashSet<String> = self
            .live
            .tunnels()
            .iter()
            .filter_map(|tunnel| {
                let address = tunnel.address.as_ref()?;
                match address.scheme {
                    "tcp" => Some(BoundAddress::Port(address.port).key()),
                    _ => HostName::parse(&address.host).ok().map(|name| keys::bound_host(&name)),
                }
            })
            .collect();
        for (key, revision) in unannounced.overdue(&claims, &announced, now) {
            // Unless its agent has just come back.
            let condition = CommitCondition::Unchanged(key.clone(), revision);
            self.store.commit(Commit::default().when(condition).delete(key)).await?;
        }
        Ok(())
    }
}

impl Unannounced {
    /// Claims that have been unchanged and without a tunnel for too long.
    fn overdue(
        &mut self,
        claims: &[(String, Revision)],
        announced: &HashSet<String>,
        now: Instant,
    ) -> Vec<(String, Revision)> {
        let without = claims.iter().filter(|(key, _)| !announced.contains(key));
        let since = |key: &String, revision: Revision| match self.0.get(key) {
            Some((former, since)) if *former == revision => *since,
            _ => now,
        };
        let current: HashMap<String, (Revision, Instant)> =
            without.map(|(key, revision)| (key.clone(), (*revision, since(key, *revision)))).collect();
        self.0 = current;
        let overdue = self.0.iter().filter(|(_, (_, since))| now.duration_since(*since) >= AWAY_TIMEOUT);
        overdue.map(|(key, (revision, _))| (key.clone(), *revision)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_ends_when_no_node_has_announced_it_for_a_minute() {
        let (mut unannounced, start) = (Unannounced::default(), Instant::now());
        let claim = |revision| vec![("bound/host/test.a".to_owned(), revision)];
        let (none, there) = (HashSet::new(), HashSet::from(["bound/host/test.a".to_owned()]));
        let at = |seconds| start + Duration::from_secs(seconds);
        assert!(unannounced.overdue(&claim(1), &none, at(0)).is_empty());
        assert!(unannounced.overdue(&claim(1), &none, at(59)).is_empty());
        assert_eq!(unannounced.overdue(&claim(1), &none, at(60)), claim(1));
        // Announced in between, or claimed again: it begins anew.
        assert!(unannounced.overdue(&claim(1), &there, at(61)).is_empty());
        assert!(unannounced.overdue(&claim(1), &none, at(62)).is_empty());
        assert!(unannounced.overdue(&claim(2), &none, at(122)).is_empty());
        assert_eq!(unannounced.overdue(&claim(2), &none, at(182)), claim(2));
        assert!(unannounced.overdue(&[], &none, at(183)).is_empty());
    }
}
