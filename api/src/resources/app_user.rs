//! An application user: a person who has logged in at an edge.

use crate::{
    Id, Timestamp,
    id::Kind,
    resource::{Removable, View},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A person who has logged in at an edge. Deleting one ends all their sessions; they may log in again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppUser {
    /// Their id.
    pub id: Id<AppUser>,
    /// Their absolute address.
    pub uri: String,
    /// Identity provider.
    pub identity_provider: AppUserProvider,
    /// Permanent identifier at the provider.
    pub provider_user_id: String,
    /// Name at the provider; empty if the provider does not supply it.
    pub username: String,
    /// E-mail address; empty if the provider supplied no verified one.
    pub email: String,
    /// Their name; empty if the provider does not say.
    pub name: String,
    /// Time of the first login.
    pub created_at: Timestamp,
    /// Time of their last request; may lag by a minute.
    pub last_active: Timestamp,
    /// Time of the last login.
    pub last_login: Timestamp,
}

/// Identity provider of a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppUserProvider {
    /// `oidc`, `saml`, or the name of an OAuth provider.
    pub name: String,
    /// An issuer, an entity id, or the address of an OAuth provider.
    pub url: String,
}

impl Kind for AppUser {
    const PREFIX: &'static str = "au";
}
impl View for AppUser {
    const KIND: &'static str = "app_user";
    const PATH: &'static str = "/app/users";
    const LIST: &'static str = "application_users";
    fn id(&self) -> &Id<Self> {
        &self.id
    }
}
impl Removable for AppUser {}
