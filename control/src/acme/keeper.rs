//! Looks after the certificates: asks for those that are wanted and missing, renews those that grow old, and tries again
//! what failed, later each time. What there is stays until there is something better.

use super::{
    Failure, Issued, Issuer,
    wanted::{self, Renewals},
};
use crate::resources::Resources;
use futures::FutureExt;
use postern_api::{Code, Timestamp, host::HostName, resource::ManagedKeyType};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    panic::AssertUnwindSafe,
    sync::Arc,
    time::Duration,
};
use tokio::task::JoinSet;

/// The pause after a first failure; each further one doubles it. Authorities count failures, and few an hour are
/// forgiven.
const PAUSE: i64 = 10 * 60;
const LONGEST_PAUSE: i64 = 12 * 3600;
/// Orders under way at once.
const AT_ONCE: usize = 4;
/// The longest sleep: a clock that was set is noticed within this time.
const NAP: Duration = Duration::from_secs(3600);

/// Where the keeper takes the time from.
pub(super) type Clock = Arc<dyn Fn() -> jiff::Timestamp + Send + Sync>;

pub(super) struct Keeper {
    resources: Arc<Resources>,
    issuer: Arc<dyn Issuer>,
    clock: Clock,
    wanted: BTreeMap<HostName, ManagedKeyType>,
    failed: HashMap<HostName, Failed>,
    under_way: HashSet<HostName>,
    orders: JoinSet<(HostName, Result<Issued, Failure>)>,
}

/// What went wrong with a name so far.
#[derive(Clone, Copy, Default)]
struct Failed {
    times: u32,
    /// Not before this second.
    again: i64,
}

impl Keeper {
    pub(super) fn new(resources: Arc<Resources>, issuer: Arc<dyn Issuer>, clock: Clock) -> Self {
        Keeper {
            resources,
            issuer,
            clock,
            wanted: BTreeMap::new(),
            failed: HashMap::new(),
            under_way: HashSet::new(),
            orders: JoinSet::new(),
        }
    }

    /// Goes on for as long as the configuration can change.
    pub(super) async fn run(mut self) {
        let mut published = self.resources.published.clone();
        self.resources.progress.begins();
        loop {
            published.mark_unchanged();
            let next = self.begin();
            let seconds = next.map_or(i64::MAX, |next| next.saturating_sub(self.now().seconds()).max(1));
            let nap = Duration::from_secs(seconds.unsigned_abs()).min(NAP);
            tokio::select! {
                changed = published.changed() => if changed.is_err() {
                    return;
                },
                Some(_) = self.ended() => {}
                () = tokio::time::sleep(nap) => {}
            }
        }
    }

    fn now(&self) -> Timestamp {
        Timestamp::new((self.clock)())
    }

    /// Begins to ask for what is due; gives the second of the next that will be.
    pub(super) fn begin(&mut self) -> Option<i64> {
        let (now, published) = (self.now(), self.resources.published.borrow().clone());
        self.wanted = wanted::names(&published, &self.resources.settings.own_names);
        self.failed.retain(|name, _| self.wanted.contains_key(name));
        self.resources.progress.keep(|name| self.wanted.contains_key(name));
        let renewals = Renewals::of(&published.certificates, now);
        let mut next = None;
        for (name, key_type) in &self.wanted {
            if self.under_way.contains(name) {
                continue;
            }
            let renewal = renewals.due(name);
            let pause = self.failed.get(name).map(|failed| failed.again);
            if let (Some(renewal), None) = (renewal, pause) {
                self.resources.progress.settled(name, at(renewal));
            }
            let due = renewal.max(pause).unwrap_or(i64::MIN);
            if due > now.seconds() {
                next = Some(next.map_or(due, |next: i64| next.min(due)));
            } else if self.under_way.len() < AT_ONCE {
                tracing::info!(%name, "asking for a certificate");
                self.resources.progress.began(name, now);
                let order = self.issuer.issue(name.clone(), *key_type);
                let name = name.clone();
                self.under_way.insert(name.clone());
                self.orders.spawn(async move {
                    let outcome = AssertUnwindSafe(order).catch_unwind().await;
                    (
                        name,
                        outcome.unwrap_or_else(|_| Err(Failure("the order went wrong inside the server".to_owned()))),
                    )
                });
            }
        }
        next
    }

    /// Waits for the end of an order, and stores what came of it. `None` while none is under way.
    pub(super) async fn ended(&mut self) -> Option<HostName> {
        let (name, outcome) = self.orders.join_next().await?.ok()?;
        self.under_way.remove(&name);
        let stored = match outcome {
            Ok(issued) => self.keep(&name, issued).await,
            Err(failure) => Err(failure),
        };
        match stored {
            Ok(()) => drop(self.failed.remove(&name)),
            Err(Failure(why)) => {
                let now = self.now().seconds();
                let failed = self.failed.entry(name.clone()).or_default();
                let pause = (PAUSE << failed.times.min(16)).min(LONGEST_PAUSE);
                (failed.times, failed.again) = (failed.times.saturating_add(1), now + pause);
                tracing::warn!(%name, retry = %at(failed.again), "no new certificate: {why}");
                let code = Code::CertificateNotIssued.to_string();
                self.resources.progress.failed(&name, code, &why, at(failed.again));
            }
        }
        Some(name)
    }

    async fn keep(&self, name: &HostName, issued: Issued) -> Result<(), Failure> {
        let now = self.now();
        let kept = self.resources.keep_issued(name, issued.chain_pem, issued.private_key_pem, now).await;
        kept.map_err(|error| Failure(error.message))?;
        let published = self.resources.published.borrow().clone();
        match Renewals::of(&published.certificates, now).due(name) {
            Some(renewal) if renewal > now.seconds() => {
                tracing::info!(%name, renews = %at(renewal), "a new certificate is served");
                Ok(())
            }
            _ => Err(Failure("the certificate that was given is too old already, or for another name".to_owned())),
        }
    }
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::new(jiff::Timestamp::from_second(seconds).unwrap_or(jiff::Timestamp::MAX))
}

#[cfg(test)]
mod tests;
