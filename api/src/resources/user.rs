//! A user: the owner of API keys and credentials.

use crate::{
    id::Kind,
    resource::{Nothing, Resource, bodies},
};
use serde::{Deserialize, Serialize};

/// The longest name, in bytes.
pub const NAME_LIMIT: usize = 255;

/// Somebody who owns keys and credentials.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// What people call the user; never empty.
    pub name: String,
    /// Whether the user may manage users and what belongs to others.
    pub admin: bool,
}

/// What is said when a user is made. The name is needed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserCreate {
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// For programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<String>,
    /// 1 to 255 bytes.
    pub name: String,
    /// Off unless said otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admin: Option<bool>,
}

/// What may be changed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserUpdate {
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// For programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<String>,
    /// 1 to 255 bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether the user may manage users and what belongs to others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admin: Option<bool>,
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
bodies!(UserCreate, UserUpdate);
