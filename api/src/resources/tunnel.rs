//! A tunnel: an address that an agent publishes, or a service that it offers to backends.

use crate::{
    Id, Timestamp,
    id::Kind,
    resource::{NodeName, Ref, View},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A tunnel that is online. A tunnel with labels has no address of its own: backends route to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tunnel {
    /// Its id.
    pub id: Id<Tunnel>,
    /// Absolute URL.
    pub uri: String,
    /// Public URL; empty for a tunnel with labels.
    pub public_url: String,
    /// Time since which it is online.
    pub started_at: Timestamp,
    /// Metadata of the owner; empty if not set.
    pub metadata: String,
    /// `https`, `http` or `tcp`; empty for a tunnel with labels.
    pub proto: String,
    /// The region of the server.
    pub region: String,
    /// The session that carries it.
    pub tunnel_session: Ref,
    /// The public endpoint; null for a tunnel with labels.
    pub endpoint: Option<Ref>,
    /// Its labels; empty unless it has some.
    pub labels: BTreeMap<String, String>,
    /// The backends that lead to it because of its labels.
    pub backends: Vec<Ref>,
    /// The local address, as the agent describes it.
    pub forwards_to: String,
    /// The node that the agent is connected to; absent if the server uses its store alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeName>,
}

impl Kind for Tunnel {
    const PREFIX: &'static str = "tn";
}
impl View for Tunnel {
    const KIND: &'static str = "tunnel";
    const PATH: &'static str = "/tunnels";
    const LIST: &'static str = "tunnels";
    fn id(&self) -> &Id<Self> {
        &self.id
    }
}
