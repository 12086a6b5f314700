//! Evaluates the alert rules: a rule that comes into another state is an event, written together with that state. Between two
//! states there are no events, however often a rule is evaluated.

mod judgement;
mod measuring;

use crate::{
    certificates::Clock,
    resources::{
        CommitPlan, Resources, StoredRecord,
        alert_rule::{
            MAX_ALERT_RULES,
            progress::{self, ALERTS, AlertProgress},
        },
        audit::{EventAuthor, NewEvent, retention},
        keys, to_json,
    },
    store::{CommitOutcome, Range, Revision},
};
use judgement::{Reading, judge};
use measuring::measure;
use postern_api::{
    Result, Timestamp,
    resource::{AlertRule, AlertRuleStatus},
};
use serde_json::{Map, json};
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::Duration,
};
use tokio::time::{MissedTickBehavior, interval_at};

/// Time between two evaluations.
const EVALUATION_INTERVAL: Duration = Duration::from_secs(5);
/// Quotas of one evaluation at most, by turns: each reads up to a month.
const MAX_QUOTAS_AT_ONCE: usize = 20;
/// Age of a stored value from which it is replaced if it has changed, in seconds.
const VALUE_AGE_SECONDS: i64 = 15;
/// Rules of one commit at most.
const MAX_RULES_PER_COMMIT: usize = 20;

/// Evaluates the rules.
pub(super) struct AlertEvaluator {
    resources: Arc<Resources>,
    clock: Clock,
    /// Number of evaluations so far.
    evaluations: u64,
    /// The evaluation at which each quota had its latest turn, by rule.
    quota_turns: HashMap<String, u64>,
}

/// A rule with what is known of it.
struct KnownRule {
    record: StoredRecord<AlertRule>,
    /// Commit that wrote the rule.
    revision: Revision,
    progress: AlertProgress,
    /// Commit that wrote the progress; `None` before the first evaluation.
    progress_revision: Option<Revision>,
}

/// What an evaluation of a rule has changed.
struct Outcome<'a> {
    rule: &'a KnownRule,
    progress: AlertProgress,
}

impl AlertEvaluator {
    pub(super) fn new(resources: Arc<Resources>, clock: Clock) -> Self {
        AlertEvaluator { resources, clock, evaluations: 0, quota_turns: HashMap::new() }
    }

    /// Evaluates all rules regularly.
    pub(super) async fn run(mut self) {
        // Agents that were connected before a restart need a moment to come back.
        let mut ticks = interval_at(tokio::time::Instant::now() + EVALUATION_INTERVAL, EVALUATION_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut changes = self.resources.published_revision.clone();
        let mut is_failing = false;
        loop {
            ticks.tick().await;
            changes.mark_unchanged();
            let outcome = self.evaluate().await;
            if let Err(error) = &outcome
                && !is_failing
            {
                tracing::warn!(code = %error.code, "alert rules are not evaluated for now: {}", error.message);
            }
            is_failing = outcome.is_err();
            // Without rules nothing is read until something is stored.
            if outcome.is_ok_and(|rules| rules == 0) && changes.changed().await.is_err() {
                return;
            }
        }
    }

    /// Evaluates the rules once, and stores what has changed. Gives the number of rules.
    async fn evaluate(&mut self) -> Result<usize> {
        let now = (self.clock)();
        let mut rules = self.known_rules().await?;
        let count = rules.len();
        self.leave_out_quotas(&mut rules);
        let specs: Vec<&AlertRule> = rules.iter().map(|rule| &rule.record.spec).collect();
        let former: Vec<&AlertProgress> = rules.iter().map(|rule| &rule.progress).collect();
        let measured = measure(&specs, &former, self.resources.live.as_ref(), now).await;
        let outcomes =
            rules.iter().zip(measured).map(|(rule, (progress, reading))| rule.conclude(progress, &reading, now));
        let changed: Vec<Outcome<'_>> = outcomes.filter(|outcome| outcome.is_worth_storing(now)).collect();
        for some in changed.chunks(MAX_RULES_PER_COMMIT) {
            self.store(some, now).await?;
        }
        Ok(count)
    }

    /// All rules. What is known of rules that no longer exist is forgotten.
    async fn known_rules(&self) -> Result<Vec<KnownRule>> {
        let store = self.resources.store.as_ref();
        let records = store.range(Range::new(keys::records::<AlertRule>(), MAX_ALERT_RULES)).await?.entries;
        let progress = store.range(Range::new(ALERTS, 2 * MAX_ALERT_RULES)).await?.entries;
        if records.is_empty() && progress.is_empty() {
            return Ok(Vec::new());
        }
        let mut progress: BTreeMap<String, _> = progress.into_iter().map(|entry| (entry.key.clone(), entry)).collect();
        let mut rules = Vec::with_capacity(records.len());
        for entry in records {
            let record = match self.resources.codec.read_record::<AlertRule>(&entry) {
                Ok(record) => record,
                Err(error) => {
                    tracing::error!(key = entry.key, "an alert rule cannot be evaluated: {}", error.message);
                    continue;
                }
            };
            let known = progress.remove(&progress::key(record.id.as_str()));
            rules.push(KnownRule {
                record,
                revision: entry.revision,
                progress: known
                    .as_ref()
                    .and_then(|known| serde_json::from_slice(&known.value).ok())
                    .unwrap_or_default(),
                progress_revision: known.map(|known| known.revision),
            });
        }
        for key in progress.into_keys() {
            let mut plan = CommitPlan::default();
            plan.delete(&key);
            store.commit(plan.into_commit()).await?;
        }
        Ok(rules)
    }

    /// Leaves out those quotas whose turn it is not.
    fn leave_out_quotas(&mut self, rules: &mut Vec<KnownRule>) {
        self.evaluations += 1;
        let former = std::mem::take(&mut self.quota_turns);
        let latest = |rule: &KnownRule| former.get(rule.record.id.as_str()).copied().unwrap_or_default();
        rules.sort_by_key(|rule| (rule.record.spec.is_quota(), latest(rule)));
        let others = rules.iter().filter(|rule| !rule.record.spec.is_quota()).count();
        for (place, quota) in rules.iter().skip(others).enumerate() {
            let turn = if place < MAX_QUOTAS_AT_ONCE { self.evaluations } else { latest(quota) };
            self.quota_turns.insert(quota.record.id.to_string(), turn);
        }
        rules.truncate(others + MAX_QUOTAS_AT_ONCE);
    }

    /// Stores what is known of some rules, and their events. Nothing is stored if one of them has changed meanwhile: the next
    /// evaluation comes soon.
    async fn store(&self, outcomes: &[Outcome<'_>], now: jiff::Timestamp) -> Result<()> {
        let mut plan = CommitPlan::default();
        for Outcome { rule, progress } in outcomes {
            let key = progress::key(rule.record.id.as_str());
            plan.expect_revision(&rule.record.key(), Some(rule.revision));
            plan.expect_revision(&key, rule.progress_revision);
            plan.put(&key, to_json(progress)?);
            if progress.state != rule.progress.state && self.resources.settings.audited.alerts {
                plan.record_event(&EventAuthor::server("alerts"), rule.event(progress), now)?;
            }
        }
        let CommitOutcome::Done(revision) = self.resources.store.commit(plan.into_commit()).await? else {
            return Ok(());
        };
        retention::after_commit(&self.resources.store, self.resources.settings.audit_retention, revision);
        for Outcome { rule, progress } in outcomes.iter().filter(|one| one.progress.state != one.rule.progress.state) {
            tracing::info!(rule = %rule.record.id, state = ?progress.state, "an alert rule has come into another state");
        }
        Ok(())
    }
}

impl KnownRule {
    /// What is known of the rule after an evaluation.
    fn conclude(&self, progress: AlertProgress, reading: &Reading, now: jiff::Timestamp) -> Outcome<'_> {
        let state = judge(&self.record.spec, self.progress.state, reading);
        let now = Timestamp::new(now);
        let state_since = if state == self.progress.state { self.progress.state_since } else { Some(now) };
        let value_at = reading.value.map(|_| now);
        Outcome {
            rule: self,
            progress: AlertProgress { state, state_since, value: reading.value, value_at, ..progress },
        }
    }

    /// The event that the rule has come into another state.
    fn event(&self, progress: &AlertProgress) -> NewEvent {
        let AlertRule { measure, subject_id, period, window_minutes, .. } = &self.record.spec;
        // Numbers as the API writes them.
        let status = AlertRuleStatus { value: progress.value, ..AlertRuleStatus::default() };
        let threshold = json!(self.record.spec)["threshold"].take();
        let mut observed = Map::new();
        let members = [
            ("description", json!(self.record.description)),
            ("state", json!(progress.state)),
            ("measure", json!(measure)),
            ("subject_id", json!(subject_id)),
            ("value", json!(status)["value"].take()),
            ("threshold", threshold),
            ("period", json!(period)),
            ("window_minutes", json!(window_minutes)),
            ("previous_state", json!(self.progress.state)),
            ("previous_state_since", json!(self.progress.state_since)),
        ];
        observed.extend(members.map(|(name, value)| (name.to_owned(), value)));
        NewEvent::of_observation(progress.state.event_kind(), self.record.id.as_str(), observed)
    }
}

impl Outcome<'_> {
    /// Whether it differs from what is stored in more than a value that was stored a short time ago.
    fn is_worth_storing(&self, now: jiff::Timestamp) -> bool {
        let (former, progress) = (&self.rule.progress, &self.progress);
        if self.rule.progress_revision.is_none() {
            return true;
        }
        let is_old = former.value_at.is_none_or(|at| at.seconds() + VALUE_AGE_SECONDS <= now.as_second());
        let same_but_value = AlertProgress { value: former.value, value_at: former.value_at, ..progress.clone() };
        same_but_value != *former || (progress.value != former.value && is_old)
    }
}

#[cfg(test)]
mod tests;
