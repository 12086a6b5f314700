//! Event destinations: where they are, what they want, and the secrets that sign what is sent there.

pub(crate) mod progress;
pub(crate) mod receiver_url;

use super::{
    CallContext, CreateContext, Modules, NewModule, NewRecord, Resources, Rules, StoredRecord,
    audit::EVENTS,
    commit_plan::{CommitPlan, to_json},
    keys,
    rights::Scope,
};
use aws_lc_rs::rand;
use base64::{Engine, prelude::BASE64_STANDARD};
use postern_api::{
    Code, Error, Result, Secret, Timestamp,
    resource::{
        EVENT_KINDS, EVERY_KIND, EventDestination, EventDestinationCreate, EventDestinationStatus,
        EventDestinationUpdate,
    },
};
use progress::Progress;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Destinations of a server at most: each has a task of its own.
pub(crate) const MAX_DESTINATIONS: usize = 20;
/// Bytes of a secret: the Standard Webhooks specification wants 24 to 64.
const SECRET_BYTES: usize = 32;
/// Time for which a former secret still signs.
const FORMER_SECRET_DURATION: Duration = Duration::from_secs(24 * 60 * 60);

/// The secrets of a destination.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SigningSecrets {
    /// `whsec_` and the base64 of a key.
    secret: Secret,
    former: Option<Secret>,
    /// Until when the former one signs, too.
    former_until: Option<Timestamp>,
}

impl SigningSecrets {
    /// The prefix of a secret in the Standard Webhooks specification.
    pub(crate) const PREFIX: &str = "whsec_";

    fn generate() -> Result<Self> {
        let mut key = [0; SECRET_BYTES];
        rand::fill(&mut key).map_err(|_| Error::from(Code::Internal))?;
        let secret = Secret::new(format!("{}{}", Self::PREFIX, BASE64_STANDARD.encode(key)));
        Ok(SigningSecrets { secret, former: None, former_until: None })
    }

    /// New secrets, of which the former one stays valid for a while.
    fn rotated(&self, now: jiff::Timestamp) -> Result<Self> {
        let until = now.checked_add(FORMER_SECRET_DURATION).unwrap_or(jiff::Timestamp::MAX);
        let (former, former_until) = (Some(self.secret.clone()), Some(Timestamp::new(until)));
        Ok(SigningSecrets { former, former_until, ..Self::generate()? })
    }

    /// The secrets that sign at a time, the current one first.
    pub(crate) fn valid_at(&self, now: Timestamp) -> impl Iterator<Item = &Secret> {
        let former = self.former.as_ref().filter(|_| self.former_until.is_some_and(|until| now < until));
        std::iter::once(&self.secret).chain(former)
    }
}

impl Rules for EventDestination {
    type Hidden = SigningSecrets;
    const SEEN_WITH: Scope = Scope::Everything;
    const CHANGED_WITH: Scope = Scope::Everything;
    const SECRETS: &'static [&'static str] = &["/hidden/secret", "/hidden/former"];

    async fn create(body: EventDestinationCreate, _context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        receiver_url::parse(&body.url)?;
        let destination = EventDestination {
            url: body.url,
            enabled: body.enabled.unwrap_or(true),
            kinds: parse_kinds(body.kinds.unwrap_or_default())?,
            operations: distinct(body.operations.unwrap_or_default()),
        };
        let secrets = SigningSecrets::generate()?;
        let token = Some(secrets.secret.clone());
        Ok(NewRecord { token, ..NewRecord::new(destination, secrets) })
    }

    async fn update(
        stored: &mut StoredRecord<Self>,
        body: EventDestinationUpdate,
        call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        let spec = &mut stored.spec;
        if let Some(url) = body.url {
            receiver_url::parse(&url)?;
            spec.url = url;
        }
        spec.enabled = body.enabled.unwrap_or(spec.enabled);
        if let Some(kinds) = body.kinds {
            spec.kinds = parse_kinds(kinds)?;
        }
        if let Some(operations) = body.operations {
            spec.operations = distinct(operations);
        }
        if body.rotate_secret == Some(true) {
            stored.hidden = stored.hidden.rotated(call.now)?;
        }
        Ok(Vec::new())
    }

    async fn before_commit(
        plan: &mut CommitPlan,
        stored: &StoredRecord<Self>,
        former: Option<&StoredRecord<Self>>,
        call: &CallContext<'_>,
    ) -> Result<()> {
        if former.is_some() {
            return Ok(());
        }
        let others = call.resources.read_all(plan, &keys::records::<Self>()).await?;
        if others.len() >= MAX_DESTINATIONS {
            let sentence = format!("There are {MAX_DESTINATIONS} event destinations already. Delete one first.");
            return Err(Error::new(Code::DestinationLimit, sentence));
        }
        plan.put(&progress::key(&stored.id), to_json(&Progress::beginning(call.now))?);
        Ok(())
    }

    async fn before_delete(plan: &mut CommitPlan, stored: &StoredRecord<Self>, _ctx: &Resources) -> Result<()> {
        plan.delete(&progress::key(&stored.id));
        Ok(())
    }

    async fn status(
        stored: &StoredRecord<Self>,
        _modules: &Modules,
        ctx: &Resources,
    ) -> Result<EventDestinationStatus> {
        let Some(progress) = Progress::load(ctx.store.as_ref(), &stored.id).await? else {
            return Ok(EventDestinationStatus::default());
        };
        let pending = progress.count_pending(ctx.store.as_ref(), &stored.spec).await?;
        let Progress { last_delivery, skipped, .. } = progress;
        Ok(EventDestinationStatus { secret: None, last_delivery, pending, skipped })
    }

    fn reveal_token(status: &mut EventDestinationStatus, token: Secret) {
        status.secret = Some(token);
    }

    fn renewed_token(former: &StoredRecord<Self>, stored: &StoredRecord<Self>) -> Option<Secret> {
        let secret = &stored.hidden.secret;
        (*secret != former.hidden.secret).then(|| secret.clone())
    }
}

/// Kinds to send; none for all.
fn parse_kinds(kinds: Vec<String>) -> Result<Vec<String>> {
    let unknown = kinds.iter().find(|kind| *kind != EVERY_KIND && !EVENT_KINDS.contains(&kind.as_str()));
    if let Some(unknown) = unknown {
        let shown: String = unknown.chars().take(40).collect();
        let sentence =
            format!("There are no events of the kind `{shown}`. Write `*`, or some of `{}`.", EVENT_KINDS.join("`, `"));
        return Err(Error::new(Code::DestinationKindUnknown, sentence).with("field", "kinds"));
    }
    if kinds.is_empty() || kinds.iter().any(|kind| kind == EVERY_KIND) {
        return Ok(vec![EVERY_KIND.to_owned()]);
    }
    Ok(distinct(kinds))
}

/// The values without repetitions, in order.
fn distinct<T: PartialEq>(values: Vec<T>) -> Vec<T> {
    values.into_iter().fold(Vec::new(), |mut distinct, value| {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
        distinct
    })
}

/// Key in the store of an event with an id.
pub(crate) fn event_key(id: &str) -> String {
    format!("{EVENTS}{id}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_former_secret_signs_for_a_day() {
        let now = jiff::Timestamp::UNIX_EPOCH;
        let after = |hours: i64| Timestamp::new(now + jiff::SignedDuration::from_hours(hours));
        let first = SigningSecrets::generate().expect("secrets");
        assert!(first.secret.reveal().starts_with("whsec_") && !format!("{first:?}").contains("whsec_"));
        let rotated = first.rotated(now).expect("secrets");
        assert_ne!(rotated.secret, first.secret);
        assert_eq!(rotated.valid_at(after(23)).collect::<Vec<_>>(), [&rotated.secret, &first.secret]);
        assert_eq!(rotated.valid_at(after(24)).collect::<Vec<_>>(), [&rotated.secret]);
    }

    #[test]
    fn kinds_are_those_of_events_and_none_stand_for_all() {
        let parse = |kinds: &[&str]| parse_kinds(kinds.iter().map(|kind| (*kind).to_owned()).collect());
        for all in [&[][..], &["*"], &["user", "*"]] {
            assert_eq!(parse(all).expect("all"), ["*"]);
        }
        assert_eq!(parse(&["user", "api_key", "user"]).expect("two"), ["user", "api_key"]);
        assert_eq!(parse(&["users"]).expect_err("no kind").code, Code::DestinationKindUnknown);
    }
}
