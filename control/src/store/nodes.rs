//! The servers that use one store: what each of them says of itself, and which one does what only one may do.

use super::{Change, Range, Result, Revision, Store, StoreError};
use postern_api::{
    Id, Timestamp,
    id::{Kind, ksuid},
    resource::{Node, NodeState},
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, sync::Arc};
use tokio::sync::watch;

/// Prefix of the keys of all nodes; the id of a node follows.
pub(super) const NODES: &str = "nodes/";
/// Key of the node that does what only one may do.
pub(super) const KEEPER: &str = "leaders/keeper";
const BATCH_SIZE: usize = 1000;

/// What a node says of itself, for as long as its lease lasts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeRecord {
    /// Its name.
    pub name: String,
    /// Address that other nodes connect to.
    pub address: String,
    /// Address that agents connect to when they want exactly this node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_agents: Option<String>,
    /// Version of its program.
    pub version: String,
    /// What it does.
    pub state: NodeState,
    /// Time of its start.
    pub since: Timestamp,
    /// Random for each start.
    pub(super) run: String,
    /// Host of its process.
    pub(super) host: String,
    /// Id of its process.
    pub(super) process: u32,
}

/// The node that does what only one may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Keeper {
    pub(super) node: String,
    pub(super) run: String,
}

/// All nodes that are registered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nodes {
    /// By id.
    pub records: BTreeMap<String, NodeRecord>,
    pub(super) keeper: Option<Keeper>,
}

impl Nodes {
    /// Nodes by their ids, none of which is the keeper.
    pub fn new(records: BTreeMap<String, NodeRecord>) -> Self {
        Nodes { records, keeper: None }
    }

    /// Follows the nodes of a store.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(super) async fn follow(store: &dyn Store) -> Result<watch::Receiver<Arc<Nodes>>> {
        loop {
            let (mut nodes, after) = Nodes::read(store).await?;
            let (announce, followed) = watch::channel(Arc::new(nodes.clone()));
            let apply = move |changes: &[Change], _| {
                let apply = |touched, change: &Change| nodes.apply(&change.key, change.value.as_deref()) | touched;
                if changes.iter().fold(false, apply) {
                    announce.send_replace(Arc::new(nodes.clone()));
                }
            };
            match store.subscribe(after, Box::new(apply)).await {
                Err(StoreError::Compacted(_)) => {}
                subscribed => return subscribed.map(|()| followed),
            }
        }
    }

    /// The nodes, and the revision from which on changes must be applied.
    async fn read(store: &dyn Store) -> Result<(Nodes, Revision)> {
        let mut nodes = Nodes::default();
        let page = store.range(Range::new(NODES, BATCH_SIZE)).await?;
        for entry in page.entries {
            nodes.apply(&entry.key, Some(&entry.value));
        }
        let keeper = store.get(KEEPER).await?;
        nodes.apply(KEEPER, keeper.as_ref().map(|entry| entry.value.as_slice()));
        Ok((nodes, page.revision))
    }

    /// Applies a change; gives whether it was one of nodes.
    fn apply(&mut self, key: &str, value: Option<&[u8]>) -> bool {
        if key == KEEPER {
            self.keeper = value.and_then(|value| serde_json::from_slice(value).ok());
            return true;
        }
        let Some(id) = key.strip_prefix(NODES) else { return false };
        match value.map(serde_json::from_slice) {
            Some(Ok(record)) => _ = self.records.insert(id.to_owned(), record),
            Some(Err(error)) => {
                tracing::warn!(node = id, %error, "what a node says of itself cannot be read");
                self.records.remove(id);
            }
            None => _ = self.records.remove(id),
        }
        true
    }
}

/// Id of a node, made of the digits that identify its data folder.
pub(crate) fn node_id(digits: [u8; 16]) -> Option<Id<Node>> {
    Id::parse(&format!("{}_{}", Node::PREFIX, ksuid(0, digits))).ok()
}
