//! An agent, connected or away.

use crate::{
    Id, OwnerId, Timestamp,
    id::Kind,
    resource::{NodeName, Ref, Removable, View},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether an agent is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentState {
    /// It has a session.
    Online,
    /// It has none.
    Away,
}

/// A time at which an agent connected or was gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentChange {
    /// The state from then on.
    pub state: AgentState,
    /// When; may lag by a few seconds.
    pub at: Timestamp,
}

/// An agent that is connected, or was within the last 30 days. What it tells about itself is not verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Agent {
    /// Its id, which stays the same from session to session.
    pub id: Id<Agent>,
    /// Absolute URL.
    pub uri: String,
    /// Name of the host it runs on; empty if it does not tell it.
    pub host_name: String,
    /// Account of the operating system that runs it; empty if it does not tell it.
    pub account: String,
    /// Its version.
    pub agent_version: String,
    /// The system it runs on.
    pub os: String,
    /// The address it connected from.
    pub ip: String,
    /// Its credential.
    pub credential: Ref,
    /// The user or bot user that the credential belongs to; null if the credential is deleted.
    pub owner_id: Option<OwnerId>,
    /// Whether it is connected.
    pub state: AgentState,
    /// Since when it has its oldest session; null while it is away.
    pub connected_since: Option<Timestamp>,
    /// When it was connected for the last time; null while it is. May be up to a minute early if the server itself ended.
    pub last_seen: Option<Timestamp>,
    /// When it connected for the first time.
    pub first_seen: Timestamp,
    /// Number of its tunnels.
    pub tunnels: u64,
    /// Its sessions, the newest first: several where the server has several nodes.
    pub tunnel_sessions: Vec<Ref>,
    /// The nodes it is connected to; empty if the server uses its store alone.
    pub nodes: Vec<NodeName>,
    /// The latest times at which it came or went, the newest first.
    pub changes: Vec<AgentChange>,
}

impl Kind for Agent {
    const PREFIX: &'static str = "ag";
}
impl View for Agent {
    const KIND: &'static str = "agent";
    const PATH: &'static str = "/agents";
    const LIST: &'static str = "agents";
    fn id(&self) -> &Id<Self> {
        &self.id
    }
}
impl Removable for Agent {}
