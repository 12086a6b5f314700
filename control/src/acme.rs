//! Certificates by ACME (RFC 8555) for every public name, from a directory such as that of Let's Encrypt. They are renewed
//! after two thirds of their lifetime, and stored like uploaded TLS certificates, with `issued_at`.

mod account;
mod certificate_targets;
mod directory;
mod dns_challenge;
mod hook;
mod proofs;
mod propagation;
mod renewer;
mod requests;
mod shared_jobs;

pub use dns_challenge::{DnsChallengeSettings, DnsProvider};
pub(crate) use proofs::present_shared;

use crate::{cluster::by_turns, resources::Resources};
use directory::Directory;
use futures::future::BoxFuture;
use postern_api::{Secret, host::HostName, resource::ManagedKeyType};
use renewer::CertificateRenewer;
use rustls::sign::CertifiedKey;
use std::{path::PathBuf, sync::Arc};
use tokio::sync::watch;

/// Settings of the ACME client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcmeSettings {
    /// URL of the directory.
    pub directory: String,
    /// E-mail address that the authority may write to.
    pub contact: Option<String>,
    /// PEM file with the authority of the directory's own certificate; `None` trusts the system's authorities.
    pub root: Option<PathBuf>,
    /// How challenges in DNS are answered, which wildcards need.
    pub dns: Option<DnsChallengeSettings>,
}

/// Presents responses to the challenges of an ACME authority.
pub trait ChallengePresenter: Send + Sync {
    /// Presents a response until the returned value is dropped.
    fn present(&self, response: ChallengeResponse) -> Box<dyn Send>;
}

/// Response to a challenge.
#[derive(Clone, Debug)]
pub enum ChallengeResponse {
    /// Text on the HTTP port, under a token of the authority (RFC 8555, section 8.3).
    Http01 {
        /// Last segment of the path.
        token: String,
        /// Body of the response.
        key_authorization: String,
    },
    /// Certificate on the HTTPS port (RFC 8737).
    TlsAlpn01 {
        /// Name in the ClientHello.
        name: HostName,
        /// Certificate to present.
        certificate: Arc<CertifiedKey>,
    },
}

/// Handle of the task that orders and renews certificates. Dropping it stops the task.
#[must_use]
pub struct Acme {
    task: tokio::task::JoinHandle<()>,
    resources: Arc<Resources>,
}

impl Acme {
    pub(crate) fn start(
        resources: Arc<Resources>,
        settings: AcmeSettings,
        presenter: Arc<dyn ChallengePresenter>,
        leading: Option<watch::Receiver<bool>>,
    ) -> Self {
        let has_dns = settings.dns.is_some();
        let directory: Arc<dyn CertificateIssuer> = Arc::new(Directory::new(settings, resources.clone(), presenter));
        let known = resources.clone();
        let renewer =
            move || CertificateRenewer::new(known.clone(), directory.clone(), Arc::new(postern_api::clock::now));
        resources.provisioning.enable(has_dns);
        let task = tokio::spawn(async move { by_turns(leading, || renewer().run(), || renewer().follow()).await });
        Acme { task, resources }
    }
}

impl Drop for Acme {
    fn drop(&mut self) {
        self.task.abort();
        self.resources.provisioning.disable();
    }
}

/// Issuer of certificates.
trait CertificateIssuer: Send + Sync + 'static {
    /// Gets one certificate for all these names.
    fn issue(
        &self,
        names: Vec<HostName>,
        key_type: ManagedKeyType,
    ) -> BoxFuture<'static, Result<IssuedCertificate, AcmeError>>;
}

/// A new certificate.
struct IssuedCertificate {
    chain_pem: String,
    private_key_pem: Secret,
}

/// Reason why no certificate was issued, for the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AcmeError(String);
