//! What is published: the configuration as the edge needs it. Plain data, one whole version after another; a request
//! or connection sees one version from start to end.
//!
//! Parts are shared: what has not changed since the version before is the very same `Arc`, and whoever makes something
//! of it can keep what it made.

mod backend;
mod certificate;
mod edges;
mod login;
mod names;
mod restrictions;
mod settings;

pub use backend::Backend;
pub use certificate::{Certificate, DomainCertificate};
pub use edges::{HttpsEdge, HttpsRoute, TcpEdge, TlsEdge};
pub use login::{Login, LoginSession, LoginSessions, Person, SamlLogin, SessionKey, Tokens};
pub use names::Names;
pub use restrictions::{IpRestriction, Ruling, admits, denied};
pub use settings::{Settings, Termination};

use crate::{acl::Acl, token::TokenHash};
use std::{collections::HashMap, sync::Arc};

/// One whole configuration.
#[derive(Clone, Debug, Default)]
pub struct Published {
    /// The revision of the store it was made from.
    pub revision: i64,
    /// Tunnel credentials that agents may use, by the KSUID of their id, which is how a token begins.
    pub credentials: Arc<HashMap<String, Credential>>,
    /// Hashes of the credentials whose owner is not active, the same way: only to tell their agents why.
    pub inactive_credentials: Arc<HashMap<String, TokenHash>>,
    /// Hashes of API keys by the KSUID of their id: only to tell somebody who gives one to an agent what the mistake is.
    pub api_keys: Arc<HashMap<String, TokenHash>>,
    /// Backends by id.
    pub backends: Arc<HashMap<String, Arc<Backend>>>,
    /// HTTPS edges in the order they were made.
    pub https_edges: Arc<Vec<Arc<HttpsEdge>>>,
    /// TLS edges in the order they were made.
    pub tls_edges: Arc<Vec<Arc<TlsEdge>>>,
    /// TCP edges in the order they were made.
    pub tcp_edges: Arc<Vec<Arc<TcpEdge>>>,
    /// IP restrictions in the order they were made.
    pub ip_restrictions: Arc<Vec<Arc<IpRestriction>>>,
    /// Names and ports of edges, and those that are reserved.
    pub names: Arc<Names>,
    /// TLS certificates in the order they were made.
    pub certificates: Arc<Vec<Arc<Certificate>>>,
    /// How reserved domains come by their certificates, by the domain. Most do as any name does, and have no word here.
    pub domain_certificates: Arc<HashMap<String, DomainCertificate>>,
    /// Visitors who have logged in.
    pub logins: Arc<LoginSessions>,
}

/// What an agent may authenticate with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    /// Its id, `cr_…`.
    pub id: String,
    /// What its token is verified with.
    pub hash: TokenHash,
    /// What may be bound.
    pub acl: Acl,
    /// The user or bot user it belongs to.
    pub owner: String,
}
