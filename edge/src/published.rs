//! What is published at the moment, as plain data. A request or connection sees one version from start to end.

use postern_api::{acl::Acl, ip_rules::IpRules, resource::RestrictionType, token::TokenHash};
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

/// Everything the edge has to know of the configuration.
#[derive(Clone, Debug, Default)]
pub struct Published {
    /// Tunnel credentials by the KSUID that stands in their tokens.
    pub credentials: HashMap<String, Credential>,
    /// Hashes of API keys by KSUID: only to tell somebody who gives one to an agent what the mistake is.
    pub api_keys: HashMap<String, TokenHash>,
    /// Label selectors by the id of their tunnel-group backend.
    pub tunnel_groups: HashMap<String, BTreeMap<String, String>>,
    /// All TCP edges.
    pub tcp_edges: Vec<TcpEdge>,
    /// Restrictions of the service's parts.
    pub ip_restrictions: Vec<IpRestriction>,
}

/// Who may use a part of the service. Each enforced restriction of a part must let an address pass.
#[derive(Clone, Debug, PartialEq)]
pub struct IpRestriction {
    /// The whole id, `ipx_…`.
    pub id: String,
    /// The part.
    pub guards: RestrictionType,
    /// Whether it turns anybody away; if not, there are only warnings.
    pub enforced: bool,
    /// The rules of all its policies together.
    pub rules: Arc<IpRules>,
}

/// What an agent may authenticate with, and what it may bind.
#[derive(Clone, Debug)]
pub struct Credential {
    /// The whole id, `cr_…`.
    pub id: String,
    /// What is stored of its token.
    pub hash: TokenHash,
    /// What it may bind.
    pub acl: Acl,
}

/// A TCP edge. A module that is disabled is `None` here.
#[derive(Clone, Debug, PartialEq)]
pub struct TcpEdge {
    /// The whole id, `edgtcp_…`.
    pub id: String,
    /// Ports on the TCP address.
    pub ports: Vec<u16>,
    /// The tunnel group that serves it.
    pub backend: Option<String>,
    /// Who may connect; `None` lets everybody in.
    pub ip_restriction: Option<Arc<IpRules>>,
}
