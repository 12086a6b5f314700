//! What somebody who configures a server must know of it.

use crate::module::IdentityProvider;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Facts about the server that every caller may know: where visitors find it, and what identity providers are told.
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
    /// How the addresses of logins begin, without a trailing slash.
    pub login_url: String,
    /// Where providers send visitors back to after an OAuth or OpenID Connect login: the redirect URI.
    pub callback_url: String,
    /// The identity providers with which the server has an OAuth app of its own.
    pub oauth_apps: Vec<IdentityProvider>,
}

impl ServerFacts {
    /// Where they are found.
    pub const PATH: &'static str = "/server";
}
