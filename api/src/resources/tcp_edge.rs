//! A TCP edge: public TCP addresses, a backend behind them, rules before them.

use crate::{
    id::Kind,
    module::{Backend, BackendView, Hosts, IpRestriction, IpRestrictionView},
    resource::{Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// TCP addresses that stand open for visitors.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TcpEdge {
    /// The addresses, `host:port` each; empty when there are none.
    pub hostports: Vec<String>,
}

/// What the server adds: the modules that are set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TcpEdgeStatus {
    /// Where connections go.
    pub backend: Option<BackendView>,
    /// Who may connect.
    pub ip_restriction: Option<IpRestrictionView>,
}

body! {
    /// What is said when an edge is made. In a change, a module that is named is replaced whole.
    TcpEdgeCreate {
        needs {}
        may {
            /// The addresses to serve.
            hostports: Vec<String>,
            /// Where connections go.
            backend: Backend,
            /// Who may connect.
            ip_restriction: IpRestriction,
        }
    }
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
