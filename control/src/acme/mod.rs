//! Certificates by ACME: for every name that visitors come by, from a directory such as that of Let's Encrypt, renewed
//! while a third of their life is left. They are TLS certificates like uploaded ones, with `issued_at`.

mod account;
mod directory;
mod keeper;
mod progress;
mod wanted;

pub(crate) use progress::Progress;
pub(crate) use wanted::automatic;
use wanted::provable;

use crate::resources::Resources;
use directory::Directory;
use futures::future::BoxFuture;
use keeper::Keeper;
use postern_api::{Secret, host::HostName, resource::ManagedKeyType};
use rustls::sign::CertifiedKey;
use std::{path::PathBuf, sync::Arc};

/// Where certificates come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcmeSettings {
    /// The address of the directory.
    pub directory: String,
    /// Whom the authority may write to: a mail address.
    pub contact: Option<String>,
    /// The authority of the directory's own certificate, a PEM file; without it the system's are trusted.
    pub root: Option<PathBuf>,
}

/// Whoever can show an authority that names lead to this server.
pub trait Proofs: Send + Sync {
    /// Shows a proof until the answer is dropped.
    fn show(&self, proof: Proof) -> Box<dyn Send>;
}

/// What an authority looks at.
#[derive(Clone, Debug)]
pub enum Proof {
    /// A text on the HTTP port, under a token of the authority's (`http-01`).
    Text {
        /// The last part of its path.
        token: String,
        /// The text.
        text: String,
    },
    /// A certificate on the HTTPS port (`tls-alpn-01`).
    Certificate {
        /// The name it is shown for.
        name: HostName,
        /// The certificate.
        certificate: Arc<CertifiedKey>,
    },
}

/// The task that looks after certificates. It ends when this is dropped.
#[must_use]
pub struct Acme(tokio::task::JoinHandle<()>);

impl Acme {
    pub(crate) fn start(resources: Arc<Resources>, settings: AcmeSettings, proofs: Arc<dyn Proofs>) -> Self {
        let directory = Directory::new(settings, resources.clone(), proofs);
        let keeper = Keeper::new(resources, Arc::new(directory), Arc::new(jiff::Timestamp::now));
        Acme(tokio::spawn(keeper.run()))
    }
}

impl Drop for Acme {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Whoever issues certificates.
trait Issuer: Send + Sync + 'static {
    fn issue(&self, name: HostName, key_type: ManagedKeyType) -> BoxFuture<'static, Result<Issued, Failure>>;
}

/// A new certificate.
struct Issued {
    chain_pem: String,
    private_key_pem: Secret,
}

/// Why there is none, for the operator to read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Failure(String);
