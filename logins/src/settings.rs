//! Settings of all logins of a server.

use crate::{
    clock::Clock, identity_headers::IdentityHeaders, oauth::OAuthProviders, origin::Origin,
    provider_client::ProviderClient,
};

/// Settings of all logins of a server.
pub struct LoginSettings {
    /// The one host to which identity providers redirect.
    pub login_host: Origin,
    /// Names of the headers that tell local services about the visitor.
    pub headers: IdentityHeaders,
    /// Source of the current time.
    pub clock: Clock,
    /// HTTP client for requests to identity providers.
    pub http_client: ProviderClient,
    /// The operator's settings for OAuth providers at the start.
    pub providers: OAuthProviders,
}
