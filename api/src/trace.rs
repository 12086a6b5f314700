//! Why a request or connection went the way it did: what each module said about it. Shown in the access log, for refused
//! requests in the management API, and at the agent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a module or restriction said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It let the visitor pass.
    Passed,
    /// It turned the visitor away.
    Refused,
    /// It would have turned the visitor away if it were enforced.
    Warned,
}

impl Verdict {
    /// How it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::Refused => "refused",
            Verdict::Warned => "warned",
        }
    }
}

/// What one module decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// The module or restriction, such as `ip_restriction`.
    pub module: String,
    /// What in it decided, such as the id of a rule or a pattern; empty where there is no such thing.
    pub rule: String,
    /// What it said.
    pub verdict: Verdict,
    /// How long it took.
    pub microseconds: u64,
}

/// The way of one request or connection, as far as it went. What it did not reach is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// What names the request on error pages and in the access log, `op_…`.
    pub id: String,
    /// The edge.
    pub edge: String,
    /// The route of the edge.
    pub route: String,
    /// The backend that the edge or route names.
    pub backend: String,
    /// What every module said, in order.
    pub decisions: Vec<Decision>,
    /// From the request's arrival until this was written; nothing where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub microseconds: Option<u64>,
    /// How much of that was spent on finding a way to the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_microseconds: Option<u64>,
}

/// At most so many decisions are carried or kept of one request.
pub const MOST_DECISIONS: usize = 32;
/// At most so much of the text of a rule.
pub const LONGEST_RULE: usize = 256;
