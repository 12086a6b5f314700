//! A user: the owner of API keys and credentials.

use crate::{
    id::Kind,
    resource::{Nothing, Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest name, in bytes.
pub const NAME_LIMIT: usize = 255;

/// Somebody who owns keys and credentials.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct User {
    /// What people call the user; never empty.
    pub name: String,
    /// Whether the user may manage users and what belongs to others.
    pub admin: bool,
}

body! {
    /// What is said when a user is made. The name is needed.
    UserCreate {
        needs {
            /// 1 to 255 bytes.
            name: String,
        }
        may {
            /// Off unless said otherwise.
            admin: bool,
        }
    }
}

body! {
    /// What may be changed.
    UserUpdate {
        needs {}
        may {
            /// 1 to 255 bytes.
            name: String,
            /// Whether the user may manage users and what belongs to others.
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
