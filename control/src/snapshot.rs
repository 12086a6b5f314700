//! What the edge needs to know of the configuration, as plain data.

use postern_api::{acl::Acl, ip_rules::IpRules, resource::RestrictionType, token::TokenHash};
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

/// One whole configuration. A new one is published for every commit that changes something in it,
/// before the answer to the call that made the change goes out.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The revision of the store it was made from.
    pub revision: i64,
    /// Tunnel credentials by the KSUID of their id, which is how a token begins.
    pub credentials: Arc<HashMap<String, PublishedCredential>>,
    /// Hashes of API keys by the KSUID of their id: only to tell who gives one to an agent what the mistake is.
    pub api_keys: Arc<HashMap<String, TokenHash>>,
    /// The labels of tunnel group backends, by id.
    pub tunnel_groups: Arc<HashMap<String, BTreeMap<String, String>>>,
    /// TCP edges in the order they were made.
    pub tcp_edges: Arc<Vec<PublishedTcpEdge>>,
    /// IP restrictions in the order they were made.
    pub ip_restrictions: Arc<Vec<PublishedIpRestriction>>,
}

/// An IP restriction. Each enforced one of a type must let an address pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedIpRestriction {
    /// Its id, `ipx_…`.
    pub id: String,
    /// What it guards.
    pub guards: RestrictionType,
    /// Whether it turns anybody away; if not, there are only warnings.
    pub enforced: bool,
    /// The rules of all its policies together; a deleted policy adds none.
    pub rules: Arc<IpRules>,
}

/// A credential an agent may authenticate with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedCredential {
    /// Its id, `cr_…`.
    pub id: String,
    /// What its token is verified with.
    pub hash: TokenHash,
    /// What may be bound.
    pub acl: Acl,
}

/// A TCP edge. Modules that are disabled are absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedTcpEdge {
    /// Its id, `edgtcp_…`.
    pub id: String,
    /// The ports it has, each once.
    pub ports: Vec<u16>,
    /// The id of its backend.
    pub backend: Option<String>,
    /// The rules of all its policies together; a deleted policy adds none. `None` lets everybody in.
    pub ip_restriction: Option<Arc<IpRules>>,
}
