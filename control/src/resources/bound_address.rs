//! Names and ports that tunnels have claimed in the whole cluster: what is stored of them, and how they and the claims of
//! edges and reservations exclude each other. A server that uses its store alone has none.

use super::{Resources, commit_plan::CommitPlan, keys, relations::decode};
use postern_api::{Error, Result, host::HostName};
use serde::{Deserialize, Serialize};

/// Tunnels of one claim that are kept; an agent has one for each session and listener.
const MAX_TUNNELS: usize = 16;

/// An address that one agent holds in the whole cluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BoundAddress {
    /// A host name, on all listeners.
    Host(HostName),
    /// A TCP port.
    Port(u16),
}

/// An agent, wherever it is connected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentIdentity {
    /// Its credential.
    pub credential: String,
    /// Its instance.
    pub instance: String,
}

/// What is stored for an address. It outlives the agent's sessions, so that the agent gets the address at another node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoredClaim {
    /// The user or bot user of the credential.
    pub(super) owner: String,
    #[serde(flatten)]
    pub(super) agent: AgentIdentity,
    /// The agent's tunnels there, each as `<node>/<session>/<listener>`. None while the agent is away.
    pub(super) tunnels: Vec<String>,
}

impl BoundAddress {
    pub(super) fn key(&self) -> String {
        match self {
            BoundAddress::Host(name) => keys::bound_host(name),
            BoundAddress::Port(port) => keys::bound_port(*port),
        }
    }
}

impl StoredClaim {
    /// Adds a tunnel, and forgets those of nodes that are gone.
    pub(super) fn add(&mut self, tunnel: &str, is_node: impl Fn(&str) -> bool) {
        self.tunnels.retain(|other| other != tunnel && is_node(node_of(other)));
        if self.tunnels.len() >= MAX_TUNNELS {
            self.tunnels.remove(0);
        }
        self.tunnels.push(tunnel.to_owned());
    }

    /// Removes a tunnel, and forgets those of nodes that are gone.
    pub(super) fn remove(&mut self, tunnel: &str, is_node: impl Fn(&str) -> bool) {
        self.tunnels.retain(|other| other != tunnel && is_node(node_of(other)));
    }
}

fn node_of(tunnel: &str) -> &str {
    tunnel.split('/').next().unwrap_or_default()
}

impl Resources {
    /// Whether other nodes give names and ports away too.
    fn has_claims(&self) -> bool {
        self.presence.as_ref().is_some_and(|presence| presence.node().is_some())
    }

    /// Plans to give an address to an edge, or to reserve it for an owner: refuses one that a tunnel of another owner has,
    /// also at a node that has not told this one yet. What an agent that is away has claimed is taken from it.
    pub(super) async fn take_bound(
        &self,
        plan: &mut CommitPlan,
        address: &BoundAddress,
        for_owner: Option<&str>,
        refuse: impl FnOnce() -> Error,
    ) -> Result<()> {
        if !self.has_claims() {
            return Ok(());
        }
        let key = address.key();
        let entry = self.store.get(&key).await?;
        plan.expect_revision(&key, entry.as_ref().map(|entry| entry.revision));
        let Some(entry) = entry else { return Ok(()) };
        let claim: StoredClaim = decode(&entry)?;
        if for_owner.is_some_and(|owner| claim.owner == owner) {
            return Ok(());
        }
        if !claim.tunnels.is_empty() {
            return Err(refuse());
        }
        plan.delete(&key);
        Ok(())
    }

    /// Plans to reserve all names below one: refuses if a tunnel of another owner has one of them.
    pub(super) async fn take_bound_below(
        &self,
        plan: &mut CommitPlan,
        name: &HostName,
        owner: &str,
        refuse: impl FnOnce() -> Error,
    ) -> Result<()> {
        if !self.has_claims() {
            return Ok(());
        }
        let own = keys::bound_host(name);
        let prefix = own.strip_suffix('*').map_or_else(|| format!("{own}."), str::to_owned);
        for entry in self.read_all(plan, &prefix).await? {
            let claim: StoredClaim = decode(&entry)?;
            if claim.owner != owner && !claim.tunnels.is_empty() {
                return Err(refuse());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tunnels_of_nodes_that_are_gone_hold_nothing() {
        let agent = AgentIdentity { credential: "one".to_owned(), instance: "a".to_owned() };
        let mut claim = StoredClaim { owner: "usr".to_owned(), agent, tunnels: Vec::new() };
        let is_node = |node: &str| node != "gone";
        claim.add("gone/ts_1/https", |_| true);
        claim.add("nd/ts_2/https", |_| true);
        assert_eq!(claim.tunnels.len(), 2);
        claim.add("nd/ts_2/https", is_node);
        assert_eq!(claim.tunnels, ["nd/ts_2/https"], "each once");
        (0..100).for_each(|number| claim.add(&format!("nd/{number}/https"), is_node));
        assert_eq!((claim.tunnels.len(), claim.tunnels[MAX_TUNNELS - 1].as_str()), (MAX_TUNNELS, "nd/99/https"));
        claim.remove("nd/99/https", |_| false);
        assert!(claim.tunnels.is_empty());
    }
}
