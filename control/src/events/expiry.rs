//! Certificates that expire soon, as events: 30, 14 and 3 days before, each once. Of those that the server renews by itself,
//! only the ones whose renewal is overdue.

use crate::{
    certificates::Clock,
    resources::{
        CommitPlan, Resources,
        audit::{EventAuthor, NewEvent},
        to_json,
    },
    store::{CommitOutcome, Range},
};
use postern_api::{Result, Timestamp, published::Certificate, resource::CERTIFICATE_EXPIRY};
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};
use std::{collections::HashSet, sync::Arc, time::Duration};

/// Days before the end at which an event is written, fewest first.
const NOTICE_DAYS: [i64; 3] = [3, 14, 30];
const SECONDS_PER_DAY: i64 = 24 * 60 * 60;
/// Part of its lifetime that a certificate has left when its renewal is overdue. It is renewed after two thirds.
const OVERDUE_PART: i64 = 6;
/// Time between two examinations, if no certificate changes.
const EXAMINATION_INTERVAL: Duration = Duration::from_secs(3600);
/// Shortest time between two of them.
const MIN_EXAMINATION_INTERVAL: Duration = Duration::from_secs(1);
/// Prefix of the keys of what was written about certificates.
const NOTICES: &str = "notices/";
const BATCH_SIZE: usize = 500;

/// Observes the end of certificates.
pub(super) struct ExpiryObserver {
    resources: Arc<Resources>,
    clock: Clock,
}

/// What was written about a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Notice {
    not_after: Timestamp,
    /// Days before the end of the latest event.
    days: i64,
}

impl ExpiryObserver {
    pub(super) fn new(resources: Arc<Resources>, clock: Clock) -> Self {
        ExpiryObserver { resources, clock }
    }

    /// Examines all certificates regularly, and whenever one changes.
    pub(super) async fn run(&self) {
        let mut published = self.resources.published.clone();
        loop {
            let certificates = published.borrow_and_update().certificates.clone();
            if let Err(error) = self.examine(&certificates).await {
                tracing::warn!(code = %error.code, "the end of certificates was not examined: {}", error.message);
            }
            tokio::time::sleep(MIN_EXAMINATION_INTERVAL).await;
            let changed = published.wait_for(|now| !Arc::ptr_eq(&now.certificates, &certificates));
            if let Ok(Err(_)) = tokio::time::timeout(EXAMINATION_INTERVAL, changed).await {
                return;
            }
        }
    }

    /// Writes the events that are due.
    async fn examine(&self, certificates: &[Arc<Certificate>]) -> Result<()> {
        let now = (self.clock)();
        for certificate in certificates {
            if let Some(days) = due_notice(certificate, Timestamp::new(now)) {
                self.notice(certificate, days, now).await?;
            }
        }
        self.forget(&certificates.iter().map(|certificate| certificate.id.as_str()).collect()).await
    }

    /// Writes an event, unless it was written before.
    async fn notice(&self, certificate: &Certificate, days: i64, now: jiff::Timestamp) -> Result<()> {
        let key = format!("{NOTICES}{}", certificate.id);
        let former = self.resources.store.get(&key).await?;
        let notice = Notice { not_after: certificate.not_after, days };
        let is_known = |former: Notice| former.not_after == notice.not_after && former.days <= days;
        if former.as_ref().and_then(|former| serde_json::from_slice(&former.value).ok()).is_some_and(is_known) {
            return Ok(());
        }
        let mut observed = Map::new();
        let addresses = certificate.addresses.iter().map(ToString::to_string);
        observed.insert("names".to_owned(), certificate.names.iter().cloned().chain(addresses).collect());
        observed.insert("not_after".to_owned(), json!(certificate.not_after));
        observed.insert("days".to_owned(), days.into());
        observed.insert("renewed".to_owned(), certificate.issued_at.is_some().into());
        let event = NewEvent::of_observation(CERTIFICATE_EXPIRY, &certificate.id, observed);
        let mut plan = CommitPlan::default();
        plan.expect_revision(&key, former.map(|former| former.revision));
        plan.put(&key, to_json(&notice)?);
        plan.record_event(&EventAuthor::server("expiry"), event, now)?;
        // A conflict means that another node has written it.
        if let CommitOutcome::Done(_) = self.resources.store.commit(plan.into_commit()).await? {
            tracing::warn!(certificate = certificate.id, not_after = %certificate.not_after, "a certificate expires soon");
        }
        Ok(())
    }

    /// Forgets certificates that no longer exist.
    async fn forget(&self, existing: &HashSet<&str>) -> Result<()> {
        let mut next = Some(Range::new(NOTICES, BATCH_SIZE));
        while let Some(range) = next {
            let page = self.resources.store.range(range.clone()).await?;
            for entry in &page.entries {
                if !existing.contains(entry.key.strip_prefix(NOTICES).unwrap_or_default()) {
                    let mut plan = CommitPlan::default();
                    plan.delete(&entry.key);
                    self.resources.store.commit(plan.into_commit()).await?;
                }
            }
            next = range.after(&page);
        }
        Ok(())
    }
}

/// Days of the event that is due for a certificate: of several, the one with the fewest. `None` if none is, or if it has
/// expired.
fn due_notice(certificate: &Certificate, now: Timestamp) -> Option<i64> {
    let left = certificate.not_after.seconds() - now.seconds();
    let lifetime = certificate.not_after.seconds() - certificate.not_before.seconds();
    if left <= 0 || (certificate.issued_at.is_some() && left > lifetime / OVERDUE_PART) {
        return None;
    }
    NOTICE_DAYS.into_iter().find(|days| left <= days * SECONDS_PER_DAY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Control, ControlSettings, NoLiveState, resources::audit::EVENTS};
    use postern_api::Secret;
    use std::sync::Mutex;

    fn day(day: i64) -> Timestamp {
        Timestamp::new(jiff::Timestamp::from_second(1_790_000_000 + day * SECONDS_PER_DAY).expect("a time"))
    }

    fn certificate(days: i64, issued: bool) -> Certificate {
        Certificate {
            id: "cert_1".to_owned(),
            chain_pem: String::new(),
            private_key_pem: Secret::default(),
            names: vec!["shop.test".to_owned()],
            addresses: Vec::new(),
            issued_at: issued.then(|| day(0)),
            not_before: day(0),
            not_after: day(days),
        }
    }

    #[test]
    fn each_notice_has_its_day() {
        let uploaded = certificate(365, false);
        let due: Vec<_> = [0, 334, 335, 350, 351, 361, 362, 364, 365, 400]
            .into_iter()
            .map(|today| due_notice(&uploaded, day(today)))
            .collect();
        let (first, second, last) = (Some(30), Some(14), Some(3));
        assert_eq!(due, [None, None, first, first, second, second, last, last, None, None]);
    }

    #[test]
    fn certificates_that_are_renewed_are_noticed_when_that_is_overdue() {
        let renewed = certificate(90, true);
        assert_eq!([60, 74, 76, 87].map(|today| due_notice(&renewed, day(today))), [None, None, Some(14), Some(3)]);
        let short = certificate(6, true);
        assert_eq!([0, 4, 5].map(|today| due_notice(&short, day(today))), [None, None, Some(3)]);
    }

    #[tokio::test]
    async fn each_notice_is_written_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let control = Control::open(ControlSettings::new(folder.path()), Arc::new(NoLiveState)).await.expect("opened");
        let today = Arc::new(Mutex::new(day(0)));
        let clock = {
            let today = today.clone();
            move || jiff::Timestamp::from_second(today.lock().expect("unpoisoned").seconds()).expect("a time")
        };
        let observer = ExpiryObserver::new(control.resources.clone(), Arc::new(clock));
        let store = control.resources.store.as_ref();
        let written = async |certificates: &[Arc<Certificate>], now: i64| {
            *today.lock().expect("unpoisoned") = day(now);
            observer.examine(certificates).await.expect("examined");
            observer.examine(certificates).await.expect("examined");
            store.range(Range::new(EVENTS, 100)).await.expect("events").entries.len()
        };
        let certificates = [Arc::new(certificate(90, false))];
        for (now, events) in [(0, 0), (59, 0), (60, 1), (75, 1), (76, 2), (80, 2), (88, 3), (89, 3), (91, 3)] {
            assert_eq!(written(&certificates, now).await, events, "day {now}");
        }
        // Another certificate under the same id begins anew; of several notices that are due, one is written.
        assert_eq!(written(&[Arc::new(certificate(93, false))], 92).await, 4);
        assert_eq!(store.range(Range::new(NOTICES, 10)).await.expect("notices").entries.len(), 1);
        assert_eq!(written(&[], 92).await, 4);
        assert!(store.range(Range::new(NOTICES, 10)).await.expect("notices").entries.is_empty(), "forgotten");
    }
}
