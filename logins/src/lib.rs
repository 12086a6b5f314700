//! Visitor logins with OpenID Connect, OAuth 2.0 and SAML 2.0, and the sessions they start.
//!
//! The crate talks to identity providers, not to visitors: the edge passes it requests and sends back its responses.
//! A login takes four steps. The endpoint redirects the visitor to the provider ([`Logins::begin`]); the provider
//! redirects to the one login host ([`Logins::at_login_host`]); the login host redirects to the endpoint the visitor
//! came from; there the session starts ([`Logins::at_endpoint`]), because its cookie is for that host alone.
//!
//! [`OpenIdProvider`] is the same client for those who sign in to the server itself.

mod clock;
mod code_grant;
mod cookies;
mod crypto;
mod flow;
mod identity_headers;
mod last_used;
mod login_attempts;
mod login_nodes;
mod login_request;
mod login_response;
mod logins;
mod oauth;
mod oidc;
mod openid_provider;
mod origin;
mod pages;
mod provider_client;
mod realm;
mod return_path;
mod saml;
mod session_cache;
mod session_key;
mod session_store;
mod settings;

pub use clock::Clock;
pub use flow::AuthOutcome;
pub use identity_headers::{IdentityHeaders, MAX_VALUE_BYTES};
pub use last_used::ActiveSession;
pub use login_nodes::{LoginAnswer, LoginNodes, LoginQuestion};
pub use login_request::{LOGIN_PATH_PREFIX, LoginRequest};
pub use login_response::LoginResponse;
pub use logins::Logins;
pub use oauth::{OAuthEndpoints, OAuthProvider, OAuthProviders};
pub use openid_provider::{OpenIdAttempt, OpenIdClient, OpenIdPerson, OpenIdProvider, OpenIdResponse};
pub use origin::Origin;
pub use provider_client::ProviderClient;
pub use realm::Realm;
pub use session_store::{NoSessionStore, SessionStore, SpentId};
pub use settings::LoginSettings;
