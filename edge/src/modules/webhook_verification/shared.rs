//! State shared by the verification of all routes, which outlives changes of a route.

use super::{SigningCertificates, certificates::Certificates, custom::mailgun::UsedTokens};
use crate::{http::BufferBudget, limits::CurrentLimits};
use jiff::Timestamp;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The state, one per edge.
pub(crate) struct Webhooks {
    now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    pub(in crate::modules) room: BufferBudget,
    pub(super) certificates: Certificates,
    used: Mutex<HashMap<String, Arc<UsedTokens>>>,
}

impl Webhooks {
    pub(crate) fn new(
        limits: CurrentLimits,
        now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
        signing_certificates: Arc<dyn SigningCertificates>,
    ) -> Self {
        Webhooks {
            now,
            room: BufferBudget::new(limits),
            certificates: Certificates::new(signing_certificates),
            used: Mutex::default(),
        }
    }

    pub(super) fn now(&self) -> Timestamp {
        (self.now)()
    }

    /// The one-time tokens that a route has received.
    pub(super) fn used(&self, id: &str) -> Arc<UsedTokens> {
        self.all_used().entry(id.to_owned()).or_default().clone()
    }

    /// Removes the tokens of a route that was deleted.
    pub(crate) fn forget(&self, owner: &str) {
        self.all_used().remove(owner);
    }

    pub(crate) fn retain(&self, stays: impl Fn(&str) -> bool) {
        self.all_used().retain(|id, _| stays(id));
    }

    fn all_used(&self) -> MutexGuard<'_, HashMap<String, Arc<UsedTokens>>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
