//! The local certificate authority: one key pair for ten years; the certificate is public, the key is sealed.

use super::{
    authority_pair::AuthorityPair,
    issue_error::issue_failed,
    leaves::{CertificateNames, Leaves},
    validity::Clock,
};
use crate::{files, sealing::Seal};
use jiff::Timestamp;
use postern_api::{Code, Error, Result};
use rcgen::{Issuer, KeyPair};
use rustls::sign::CertifiedKey;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use zeroize::Zeroize;

const CERTIFICATE: &str = "ca.pem";
/// File with the sealed key pair.
pub(crate) const SEALED: &str = "authority.sealed";
const PURPOSE: &str = "certificate authority";

/// The server's own certificate authority. Clients that trust its certificate trust every name of the server.
pub struct Authority {
    certificate_pem: String,
    path: PathBuf,
    expires: Timestamp,
    issuer: Issuer<'static, KeyPair>,
    leaves: Leaves,
    clock: Clock,
}

impl Authority {
    /// Opens the authority of a data folder, and creates it the first time. The certificate is written to `ca.pem`, which
    /// every user of the machine may read; the key is sealed. An authority that cannot be opened is never replaced.
    ///
    /// # Errors
    /// If a file cannot be read or written, or the key cannot be unsealed.
    pub fn open(data_dir: &Path) -> Result<Self> {
        Self::open_at(data_dir, Arc::new(postern_api::clock::now))
    }

    pub(super) fn open_at(data_dir: &Path, clock: Clock) -> Result<Self> {
        files::create_private_folder(data_dir)?;
        let seal = Seal::open(data_dir)?;
        let sealed = data_dir.join(SEALED);
        let pair: AuthorityPair = match files::read(&sealed)? {
            Some(bytes) => {
                let opened = seal.unseal(&bytes, PURPOSE).ok_or_else(|| unreadable(&sealed))?;
                serde_json::from_slice(&opened).map_err(|_| unreadable(&sealed))?
            }
            None => {
                let pair = AuthorityPair::generate("Postern local authority", clock())?;
                let mut text = serde_json::to_vec(&pair).map_err(|error| issue_failed(&error))?;
                files::write_private(&sealed, &seal.seal(&text, PURPOSE)?)?;
                text.zeroize();
                pair
            }
        };
        let path = data_dir.join(CERTIFICATE);
        if files::read(&path)?.as_deref() != Some(pair.certificate_pem.as_bytes()) {
            files::write_public(&path, pair.certificate_pem.as_bytes())?;
        }
        Ok(Authority {
            certificate_pem: pair.certificate_pem.clone(),
            path,
            expires: Timestamp::from_second(pair.expires).map_err(|error| issue_failed(&error))?,
            issuer: pair.issuer()?,
            leaves: Leaves::default(),
            clock,
        })
    }

    /// The sealed key pair of a data folder, which is created the first time.
    ///
    /// # Errors
    /// Those of [`Authority::open`].
    pub(crate) fn sealed_pair(data_dir: &Path) -> Result<Vec<u8>> {
        Self::open(data_dir)?;
        Ok(files::read(&data_dir.join(SEALED))?.unwrap_or_default())
    }

    /// Replaces the sealed key pair of a data folder, if it is another one. Gives whether one was replaced.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub(crate) fn set_sealed_pair(data_dir: &Path, sealed: &[u8]) -> Result<bool> {
        let path = data_dir.join(SEALED);
        let former = files::read(&path)?;
        if former.as_deref() == Some(sealed) {
            return Ok(false);
        }
        files::write_private(&path, sealed)?;
        Ok(former.is_some())
    }

    /// Certificate of the authority in PEM, which visitors must trust.
    pub fn certificate_pem(&self) -> &str {
        &self.certificate_pem
    }

    /// Path of that certificate.
    pub fn certificate_path(&self) -> &Path {
        &self.path
    }

    /// A certificate for host names (wildcards included) and IP addresses, from the cache or newly issued.
    ///
    /// CertificateNames are normalized; their order does not matter.
    ///
    /// # Errors
    /// If there is no name, or one that is not allowed in a certificate.
    pub fn leaf(&self, names: &[&str]) -> Result<Arc<CertifiedKey>> {
        let names = CertificateNames::new(names)?;
        self.leaves.get(&names, (self.clock)(), || {
            super::leaves::issue_leaf(&names, &self.issuer, self.expires, (self.clock)())
        })
    }
}

#[cfg(test)]
impl Authority {
    pub(super) fn cached(&self) -> (usize, usize) {
        self.leaves.cached()
    }
}

impl std::fmt::Debug for Authority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authority").field("path", &self.path).finish_non_exhaustive()
    }
}

fn unreadable(path: &Path) -> Error {
    Error::new(
        Code::Unavailable,
        format!(
            "`{}` cannot be opened with the key in `seal.key`. Restore both from a backup; or remove `{SEALED}` to get a new authority, which visitors must trust again.",
            path.display()
        ),
    )
}
