//! Published edges.

use super::Settings;
use crate::{host::HostName, resource::MatchType};
use std::sync::Arc;

/// An HTTPS edge: host names served over HTTPS.
#[derive(Clone, Debug, PartialEq)]
pub struct HttpsEdge {
    /// Its id, `edghts_…`.
    pub id: String,
    /// Host names, without duplicates.
    pub names: Vec<HostName>,
    /// Modules of the connection: mutual TLS and TLS termination.
    pub settings: Settings,
    /// Routes in creation order.
    pub routes: Vec<Arc<HttpsRoute>>,
}

/// A route of an HTTPS edge.
#[derive(Clone, Debug, PartialEq)]
pub struct HttpsRoute {
    /// Its id, `edghtsrt_…`.
    pub id: String,
    /// How the path is matched.
    pub match_type: MatchType,
    /// Path as configured.
    pub path: String,
    /// Modules of the request.
    pub settings: Settings,
}

/// A TLS edge: host names served over TLS.
#[derive(Clone, Debug, PartialEq)]
pub struct TlsEdge {
    /// Its id, `edgtls_…`.
    pub id: String,
    /// Host names, without duplicates.
    pub names: Vec<HostName>,
    /// Modules of the connection.
    pub settings: Settings,
}

/// A TCP edge: ports.
#[derive(Clone, Debug, PartialEq)]
pub struct TcpEdge {
    /// Its id, `edgtcp_…`.
    pub id: String,
    /// Ports, without duplicates.
    pub ports: Vec<u16>,
    /// Modules of the connection.
    pub settings: Settings,
}
