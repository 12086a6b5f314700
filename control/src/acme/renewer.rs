//! Orders missing certificates, renews old ones, and retries failed orders with increasing delay. A certificate is served
//! until a better one replaces it.

use super::{
    AcmeError, CertificateIssuer, IssuedCertificate,
    certificate_targets::{Renewals, certificate_targets, wildcard_above},
    shared_jobs::{JobFollower, JobPublisher},
};
use crate::{
    certificates::{Clock, ordered_names},
    resources::Resources,
};
use futures::FutureExt;
use postern_api::{
    Code, Timestamp,
    host::HostName,
    published::Published,
    resource::{CertificateManagementStatus, ManagedKeyType},
};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    panic::AssertUnwindSafe,
    sync::Arc,
    time::Duration,
};
use tokio::task::JoinSet;

/// Delay after a first failure in seconds; each further failure doubles it. Authorities allow few failures an hour.
const FIRST_RETRY_DELAY: i64 = 10 * 60;
/// Longest delay between two attempts in seconds.
const MAX_RETRY_DELAY: i64 = 12 * 3600;
const MAX_CONCURRENT_ORDERS: usize = 4;
/// How often a node that does not order looks for certificates whose time has begun.
const FOLLOW_INTERVAL: Duration = Duration::from_secs(60);
/// Longest sleep, so that a change of the system's clock is noticed.
const MAX_SLEEP: Duration = Duration::from_secs(3600);
/// Delay before the other nodes are told again what the store did not take.
const PUBLISH_RETRY_DELAY: Duration = Duration::from_secs(5);

pub(super) struct CertificateRenewer {
    resources: Arc<Resources>,
    issuer: Arc<dyn CertificateIssuer>,
    clock: Clock,
    targets: BTreeMap<HostName, ManagedKeyType>,
    failures: HashMap<HostName, OrderRetry>,
    pending: HashSet<HostName>,
    orders: JoinSet<(HostName, Result<IssuedCertificate, AcmeError>)>,
}

/// Failures of a name since its last success.
#[derive(Clone, Copy, Default)]
struct OrderRetry {
    failures: u32,
    /// Time of the next attempt, in seconds since 1970.
    next_attempt: i64,
}

impl CertificateRenewer {
    pub(super) fn new(resources: Arc<Resources>, issuer: Arc<dyn CertificateIssuer>, clock: Clock) -> Self {
        CertificateRenewer {
            resources,
            issuer,
            clock,
            targets: BTreeMap::new(),
            failures: HashMap::new(),
            pending: HashSet::new(),
            orders: JoinSet::new(),
        }
    }

    /// Runs until the published configuration can no longer change.
    pub(super) async fn run(mut self) {
        let mut published = self.resources.published.clone();
        let mut publisher = JobPublisher::new(&self.resources);
        loop {
            published.mark_unchanged();
            let next = self.start_due_orders();
            let seconds = next.map_or(i64::MAX, |next| next.saturating_sub(self.now().seconds()).max(1));
            let mut sleep = Duration::from_secs(seconds.unsigned_abs()).min(MAX_SLEEP);
            if let Some(publisher) = &mut publisher
                && let Err(error) = publisher.publish(&self.resources.provisioning.jobs()).await
            {
                tracing::warn!("the other servers cannot be told which certificates are ordered: {error}");
                sleep = sleep.min(PUBLISH_RETRY_DELAY);
            }
            tokio::select! {
                changed = published.changed() => if changed.is_err() {
                    return;
                },
                Some(_) = self.finish_order() => {}
                () = tokio::time::sleep(sleep) => {}
            }
        }
    }

    /// Notes how far certificates are while another node orders them, until the published configuration or the store can no
    /// longer change.
    pub(super) async fn follow(self) {
        let mut published = self.resources.published.clone();
        let mut jobs = JobFollower::new(&self.resources.store);
        loop {
            published.mark_unchanged();
            self.note_progress(&jobs);
            tokio::select! {
                changed = published.changed() => if changed.is_err() {
                    return;
                },
                changed = jobs.changed() => if changed.is_err() {
                    return;
                },
                () = tokio::time::sleep(FOLLOW_INTERVAL) => {}
            }
        }
    }

    fn note_progress(&self, jobs: &JobFollower) {
        let published = self.resources.published.borrow().clone();
        let targets = self.current_targets(&published);
        self.resources.provisioning.retain(|name| targets.contains_key(name));
        let renewals = Renewals::new(&published.certificates, self.now());
        for name in targets.keys() {
            let renews_at = renewals.due(name).map(timestamp);
            let status = CertificateManagementStatus { renews_at, provisioning_job: jobs.job(name) };
            self.resources.provisioning.set_status(name, status);
        }
    }

    fn current_targets(&self, published: &Published) -> BTreeMap<HostName, ManagedKeyType> {
        certificate_targets(published, &self.resources.settings, self.resources.provisioning.has_dns())
    }

    /// Whether a name is left to the wildcard above it, which gets a certificate itself. While that fails, it is not.
    fn is_covered(&self, name: &HostName) -> bool {
        let wildcard = wildcard_above(name);
        wildcard.is_some_and(|wildcard| self.targets.contains_key(&wildcard) && !self.failures.contains_key(&wildcard))
    }

    fn now(&self) -> Timestamp {
        Timestamp::new((self.clock)())
    }

    /// Starts the orders that are due; gives the time of the next one, in seconds since 1970.
    pub(super) fn start_due_orders(&mut self) -> Option<i64> {
        let (now, published) = (self.now(), self.resources.published.borrow().clone());
        self.targets = self.current_targets(&published);
        self.failures.retain(|name, _| self.targets.contains_key(name));
        self.resources.provisioning.retain(|name| self.targets.contains_key(name));
        let renewals = Renewals::new(&published.certificates, now);
        let mut next = None;
        for (name, key_type) in &self.targets {
            if self.pending.contains(name) {
                continue;
            }
            let renewal = renewals.due(name);
            if self.is_covered(name) {
                self.failures.remove(name);
                if let Some(renewal) = renewal {
                    self.resources.provisioning.set_served(name, timestamp(renewal));
                }
                continue;
            }
            let retry = self.failures.get(name).map(|state| state.next_attempt);
            if let (Some(renewal), None) = (renewal, retry) {
                self.resources.provisioning.set_served(name, timestamp(renewal));
            }
            let due = renewal.max(retry).unwrap_or(i64::MIN);
            if due > now.seconds() {
                next = Some(next.map_or(due, |next: i64| next.min(due)));
            } else if self.pending.len() < MAX_CONCURRENT_ORDERS {
                tracing::info!(%name, "ordering a certificate");
                self.resources.provisioning.set_ordered(name, now);
                let names = ordered_names(name, &self.resources.settings.domain);
                let order = self.issuer.issue(names, *key_type);
                let name = name.clone();
                self.pending.insert(name.clone());
                self.orders.spawn(async move {
                    let outcome = AssertUnwindSafe(order).catch_unwind().await;
                    let panicked = || Err(AcmeError("the order failed inside the server".to_owned()));
                    (name, outcome.unwrap_or_else(|_| panicked()))
                });
            }
        }
        next
    }

    /// Waits for the end of an order and stores its certificate. `None` if no order is pending.
    pub(super) async fn finish_order(&mut self) -> Option<HostName> {
        let (name, outcome) = self.orders.join_next().await?.ok()?;
        self.pending.remove(&name);
        let stored = match outcome {
            Ok(issued) => self.store(&name, issued).await,
            Err(error) => Err(error),
        };
        match stored {
            Ok(()) => drop(self.failures.remove(&name)),
            Err(AcmeError(reason)) => {
                let now = self.now().seconds();
                let state = self.failures.entry(name.clone()).or_default();
                let delay = (FIRST_RETRY_DELAY << state.failures.min(16)).min(MAX_RETRY_DELAY);
                (state.failures, state.next_attempt) = (state.failures.saturating_add(1), now + delay);
                let retry = timestamp(state.next_attempt);
                tracing::warn!(%name, %retry, "no new certificate: {reason}");
                let code = Code::CertificateNotIssued.to_string();
                self.resources.provisioning.set_failed(&name, code, &reason, retry);
            }
        }
        Some(name)
    }

    async fn store(&self, name: &HostName, issued: IssuedCertificate) -> Result<(), AcmeError> {
        let now = self.now();
        let (chain, key) = (issued.chain_pem, issued.private_key_pem);
        let stored = self.resources.store_issued_certificate(name, chain, key, now).await;
        stored.map_err(|error| AcmeError(error.message))?;
        let published = self.resources.published.borrow().clone();
        match Renewals::new(&published.certificates, now).due(name) {
            Some(renewal) if renewal > now.seconds() => {
                tracing::info!(%name, renews = %timestamp(renewal), "a new certificate is served");
                Ok(())
            }
            _ => Err(AcmeError("the issued certificate is too old already, or for another name".to_owned())),
        }
    }
}

fn timestamp(seconds: i64) -> Timestamp {
    Timestamp::new(jiff::Timestamp::from_second(seconds).unwrap_or(jiff::Timestamp::MAX))
}

#[cfg(test)]
mod tests;
