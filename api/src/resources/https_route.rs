//! A route of an HTTPS edge: which paths it is for, where they go, and what happens on the way.

use super::HttpsEdge;
use crate::{
    Id,
    id::Kind,
    module::{Backend, BackendView, Hosts, IpRestriction, IpRestrictionView},
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
}

impl HttpsRouteStatus {
    /// That of a route without modules.
    pub fn of(edge_id: Id<HttpsEdge>) -> Self {
        HttpsRouteStatus { edge_id, backend: None, ip_restriction: None }
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
