//! The redirect module: requests that are sent elsewhere.

use crate::module::{Module, enabled, yes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most rules of one module.
pub const REDIRECT_RULE_LIMIT: usize = 100;
/// Statuses of redirects that a rule may have.
pub const REDIRECT_STATUSES: [u16; 5] = [301, 302, 303, 307, 308];

/// Redirects: the first rule that matches a request sends the visitor to its target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Redirect {
    /// Whether the module is enabled.
    #[serde(default = "yes", deserialize_with = "enabled")]
    #[schemars(with = "Option<bool>")]
    pub enabled: bool,
    /// The rules in order, 1 to 100.
    #[schemars(length(min = 1, max = 100))]
    pub rules: Vec<RedirectRule>,
}

/// A rule of the redirect module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RedirectRule {
    /// Host of the requests, or `*.` and a domain for all names below it; empty for every host.
    #[serde(default)]
    pub host: String,
    /// Regular expression that matches the whole path, which has no percent-encoding and no dot segments; empty for every
    /// path.
    #[serde(default)]
    #[schemars(length(max = 1024))]
    pub path: String,
    /// Target: a path that begins with one slash, or a URL. After the host it can contain variables, `${…}`, and the
    /// groups of the pattern, `${1}`.
    #[schemars(length(max = 2048), regex(pattern = "^(/|https?://|\\$\\{req\\.scheme\\}://)"))]
    pub to: String,
    /// Status: 301, 302, 303, 307 or 308.
    #[serde(default = "found")]
    #[schemars(extend("enum" = REDIRECT_STATUSES))]
    pub status_code: u16,
}

/// The redirect module in responses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RedirectView {
    /// Whether the module is enabled.
    pub enabled: bool,
    /// The rules in order.
    pub rules: Vec<RedirectRule>,
}

impl Module for Redirect {
    const NAME: &'static str = "redirect";
    type View = RedirectView;
    type Published = Self;

    fn is_enabled(&self) -> bool {
        self.enabled
    }
}

fn found() -> u16 {
    302
}
