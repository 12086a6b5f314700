//! An API key: what a caller of the management API proves itself with.

use super::TokenOnce;
use crate::{
    id::Kind,
    owner::OwnerId,
    resource::{Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A key. It may do what its owner may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApiKey {
    /// The user or bot user it belongs to.
    pub owner_id: OwnerId,
}

body! {
    /// What is said when a key is made.
    ApiKeyCreate {
        needs {}
        may {
            /// The owner, if not the caller; only administrators may name somebody else.
            owner_id: String,
        }
    }
}

body! {
    /// What may be changed.
    ApiKeyUpdate {
        needs {}
        may {}
    }
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
