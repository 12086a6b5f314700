//! Facts about a server that its configuration needs.

use crate::{Role, module::IdentityProvider};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Facts about the server that every caller may read: its public addresses, and the settings for identity providers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerFacts {
    /// The version of the server's program.
    pub version: String,
    /// The domain under which endpoints are published.
    pub domain: String,
    /// The port on which visitors with HTTPS are served.
    pub https_port: u16,
    /// The first port that a TCP edge may have.
    pub first_tcp_port: u16,
    /// The last port that a TCP edge may have.
    pub last_tcp_port: u16,
    /// Base URL of logins, without a trailing slash.
    pub login_url: String,
    /// Redirect URI of OAuth and OpenID Connect logins.
    pub callback_url: String,
    /// The identity providers with which the server has an OAuth app of its own.
    pub oauth_apps: Vec<IdentityProvider>,
    /// Whether the operator lists Microsoft tenants. Without them no Microsoft account is admitted by its e-mail address.
    #[serde(default)]
    #[schemars(!default)]
    pub microsoft_tenants: bool,
    /// Role of the API key with which the facts are read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
}

impl ServerFacts {
    /// Their addresses.
    pub const PATH: &'static str = "/server";
}
