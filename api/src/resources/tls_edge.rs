//! A TLS edge: host names whose connections go to a backend as they are, whatever is spoken inside.

use crate::{
    id::Kind,
    module::{
        Backend, BackendView, Hosts, IpRestriction, IpRestrictionView, MutualTls, MutualTlsView, RateLimit,
        RateLimitView, TerminationView, TlsTermination,
    },
    resource::{Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Host names that stand open for visitors with TLS.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TlsEdge {
    /// Names, `host:port` each; may be empty.
    pub hostports: Vec<String>,
}

/// Fields that the server adds: the modules that are set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TlsEdgeStatus {
    /// Backend of the connections.
    pub backend: Option<BackendView>,
    /// Addresses that may connect.
    pub ip_restriction: Option<IpRestrictionView>,
    /// Rate limit of connections.
    pub rate_limit: Option<RateLimitView>,
    /// Certificate authorities of visitors' certificates (mutual TLS).
    pub mutual_tls: Option<MutualTlsView>,
    /// TLS termination; without it, TLS is terminated at the backend.
    pub tls_termination: Option<TerminationView>,
}

body! {
    /// Body of a create. In a change, a given module is replaced as a whole.
    TlsEdgeCreate {
        needs {}
        may {
            /// Names to serve: `host:443`, or `host:` and the HTTPS port of this server.
            hostports: Vec<String>,
            /// Backend of the connections.
            backend: Backend,
            /// Addresses that may connect.
            ip_restriction: IpRestriction,
            /// Rate limit of connections. Its key is `address` or `everyone`.
            rate_limit: RateLimit,
            /// Certificate authorities of visitors' certificates (mutual TLS). Requires TLS termination at the edge.
            mutual_tls: MutualTls,
            /// TLS termination; without it, TLS is terminated at the backend.
            tls_termination: TlsTermination,
        }
    }
}

/// Body of a change.
pub type TlsEdgeUpdate = TlsEdgeCreate;

impl Kind for TlsEdge {
    const PREFIX: &'static str = "edgtls";
}
impl Resource for TlsEdge {
    const KIND: &'static str = "tls_edge";
    const PATH: &'static str = "/edges/tls";
    const LIST: &'static str = "tls_edges";
    type Status = TlsEdgeStatus;
    type Create = TlsEdgeCreate;
    type Update = TlsEdgeUpdate;
}
impl Hosts<Backend> for TlsEdge {}
impl Hosts<IpRestriction> for TlsEdge {}
impl Hosts<RateLimit> for TlsEdge {}
impl Hosts<MutualTls> for TlsEdge {}
impl Hosts<TlsTermination> for TlsEdge {}
