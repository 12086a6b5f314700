//! The OpenID Connect module: visitors log in with any provider that speaks it.

use super::session_options::login_module;
use crate::{Secret, module::Module, published::Login};
use std::sync::Arc;

/// The longest issuer, in bytes.
pub const ISSUER_LIMIT: usize = 255;
/// Default scopes.
pub const DEFAULT_SCOPES: [&str; 3] = ["openid", "profile", "email"];

login_module! {
    /// Allows visitors that the issuer authenticates.
    Oidc {
        /// The address of the provider, below which its configuration is found.
        #[serde(default)]
        #[schemars(!default, length(min = 8, max = 255), regex(pattern = "^https?://[!-\"$->@-~]+$"))]
        issuer: String,
        /// The id of the app at the provider; tokens must be made out to it.
        #[serde(default)]
        #[schemars(!default, length(min = 1, max = 512))]
        client_id: String,
        /// The secret of that app.
        #[serde(default)]
        #[schemars(!default, length(min = 1, max = 512))]
        client_secret: Secret,
        /// Scopes. `openid` is added if it is missing.
        #[serde(default)]
        #[schemars(length(max = 50), inner(length(min = 1, max = 256), regex(pattern = "^[!#-\\[\\]-~]+$")))]
        scopes: Vec<String>,
    }
    /// The OpenID Connect module in responses.
    OidcView {
        /// The address of the provider, below which its configuration is found.
        issuer: String,
        /// The id of the app at the provider.
        client_id: String,
        /// The secret of that app.
        client_secret: Secret,
        /// OAuth scopes.
        scopes: Vec<String>,
    }
}

impl Module for Oidc {
    const NAME: &'static str = "oidc";
    const IS_LOGIN: bool = true;
    type View = OidcView;
    type Published = Arc<Login>;

    fn is_enabled(&self) -> bool {
        self.enabled
    }
}
