//! A bot user: owns keys and credentials in place of a person.

use crate::{
    id::Kind,
    resource::{Nothing, Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A program that owns keys and credentials.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BotUser {
    /// Name; never empty, and unique among bot users.
    pub name: String,
    /// Whether its keys and credentials may be used.
    pub active: bool,
    /// Whether it may manage users and resources of others.
    pub admin: bool,
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
            /// Default: false.
            admin: bool,
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
            /// Whether it may manage users and resources of others.
            admin: bool,
        }
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
