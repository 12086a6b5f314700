//! The user agent filter module: which browsers and programs may come in, by what they call themselves.

use crate::module::{Module, enabled, yes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Patterns that are looked for in a visitor's `User-Agent`. Who matches one of `allow`, or none of `deny`, comes in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UserAgentFilter {
    /// Whether it counts.
    #[serde(default = "yes", deserialize_with = "enabled")]
    #[schemars(with = "Option<bool>")]
    pub enabled: bool,
    /// Regular expressions of those who may come in whatever `deny` says, at most 100.
    #[serde(default)]
    #[schemars(with = "Option<Vec<String>>", length(max = 100), inner(length(max = 1024)))]
    pub allow: Vec<String>,
    /// Regular expressions of those who may not, at most 100.
    #[serde(default)]
    #[schemars(with = "Option<Vec<String>>", length(max = 100), inner(length(max = 1024)))]
    pub deny: Vec<String>,
}

/// The user agent filter module as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UserAgentFilterView {
    /// Whether it counts.
    pub enabled: bool,
    /// Who may come in whatever `deny` says.
    pub allow: Vec<String>,
    /// Who may not.
    pub deny: Vec<String>,
}

impl Module for UserAgentFilter {
    const NAME: &'static str = "user_agent_filter";
    type View = UserAgentFilterView;
}
