//! A TLS edge: host names whose connections go to a backend as they are, whatever is spoken inside.

use crate::{
    id::Kind,
    module::{
        Backend, BackendView, Hosts, IpRestriction, IpRestrictionView, MutualTls, MutualTlsView, TerminationView,
        TlsTermination,
    },
    resource::{Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Host names that stand open for visitors with TLS.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TlsEdge {
    /// The names, `host:port` each; empty when there are none.
    pub hostports: Vec<String>,
}

/// What the server adds: the modules that are set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TlsEdgeStatus {
    /// Where connections go.
    pub backend: Option<BackendView>,
    /// Who may connect.
    pub ip_restriction: Option<IpRestrictionView>,
    /// Whose certificates visitors must show.
    pub mutual_tls: Option<MutualTlsView>,
    /// Where their TLS ends; without it, at the backend.
    pub tls_termination: Option<TerminationView>,
}

body! {
    /// What is said when an edge is made. In a change, a module that is named is replaced whole.
    TlsEdgeCreate {
        needs {}
        may {
            /// The names to serve: `host:443`, or `host:` and the port this server has for HTTPS.
            hostports: Vec<String>,
            /// Where connections go.
            backend: Backend,
            /// Who may connect.
            ip_restriction: IpRestriction,
            /// Whose certificates visitors must show. TLS must end at the edge then.
            mutual_tls: MutualTls,
            /// Where their TLS ends; without it, at the backend.
            tls_termination: TlsTermination,
        }
    }
}

/// What may be changed.
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
impl Hosts<MutualTls> for TlsEdge {}
impl Hosts<TlsTermination> for TlsEdge {}
