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
    /// Who knows them.
    pub identity_provider: AppUserProvider,
    /// What the provider calls them for good.
    pub provider_user_id: String,
    /// What they call themselves there; empty if the provider does not say.
    pub username: String,
    /// Their e-mail address; empty if the provider gave none that counts.
    pub email: String,
    /// Their name; empty if the provider does not say.
    pub name: String,
    /// When they logged in for the first time.
    pub created_at: Timestamp,
    /// Their last request; it may lag behind by a minute.
    pub last_active: Timestamp,
    /// When they logged in last.
    pub last_login: Timestamp,
}

/// Who vouches for a person.
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
