//! Edges as they stand open for visitors.

use super::Settings;
use crate::{host::HostName, resource::MatchType};
use std::sync::Arc;

/// Host names with HTTPS.
#[derive(Clone, Debug, PartialEq)]
pub struct HttpsEdge {
    /// Its id, `edghts_…`.
    pub id: String,
    /// The names it has, each once.
    pub names: Vec<HostName>,
    /// Modules of the connection: mutual TLS and TLS termination.
    pub settings: Settings,
    /// Its routes in the order they were made.
    pub routes: Vec<Arc<HttpsRoute>>,
}

/// Paths of an HTTPS edge.
#[derive(Clone, Debug, PartialEq)]
pub struct HttpsRoute {
    /// Its id, `edghtsrt_…`.
    pub id: String,
    /// How the path is compared.
    pub match_type: MatchType,
    /// The path, as it was written.
    pub path: String,
    /// Modules of the request.
    pub settings: Settings,
}

/// Host names with TLS.
#[derive(Clone, Debug, PartialEq)]
pub struct TlsEdge {
    /// Its id, `edgtls_…`.
    pub id: String,
    /// The names it has, each once.
    pub names: Vec<HostName>,
    /// Modules of the connection.
    pub settings: Settings,
}

/// TCP ports.
#[derive(Clone, Debug, PartialEq)]
pub struct TcpEdge {
    /// Its id, `edgtcp_…`.
    pub id: String,
    /// The ports it has, each once.
    pub ports: Vec<u16>,
    /// Modules of the connection.
    pub settings: Settings,
}
