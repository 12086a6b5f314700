//! The user agent filter module: allows and denies visitors by their `User-Agent`.

use crate::module::{Module, enabled, yes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Patterns for a visitor's `User-Agent`. A visitor who matches one of `allow`, or none of `deny`, is allowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UserAgentFilter {
    /// Whether the module is enabled.
    #[serde(default = "yes", deserialize_with = "enabled")]
    #[schemars(with = "Option<bool>")]
    pub enabled: bool,
    /// Regular expressions that allow a visitor regardless of `deny`, at most 100.
    #[serde(default)]
    #[schemars(with = "Option<Vec<String>>", length(max = 100), inner(length(max = 1024)))]
    pub allow: Vec<String>,
    /// Regular expressions that deny a visitor, at most 100.
    #[serde(default)]
    #[schemars(with = "Option<Vec<String>>", length(max = 100), inner(length(max = 1024)))]
    pub deny: Vec<String>,
}

/// The user agent filter module in responses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UserAgentFilterView {
    /// Whether the module is enabled.
    pub enabled: bool,
    /// Regular expressions that allow a visitor regardless of `deny`.
    pub allow: Vec<String>,
    /// Regular expressions that deny a visitor.
    pub deny: Vec<String>,
}

impl Module for UserAgentFilter {
    const NAME: &'static str = "user_agent_filter";
    type View = UserAgentFilterView;
    type Published = Self;

    fn is_enabled(&self) -> bool {
        self.enabled
    }
}
