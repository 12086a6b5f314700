//! An API key: what a caller of the management API proves itself with.

use super::{TokenOnce, User};
use crate::{
    Id,
    id::Kind,
    resource::{Resource, bodies},
};
use serde::{Deserialize, Serialize};

/// A key. It may do what its owner may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKey {
    /// The user it belongs to.
    pub owner_id: Id<User>,
}

/// What is said when a key is made.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApiKeyCreate {
    /// What the key is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// For programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<String>,
    /// The owner, if not the caller; only administrators may name somebody else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_id: Option<String>,
}

/// What may be changed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApiKeyUpdate {
    /// What the key is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// For programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<String>,
}

impl Kind for ApiKey {
    const PREFIX: &'static str = "ak";
}
impl Resource for ApiKey {
    const KIND: &'static str = "api_key";
    const PATH: &'static str = "/api_keys";
    const LIST: &'static str = "keys";
    type Status = TokenOnce;
    type Create = ApiKeyCreate;
    type Update = ApiKeyUpdate;
}
bodies!(ApiKeyCreate, ApiKeyUpdate);
