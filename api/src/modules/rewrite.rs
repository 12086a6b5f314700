//! The rewrite module: another path and another host for the backend.

use crate::module::{Module, enabled, yes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rewrites the path and the host of requests for the backend. All other modules see them as the visitor sent them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rewrite {
    /// Whether the module is enabled.
    #[serde(default = "yes", deserialize_with = "enabled")]
    #[schemars(with = "Option<bool>")]
    pub enabled: bool,
    /// Segments that are removed from the beginning of the path, such as `/api`. Other paths stay unchanged.
    #[serde(default)]
    #[schemars(length(max = 1024))]
    pub strip_prefix: String,
    /// Segments that are put in front of the path, such as `/v1`.
    #[serde(default)]
    #[schemars(length(max = 1024))]
    pub add_prefix: String,
    /// Regular expression that matches the whole path, which has no percent-encoding and no dot segments. It needs `to` and
    /// excludes prefixes.
    #[serde(default)]
    #[schemars(length(max = 1024))]
    pub path: String,
    /// The new path of requests that match `path`. It can contain the groups of the pattern, `${1}`, and variables.
    #[serde(default)]
    #[schemars(length(max = 2048))]
    pub to: String,
    /// `Host` of the requests, with or without a port. The visitor's is in `X-Original-Host`, and redirects to this host
    /// lead to the visitor's.
    #[serde(default)]
    #[schemars(length(max = 255))]
    pub host: String,
}

/// The rewrite module in responses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RewriteView {
    /// Whether the module is enabled.
    pub enabled: bool,
    /// Segments that are removed from the beginning of the path.
    pub strip_prefix: String,
    /// Segments that are put in front of the path.
    pub add_prefix: String,
    /// Regular expression that matches the whole path.
    pub path: String,
    /// The new path of requests that match `path`.
    pub to: String,
    /// `Host` of the requests.
    pub host: String,
}

impl Module for Rewrite {
    const NAME: &'static str = "rewrite";
    type View = RewriteView;
    type Published = Self;

    fn is_enabled(&self) -> bool {
        self.enabled
    }
}
