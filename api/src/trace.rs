//! Decision trace of a request or connection: the decision of each module. Shown in the access log, for refused
//! requests in the management API, and at the agent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Decision of a module or restriction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The visitor may pass.
    Passed,
    /// The visitor is refused.
    Refused,
    /// The visitor would be refused if the restriction were enforced.
    Warned,
}

impl Verdict {
    /// Text form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::Refused => "refused",
            Verdict::Warned => "warned",
        }
    }
}

/// Decision of one module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// Module or restriction, such as `ip_restriction`.
    pub module: String,
    /// Deciding part, such as the id of a rule or a pattern; empty if there is none.
    pub rule: String,
    /// Decision.
    pub verdict: Verdict,
    /// The duration of the decision.
    pub microseconds: u64,
}

/// Path of one request or connection. Parts that it did not reach are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Trace {
    /// Operation id on error pages and in the access log, `op_…`.
    pub id: String,
    /// The edge.
    pub edge: String,
    /// The route of the edge.
    pub route: String,
    /// Backend of the edge or route.
    pub backend: String,
    /// Decisions of all modules, in order.
    pub decisions: Vec<Decision>,
    /// Time from the arrival of the request until the trace was written; absent if not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub microseconds: Option<u64>,
    /// Part of it that was spent on getting a connection to the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_microseconds: Option<u64>,
}

/// Limit of decisions of one request.
pub const MOST_DECISIONS: usize = 32;
/// Longest text of a rule.
pub const LONGEST_RULE: usize = 256;
