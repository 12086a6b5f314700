//! An endpoint: one public address, whoever stands behind it.

use crate::{
    Id, Timestamp,
    id::Kind,
    resource::{Ref, View},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where an endpoint comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndpointType {
    /// An agent's tunnel; it goes with it.
    Ephemeral,
    /// An edge.
    Edge,
}

/// A public address of this moment: an agent's tunnel, or one name or port of an edge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Endpoint {
    /// Its id. That of a tunnel's endpoint and that of the tunnel differ in the prefix only.
    pub id: Id<Endpoint>,
    /// Its absolute address in this API.
    pub uri: String,
    /// When it began.
    pub created_at: Timestamp,
    /// When it began: an endpoint does not change.
    pub updated_at: Timestamp,
    /// Where it comes from.
    pub r#type: EndpointType,
    /// The address that visitors use.
    pub public_url: String,
    /// The same.
    pub url: String,
    /// `https`, `http`, `tls` or `tcp`.
    pub proto: String,
    /// The same.
    pub scheme: String,
    /// Its host and port; the port is always there.
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
    /// Who owns the credential that the agent proved itself with; null for an edge.
    pub principal: Option<Ref>,
    /// Where it can be reached from: `public`.
    pub bindings: Vec<String>,
    /// The reserved domain it is on, if it is on one.
    pub domain: Option<Ref>,
    /// The reserved address it is on, if it is on one.
    pub tcp_addr: Option<Ref>,
    /// The tunnel behind it; null for an edge.
    pub tunnel: Option<Ref>,
    /// The session of that tunnel; null for an edge.
    pub tunnel_session: Option<Ref>,
    /// The edge behind it; null for a tunnel.
    pub edge: Option<Ref>,
    /// The local address, as the agent describes it; empty for an edge.
    pub upstream_url: String,
    /// Always empty: agents pass on what visitors speak.
    pub upstream_protocol: String,
    /// Always empty.
    pub traffic_policy: String,
    /// Always false: one address has one owner.
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
