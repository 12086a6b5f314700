//! Refused calls of the API as events. However many calls are refused, few events are written: one for the first call of a
//! key or address that is refused for a reason, and one for all further ones of the same minute.

use super::{CallOrigin, EventAuthor, NewEvent};
use crate::{
    resources::{Caller, CommitPlan, Resources},
    store::CommitOutcome,
};
use postern_api::{Code, Result, Timestamp, resource::API_REFUSAL};
use serde_json::{Map, json};
use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

/// Time for which further refusals are counted.
const COUNTING_INTERVAL: Duration = Duration::from_secs(60);
/// Sources that are told apart within that time; all others are counted as one.
const MAX_SOURCES: usize = 64;
/// Bytes of the path that are recorded.
const MAX_PATH_BYTES: usize = 200;
/// Events of one commit.
const MAX_EVENTS_PER_COMMIT: usize = 32;

/// Refusals that are not yet written.
#[derive(Default)]
pub(crate) struct Refusals {
    counted: Mutex<Counted>,
    /// An event is to be written at once.
    first: Notify,
}

#[derive(Default)]
struct Counted {
    first: Vec<Refused>,
    further: HashMap<Source, Refused>,
}

/// Calls that are counted together; those of too many sources have none of the members.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct Source {
    /// Key and address of the caller; the address only if the key is not known.
    key: Option<String>,
    address: Option<IpAddr>,
    code: Option<Code>,
}

/// Refused calls of one source.
#[derive(Clone)]
struct Refused {
    author: EventAuthor,
    calls: u64,
    code: Option<Code>,
    method: String,
    path: String,
    until: jiff::Timestamp,
}

/// A call that was refused.
pub(crate) struct RefusedCall<'a> {
    pub(crate) caller: Option<&'a Caller>,
    pub(crate) origin: CallOrigin,
    pub(crate) code: Code,
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
}

impl Refusals {
    /// Counts a call.
    pub(crate) fn count(&self, call: RefusedCall<'_>) {
        let key = call.caller.map(|caller| caller.key.to_string());
        let address = call.origin.address.filter(|_| key.is_none());
        let mut source = Source { key, address, code: Some(call.code) };
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if counted.further.len() >= MAX_SOURCES && !counted.further.contains_key(&source) {
            source = Source::default();
        }
        if let Some(refused) = counted.further.get_mut(&source) {
            (refused.calls, refused.until) = (refused.calls + 1, postern_api::clock::now());
            return;
        }
        let refused = Refused::of(&call, &source);
        counted.further.insert(source, Refused { calls: 0, ..refused.clone() });
        counted.first.push(refused);
        drop(counted);
        self.first.notify_one();
    }

    fn take_first(&self) -> Vec<Refused> {
        std::mem::take(&mut self.counted.lock().unwrap_or_else(PoisonError::into_inner).first)
    }

    /// Ends the time of counting.
    fn take_further(&self) -> Vec<Refused> {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let further = std::mem::take(&mut counted.further);
        further.into_values().filter(|refused| refused.calls > 0).collect()
    }
}

impl Refused {
    fn of(call: &RefusedCall<'_>, source: &Source) -> Self {
        let author = match call.caller {
            _ if *source == Source::default() => EventAuthor::unknown(CallOrigin::default()),
            Some(caller) => Caller { origin: call.origin.clone(), ..caller.clone() }.author(),
            None => EventAuthor::unknown(call.origin.clone()),
        };
        let end = (0..=MAX_PATH_BYTES.min(call.path.len())).rev().find(|end| call.path.is_char_boundary(*end));
        Refused {
            author,
            calls: 1,
            code: source.code,
            method: call.method.to_owned(),
            path: call.path[..end.unwrap_or(0)].to_owned(),
            until: postern_api::clock::now(),
        }
    }

    fn event(&self) -> NewEvent {
        let mut observed = Map::new();
        observed.insert("calls".to_owned(), self.calls.into());
        observed.insert("error_code".to_owned(), json!(self.code));
        observed.insert("status_code".to_owned(), json!(self.code.map(Code::status)));
        observed.insert("method".to_owned(), self.method.clone().into());
        observed.insert("path".to_owned(), self.path.clone().into());
        observed.insert("last_at".to_owned(), json!(Timestamp::new(self.until)));
        let key = self.author.by.clone();
        NewEvent::of_observation(API_REFUSAL, &key, observed)
    }
}

/// Writes what is counted.
pub(crate) async fn write_refusals(resources: Arc<Resources>) {
    let mut end = Instant::now() + COUNTING_INTERVAL;
    loop {
        let refused = tokio::select! {
            () = resources.refusals.first.notified() => resources.refusals.take_first(),
            () = sleep_until(end) => {
                end = Instant::now() + COUNTING_INTERVAL;
                resources.refusals.take_further()
            }
        };
        if let Err(error) = resources.record_refusals(&refused).await {
            tracing::warn!(code = %error.code, "refused calls of the API are not in the audit log: {}", error.message);
        }
    }
}

impl Resources {
    async fn record_refusals(&self, refused: &[Refused]) -> Result<()> {
        for some in refused.chunks(MAX_EVENTS_PER_COMMIT) {
            let mut plan = CommitPlan::default();
            for one in some {
                plan.record_event(&one.author, one.event(), postern_api::clock::now())?;
            }
            // There are no conditions that could fail.
            if let CommitOutcome::Done(revision) = self.store.commit(plan.into_commit()).await? {
                super::retention::after_commit(&self.store, self.settings.audit_retention, revision);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(address: u32, path: &str) -> RefusedCall<'_> {
        let origin = CallOrigin { address: Some(IpAddr::V4(address.into())), operation_id: String::new() };
        RefusedCall { caller: None, origin, code: Code::KeyUnknown, method: "GET", path }
    }

    #[test]
    fn a_flood_of_refusals_makes_few_events() {
        let refusals = Refusals::default();
        for round in 0..1000 {
            for address in 1..=100 {
                refusals.count(call(address, "/users"));
            }
            assert_eq!(refusals.take_first().len(), if round == 0 { MAX_SOURCES + 1 } else { 0 });
        }
        let further = refusals.take_further();
        assert_eq!(further.len(), MAX_SOURCES + 1);
        let calls: u64 = further.iter().map(|refused| refused.calls).sum();
        assert_eq!(calls, 1000 * 100 - 65, "every call is counted once");
        let others = further.iter().find(|refused| refused.code.is_none()).expect("those of other addresses");
        assert_eq!((others.calls, others.author.origin.address), (1000 * 36 - 1, None));
        refusals.count(call(1, "/users"));
        assert_eq!(refusals.take_first().len(), 1, "the next minute begins anew");
        assert!(refusals.take_further().is_empty());
    }

    #[test]
    fn long_paths_are_cut_between_characters() {
        let refusals = Refusals::default();
        refusals.count(call(1, &format!("/{}", "ä".repeat(300))));
        let first = refusals.take_first().remove(0);
        assert_eq!(first.path.len(), 199);
        assert_eq!(first.event().operation.as_str(), "observed");
    }
}
