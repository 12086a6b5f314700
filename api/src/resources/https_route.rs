//! A route of an HTTPS edge: its paths, their backend and their modules.

use super::HttpsEdge;
use crate::{
    Id,
    id::Kind,
    module::{
        Backend, BackendView, CircuitBreaker, CircuitBreakerView, Compression, HeaderChangesView, Hosts, IpRestriction,
        IpRestrictionView, OAuth, OAuthView, Oidc, OidcView, RequestHeaders, ResponseHeaders, Saml, SamlView,
        SwitchView, UserAgentFilter, UserAgentFilterView, WebhookVerification, WebhookVerificationView,
        WebsocketTcpConverter,
    },
    resource::{Nested, Parent, Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest path a route may match, in characters.
pub const MATCH_LIMIT: usize = 1024;

/// Paths of an HTTPS edge with the same backend and modules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HttpsRoute {
    /// Match type.
    pub match_type: MatchType,
    /// The path, or the beginning of paths.
    pub r#match: String,
}

/// Match type of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MatchType {
    /// The whole path is equal.
    ExactPath,
    /// The path begins with these segments.
    PathPrefix,
}

impl MatchType {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            MatchType::ExactPath => "exact_path",
            MatchType::PathPrefix => "path_prefix",
        }
    }

    /// Reads the word for it.
    pub fn parse(text: &str) -> Option<Self> {
        [MatchType::ExactPath, MatchType::PathPrefix].into_iter().find(|kind| kind.as_str() == text)
    }
}

/// Fields that the server adds: the edge, and the modules that are set.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HttpsRouteStatus {
    /// The edge it is part of.
    pub edge_id: Id<HttpsEdge>,
    /// Backend of the requests.
    pub backend: Option<BackendView>,
    /// IP restriction.
    pub ip_restriction: Option<IpRestrictionView>,
    /// Circuit breaker.
    pub circuit_breaker: Option<CircuitBreakerView>,
    /// Whether responses are compressed.
    pub compression: Option<SwitchView>,
    /// Header changes of requests.
    pub request_headers: Option<HeaderChangesView>,
    /// Header changes of responses.
    pub response_headers: Option<HeaderChangesView>,
    /// Webhook verification.
    pub webhook_verification: Option<WebhookVerificationView>,
    /// Whether WebSocket connections are converted to TCP streams.
    pub websocket_tcp_converter: Option<SwitchView>,
    /// User agent filter.
    pub user_agent_filter: Option<UserAgentFilterView>,
    /// OAuth login.
    pub oauth: Option<OAuthView>,
    /// OpenID Connect login.
    pub oidc: Option<OidcView>,
    /// SAML login.
    pub saml: Option<SamlView>,
}

impl HttpsRouteStatus {
    /// That of a route without modules.
    pub fn of(edge_id: Id<HttpsEdge>) -> Self {
        HttpsRouteStatus {
            edge_id,
            backend: None,
            ip_restriction: None,
            circuit_breaker: None,
            compression: None,
            request_headers: None,
            response_headers: None,
            webhook_verification: None,
            websocket_tcp_converter: None,
            user_agent_filter: None,
            oauth: None,
            oidc: None,
            saml: None,
        }
    }
}

body! {
    /// Body of a create or change. A create requires `match_type` and `match`; in a change an empty
    /// one means unchanged, and a given module is replaced as a whole.
    HttpsRouteCreate {
        needs {}
        may {
            /// Match type: `exact_path` or `path_prefix`.
            match_type: String,
            /// The path, or the beginning of paths; begins with a slash, at most 1024 characters.
            r#match: String,
            /// Backend of the requests.
            backend: Backend,
            /// IP restriction.
            ip_restriction: IpRestriction,
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
            /// OAuth login. At most one of the three logins can be enabled.
            oauth: OAuth,
            /// OpenID Connect login.
            oidc: Oidc,
            /// SAML login.
            saml: Saml,
        }
    }
}

/// Body of a change.
pub type HttpsRouteUpdate = HttpsRouteCreate;

impl Kind for HttpsRoute {
    const PREFIX: &'static str = "edghtsrt";
}
impl Resource for HttpsRoute {
    const KIND: &'static str = "https_route";
    const PATH: &'static str = "/edges/https/{edge_id}/routes";
    const LIST: &'static str = "routes";
    const PARENT: Option<Parent> = Some(Parent::of::<HttpsEdge>("edge_id"));
    type Status = HttpsRouteStatus;
    type Create = HttpsRouteCreate;
    type Update = HttpsRouteUpdate;
}
impl Nested for HttpsRoute {
    type Parent = HttpsEdge;
}
impl Hosts<Backend> for HttpsRoute {}
impl Hosts<IpRestriction> for HttpsRoute {}
impl Hosts<CircuitBreaker> for HttpsRoute {}
impl Hosts<Compression> for HttpsRoute {}
impl Hosts<RequestHeaders> for HttpsRoute {}
impl Hosts<ResponseHeaders> for HttpsRoute {}
impl Hosts<WebhookVerification> for HttpsRoute {}
impl Hosts<WebsocketTcpConverter> for HttpsRoute {}
impl Hosts<UserAgentFilter> for HttpsRoute {}
impl Hosts<OAuth> for HttpsRoute {}
impl Hosts<Oidc> for HttpsRoute {}
impl Hosts<Saml> for HttpsRoute {}
