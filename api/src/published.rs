//! Published configuration, in the form the edge needs. Plain data, one immutable version after another; a request
//! or connection sees one version from start to end.
//!
//! Unchanged parts share the same `Arc` with the previous version, so values derived from them can be kept.
//! The [`ChangeCursor`] tells what has changed.

mod backend;
mod certificate;
mod change_cursor;
mod edges;
mod login;
mod names;
mod restrictions;
mod settings;

pub use backend::Backend;
pub use certificate::{Certificate, DomainCertificate};
pub use change_cursor::{ChangeCursor, Changed};
pub use edges::{HttpsEdge, HttpsRoute, TcpEdge, TlsEdge};
pub use login::{Login, LoginSession, LoginSessions, Person, SamlLogin, SessionKey, Tokens};
pub use names::Names;
pub use restrictions::{IpRestriction, Ruling, admits, denied};
pub use settings::{Settings, Termination};

use crate::{acl::Acl, token::TokenHash};
use rpds::{HashTrieMapSync, RedBlackTreeMapSync};
use std::{collections::HashMap, sync::Arc};

/// Persistent map. A changed copy shares all unchanged entries with the previous one.
pub type Map<K, V> = HashTrieMapSync<K, V>;
/// Persistent map by id, ordered by id and therefore by age. Copies share entries as those of [`Map`] do.
pub type Listed<T> = RedBlackTreeMapSync<String, Arc<T>>;

/// Values in the order of their ids.
pub fn listed<T>(things: impl IntoIterator<Item = (String, T)>) -> Listed<T> {
    things.into_iter().map(|(id, thing)| (id, Arc::new(thing))).collect()
}

/// A complete configuration.
#[derive(Clone, Debug, Default)]
pub struct Published {
    /// Store revision it was built from.
    pub revision: i64,
    /// Position in the sequence of configurations, to query changes.
    pub cursor: ChangeCursor,
    /// Tunnel credentials that agents may use, by the KSUID of their id, which is the first part of a token.
    pub credentials: Map<String, Credential>,
    /// Hashes of credentials whose owner is inactive, by the same key; used for the error message only.
    pub inactive_credentials: Map<String, TokenHash>,
    /// Hashes of API keys by the KSUID of their id; used to detect an API key given to an agent by mistake.
    pub api_keys: Map<String, TokenHash>,
    /// Backends by id.
    pub backends: Map<String, Arc<Backend>>,
    /// HTTPS edges in creation order.
    pub https_edges: Listed<HttpsEdge>,
    /// TLS edges in creation order.
    pub tls_edges: Listed<TlsEdge>,
    /// TCP edges in creation order.
    pub tcp_edges: Listed<TcpEdge>,
    /// IP restrictions in creation order.
    pub ip_restrictions: Arc<Vec<Arc<IpRestriction>>>,
    /// Names and ports of edges, and reserved ones.
    pub names: Names,
    /// TLS certificates in creation order.
    pub certificates: Arc<Vec<Arc<Certificate>>>,
    /// Certificate sources of reserved domains, by domain. Domains with the default source have no entry.
    pub domain_certificates: Arc<HashMap<String, DomainCertificate>>,
    /// Sessions of visitors who have logged in.
    pub logins: LoginSessions,
}

/// A credential that agents authenticate with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    /// Its id, `cr_…`.
    pub id: String,
    /// Hash that verifies the token.
    pub hash: TokenHash,
    /// Addresses and labels that may be bound.
    pub acl: Acl,
    /// The user or bot user it belongs to.
    pub owner: String,
}
