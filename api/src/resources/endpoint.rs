//! An endpoint: one public address of a tunnel or an edge.

use crate::{
    Id, Timestamp,
    id::Kind,
    resource::{Ref, View},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Origin of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndpointType {
    /// An agent's tunnel; the endpoint ends with it.
    Ephemeral,
    /// An edge.
    Edge,
}

/// A current public address: an agent's tunnel, or one name or port of an edge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Endpoint {
    /// Its id. That of a tunnel's endpoint and that of the tunnel differ in the prefix only.
    pub id: Id<Endpoint>,
    /// Absolute URL in this API.
    pub uri: String,
    /// Start time.
    pub created_at: Timestamp,
    /// Creation time; an endpoint does not change.
    pub updated_at: Timestamp,
    /// Origin.
    pub r#type: EndpointType,
    /// The address that visitors use.
    pub public_url: String,
    /// Equal to `public_url`.
    pub url: String,
    /// `https`, `http`, `tls` or `tcp`.
    pub proto: String,
    /// Equal to `proto`.
    pub scheme: String,
    /// Host and port; the port is always included.
    pub hostport: String,
    /// Its host.
    pub host: String,
    /// Its port.
    pub port: i64,
    /// The region of the server.
    pub region: String,
    /// The name the tunnel has at its agent; empty for an edge.
    pub name: String,
    /// The description of the edge; empty for a tunnel.
    pub description: String,
    /// The metadata of the edge or of the tunnel.
    pub metadata: String,
    /// Owner of the agent's credential; null for an edge.
    pub principal: Option<Ref>,
    /// Visibility: `public`.
    pub bindings: Vec<String>,
    /// Its reserved domain, if any.
    pub domain: Option<Ref>,
    /// Its reserved address, if any.
    pub tcp_addr: Option<Ref>,
    /// The tunnel behind it; null for an edge.
    pub tunnel: Option<Ref>,
    /// The session of that tunnel; null for an edge.
    pub tunnel_session: Option<Ref>,
    /// The edge behind it; null for a tunnel.
    pub edge: Option<Ref>,
    /// The local address, as the agent describes it; empty for an edge.
    pub upstream_url: String,
    /// Always empty: agents forward any protocol.
    pub upstream_protocol: String,
    /// Always empty.
    pub traffic_policy: String,
    /// Always false: an address has a single owner.
    pub pooling_enabled: bool,
}

impl Kind for Endpoint {
    const PREFIX: &'static str = "ep";
}
impl View for Endpoint {
    const KIND: &'static str = "endpoint";
    const PATH: &'static str = "/endpoints";
    const LIST: &'static str = "endpoints";
    fn id(&self) -> &Id<Self> {
        &self.id
    }
}
