//! The values of rules: from traffic, which is read once for all of them, and from the sessions of agents.

use super::judgement::Reading;
use crate::{LiveState, resources::alert_rule::progress::AlertProgress};
use jiff::{Timestamp as Moment, civil::Date, tz::TimeZone};
use postern_api::{
    Timestamp,
    resource::{AlertMeasure, AlertPeriod, AlertRule},
    traffic::{TrafficQuery, TrafficStep, TrafficSum},
};
use std::collections::{BTreeMap, HashSet};

const SECONDS_PER_MINUTE: f64 = 60.0;

/// Measures each rule; gives what is known of it afterwards, and the reading.
pub(super) async fn measure(
    rules: &[&AlertRule],
    former: &[&AlertProgress],
    live: &dyn LiveState,
    now: Moment,
) -> Vec<(AlertProgress, Reading)> {
    let traffic = Traffic::read(rules, live, now).await;
    let has_agents = rules.iter().any(|rule| rule.enabled && rule.measure == AlertMeasure::AgentAway);
    let agents = has_agents.then(|| Agents::read(live));
    rules.iter().zip(former).map(|(rule, former)| of_rule(rule, former, &traffic, agents.as_ref(), now)).collect()
}

fn of_rule(
    rule: &AlertRule,
    former: &AlertProgress,
    traffic: &Traffic,
    agents: Option<&Agents>,
    now: Moment,
) -> (AlertProgress, Reading) {
    let nothing = Reading { value: None, is_complete: true };
    if !rule.enabled {
        return (AlertProgress { was_connected: false, away_since: None, ..former.clone() }, nothing);
    }
    match (rule.measure, agents) {
        (AlertMeasure::AgentAway, Some(agents)) => agents.of_rule(rule, former, now),
        (AlertMeasure::AgentAway, None) => (former.clone(), nothing),
        _ => (former.clone(), traffic.of_rule(rule, now)),
    }
}

/// Traffic that rules need.
struct Traffic {
    sums: BTreeMap<TrafficQuery, TrafficSum>,
    is_complete: bool,
}

impl Traffic {
    /// Reads it, at all nodes at once.
    async fn read(rules: &[&AlertRule], live: &dyn LiveState, now: Moment) -> Traffic {
        let mut queries: Vec<TrafficQuery> =
            rules.iter().filter(|rule| rule.enabled).flat_map(|rule| queries(rule, now)).collect();
        queries.sort();
        queries.dedup();
        if queries.is_empty() {
            return Traffic { sums: BTreeMap::new(), is_complete: true };
        }
        let (sums, missing) = live.traffic_sums(queries.clone()).await;
        Traffic { sums: queries.into_iter().zip(sums).collect(), is_complete: missing.is_empty() }
    }

    /// The value of a rule.
    fn of_rule(&self, rule: &AlertRule, now: Moment) -> Reading {
        let sum = |query: &TrafficQuery| self.sums.get(query).copied().unwrap_or_default();
        let queries = queries(rule, now);
        let whole = queries.first().map(sum).unwrap_or_default();
        // Only a part of the oldest minute is in a window that ends now.
        let oldest = queries.get(1).map(sum).unwrap_or_default();
        let part = 1.0 - part_of_minute(now);
        let total = |of: fn(&TrafficSum) -> u64| of(&whole) as f64 + part * of(&oldest) as f64;
        let requests = total(|sum| sum.requests);
        let value = match rule.measure {
            AlertMeasure::Bytes => total(|sum| sum.bytes).floor(),
            AlertMeasure::ErrorShare if requests < rule.minimum_requests.map_or(1.0, f64::from) => 0.0,
            AlertMeasure::ErrorShare => rounded(total(|sum| sum.failed) / requests),
            _ => requests.floor(),
        };
        Reading { value: Some(value), is_complete: self.is_complete }
    }
}

/// A share with four decimals.
fn rounded(share: f64) -> f64 {
    (share * 10_000.0).round() / 10_000.0
}

/// The part of the current minute that is over, 0 to 1.
fn part_of_minute(now: Moment) -> f64 {
    now.as_second().rem_euclid(60) as f64 / SECONDS_PER_MINUTE
}

/// What has to be read for a rule: the intervals that count whole, and the minute that counts in part.
fn queries(rule: &AlertRule, now: Moment) -> Vec<TrafficQuery> {
    let id = rule.subject_id.as_ref().map(ToString::to_string).unwrap_or_default();
    let query = |step, first, last| TrafficQuery { id: id.clone(), step, first, last };
    let since = |start: Date| {
        let start = start.to_zoned(TimeZone::UTC).map_or(now, |start| start.timestamp());
        let (first, last) = (TrafficStep::Hour.interval_at(start), TrafficStep::Hour.interval_at(now));
        vec![query(TrafficStep::Hour, first, last)]
    };
    let today = now.to_zoned(TimeZone::UTC).date();
    match rule.period {
        None => Vec::new(),
        Some(AlertPeriod::Day) => since(today),
        Some(AlertPeriod::Month) => since(today.first_of_month()),
        Some(AlertPeriod::Rolling) => {
            let minute = TrafficStep::Minute.interval_at(now);
            let oldest = minute.saturating_sub(rule.window_minutes.unwrap_or(1).into());
            vec![query(TrafficStep::Minute, oldest + 1, minute), query(TrafficStep::Minute, oldest, oldest)]
        }
    }
}

/// Credentials with sessions.
struct Agents {
    connected: HashSet<String>,
    is_complete: bool,
}

impl Agents {
    fn read(live: &dyn LiveState) -> Agents {
        let connected = live.sessions().into_iter().map(|session| session.credential).collect();
        Agents { connected, is_complete: live.missing_nodes().is_empty() }
    }

    /// The value of a rule: minutes since its credential has no session.
    fn of_rule(&self, rule: &AlertRule, former: &AlertProgress, now: Moment) -> (AlertProgress, Reading) {
        let is_connected = rule.subject_id.as_ref().is_some_and(|id| self.connected.contains(id.as_str()));
        if is_connected {
            let progress = AlertProgress { was_connected: true, away_since: None, ..former.clone() };
            return (progress, Reading { value: Some(0.0), is_complete: true });
        }
        if !former.was_connected {
            return (former.clone(), Reading { value: None, is_complete: true });
        }
        if !self.is_complete {
            // It may be connected to a node that does not answer.
            return (former.clone(), Reading { value: former.value, is_complete: false });
        }
        let since = former.away_since.unwrap_or(Timestamp::new(now));
        let minutes = (now.as_second() - since.seconds()).max(0) as f64 / SECONDS_PER_MINUTE;
        let reading = Reading { value: Some((minutes * 10.0).floor() / 10.0), is_complete: true };
        (AlertProgress { away_since: Some(since), ..former.clone() }, reading)
    }
}
