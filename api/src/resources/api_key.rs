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
    /// Role of the key, which takes rights from those of its owner and never adds any; null: all of the owner's.
    #[serde(default)]
    pub role: Option<Role>,
}

body! {
    /// Body of a create.
    ApiKeyCreate {
        needs {}
        may {
            /// Owner; default: the caller. Only administrators may set another owner.
            owner_id: String,
            /// Role of the key. Default: that of the key that creates it, if both have one owner; otherwise all rights of its
            /// owner.
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
