//! A bot user: owns keys and credentials in place of a person.

use crate::{
    Role,
    id::Kind,
    resource::{Nothing, Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// A program that owns keys and credentials.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BotUser {
    /// Name; never empty, and unique among bot users.
    pub name: String,
    /// Whether its keys and credentials may be used.
    pub active: bool,
    /// Whether the role is `admin`.
    pub admin: bool,
    /// What it may see and change.
    pub role: Role,
}

body! {
    /// Body of a create. The name is required.
    BotUserCreate {
        needs {
            /// 1 to 255 bytes.
            name: String,
        }
        may {
            /// Default: true.
            active: bool,
            /// Short for the role `admin` or `editor`. Default: false.
            admin: bool,
            /// Default: `editor`.
            role: Role,
        }
    }
}

body! {
    /// Body of a change.
    BotUserUpdate {
        needs {}
        may {
            /// 1 to 255 bytes.
            name: String,
            /// Whether its keys and credentials may be used.
            active: bool,
            /// Short for the role `admin`, or `editor` in its place.
            admin: bool,
            /// What it may see and change.
            role: Role,
        }
    }
}

impl<'de> Deserialize<'de> for BotUser {
    /// Records that were made before there were roles have only `admin`.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Members {
            name: String,
            active: bool,
            #[serde(default)]
            admin: bool,
            role: Option<Role>,
        }
        let Members { name, active, admin, role } = Members::deserialize(deserializer)?;
        let role = Role::from_members(role, admin);
        Ok(BotUser { name, active, admin: role.is_admin(), role })
    }
}

impl Kind for BotUser {
    const PREFIX: &'static str = "bot";
}
impl Resource for BotUser {
    const KIND: &'static str = "bot_user";
    const PATH: &'static str = "/bot_users";
    const LIST: &'static str = "bot_users";
    type Status = Nothing;
    type Create = BotUserCreate;
    type Update = BotUserUpdate;
}
