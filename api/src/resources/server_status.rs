//! The server at a glance.

use crate::{
    Timestamp,
    resource::Ref,
    traffic::{Counts, History},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the server is at this moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerStatus {
    /// The version of the server.
    pub version: String,
    /// Since when it has been running.
    pub started_at: Timestamp,
    /// What it calls its region.
    pub region: String,
    /// The domain under which tunnels are published.
    pub domain: String,
    /// The port for visitors with HTTPS.
    pub https_port: u16,
    /// Agents that are connected.
    pub sessions: u64,
    /// Tunnels that are up.
    pub tunnels: u64,
    /// What is configured.
    pub configured: Configured,
    /// What is kept on disk.
    pub store: StoreStatus,
    /// The ten TLS certificates that expire first.
    pub expiring: Vec<ExpiringCertificate>,
    /// All that passed since the server started.
    pub traffic: Counts,
    /// The last minute and the last hour of it.
    pub history: History,
}

/// How many there are of what the edge serves by.
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
    /// How many changes were written so far.
    pub revision: u64,
    /// What the files in it take.
    pub bytes: u64,
}

/// A TLS certificate and its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExpiringCertificate {
    /// Which it is.
    pub certificate: Ref,
    /// The host names and addresses it is valid for.
    pub names: Vec<String>,
    /// When it is no longer valid.
    pub not_after: Timestamp,
    /// Whether the server gets the next one by itself.
    pub renewed: bool,
}
