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
    /// What people call it; never empty, and no other bot's.
    pub name: String,
    /// Whether its keys and credentials may be used.
    pub active: bool,
    /// Whether it may manage users and what belongs to others.
    pub admin: bool,
}

body! {
    /// What is said when a bot user is made. The name is needed.
    BotUserCreate {
        needs {
            /// 1 to 255 bytes.
            name: String,
        }
        may {
            /// On unless said otherwise.
            active: bool,
            /// Off unless said otherwise.
            admin: bool,
        }
    }
}

body! {
    /// What may be changed.
    BotUserUpdate {
        needs {}
        may {
            /// 1 to 255 bytes.
            name: String,
            /// Whether its keys and credentials may be used.
            active: bool,
            /// Whether it may manage users and what belongs to others.
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
