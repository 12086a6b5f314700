//! An HTTPS edge: host names whose requests are told apart by their paths.

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
    /// The names, `host:port` each; empty when there are none.
    pub hostports: Vec<String>,
}

/// What the server adds: the routes, and the modules that are set.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct HttpsEdgeStatus {
    /// Which requests go where, in the order the routes were made.
    pub routes: Vec<Record<HttpsRoute>>,
    /// Whose certificates visitors must show.
    pub mutual_tls: Option<MutualTlsView>,
    /// How old their protocol may be.
    pub tls_termination: Option<TerminationView>,
}

body! {
    /// What is said when an edge is made. In a change, a module that is named is replaced whole.
    HttpsEdgeCreate {
        needs {}
        may {
            /// The names to serve: `host:443`, or `host:` and the port this server has for HTTPS.
            hostports: Vec<String>,
            /// Whose certificates visitors must show.
            mutual_tls: MutualTls,
            /// How old their protocol may be.
            tls_termination: HttpsTermination,
        }
    }
}

/// What may be changed.
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
