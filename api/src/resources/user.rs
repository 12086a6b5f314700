//! A user: the owner of API keys and credentials.

use crate::{
    id::Kind,
    resource::{Nothing, Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Longest name in bytes.
pub const NAME_LIMIT: usize = 255;

/// A person who owns keys and credentials.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct User {
    /// Name of the user; never empty.
    pub name: String,
    /// Whether the user may manage users and resources of others.
    pub admin: bool,
}

body! {
    /// Body of a create. The name is required.
    UserCreate {
        needs {
            /// 1 to 255 bytes.
            name: String,
        }
        may {
            /// Default: false.
            admin: bool,
        }
    }
}

body! {
    /// Body of a change.
    UserUpdate {
        needs {}
        may {
            /// 1 to 255 bytes.
            name: String,
            /// Whether the user may manage users and resources of others.
            admin: bool,
        }
    }
}

impl Kind for User {
    const PREFIX: &'static str = "usr";
}
impl Resource for User {
    const KIND: &'static str = "user";
    const PATH: &'static str = "/users";
    const LIST: &'static str = "users";
    type Status = Nothing;
    type Create = UserCreate;
    type Update = UserUpdate;
}
