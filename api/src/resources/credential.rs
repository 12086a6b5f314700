//! A tunnel credential: what an agent proves itself with.

use super::{TokenOnce, User};
use crate::{
    Id,
    acl::Acl,
    id::Kind,
    resource::{Resource, bodies},
};
use serde::{Deserialize, Serialize};

/// What agents with this credential may bind, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credential {
    /// What may be bound; no rules permit everything.
    pub acl: Acl,
    /// The user it belongs to.
    pub owner_id: Id<User>,
}

/// What is said when a credential is made.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CredentialCreate {
    /// Who or what authenticates with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// For programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<String>,
    /// Rules such as `bind:*.example.com`; none permit everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acl: Option<Vec<String>>,
    /// The owner, if not the caller; only administrators may name somebody else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_id: Option<String>,
}

/// What may be changed. A new ACL counts for new binds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CredentialUpdate {
    /// Who or what authenticates with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// For programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<String>,
    /// The rules, replacing all former ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acl: Option<Vec<String>>,
}

impl Kind for Credential {
    const PREFIX: &'static str = "cr";
}
impl Resource for Credential {
    const KIND: &'static str = "credential";
    const PATH: &'static str = "/credentials";
    const LIST: &'static str = "credentials";
    type Status = TokenOnce;
    type Create = CredentialCreate;
    type Update = CredentialUpdate;
}
bodies!(CredentialCreate, CredentialUpdate);
