//! An API key: authenticates a caller of the management API.

use super::TokenOnce;
use crate::{
    id::Kind,
    owner::OwnerId,
    resource::{Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An API key. It has the permissions of its owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApiKey {
    /// The user or bot user it belongs to.
    pub owner_id: OwnerId,
}

body! {
    /// Body of a create.
    ApiKeyCreate {
        needs {}
        may {
            /// Owner; default: the caller. Only administrators may set another owner.
            owner_id: String,
        }
    }
}

body! {
    /// Body of a change.
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
