//! A tunnel: what one agent publishes, or offers to backends.

use crate::{
    Id, Timestamp,
    id::Kind,
    resource::{Ref, View},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A tunnel that is up at this moment. One with labels has no address of its own: backends lead to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tunnel {
    /// Its id.
    pub id: Id<Tunnel>,
    /// Its absolute address.
    pub uri: String,
    /// Where visitors find it; empty for a tunnel with labels.
    pub public_url: String,
    /// Since when it is up.
    pub started_at: Timestamp,
    /// What its owner wrote on it; empty if nothing.
    pub metadata: String,
    /// `https`, `http` or `tcp`; empty for a tunnel with labels.
    pub proto: String,
    /// The region of the server.
    pub region: String,
    /// The session that carries it.
    pub tunnel_session: Ref,
    /// What visitors meet; null for a tunnel with labels.
    pub endpoint: Option<Ref>,
    /// Its labels; empty unless it has some.
    pub labels: BTreeMap<String, String>,
    /// The backends that lead to it because of its labels.
    pub backends: Vec<Ref>,
    /// The local address, as the agent describes it.
    pub forwards_to: String,
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
