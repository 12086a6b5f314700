//! The server at a glance.

use crate::{
    Timestamp,
    resource::{NodeName, Ref},
    traffic::{Counts, History},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Current state of the server. Where several nodes use its store, sessions, tunnels and traffic are those of all nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerStatus {
    /// The version of the server.
    pub version: String,
    /// Since when it has been running; of several nodes, the one that has been running longest.
    pub started_at: Timestamp,
    /// Name of its region.
    pub region: String,
    /// The domain under which tunnels are published.
    pub domain: String,
    /// The port for visitors with HTTPS.
    pub https_port: u16,
    /// Agents that are connected.
    pub sessions: u64,
    /// Tunnels that are up.
    pub tunnels: u64,
    /// Number of configured objects.
    pub configured: Configured,
    /// Storage on disk.
    pub store: StoreStatus,
    /// The ten TLS certificates that expire first.
    pub expiring: Vec<ExpiringCertificate>,
    /// All that passed since the server started.
    pub traffic: Counts,
    /// The last minute and the last hour of it.
    pub history: History,
    /// Nodes that did not answer in time, whose share is missing in sessions, tunnels and traffic; absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes_missing: Vec<NodeName>,
}

/// Number of objects that the edge serves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Configured {
    /// HTTPS edges.
    pub https_edges: u64,
    /// TLS edges.
    pub tls_edges: u64,
    /// TCP edges.
    pub tcp_edges: u64,
    /// Backends of all kinds.
    pub backends: u64,
    /// TLS certificates.
    pub tls_certificates: u64,
    /// Tunnel credentials that agents may use.
    pub credentials: u64,
}

/// The data folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StoreStatus {
    /// Number of changes written so far.
    pub revision: u64,
    /// Size of its files.
    pub bytes: u64,
}

/// A TLS certificate and its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExpiringCertificate {
    /// The certificate.
    pub certificate: Ref,
    /// Host names and addresses it is valid for.
    pub names: Vec<String>,
    /// End of its validity.
    pub not_after: Timestamp,
    /// Whether the server gets the next one by itself.
    pub renewed: bool,
}
