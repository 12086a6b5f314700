//! A TCP edge: public TCP addresses, a backend behind them, rules before them.

use crate::{
    id::Kind,
    module::{Backend, BackendView, Hosts, IpRestriction, IpRestrictionView, RateLimit, RateLimitView},
    resource::{Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// TCP addresses that stand open for visitors.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TcpEdge {
    /// Addresses, `host:port` each; may be empty.
    pub hostports: Vec<String>,
}

/// Fields that the server adds: the modules that are set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TcpEdgeStatus {
    /// Backend of the connections.
    pub backend: Option<BackendView>,
    /// Addresses that may connect.
    pub ip_restriction: Option<IpRestrictionView>,
    /// Rate limit of connections.
    pub rate_limit: Option<RateLimitView>,
}

body! {
    /// Body of a create. In a change, a given module is replaced as a whole.
    TcpEdgeCreate {
        needs {}
        may {
            /// The addresses to serve.
            hostports: Vec<String>,
            /// Backend of the connections.
            backend: Backend,
            /// Addresses that may connect.
            ip_restriction: IpRestriction,
            /// Rate limit of connections. Its key is `address` or `everyone`.
            rate_limit: RateLimit,
        }
    }
}

/// Body of a change.
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
impl Hosts<RateLimit> for TcpEdge {}
