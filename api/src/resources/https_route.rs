//! A route of an HTTPS edge: its paths, their backend and their modules.

use super::HttpsEdge;
use crate::{
    Id,
    id::Kind,
    module::{self, Hosts, Module},
    resource::{Nested, Parent, Resource, body},
    route_modules,
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

/// Declares the response's fields that the server adds, and the modules that routes accept.
macro_rules! status {
    (modules { $($(#[$doc:meta])* $member:ident: $module:ident,)+ }) => {
        /// Fields that the server adds: the edge, and the modules that are set.
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub struct HttpsRouteStatus {
            /// The edge it is part of.
            pub edge_id: Id<HttpsEdge>,
            $($(#[$doc])* pub $member: Option<<module::$module as Module>::View>,)+
        }

        impl HttpsRouteStatus {
            /// That of a route without modules.
            pub fn new(edge_id: Id<HttpsEdge>) -> Self {
                HttpsRouteStatus { edge_id, $($member: None,)+ }
            }
        }

        $(impl Hosts<module::$module> for HttpsRoute {})+
    };
}
route_modules! { status }

route_modules! { body
    /// Body of a create or change. A create requires `match_type` and `match`; in a change an empty
    /// one means unchanged, and a given module is replaced as a whole.
    HttpsRouteCreate {
        needs {}
        may {
            /// Match type: `exact_path` or `path_prefix`.
            match_type: String,
            /// The path, or the beginning of paths; begins with a slash, at most 1024 characters.
            r#match: String,
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
