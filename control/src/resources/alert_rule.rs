//! Alert rules: what is measured, of what, and the threshold.

pub(crate) mod progress;
mod subject;

use super::{
    CallContext, CreateContext, LinkRole, Modules, NewLink, NewModule, NewRecord, Resources, Rules, StoredRecord,
    commit_plan::CommitPlan, keys,
};
use postern_api::{
    AnyId, Code, Error, Id, Result,
    resource::{
        ALERT_REQUESTS_LIMIT, ALERT_THRESHOLD_LIMIT, ALERT_WINDOW_LIMIT, AlertMeasure, AlertPeriod, AlertRule,
        AlertRuleCreate, AlertRuleStatus, AlertRuleUpdate, HttpsRoute, MAX_AGENT_AWAY_MINUTES, MIN_AGENT_AWAY_MINUTES,
    },
};
use progress::AlertProgress;
use subject::AlertSubject;

/// Alert rules of a server at most: all are evaluated in one pass.
pub(crate) const MAX_ALERT_RULES: usize = 100;
const DEFAULT_WINDOW_MINUTES: u32 = 5;
const DEFAULT_MINIMUM_REQUESTS: u32 = 20;

impl Rules for AlertRule {
    /// The edge of a route that is measured.
    type Hidden = Option<AnyId>;

    async fn create(body: AlertRuleCreate, context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        let measure = body.measure;
        let subject = body.subject_id.as_deref().map(|text| AlertSubject::parse(text, measure)).transpose()?;
        if subject.is_none() && measure == AlertMeasure::AgentAway {
            let sentence = "`subject_id` is needed: the id of the credential that the agent uses.";
            return Err(Error::new(Code::AlertSubjectInvalid, sentence).with("field", "subject_id"));
        }
        let edge = match &subject {
            Some(subject) => edge_of_route(subject, context.call.resources).await?,
            None => None,
        };
        let period = measure.is_of_traffic().then(|| body.period.unwrap_or_default()).or(body.period);
        let is_rolling = period == Some(AlertPeriod::Rolling);
        let rule = AlertRule {
            measure,
            subject_id: subject.map(AlertSubject::into_id),
            threshold: body.threshold,
            period,
            window_minutes: body.window_minutes.or(is_rolling.then_some(DEFAULT_WINDOW_MINUTES)),
            minimum_requests: body
                .minimum_requests
                .or((measure == AlertMeasure::ErrorShare).then_some(DEFAULT_MINIMUM_REQUESTS)),
            enabled: body.enabled.unwrap_or(true),
        };
        Ok(NewRecord::new(rule, edge))
    }

    async fn update(
        stored: &mut StoredRecord<Self>,
        body: AlertRuleUpdate,
        _call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        let rule = &mut stored.spec;
        rule.threshold = body.threshold.unwrap_or(rule.threshold);
        rule.window_minutes = body.window_minutes.or(rule.window_minutes);
        rule.minimum_requests = body.minimum_requests.or(rule.minimum_requests);
        rule.enabled = body.enabled.unwrap_or(rule.enabled);
        Ok(Vec::new())
    }

    fn check(stored: &StoredRecord<Self>, _former: Option<&StoredRecord<Self>>, _ctx: &Resources) -> Result<()> {
        check_time(&stored.spec)?;
        check_threshold(&stored.spec)
    }

    fn links(stored: &StoredRecord<Self>) -> Vec<NewLink> {
        let subject = stored.spec.subject_id.as_ref();
        // A stored id is one that was parsed.
        let subject = subject.and_then(|id| AlertSubject::parse(id.as_str(), stored.spec.measure).ok());
        subject.map(|subject| subject.link(LinkRole::Belongs)).into_iter().collect()
    }

    async fn before_commit(
        plan: &mut CommitPlan,
        _stored: &StoredRecord<Self>,
        former: Option<&StoredRecord<Self>>,
        call: &CallContext<'_>,
    ) -> Result<()> {
        if former.is_some() {
            return Ok(());
        }
        if call.resources.read_all(plan, &keys::records::<Self>()).await?.len() >= MAX_ALERT_RULES {
            let sentence = format!("There are {MAX_ALERT_RULES} alert rules already. Delete one first.");
            return Err(Error::new(Code::AlertRuleLimit, sentence));
        }
        Ok(())
    }

    async fn before_delete(plan: &mut CommitPlan, stored: &StoredRecord<Self>, _ctx: &Resources) -> Result<()> {
        plan.delete(&progress::key(stored.id.as_str()));
        Ok(())
    }

    async fn status(stored: &StoredRecord<Self>, _modules: &Modules, ctx: &Resources) -> Result<AlertRuleStatus> {
        let progress = AlertProgress::load(ctx.store.as_ref(), &stored.id).await?.unwrap_or_default();
        Ok(AlertRuleStatus {
            subject_parent_id: stored.hidden.clone(),
            state: progress.state,
            state_since: progress.state_since,
            value: progress.value,
            value_at: progress.value_at,
        })
    }
}

/// The edge of a route; `None` for other subjects.
async fn edge_of_route(subject: &AlertSubject, ctx: &Resources) -> Result<Option<AnyId>> {
    let Ok(route) = Id::<HttpsRoute>::parse(subject.id().as_str()) else { return Ok(None) };
    // That a route does not exist is said when the link to it is made.
    Ok(ctx.load(&route).await?.and_then(|(route, _)| route.parent))
}

/// Checks period, window and minimum, which not every measure has.
fn check_time(rule: &AlertRule) -> Result<()> {
    let refuse = |field, sentence: String| Err(Error::new(Code::AlertRuleInvalid, sentence).with("field", field));
    let measure = rule.measure.as_str();
    match rule.period {
        Some(period) if period.is_quota() && rule.measure == AlertMeasure::ErrorShare => {
            return refuse("period", format!("`{measure}` has the period `rolling`: leave `period` out."));
        }
        Some(_) if rule.measure == AlertMeasure::AgentAway => {
            return refuse("period", format!("`{measure}` has no period: leave `period` out."));
        }
        _ => {}
    }
    match rule.window_minutes {
        Some(_) if rule.period != Some(AlertPeriod::Rolling) => {
            return refuse("window_minutes", "`window_minutes` is for the period `rolling` only.".to_owned());
        }
        Some(minutes) if !(1..=ALERT_WINDOW_LIMIT).contains(&minutes) => {
            return refuse("window_minutes", format!("`window_minutes` is a number from 1 to {ALERT_WINDOW_LIMIT}."));
        }
        _ => {}
    }
    match rule.minimum_requests {
        Some(_) if rule.measure != AlertMeasure::ErrorShare => {
            refuse("minimum_requests", "`minimum_requests` is for `error_share` only.".to_owned())
        }
        Some(requests) if !(1..=ALERT_REQUESTS_LIMIT).contains(&requests) => {
            let sentence = format!("`minimum_requests` is a number from 1 to {ALERT_REQUESTS_LIMIT}.");
            refuse("minimum_requests", sentence)
        }
        _ => Ok(()),
    }
}

fn check_threshold(rule: &AlertRule) -> Result<()> {
    let threshold = rule.threshold;
    let (is_fine, needed) = match rule.measure {
        AlertMeasure::Requests | AlertMeasure::Bytes => {
            let is_whole = threshold.fract() == 0.0 && (1.0..=ALERT_THRESHOLD_LIMIT).contains(&threshold);
            (is_whole, "a whole number, 1 at least".to_owned())
        }
        AlertMeasure::ErrorShare => {
            (threshold > 0.0 && threshold <= 1.0, "a share above 0 and up to 1: write 0.05 for 5 %".to_owned())
        }
        AlertMeasure::AgentAway => (
            (MIN_AGENT_AWAY_MINUTES..=MAX_AGENT_AWAY_MINUTES).contains(&threshold),
            format!("a number of minutes from {MIN_AGENT_AWAY_MINUTES} to {MAX_AGENT_AWAY_MINUTES}"),
        ),
    };
    if is_fine {
        return Ok(());
    }
    let sentence = format!("The `threshold` of `{}` is {needed}.", rule.measure.as_str());
    Err(Error::new(Code::AlertRuleInvalid, sentence).with("field", "threshold"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(measure: AlertMeasure, threshold: f64) -> AlertRule {
        AlertRule {
            measure,
            subject_id: None,
            threshold,
            period: measure.is_of_traffic().then_some(AlertPeriod::Rolling),
            window_minutes: measure.is_of_traffic().then_some(5),
            minimum_requests: (measure == AlertMeasure::ErrorShare).then_some(20),
            enabled: true,
        }
    }

    #[test]
    fn thresholds_have_the_unit_of_their_measure() {
        use AlertMeasure::{AgentAway, Bytes, ErrorShare, Requests};
        for (measure, fine, wrong) in [
            (Requests, [1.0, 100.0], [0.0, 1.5]),
            (Bytes, [1.0, ALERT_THRESHOLD_LIMIT], [-1.0, f64::INFINITY]),
            (ErrorShare, [0.001, 1.0], [0.0, 1.01]),
            (AgentAway, [0.1, 43_200.0], [0.05, f64::NAN]),
        ] {
            for threshold in fine {
                check_threshold(&rule(measure, threshold)).unwrap_or_else(|error| panic!("{threshold}: {error}"));
            }
            for threshold in wrong {
                let error = check_threshold(&rule(measure, threshold)).expect_err("a wrong threshold");
                assert_eq!(error.code, Code::AlertRuleInvalid, "{threshold}");
            }
        }
    }

    #[test]
    fn settings_that_the_measure_does_not_have_are_refused() {
        use AlertMeasure::{AgentAway, Bytes, ErrorShare, Requests};
        let (requests, away) = (rule(Requests, 1.0), rule(AgentAway, 1.0));
        let quota = AlertRule { period: Some(AlertPeriod::Month), window_minutes: None, ..rule(Bytes, 1.0) };
        for fine in [&requests, &away, &quota, &rule(ErrorShare, 0.5)] {
            check_time(fine).unwrap_or_else(|error| panic!("{fine:?}: {error}"));
        }
        for wrong in [
            AlertRule { window_minutes: Some(0), ..requests.clone() },
            AlertRule { window_minutes: Some(61), ..requests.clone() },
            AlertRule { minimum_requests: Some(1), ..requests },
            AlertRule { window_minutes: Some(5), ..quota },
            AlertRule { period: Some(AlertPeriod::Rolling), ..away.clone() },
            AlertRule { window_minutes: Some(5), ..away },
            AlertRule { period: Some(AlertPeriod::Day), window_minutes: None, ..rule(ErrorShare, 0.5) },
            AlertRule { minimum_requests: Some(0), ..rule(ErrorShare, 0.5) },
        ] {
            assert_eq!(check_time(&wrong).expect_err("wrong").code, Code::AlertRuleInvalid, "{wrong:?}");
        }
    }
}
