//! A TCP edge: public TCP addresses, a backend behind them, rules before them.

use crate::{
    id::Kind,
    module::{Backend, BackendView, Hosts, IpRestriction, IpRestrictionView},
    resource::{Resource, bodies},
};
use serde::{Deserialize, Serialize};

/// TCP addresses that stand open for visitors.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TcpEdge {
    /// The addresses, `host:port` each; empty when there are none.
    pub hostports: Vec<String>,
}

/// What the server adds: the modules that are set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TcpEdgeStatus {
    /// Where connections go.
    pub backend: Option<BackendView>,
    /// Who may connect.
    pub ip_restriction: Option<IpRestrictionView>,
}

/// What is said when an edge is made. In a change, a module that is named is replaced whole.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TcpEdgeCreate {
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// For programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<String>,
    /// The addresses to serve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hostports: Option<Vec<String>>,
    /// Where connections go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<Backend>,
    /// Who may connect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip_restriction: Option<IpRestriction>,
}

/// What may be changed.
pub type TcpEdgeUpdate = TcpEdgeCreate;

impl Kind for TcpEdge {
    const PREFIX: &'static str = "edgtcp";
}
impl Resource for TcpEdge {
    const KIND: &'static str = "tcp_edge";
    const PATH: &'static str = "/edges/tcp";
    const LIST: &'static str = "tcp_edges";
    type Status = TcpEdgeStatus;
    type Create = TcpEdgeCreate;
    type Update = TcpEdgeUpdate;
}
impl Hosts<Backend> for TcpEdge {}
impl Hosts<IpRestriction> for TcpEdge {}
bodies!(TcpEdgeCreate);
