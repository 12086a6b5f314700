//! How visitors log in, and who has.

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
    /// With an account elsewhere.
    OAuth(Box<OAuth>),
    /// With a provider of OpenID Connect.
    Oidc(Oidc),
    /// With the identity provider of an organization.
    Saml(SamlLogin),
}

/// A SAML module, and what the server made for it.
#[derive(Clone, Debug, PartialEq)]
pub struct SamlLogin {
    /// The module.
    pub module: Saml,
    /// What requests are signed with, in PEM.
    pub signing_key_pem: Secret,
    /// The certificate that goes with it, in PEM.
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

/// What a session is found by: a digest of the secret in the visitor's cookie and the route it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SessionKey(pub [u8; 32]);

/// A person as their identity provider described them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// The kind of provider: `oidc`, `saml`, or the name of an OAuth provider.
    pub provider: String,
    /// The provider itself: an issuer, an entity id, or the address of an OAuth provider.
    pub provider_url: String,
    /// What the provider calls them for good.
    pub id: String,
    /// What they call themselves there.
    pub username: String,
    /// Their e-mail address; empty if the provider gave none that counts.
    pub email: String,
    /// Their name.
    pub name: String,
    /// What else local services are told, by the end of the header's name.
    pub told: BTreeMap<String, String>,
}

/// What a provider gave to ask it for a person again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Opens the provider's interfaces.
    pub access: Secret,
    /// Gets another access token.
    pub refresh: Option<Secret>,
}

/// A browser that has logged in to one route.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoginSession {
    /// Its id in the management API; empty until it is kept.
    pub id: String,
    /// The id of the person there; empty until it is kept.
    pub user: String,
    /// What it is found by.
    pub key: SessionKey,
    /// The host name it is for.
    pub host: String,
    /// The origin visitors know, such as `https://shop.test:4443`.
    pub public_url: String,
    /// The route.
    pub route: String,
    /// The edge of the route; empty for tunnels of agents.
    pub edge: String,
    /// A digest of provider and client: a session with another one counts no more.
    pub realm: String,
    /// A digest of who may come in: when it has changed, the person is judged again.
    pub rules: String,
    /// Who it is.
    pub person: Person,
    /// To ask the provider again, where that may be wanted.
    pub tokens: Option<Tokens>,
    /// How the provider names the session, for a logout that begins there.
    pub provider_session: String,
    /// What the browser said it was, cut.
    pub user_agent: String,
    /// Where the browser was when it logged in.
    pub address: String,
    /// When they logged in.
    pub created_at: Timestamp,
    /// The last request that is known of; it may lag behind by a minute.
    pub last_active: Timestamp,
    /// When the person was last asked for at the provider.
    pub checked_at: Timestamp,
    /// When it ends by its age; `None`: never.
    pub expires_at: Option<Timestamp>,
}

/// Everybody who has logged in.
pub type LoginSessions = Map<SessionKey, Arc<LoginSession>>;
