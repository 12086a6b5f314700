//! The report of `postern diagnose`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The report of a diagnosis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DiagnosisReport {
    /// The agent's version.
    pub agent_version: String,
    /// The time at which the diagnosis began.
    #[schemars(with = "String")]
    pub at: jiff::Timestamp,
    /// The worst verdict of all checks.
    pub verdict: DiagnosisVerdict,
    /// The checks, in order.
    pub checks: Vec<DiagnosisCheck>,
}

/// A check of a diagnosis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DiagnosisCheck {
    /// The kind: `dns`, `tcp`, `tls`, `protocol`, `latency`, `clock`, `service` and so on.
    pub name: String,
    /// The address or name that was checked; empty if there is only one.
    pub subject: String,
    /// The verdict.
    pub verdict: DiagnosisVerdict,
    /// The duration of the check; for `latency` the round trip and for `clock` the difference that it measured.
    pub milliseconds: f64,
    /// The finding.
    pub finding: String,
    /// The remedy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

/// The verdict of a check; later ones are worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum DiagnosisVerdict {
    /// Works.
    Ok,
    /// Works, but not well.
    Warn,
    /// Does not work.
    Fail,
}

impl fmt::Display for DiagnosisVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            DiagnosisVerdict::Ok => "OK",
            DiagnosisVerdict::Warn => "WARN",
            DiagnosisVerdict::Fail => "FAIL",
        })
    }
}
