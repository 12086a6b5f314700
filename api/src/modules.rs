//! The modules, one file each, and the table of the modules of HTTPS routes.

mod backend;
mod basic_auth;
mod circuit_breaker;
mod compression;
mod error_pages;
mod headers;
mod ip_restriction;
mod maintenance;
mod mutual_tls;
mod oauth;
mod oidc;
mod rate_limit;
mod redirect;
mod rewrite;
mod saml;
mod session_options;
mod switch;
mod tls_termination;
mod user_agent_filter;
mod webhook_verification;
mod websocket_tcp_converter;

pub use backend::{Backend, BackendView};
pub use basic_auth::{
    BASIC_AUTH_USER_LIMIT, BasicAuth, BasicAuthUser, BasicAuthUserView, BasicAuthUsers, BasicAuthView,
    CREDENTIALS_LIMIT, MIN_PASSWORD_LENGTH, check_credentials, user_and_password,
};
pub use circuit_breaker::{BUCKET_LIMIT, CircuitBreaker, CircuitBreakerView};
pub use compression::Compression;
pub use error_pages::{ERROR_PAGE_LIMIT, ERROR_PAGE_SIZE, ERROR_PAGES_SIZE, ErrorPages, ErrorPagesView};
pub use headers::{HeaderChanges, HeaderChangesView, RequestHeaders, ResponseHeaders};
pub use ip_restriction::{IpRestriction, IpRestrictionView, POLICY_LIMIT};
pub use maintenance::{MAINTENANCE_BODY_LIMIT, MAINTENANCE_NETWORK_LIMIT, Maintenance, MaintenanceView};
pub use mutual_tls::{AUTHORITY_LIMIT, MutualTls, MutualTlsView};
pub use oauth::{
    ADMITTED_LIMIT, CLIENT_LENGTH, GithubLogin, GithubLoginView, IdentityProvider, LONGEST_CHECK, LoginMembers, OAuth,
    OAuthLogin, OAuthLoginView, OAuthProvider, OAuthProviderView, OAuthView, SCOPE_LENGTH, SCOPE_LIMIT, SHORTEST_CHECK,
};
pub use oidc::{DEFAULT_SCOPES, ISSUER_LIMIT, Oidc, OidcView};
pub use rate_limit::{RATE_INTERVAL_LIMIT, RATE_LIMIT, RateKey, RateLimit, RateLimitView};
pub use redirect::{REDIRECT_RULE_LIMIT, REDIRECT_STATUSES, Redirect, RedirectRule, RedirectView};
pub use rewrite::{Rewrite, RewriteView};
pub use saml::{GROUP_LENGTH, GROUP_LIMIT, METADATA_DOCUMENT_LIMIT, NAMEID_FORMATS, Saml, SamlView};
pub use session_options::{COOKIE_PREFIX_LIMIT, DEFAULT_COOKIE_PREFIX, INACTIVITY_LIMIT, SessionOptions};
pub use switch::SwitchView;
pub use tls_termination::{HttpsTermination, TerminateAt, TerminationView, TlsTermination, TlsVersion};
pub use user_agent_filter::{UserAgentFilter, UserAgentFilterView};
pub use webhook_verification::{WEBHOOK_SECRET_LIMIT, WebhookVerification, WebhookVerificationView};
pub use websocket_tcp_converter::WebsocketTcpConverter;

/// Calls a macro with the modules of HTTPS routes: the member of each in bodies and responses, and its type.
///
/// A module is declared here once. The bodies and responses of routes, the published settings, the operations of the
/// management API and its description follow, in this order. Type names are those of [`crate::module`].
#[macro_export]
macro_rules! route_modules {
    ($callback:ident $($context:tt)*) => {
        $callback! {
            $($context)*
            modules {
                /// Backend of the requests.
                backend: Backend,
                /// IP restriction.
                ip_restriction: IpRestriction,
                /// Rate limit.
                rate_limit: RateLimit,
                /// Maintenance.
                maintenance: Maintenance,
                /// Redirects.
                redirect: Redirect,
                /// Path and host of requests for the backend.
                rewrite: Rewrite,
                /// Error pages.
                error_pages: ErrorPages,
                /// Circuit breaker.
                circuit_breaker: CircuitBreaker,
                /// Whether responses are compressed.
                compression: Compression,
                /// Header changes of requests.
                request_headers: RequestHeaders,
                /// Header changes of responses.
                response_headers: ResponseHeaders,
                /// Webhook verification.
                webhook_verification: WebhookVerification,
                /// Whether WebSocket connections are converted to TCP streams.
                websocket_tcp_converter: WebsocketTcpConverter,
                /// User agent filter.
                user_agent_filter: UserAgentFilter,
                /// HTTP Basic authentication. At most one login can be enabled.
                basic_auth: BasicAuth,
                /// OAuth login. At most one login can be enabled.
                oauth: OAuth,
                /// OpenID Connect login. At most one login can be enabled.
                oidc: Oidc,
                /// SAML login. At most one login can be enabled.
                saml: Saml,
            }
        }
    };
}
