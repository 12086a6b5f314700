//! A user: the owner of API keys and credentials.

use crate::{
    Role,
    id::Kind,
    resource::{Nothing, Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// Longest name in bytes.
pub const NAME_LIMIT: usize = 255;

/// A person who owns keys and credentials.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct User {
    /// Name of the user; never empty.
    pub name: String,
    /// Whether the role is `admin`.
    pub admin: bool,
    /// What the user may see and change.
    pub role: Role,
    /// Address by which the user signs in to the console with an OpenID provider, unique among users; empty if there is none.
    pub email: String,
}

body! {
    /// Body of a create. The name is required.
    UserCreate {
        needs {
            /// 1 to 255 bytes.
            name: String,
        }
        may {
            /// Short for the role `admin` or `editor`. Default: false.
            admin: bool,
            /// Default: `editor`.
            role: Role,
            /// Address for signing in to the console with an OpenID provider. Default: none.
            email: String,
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
            /// Short for the role `admin`, or `editor` in its place.
            admin: bool,
            /// What the user may see and change.
            role: Role,
            /// Address for signing in to the console with an OpenID provider; empty for none.
            email: String,
        }
    }
}

impl<'de> Deserialize<'de> for User {
    /// Records that were made before there were roles have only `admin`, and older ones no address.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Members {
            name: String,
            #[serde(default)]
            admin: bool,
            role: Option<Role>,
            #[serde(default)]
            email: String,
        }
        let Members { name, admin, role, email } = Members::deserialize(deserializer)?;
        let role = Role::from_members(role, admin);
        Ok(User { name, admin: role.is_admin(), role, email })
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
