//! An HTTPS edge: host names whose requests are routed by path.

use super::HttpsRoute;
use crate::{
    id::Kind,
    module::{Hosts, HttpsTermination, MutualTls, MutualTlsView, TerminationView},
    resource::{Record, Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Host names that stand open for visitors with HTTPS.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HttpsEdge {
    /// Names, `host:port` each; may be empty.
    pub hostports: Vec<String>,
}

/// Fields that the server adds: the routes, and the modules that are set.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct HttpsEdgeStatus {
    /// Routes in creation order.
    pub routes: Vec<Record<HttpsRoute>>,
    /// Certificate authorities of visitors' certificates (mutual TLS).
    pub mutual_tls: Option<MutualTlsView>,
    /// Minimum version of TLS.
    pub tls_termination: Option<TerminationView>,
}

body! {
    /// Body of a create. In a change, a given module is replaced as a whole.
    HttpsEdgeCreate {
        needs {}
        may {
            /// Names to serve: `host:443`, or `host:` and the HTTPS port of this server.
            hostports: Vec<String>,
            /// Certificate authorities of visitors' certificates (mutual TLS).
            mutual_tls: MutualTls,
            /// Minimum version of TLS.
            tls_termination: HttpsTermination,
        }
    }
}

/// Body of a change.
pub type HttpsEdgeUpdate = HttpsEdgeCreate;

impl Kind for HttpsEdge {
    const PREFIX: &'static str = "edghts";
}
impl Resource for HttpsEdge {
    const KIND: &'static str = "https_edge";
    const PATH: &'static str = "/edges/https";
    const LIST: &'static str = "https_edges";
    type Status = HttpsEdgeStatus;
    type Create = HttpsEdgeCreate;
    type Update = HttpsEdgeUpdate;
}
impl Hosts<MutualTls> for HttpsEdge {}
impl Hosts<HttpsTermination> for HttpsEdge {}
