//! A node: one of the servers that use a store.

use crate::{AnyId, Id, Timestamp, id::Kind, resource::View};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a node does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeState {
    /// It has begun, and does not serve visitors yet.
    Starting,
    /// It serves visitors.
    Serving,
    /// It ends: it finishes open requests.
    Draining,
}

/// The connection to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeLink {
    /// The node that answers needs none to itself.
    Own,
    /// It is connected.
    Up,
    /// It is not connected at the moment.
    Down,
}

/// A node by its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct NodeName {
    /// Its id.
    pub id: AnyId,
    /// Its name.
    pub name: String,
}

/// One of the servers that use the store; a server that uses its store alone lists itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Node {
    /// Its id, which is that of its data folder.
    pub id: Id<Node>,
    /// Absolute URL.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// The address that other nodes connect to; empty if there are none.
    pub address: String,
    /// Version of its program.
    pub version: String,
    /// What it does.
    pub state: NodeState,
    /// Time since which it runs.
    pub started_at: Timestamp,
    /// Whether it is the node that answers.
    pub answering: bool,
    /// The connection from the node that answers.
    pub link: NodeLink,
    /// Revision of the store up to which all changes are in force there; null if it has not said so.
    pub revision: Option<u64>,
}

impl Kind for Node {
    const PREFIX: &'static str = "nd";
}
impl View for Node {
    const KIND: &'static str = "node";
    const PATH: &'static str = "/nodes";
    const LIST: &'static str = "nodes";
    fn id(&self) -> &Id<Self> {
        &self.id
    }
}
