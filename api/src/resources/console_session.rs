//! A session of the console: one browser in which a person has signed in, with an API key or by an OpenID provider.

use crate::{Id, OwnerId, Role, Timestamp, id::Kind, resource::ApiKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A browser that is signed in to the console. Its calls have the rights of the API key that it was signed in with, as long as
/// that key exists; after a sign-in by an OpenID provider, those of the user, at most with the role of that sign-in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConsoleSession {
    /// Its id.
    pub id: Id<ConsoleSession>,
    /// The user or bot user who is signed in.
    pub owner_id: OwnerId,
    /// Name of the user or bot user.
    pub owner_name: String,
    /// The role that its calls have.
    pub role: Role,
    /// The API key; null after a sign-in by an OpenID provider.
    pub api_key_id: Option<Id<ApiKey>>,
    /// Address that the OpenID provider has verified; empty after a sign-in with an API key.
    #[serde(default)]
    pub email: String,
    /// Time of the sign-in.
    pub created_at: Timestamp,
    /// Time at which the session ends, whatever is done with it.
    pub expires_at: Timestamp,
    /// Seconds without activity after which it ends earlier.
    pub inactivity_timeout: u64,
}

impl Kind for ConsoleSession {
    const PREFIX: &'static str = "cs";
}

impl ConsoleSession {
    /// Name in audit events.
    pub const KIND: &'static str = "console_session";
    /// The path of all sessions of the caller; `/current` below it is the one that the call is made in.
    pub const PATH: &'static str = "/console_sessions";
}
