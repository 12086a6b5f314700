//! How far the server is with certificates, as reserved domains show it.

use postern_api::{
    Code, Timestamp,
    host::HostName,
    resource::{CertificateManagementStatus, ProvisioningJob},
};
use std::{
    collections::HashMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// By name, once there is a directory to ask.
#[derive(Default)]
pub(crate) struct Progress {
    names: Mutex<HashMap<HostName, CertificateManagementStatus>>,
    works: AtomicBool,
}

impl Progress {
    /// How far the server is with a name that shall have a certificate since a moment. Where it will never get one, it says
    /// why.
    pub(crate) fn of(&self, name: &HostName, since: Timestamp) -> CertificateManagementStatus {
        let hopeless = if !self.works.load(Ordering::Relaxed) {
            "This server has no ACME directory to ask. Start it with `--acme-directory`, or upload a certificate."
        } else if name.wildcard_parent().is_some() {
            "A certificate for a wildcard asks for a proof in the name's DNS zone, which this server cannot show. Upload one."
        } else if !super::provable(name) {
            "No authority can reach this name. The server's own authority has a certificate for it."
        } else {
            return self.with(|all| all.get(name).cloned().unwrap_or_default());
        };
        let job = ProvisioningJob {
            error_code: Some(Code::CertificateNotIssued.to_string()),
            msg: hopeless.to_owned(),
            started_at: since,
            retries_at: None,
        };
        CertificateManagementStatus { renews_at: None, provisioning_job: Some(job) }
    }

    /// There is a directory.
    pub(super) fn begins(&self) {
        self.works.store(true, Ordering::Relaxed);
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
        look(&mut self.names.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
