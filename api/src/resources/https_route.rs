//! A route of an HTTPS edge: which paths it is for, where they go, and what happens on the way.

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

/// The paths of an HTTPS edge that are treated alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HttpsRoute {
    /// How `match` is compared.
    pub match_type: MatchType,
    /// The path, or the beginning of paths.
    pub r#match: String,
}

/// How a route's path is compared with that of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MatchType {
    /// The whole path is the same.
    ExactPath,
    /// The path begins with these parts.
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

/// What the server adds: the edge, and the modules that are set.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HttpsRouteStatus {
    /// The edge it is part of.
    pub edge_id: Id<HttpsEdge>,
    /// Where requests go.
    pub backend: Option<BackendView>,
    /// Who may send them.
    pub ip_restriction: Option<IpRestrictionView>,
    /// When the backend is left alone for a while.
    pub circuit_breaker: Option<CircuitBreakerView>,
    /// Whether answers are compressed.
    pub compression: Option<SwitchView>,
    /// What happens to the headers of requests.
    pub request_headers: Option<HeaderChangesView>,
    /// What happens to the headers of answers.
    pub response_headers: Option<HeaderChangesView>,
    /// Whose signature requests must carry.
    pub webhook_verification: Option<WebhookVerificationView>,
    /// Whether WebSockets become plain streams.
    pub websocket_tcp_converter: Option<SwitchView>,
    /// Which browsers and programs may come in.
    pub user_agent_filter: Option<UserAgentFilterView>,
    /// The login with an account elsewhere.
    pub oauth: Option<OAuthView>,
    /// The login with any OpenID provider.
    pub oidc: Option<OidcView>,
    /// The login with the identity provider of an organization.
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
    /// What is said when a route is made or changed. Making one needs `match_type` and `match`; in a change an empty
    /// one is the same as none, and a module that is named is replaced whole.
    HttpsRouteCreate {
        needs {}
        may {
            /// How `match` is compared: `exact_path` or `path_prefix`.
            match_type: String,
            /// The path, or the beginning of paths; begins with a slash, at most 1024 characters.
            r#match: String,
            /// Where requests go.
            backend: Backend,
            /// Who may send them.
            ip_restriction: IpRestriction,
            /// When the backend is left alone for a while.
            circuit_breaker: CircuitBreaker,
            /// Whether answers are compressed.
            compression: Compression,
            /// What happens to the headers of requests.
            request_headers: RequestHeaders,
            /// What happens to the headers of answers.
            response_headers: ResponseHeaders,
            /// Whose signature requests must carry.
            webhook_verification: WebhookVerification,
            /// Whether WebSockets become plain streams.
            websocket_tcp_converter: WebsocketTcpConverter,
            /// Which browsers and programs may come in.
            user_agent_filter: UserAgentFilter,
            /// Who may send them, by an account elsewhere. Of the three logins one at most can be enabled.
            oauth: OAuth,
            /// Who may send them, by any OpenID provider.
            oidc: Oidc,
            /// Who may send them, by the identity provider of an organization.
            saml: Saml,
        }
    }
}

/// What may be changed.
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
