//! An API key: authenticates a caller of the management API.

use super::TokenOnce;
use crate::{
    Role,
    id::Kind,
    owner::OwnerId,
    resource::{Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An API key. It has the rights of its owner, or those that its own role leaves of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApiKey {
    /// The user or bot user it belongs to.
    pub owner_id: OwnerId,
    /// Role of the key. It has the rights that both its own role and that of its owner give; with `admin`, all of the
    /// owner's.
    #[serde(default = "all_rights_of_the_owner")]
    #[schemars(!default)]
    pub role: Role,
}

/// Role of keys that were made before keys had roles.
fn all_rights_of_the_owner() -> Role {
    Role::Admin
}

body! {
    /// Body of a create.
    ApiKeyCreate {
        needs {}
        may {
            /// Owner; default: the caller. Only administrators may set another owner.
            owner_id: String,
            /// Role of the key. Default: that of the key that creates it, if both have one owner; otherwise `admin`.
            role: Role,
        }
    }
}

body! {
    /// Body of a change.
    ApiKeyUpdate {
        needs {}
        may {
            /// Role of the key; `admin` leaves all rights of its owner.
            role: Role,
        }
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
