//! An alert rule: traffic, errors or absent agents that an event is written about.

use crate::{
    AnyId, Timestamp,
    id::Kind,
    resource::{Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

/// Kind of the events about rules whose threshold is reached.
pub const ALERT_FIRING: &str = "alert_firing";
/// Kind of the events about quotas of which [`ALERT_WARNING_SHARE`] is used.
pub const ALERT_WARNING: &str = "alert_warning";
/// Kind of the events about rules whose threshold is no longer reached.
pub const ALERT_RESOLVED: &str = "alert_resolved";

/// The share of a quota at which there is a warning.
pub const ALERT_WARNING_SHARE: f64 = 0.8;
/// Longest window in minutes.
pub const ALERT_WINDOW_LIMIT: u32 = 60;
/// Largest threshold: up to here every whole number is exact.
pub const ALERT_THRESHOLD_LIMIT: f64 = 9_007_199_254_740_992.0;
/// Shortest absence of an agent, in minutes.
pub const MIN_AGENT_AWAY_MINUTES: f64 = 0.1;
/// Longest absence of an agent, in minutes: 30 days.
pub const MAX_AGENT_AWAY_MINUTES: f64 = 43_200.0;
/// Most requests that a share of errors can need.
pub const ALERT_REQUESTS_LIMIT: u32 = 1_000_000;

/// What an alert rule measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlertMeasure {
    /// Requests, and connections of TLS and TCP edges.
    #[default]
    Requests,
    /// Bytes from and to visitors.
    Bytes,
    /// Share of the requests that failed (status 5xx), 0 to 1.
    ErrorShare,
    /// Minutes for which a credential that was in use has had no session.
    AgentAway,
}

/// Time over which requests and bytes are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlertPeriod {
    /// The latest minutes, as many as the window has.
    #[default]
    Rolling,
    /// The calendar day in UTC: the threshold is a quota, with a warning at 80 %.
    Day,
    /// The calendar month in UTC: the threshold is a quota, with a warning at 80 %.
    Month,
}

/// State of an alert rule, in the order of severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlertState {
    /// The threshold is not reached.
    #[default]
    Ok,
    /// 80 % of a quota are used.
    Warning,
    /// The threshold is reached.
    Firing,
}

impl AlertMeasure {
    /// Name in texts and in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            AlertMeasure::Requests => "requests",
            AlertMeasure::Bytes => "bytes",
            AlertMeasure::ErrorShare => "error_share",
            AlertMeasure::AgentAway => "agent_away",
        }
    }

    /// Whether it is measured of traffic.
    pub const fn is_of_traffic(self) -> bool {
        !matches!(self, AlertMeasure::AgentAway)
    }
}

impl AlertPeriod {
    /// Whether it is a period of the calendar, for which the threshold is a quota.
    pub const fn is_quota(self) -> bool {
        !matches!(self, AlertPeriod::Rolling)
    }
}

impl AlertState {
    /// Kind of the event when a rule comes into this state.
    pub const fn event_kind(self) -> &'static str {
        match self {
            AlertState::Ok => ALERT_RESOLVED,
            AlertState::Warning => ALERT_WARNING,
            AlertState::Firing => ALERT_FIRING,
        }
    }
}

/// A threshold, and what it is compared with. An event is written when it is reached, and one when that is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AlertRule {
    /// What is measured.
    pub measure: AlertMeasure,
    /// The HTTPS, TLS or TCP edge, the route, or the credential that it is measured of; null for all traffic together.
    pub subject_id: Option<AnyId>,
    /// The value at which the rule fires: requests, bytes, a share from 0 to 1, or minutes.
    #[serde(serialize_with = "number")]
    pub threshold: f64,
    /// Time over which it is measured; null for `agent_away`.
    pub period: Option<AlertPeriod>,
    /// Window in minutes; null unless the period is `rolling`.
    pub window_minutes: Option<u32>,
    /// With fewer requests in the window, the share of errors counts as 0; null for other measures.
    pub minimum_requests: Option<u32>,
    /// Whether the rule is evaluated.
    pub enabled: bool,
}

impl AlertRule {
    /// Whether the threshold is a quota.
    pub fn is_quota(&self) -> bool {
        self.period.is_some_and(AlertPeriod::is_quota)
    }
}

/// Fields that the server adds to an alert rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AlertRuleStatus {
    /// The edge of a route that is measured; null for other subjects.
    pub subject_parent_id: Option<AnyId>,
    /// Whether the threshold is reached.
    pub state: AlertState,
    /// Since when it is in this state; null before the first event.
    pub state_since: Option<Timestamp>,
    /// Latest value that was stored: that of the latest event, or one of the last 15 seconds if it has changed. Null
    /// before the first evaluation, and for a credential that has not been in use yet.
    #[serde(serialize_with = "optional_number")]
    pub value: Option<f64>,
    /// Time of that value.
    pub value_at: Option<Timestamp>,
}

body! {
    /// Body of a create. Measure and threshold are required.
    AlertRuleCreate {
        needs {
            /// What is measured.
            measure: AlertMeasure,
            /// The value at which the rule fires: requests or bytes (whole numbers), a share of errors above 0 and up to
            /// 1, or minutes of absence from 0.1 to 43200.
            #[schemars(range(min = 0.000_001, max = ALERT_THRESHOLD_LIMIT))]
            threshold: f64,
        }
        may {
            /// The HTTPS, TLS or TCP edge or the route that is measured; default: all traffic together. For `agent_away`
            /// it is needed, and is a credential.
            #[schemars(regex(pattern = "^(edghts|edghtsrt|edgtls|edgtcp|cr)_[0-9A-Za-z]{27}$"))]
            subject_id: String,
            /// Default: `rolling`. `day` and `month` are for requests and bytes.
            period: AlertPeriod,
            /// Window in minutes, for the period `rolling`. Default: 5.
            #[schemars(range(min = 1, max = ALERT_WINDOW_LIMIT))]
            window_minutes: u32,
            /// With fewer requests in the window, the share of errors counts as 0. Default: 20.
            #[schemars(range(min = 1, max = ALERT_REQUESTS_LIMIT))]
            minimum_requests: u32,
            /// Default: true.
            enabled: bool,
        }
    }
}

body! {
    /// Body of a change. What is measured, and of what, stays.
    AlertRuleUpdate {
        needs {}
        may {
            /// The value at which the rule fires.
            #[schemars(range(min = 0.000_001, max = ALERT_THRESHOLD_LIMIT))]
            threshold: f64,
            /// Window in minutes, for the period `rolling`.
            #[schemars(range(min = 1, max = ALERT_WINDOW_LIMIT))]
            window_minutes: u32,
            /// With fewer requests in the window, the share of errors counts as 0.
            #[schemars(range(min = 1, max = ALERT_REQUESTS_LIMIT))]
            minimum_requests: u32,
            /// Whether the rule is evaluated. One that is disabled is in the state `ok`.
            enabled: bool,
        }
    }
}

impl Kind for AlertRule {
    const PREFIX: &'static str = "alr";
}
impl Resource for AlertRule {
    const KIND: &'static str = "alert_rule";
    const PATH: &'static str = "/alert_rules";
    const LIST: &'static str = "alert_rules";
    type Status = AlertRuleStatus;
    type Create = AlertRuleCreate;
    type Update = AlertRuleUpdate;
}

/// Writes a whole number without a fraction.
fn number<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.fract() == 0.0 && (0.0..=ALERT_THRESHOLD_LIMIT).contains(value) {
        return serializer.serialize_u64(*value as u64);
    }
    serializer.serialize_f64(*value)
}

fn optional_number<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => number(value, serializer),
        None => serializer.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn whole_numbers_have_no_fraction() {
        let rule = |threshold| AlertRule {
            measure: AlertMeasure::ErrorShare,
            subject_id: None,
            threshold,
            period: Some(AlertPeriod::Rolling),
            window_minutes: Some(5),
            minimum_requests: Some(20),
            enabled: true,
        };
        for (threshold, written) in [(100.0, json!(100)), (0.25, json!(0.25)), (1.0, json!(1))] {
            let json = serde_json::to_value(rule(threshold)).expect("JSON");
            assert_eq!(json["threshold"], written);
            assert_eq!(serde_json::from_value::<AlertRule>(json).expect("a rule"), rule(threshold));
        }
        let status = serde_json::to_value(AlertRuleStatus { value: Some(7.0), ..Default::default() }).expect("JSON");
        assert_eq!((&status["value"], &status["value_at"], &status["state"]), (&json!(7), &json!(null), &json!("ok")));
    }

    #[test]
    fn words_are_those_of_the_api_and_states_are_in_the_order_of_severity() {
        for measure in [AlertMeasure::Requests, AlertMeasure::Bytes, AlertMeasure::ErrorShare, AlertMeasure::AgentAway]
        {
            assert_eq!(serde_json::to_value(measure).expect("JSON"), measure.as_str());
        }
        assert!(AlertState::Ok < AlertState::Warning && AlertState::Warning < AlertState::Firing);
    }
}
