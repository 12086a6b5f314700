//! How far the server is with certificates, as reserved domains show it.

use postern_api::{
    Timestamp,
    host::HostName,
    resource::{CertificateManagementStatus, ProvisioningJob},
};
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

/// By name. Without a directory there is nothing.
#[derive(Default)]
pub(crate) struct Progress(Mutex<HashMap<HostName, CertificateManagementStatus>>);

impl Progress {
    /// How far the server is with a name.
    pub(crate) fn of(&self, name: &HostName) -> CertificateManagementStatus {
        self.with(|all| all.get(name).cloned().unwrap_or_default())
    }

    /// The certificate is there, and renewed at this moment.
    pub(super) fn settled(&self, name: &HostName, renews_at: Timestamp) {
        let status = CertificateManagementStatus { renews_at: Some(renews_at), provisioning_job: None };
        self.with(|all| all.insert(name.clone(), status));
    }

    /// One is asked for since this moment.
    pub(super) fn began(&self, name: &HostName, now: Timestamp) {
        let job = ProvisioningJob {
            error_code: None,
            msg: "A certificate is asked for.".to_owned(),
            started_at: now,
            retries_at: None,
        };
        self.with(|all| all.entry(name.clone()).or_default().provisioning_job = Some(job));
    }

    /// It was not given; the next attempt is made at this moment.
    pub(super) fn failed(&self, name: &HostName, code: String, why: &str, retries_at: Timestamp) {
        self.with(|all| {
            if let Some(job) = &mut all.entry(name.clone()).or_default().provisioning_job {
                (job.error_code, job.msg, job.retries_at) = (Some(code), why.to_owned(), Some(retries_at));
            }
        });
    }

    /// Forgets what nobody wants any more.
    pub(super) fn keep(&self, wanted: impl Fn(&HostName) -> bool) {
        self.with(|all| all.retain(|name, _| wanted(name)));
    }

    fn with<T>(&self, look: impl FnOnce(&mut HashMap<HostName, CertificateManagementStatus>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
