//! Modules of one edge or route.

use super::Login;
use crate::{
    Secret,
    ip_rules::IpRules,
    module::{CircuitBreaker, HeaderChanges, TerminateAt, TlsVersion, UserAgentFilter, WebhookVerification},
};
use std::sync::Arc;

/// Modules of an edge or route. Unset and disabled modules are absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// A module is set and cannot be read. It may restrict access, so all visitors are refused.
    pub unreadable: bool,
    /// The id of the backend.
    pub backend: Option<String>,
    /// Rules of all its policies; a deleted policy adds none.
    pub ip_restriction: Option<Arc<IpRules>>,
    /// Certificate authorities of visitors' certificates, in PEM.
    pub mutual_tls: Option<Vec<Arc<str>>>,
    /// TLS termination point and minimum version.
    pub tls_termination: Option<Termination>,
    /// Settings of the circuit breaker.
    pub circuit_breaker: Option<CircuitBreaker>,
    /// Whether responses are compressed.
    pub compression: bool,
    /// Header changes of requests.
    pub request_headers: Option<HeaderChanges>,
    /// Host header sent to the backend; redirects to it are rewritten.
    pub host_header: Option<String>,
    /// Header changes of responses.
    pub response_headers: Option<HeaderChanges>,
    /// Webhook provider.
    pub webhook_verification: Option<WebhookVerification>,
    /// Login of visitors.
    pub login: Option<Arc<Login>>,
    /// Allowed users, as `user:password`; no password is required if empty.
    pub basic_auth: Vec<Secret>,
    /// User agent filter.
    pub user_agent_filter: Option<UserAgentFilter>,
    /// Whether WebSocket connections are converted to TCP streams.
    pub websocket_tcp_converter: bool,
}

/// TLS termination of an HTTPS or TLS edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Termination {
    /// TLS termination point.
    pub at: TerminateAt,
    /// Minimum version of TLS; `None` if TLS is not terminated at the edge.
    pub oldest: Option<TlsVersion>,
}
