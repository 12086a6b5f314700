//! Logins of visitors and their sessions.

use super::Map;
use crate::{
    Secret, Timestamp,
    module::{OAuth, Oidc, Saml, SessionOptions},
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, sync::Arc};

/// The login module of a route.
#[derive(Clone, Debug, PartialEq)]
pub enum Login {
    /// OAuth.
    OAuth(Box<OAuth>),
    /// OpenID Connect.
    Oidc(Oidc),
    /// SAML.
    Saml(SamlLogin),
}

/// A SAML module and the key pair that the server generated for it.
#[derive(Clone, Debug, PartialEq)]
pub struct SamlLogin {
    /// The module.
    pub module: Saml,
    /// Private key that signs requests, in PEM.
    pub signing_key_pem: Secret,
    /// Certificate of the key, in PEM.
    pub signing_certificate_pem: String,
}

impl Login {
    /// The session options of the module.
    pub fn options(&self) -> SessionOptions {
        match self {
            Login::OAuth(module) => module.session_options(),
            Login::Oidc(module) => module.session_options(),
            Login::Saml(login) => login.module.session_options(),
        }
    }
}

/// Lookup key of a session: a digest of the secret in the visitor's cookie, and its route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SessionKey(pub [u8; 32]);

/// A person as described by the identity provider.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// The kind of provider: `oidc`, `saml`, or the name of an OAuth provider.
    pub provider: String,
    /// The provider itself: an issuer, an entity id, or the address of an OAuth provider.
    pub provider_url: String,
    /// Permanent identifier at the provider.
    pub id: String,
    /// Name at the provider.
    pub username: String,
    /// E-mail address; empty if the provider supplied no verified one.
    pub email: String,
    /// Their name.
    pub name: String,
    /// Further identity headers for local services, by the suffix of the header name.
    pub told: BTreeMap<String, String>,
}

/// Credentials to query the provider for a person again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Access token of the provider's API.
    pub access: Secret,
    /// Refresh token.
    pub refresh: Option<Secret>,
}

/// A browser session that is logged in to one route.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoginSession {
    /// Its id in the management API; empty until it is kept.
    pub id: String,
    /// The id of the person there; empty until it is kept.
    pub user: String,
    /// Lookup key.
    pub key: SessionKey,
    /// The host name it is for.
    pub host: String,
    /// Public origin, such as `https://shop.test:4443`.
    pub public_url: String,
    /// The route.
    pub route: String,
    /// The edge of the route; empty for tunnels of agents.
    pub edge: String,
    /// Digest of provider and client; a session with another digest is invalid.
    pub realm: String,
    /// Digest of the access rules; when it changes, access is evaluated again.
    pub rules: String,
    /// The person.
    pub person: Person,
    /// Token to query the provider again, if that may be needed.
    pub tokens: Option<Tokens>,
    /// Session identifier at the provider, for logouts that start there.
    pub provider_session: String,
    /// User agent of the browser, truncated.
    pub user_agent: String,
    /// Address of the browser at login.
    pub address: String,
    /// Time of the login.
    pub created_at: Timestamp,
    /// Time of the last known request; may lag by a minute.
    pub last_active: Timestamp,
    /// Time at which the provider was last queried for the person.
    pub checked_at: Timestamp,
    /// Expiry by age; `None` for never.
    pub expires_at: Option<Timestamp>,
}

/// All sessions of logged-in visitors.
pub type LoginSessions = Map<SessionKey, Arc<LoginSession>>;
