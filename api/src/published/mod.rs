//! What is published: the configuration as the edge needs it. Plain data, one whole version after another; a request
//! or connection sees one version from start to end.
//!
//! Parts are shared: what has not changed since the version before is the very same `Arc`, and whoever makes something
//! of it can keep what it made. What is other than before is told by the [`Mark`].

mod backend;
mod certificate;
mod edges;
mod login;
mod mark;
mod names;
mod restrictions;
mod settings;

pub use backend::Backend;
pub use certificate::{Certificate, DomainCertificate};
pub use edges::{HttpsEdge, HttpsRoute, TcpEdge, TlsEdge};
pub use login::{Login, LoginSession, LoginSessions, Person, SamlLogin, SessionKey, Tokens};
pub use mark::{Changed, Mark};
pub use names::Names;
pub use restrictions::{IpRestriction, Ruling, admits, denied};
pub use settings::{Settings, Termination};

use crate::{acl::Acl, token::TokenHash};
use rpds::{HashTrieMapSync, RedBlackTreeMapSync};
use std::{collections::HashMap, sync::Arc};

/// Things by a key. A changed copy shares with the former one all but what was changed, however many they are.
pub type Map<K, V> = HashTrieMapSync<K, V>;
/// Things by id, in the order of their ids, which is that of their age; copies share as those of [`Map`] do.
pub type Listed<T> = RedBlackTreeMapSync<String, Arc<T>>;

/// Things in the order of their ids.
pub fn listed<T>(things: impl IntoIterator<Item = (String, T)>) -> Listed<T> {
    things.into_iter().map(|(id, thing)| (id, Arc::new(thing))).collect()
}

/// One whole configuration.
#[derive(Clone, Debug, Default)]
pub struct Published {
    /// The revision of the store it was made from.
    pub revision: i64,
    /// Where it stands among the others: tells what is not as before.
    pub mark: Mark,
    /// Tunnel credentials that agents may use, by the KSUID of their id, which is how a token begins.
    pub credentials: Map<String, Credential>,
    /// Hashes of the credentials whose owner is not active, the same way: only to tell their agents why.
    pub inactive_credentials: Map<String, TokenHash>,
    /// Hashes of API keys by the KSUID of their id: only to tell somebody who gives one to an agent what the mistake is.
    pub api_keys: Map<String, TokenHash>,
    /// Backends by id.
    pub backends: Map<String, Arc<Backend>>,
    /// HTTPS edges in the order they were made.
    pub https_edges: Listed<HttpsEdge>,
    /// TLS edges in the order they were made.
    pub tls_edges: Listed<TlsEdge>,
    /// TCP edges in the order they were made.
    pub tcp_edges: Listed<TcpEdge>,
    /// IP restrictions in the order they were made.
    pub ip_restrictions: Arc<Vec<Arc<IpRestriction>>>,
    /// Names and ports of edges, and those that are reserved.
    pub names: Names,
    /// TLS certificates in the order they were made.
    pub certificates: Arc<Vec<Arc<Certificate>>>,
    /// How reserved domains come by their certificates, by the domain. Most do as any name does, and have no word here.
    pub domain_certificates: Arc<HashMap<String, DomainCertificate>>,
    /// Visitors who have logged in.
    pub logins: LoginSessions,
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
