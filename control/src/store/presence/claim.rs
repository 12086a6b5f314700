//! The key that a server holds while it uses a store, and the conditions on which it may take it. A server alone and nodes
//! exclude each other.

use super::folder_id::host_name;
use crate::store::{
    Commit, CommitCondition, CommitOutcome, LeaseId, Range, Result, Store, StoreError, Write,
    nodes::{KEEPER, Keeper, NODES, NodeRecord, node_id},
};
use postern_api::{
    Id, Timestamp,
    id::random_hex,
    resource::{Node, NodeState},
};
use serde::{Deserialize, Serialize};
use std::{
    path::Path,
    sync::{Mutex, PoisonError},
};

/// Key of a server that uses the store alone.
const ALONE: &str = "cluster/server";

/// How a server uses a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Usage {
    /// No other server uses it at the same time.
    Alone,
    /// With others, as a node.
    Shared {
        /// Name of the node.
        name: String,
        /// Address that other nodes connect to.
        address: String,
        /// Address that agents connect to when they want exactly this node.
        for_agents: Option<String>,
    },
}

/// What a server says of itself at a store.
pub(super) struct Claim {
    holder: Holder,
    /// The record of a node, which changes with its state.
    node: Option<(Id<Node>, Mutex<NodeRecord>)>,
}

/// A server that uses a store alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Holder {
    /// Id of its data folder.
    folder: String,
    /// Random for each start.
    run: String,
    host: String,
    process: u32,
}

impl Claim {
    /// The claim of a server with this data folder.
    ///
    /// # Errors
    /// If the id of the folder is damaged.
    pub(super) fn new(folder: &Path, id: String, usage: Usage) -> Result<Self> {
        let holder = Holder { folder: id, run: random_hex(), host: host_name(), process: std::process::id() };
        let node = match usage {
            Usage::Alone => None,
            Usage::Shared { name, address, for_agents } => {
                let what = "`node.id` is not made of 32 hexadecimal digits".to_owned();
                let damaged = || StoreError::Damaged { folder: folder.display().to_string(), what };
                let digits = u128::from_str_radix(&holder.folder, 16).ok();
                let id = digits.and_then(|digits| node_id(digits.to_be_bytes())).ok_or_else(damaged)?;
                Some((id, Mutex::new(record(&holder, name, address, for_agents))))
            }
        };
        Ok(Claim { holder, node })
    }

    /// Id of the node.
    pub(super) fn node(&self) -> Option<&Id<Node>> {
        self.node.as_ref().map(|(id, _)| id)
    }

    #[cfg(test)]
    pub(super) fn run(&self) -> &str {
        &self.holder.run
    }

    /// Whether this start of the node is the keeper.
    pub(super) fn is(&self, keeper: &Keeper) -> bool {
        keeper.run == self.holder.run
    }

    /// Whether another process has this node's id, in a copy of the data folder: its lock says nothing about that one.
    pub(super) fn is_copied(&self, registered: &NodeRecord) -> bool {
        registered.run != self.holder.run && registered.host != self.holder.host
    }

    /// Changes what the node does; [`Claim::take`] makes it known.
    pub(super) fn set_state(&self, state: NodeState) {
        if let Some((_, record)) = &self.node {
            record.lock().unwrap_or_else(PoisonError::into_inner).state = state;
        }
    }

    /// Takes the key under a lease, or writes it again.
    ///
    /// # Errors
    /// `InUse` if others use the store in a way that excludes this server.
    pub(super) async fn take(&self, store: &dyn Store, lease: LeaseId) -> Result<()> {
        loop {
            let commit = match &self.node {
                None => self.alone(store, lease).await?,
                Some((id, record)) => {
                    let record = record.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    self.shared(store, lease, id, &record).await?
                }
            };
            if let Some(()) = done(store, commit).await? {
                return Ok(());
            }
        }
    }

    /// Becomes the keeper if there is none.
    pub(super) async fn lead(&self, store: &dyn Store, lease: LeaseId) -> Result<()> {
        let Some((id, _)) = &self.node else { return Ok(()) };
        let condition = match store.get(KEEPER).await? {
            None => CommitCondition::Absent(KEEPER.to_owned()),
            Some(entry) => match serde_json::from_slice::<Keeper>(&entry.value) {
                // The lock on the folder proves that the former start of this node has ended.
                Ok(keeper) if keeper.node == id.as_str() && !self.is(&keeper) => {
                    CommitCondition::Unchanged(KEEPER.to_owned(), entry.revision)
                }
                _ => return Ok(()),
            },
        };
        let keeper = Keeper { node: id.to_string(), run: self.holder.run.clone() };
        let write = Write::PutLeased(KEEPER.to_owned(), json(&keeper)?, lease);
        // If another node was faster, that one is the keeper.
        done(store, Commit { conditions: vec![condition], writes: vec![write] }).await.map(drop)
    }

    async fn alone(&self, store: &dyn Store, lease: LeaseId) -> Result<Commit> {
        let nodes = store.range(Range::new(NODES, 1)).await?.entries;
        if let Some(node) = nodes.first() {
            let name = match serde_json::from_slice::<NodeRecord>(&node.value) {
                Ok(node) => format!("node {} at {}", node.name, node.address),
                Err(_) => "an unknown node".to_owned(),
            };
            return Err(in_use(store, name));
        }
        let condition = match self.predecessor(store).await? {
            None => CommitCondition::Absent(ALONE.to_owned()),
            Some(unchanged) => unchanged,
        };
        let no_nodes = CommitCondition::NoneNewer(NODES.to_owned(), 0);
        let write = Write::PutLeased(ALONE.to_owned(), json(&self.holder)?, lease);
        Ok(Commit { conditions: vec![condition, no_nodes], writes: vec![write] })
    }

    async fn shared(&self, store: &dyn Store, lease: LeaseId, id: &Id<Node>, record: &NodeRecord) -> Result<Commit> {
        let key = format!("{NODES}{id}");
        let mut commit = Commit::default();
        commit = match self.predecessor(store).await? {
            None => commit.when(CommitCondition::Absent(ALONE.to_owned())),
            // This data folder was that of a server alone, which has ended.
            Some(unchanged) => commit.when(unchanged).delete(ALONE),
        };
        let condition = match store.get(&key).await? {
            None => CommitCondition::Absent(key.clone()),
            Some(entry) => match serde_json::from_slice::<NodeRecord>(&entry.value) {
                Ok(other) if self.is_copied(&other) => {
                    let which = format!("a node with the same node.id, process {} at {}", other.process, other.host);
                    return Err(in_use(store, which));
                }
                _ => CommitCondition::Unchanged(key.clone(), entry.revision),
            },
        };
        commit.writes.push(Write::PutLeased(key, json(record)?, lease));
        Ok(commit.when(condition))
    }

    /// A claim of the last server alone in this data folder, as a condition: the lock on the folder proves that it has ended.
    async fn predecessor(&self, store: &dyn Store) -> Result<Option<CommitCondition>> {
        let Some(entry) = store.get(ALONE).await? else { return Ok(None) };
        match serde_json::from_slice::<Holder>(&entry.value) {
            Ok(last) if last.folder == self.holder.folder => {
                Ok(Some(CommitCondition::Unchanged(ALONE.to_owned(), entry.revision)))
            }
            Ok(other) => Err(in_use(store, format!("process {} at {}", other.process, other.host))),
            Err(_) => Err(in_use(store, "an unknown one".to_owned())),
        }
    }
}

/// Commits; `None` after a conflict.
async fn done(store: &dyn Store, commit: Commit) -> Result<Option<()>> {
    match store.commit(commit).await? {
        CommitOutcome::Done(_) => Ok(Some(())),
        // No other condition of a claim is of this form.
        CommitOutcome::Conflict(CommitCondition::Present(_)) => Err(StoreError::Unreachable {
            address: store.shared().unwrap_or_default().to_owned(),
            reason: "the lease of this server has ended".to_owned(),
        }),
        CommitOutcome::Conflict(_) => Ok(None),
    }
}

fn json(value: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|error| StoreError::Broken(error.to_string()))
}

fn in_use(store: &dyn Store, holder: String) -> StoreError {
    StoreError::InUse { address: store.shared().unwrap_or_default().to_owned(), holder }
}

fn record(holder: &Holder, name: String, address: String, for_agents: Option<String>) -> NodeRecord {
    NodeRecord {
        name,
        address,
        for_agents,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        state: NodeState::Starting,
        since: Timestamp::now(),
        run: holder.run.clone(),
        host: holder.host.clone(),
        process: holder.process,
    }
}
