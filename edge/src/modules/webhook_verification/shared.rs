//! What the checks of all routes share, and what must outlive a change of a route.

use super::{SigningCertificates, certificates::Certificates, own::mailgun::Used};
use crate::{http::BufferBudget, limits::Limits};
use jiff::Timestamp;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// One for the whole edge.
pub(crate) struct Webhooks {
    now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    pub(super) room: BufferBudget,
    pub(super) certificates: Certificates,
    used: Mutex<HashMap<String, Arc<Used>>>,
}

impl Webhooks {
    pub(crate) fn new(
        limits: &Limits,
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

    /// What was used on a route already.
    pub(super) fn used(&self, id: &str) -> Arc<Used> {
        self.all_used().entry(id.to_owned()).or_default().clone()
    }

    /// Forgets what was used on a route that is no more.
    pub(crate) fn forget(&self, owner: &str) {
        self.all_used().remove(owner);
    }

    pub(crate) fn retain(&self, stays: impl Fn(&str) -> bool) {
        self.all_used().retain(|id, _| stays(id));
    }

    fn all_used(&self) -> MutexGuard<'_, HashMap<String, Arc<Used>>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
