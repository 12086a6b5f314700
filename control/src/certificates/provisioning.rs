//! Certificates that the server gets by itself: the names it can get one for, and the progress of each.

use postern_api::{
    Code, Timestamp,
    host::{HostName, is_localhost},
    published::Certificate,
    resource::{CertificateManagementStatus, ProvisioningJob},
};
use std::{
    collections::HashMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// Whether an ACME authority can validate a name by the challenges that this server supports.
///
/// Wildcards need a challenge in DNS, and names below `localhost` lead to the authority itself.
pub(crate) fn can_be_validated(name: &HostName, has_dns: bool) -> bool {
    let text = name.as_str();
    (has_dns || name.wildcard_parent().is_none()) && text.contains('.') && !is_localhost(text)
}

/// Names of the certificate that is ordered for a name. The wildcard of the server's own domain comes with the domain.
pub(crate) fn ordered_names(name: &HostName, own_domain: &HostName) -> Vec<HostName> {
    let is_own = name.wildcard_parent() == Some(own_domain.as_str());
    std::iter::once(name).chain(is_own.then_some(own_domain)).cloned().collect()
}

/// Whether the server got a certificate by itself, for exactly these names.
pub(crate) fn is_issued_for(certificate: &Certificate, names: &[HostName]) -> bool {
    certificate.issued_at.is_some()
        && certificate.names.len() == names.len()
        && names.iter().all(|name| certificate.names.iter().any(|known| known == name.as_str()))
}

/// Progress of each name's certificate. ACME writes it; reserved domains show it.
#[derive(Default)]
pub(crate) struct ProvisioningTable {
    names: Mutex<HashMap<HostName, CertificateManagementStatus>>,
    enabled: AtomicBool,
    has_dns: AtomicBool,
}

impl ProvisioningTable {
    /// Progress of a name that has been waiting for a certificate since a time. Explains it if the name will never
    /// get one.
    pub(crate) fn status(&self, name: &HostName, since: Timestamp) -> CertificateManagementStatus {
        let obstacle = if !self.enabled.load(Ordering::Relaxed) {
            "This server has no ACME directory. Start it with `--acme-directory`, or upload a certificate."
        } else if name.wildcard_parent().is_some() && !self.has_dns.load(Ordering::Relaxed) {
            "A wildcard certificate needs a challenge in DNS. Start the server with `--acme-dns-server` or `--acme-dns-hook`, \
             or upload a certificate."
        } else if !can_be_validated(name, true) {
            "No authority can reach this name. The server's own authority has a certificate for it."
        } else {
            return self.with(|all| all.get(name).cloned().unwrap_or_default());
        };
        let job = ProvisioningJob {
            error_code: Some(Code::CertificateNotIssued.to_string()),
            msg: obstacle.to_owned(),
            started_at: since,
            retries_at: None,
        };
        CertificateManagementStatus { renews_at: None, provisioning_job: Some(job) }
    }

    /// Notes that an ACME directory is configured, and whether challenges in DNS are answered.
    pub(crate) fn enable(&self, has_dns: bool) {
        self.enabled.store(true, Ordering::Relaxed);
        self.has_dns.store(has_dns, Ordering::Relaxed);
    }

    /// Whether challenges in DNS are answered.
    pub(crate) fn has_dns(&self) -> bool {
        self.enabled.load(Ordering::Relaxed) && self.has_dns.load(Ordering::Relaxed)
    }

    /// Notes that no ACME directory is configured any more.
    pub(crate) fn disable(&self) {
        self.enabled.store(false, Ordering::Relaxed);
    }

    /// Notes that a certificate is served, and when it is renewed.
    pub(crate) fn set_served(&self, name: &HostName, renews_at: Timestamp) {
        self.set_status(name, CertificateManagementStatus { renews_at: Some(renews_at), provisioning_job: None });
    }

    /// Notes that a certificate has been ordered.
    pub(crate) fn set_ordered(&self, name: &HostName, now: Timestamp) {
        let job = ProvisioningJob {
            error_code: None,
            msg: "A certificate has been ordered.".to_owned(),
            started_at: now,
            retries_at: None,
        };
        self.with(|all| all.entry(name.clone()).or_default().provisioning_job = Some(job));
    }

    /// Notes that an order failed, and when the next one follows.
    pub(crate) fn set_failed(&self, name: &HostName, code: String, reason: &str, retries_at: Timestamp) {
        self.with(|all| {
            if let Some(job) = &mut all.entry(name.clone()).or_default().provisioning_job {
                (job.error_code, job.msg, job.retries_at) = (Some(code), reason.to_owned(), Some(retries_at));
            }
        });
    }

    /// Notes the state of a name as the node that orders has it.
    pub(crate) fn set_status(&self, name: &HostName, status: CertificateManagementStatus) {
        self.with(|all| all.insert(name.clone(), status));
    }

    /// Jobs of all names that have one.
    pub(crate) fn jobs(&self) -> Vec<(HostName, ProvisioningJob)> {
        self.with(|all| {
            all.iter().filter_map(|(name, status)| Some((name.clone(), status.provisioning_job.clone()?))).collect()
        })
    }

    /// Forgets the names that do not match.
    pub(crate) fn retain(&self, is_target: impl Fn(&HostName) -> bool) {
        self.with(|all| all.retain(|name, _| is_target(name)));
    }

    fn with<T>(&self, access: impl FnOnce(&mut HashMap<HostName, CertificateManagementStatus>) -> T) -> T {
        access(&mut self.names.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
