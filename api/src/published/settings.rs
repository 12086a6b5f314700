//! The modules of one edge or route.

use super::Login;
use crate::{
    Secret,
    ip_rules::IpRules,
    module::{CircuitBreaker, HeaderChanges, TerminateAt, TlsVersion, UserAgentFilter, WebhookVerification},
};
use std::sync::Arc;

/// All modules an edge or route can have. One that is not set, or disabled, is absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// A module is set and cannot be read. It may have guarded the edge, so nobody may come in.
    pub unreadable: bool,
    /// The id of the backend.
    pub backend: Option<String>,
    /// The rules of all its policies together; a deleted policy adds none.
    pub ip_restriction: Option<Arc<IpRules>>,
    /// The authorities of visitors' certificates, in PEM.
    pub mutual_tls: Option<Vec<Arc<str>>>,
    /// Where TLS ends, and how old it may be.
    pub tls_termination: Option<Termination>,
    /// When a failing backend is left alone.
    pub circuit_breaker: Option<CircuitBreaker>,
    /// Answers are compressed.
    pub compression: bool,
    /// What happens to the headers of requests.
    pub request_headers: Option<HeaderChanges>,
    /// What the backend is told to be called; redirects to it are turned back.
    pub host_header: Option<String>,
    /// What happens to the headers of answers.
    pub response_headers: Option<HeaderChanges>,
    /// Whose webhooks these are.
    pub webhook_verification: Option<WebhookVerification>,
    /// How visitors must log in.
    pub login: Option<Arc<Login>>,
    /// Who may come in with a password, as `user:password`; nobody is asked for one if there are none.
    pub basic_auth: Vec<Secret>,
    /// Which programs may come in.
    pub user_agent_filter: Option<UserAgentFilter>,
    /// WebSocket connections become TCP streams.
    pub websocket_tcp_converter: bool,
}

/// TLS termination of an HTTPS or TLS edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Termination {
    /// Where TLS ends.
    pub at: TerminateAt,
    /// The oldest version of TLS that visitors may speak; `None` where it does not end at the edge.
    pub oldest: Option<TlsVersion>,
}
