//! The modules, one file each.

mod backend;
mod circuit_breaker;
mod compression;
mod headers;
mod ip_restriction;
mod mutual_tls;
mod oauth;
mod oidc;
mod saml;
mod session_options;
mod switch;
mod tls_termination;
mod user_agent_filter;
mod webhook_verification;
mod websocket_tcp_converter;

pub use backend::{Backend, BackendView};
pub use circuit_breaker::{BUCKET_LIMIT, CircuitBreaker, CircuitBreakerView};
pub use compression::Compression;
pub use headers::{HeaderChanges, HeaderChangesView, RequestHeaders, ResponseHeaders};
pub use ip_restriction::{IpRestriction, IpRestrictionView, POLICY_LIMIT};
pub use mutual_tls::{AUTHORITY_LIMIT, MutualTls, MutualTlsView};
pub use oauth::{
    ADMITTED_LIMIT, CLIENT_LENGTH, GithubLogin, GithubLoginView, IdentityProvider, LONGEST_CHECK, LoginMembers, OAuth,
    OAuthLogin, OAuthLoginView, OAuthProvider, OAuthProviderView, OAuthView, SCOPE_LENGTH, SCOPE_LIMIT, SHORTEST_CHECK,
};
pub use oidc::{DEFAULT_SCOPES, ISSUER_LIMIT, Oidc, OidcView};
pub use saml::{GROUP_LENGTH, GROUP_LIMIT, METADATA_DOCUMENT_LIMIT, NAMEID_FORMATS, Saml, SamlView};
pub use session_options::{COOKIE_PREFIX_LIMIT, DEFAULT_COOKIE_PREFIX, INACTIVITY_LIMIT, SessionOptions};
pub use switch::SwitchView;
pub use tls_termination::{HttpsTermination, TerminateAt, TerminationView, TlsTermination, TlsVersion};
pub use user_agent_filter::{UserAgentFilter, UserAgentFilterView};
pub use webhook_verification::{WEBHOOK_SECRET_LIMIT, WebhookVerification, WebhookVerificationView};
pub use websocket_tcp_converter::WebsocketTcpConverter;
