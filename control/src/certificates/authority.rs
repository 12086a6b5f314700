//! The local certificate authority: one key pair for ten years; the certificate is public, the key is sealed.

use super::{
    issue_error::issue_failed,
    leaves::{CertificateNames, Leaves},
    validity::{Clock, DAY, set_validity},
};
use crate::{files, sealing::Seal};
use jiff::Timestamp;
use postern_api::{Code, Error, Result};
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    PKCS_ECDSA_P256_SHA256,
};
use rustls::sign::CertifiedKey;
use serde::{Deserialize, Serialize};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use zeroize::Zeroize;

const CERTIFICATE: &str = "ca.pem";
const SEALED: &str = "authority.sealed";
const PURPOSE: &str = "certificate authority";
/// Ten years in seconds.
const LIFETIME: i64 = 3652 * DAY;

/// The server's own certificate authority. Clients that trust its certificate trust every name of the server.
pub struct Authority {
    certificate_pem: String,
    path: PathBuf,
    expires: Timestamp,
    issuer: Issuer<'static, KeyPair>,
    leaves: Leaves,
    clock: Clock,
}

/// The sealed key pair, with its certificate, so that they can never be mismatched.
#[derive(Serialize, Deserialize)]
struct SealedAuthority {
    certificate_pem: String,
    key_pem: String,
    /// Seconds since 1970.
    expires: i64,
}

impl Drop for SealedAuthority {
    fn drop(&mut self) {
        self.key_pem.zeroize();
    }
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
        let pair = match files::read(&sealed)? {
            Some(bytes) => {
                let opened = seal.unseal(&bytes, PURPOSE).ok_or_else(|| unreadable(&sealed))?;
                serde_json::from_slice(&opened).map_err(|_| unreadable(&sealed))?
            }
            None => {
                let pair = generate(clock())?;
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
        let key = KeyPair::from_pem(&pair.key_pem).map_err(|error| issue_failed(&error))?;
        let issuer = Issuer::from_ca_cert_pem(&pair.certificate_pem, key).map_err(|error| issue_failed(&error))?;
        Ok(Authority {
            certificate_pem: pair.certificate_pem.clone(),
            path,
            expires: Timestamp::from_second(pair.expires).map_err(|error| issue_failed(&error))?,
            issuer,
            leaves: Leaves::default(),
            clock,
        })
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

fn generate(now: Timestamp) -> Result<SealedAuthority> {
    let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(|error| issue_failed(&error))?;
    let mut params = CertificateParams::default();
    let mut name = DistinguishedName::new();
    // The random part distinguishes the authorities of several servers in a trust store.
    name.push(DnType::CommonName, format!("Postern local authority {:04x}", rand::random::<u16>()));
    name.push(DnType::OrganizationName, "Postern");
    params.distinguished_name = name;
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let expires = now.as_second() + LIFETIME;
    set_validity(&mut params, now.as_second() - DAY, expires);
    let certificate = params.self_signed(&key).map_err(|error| issue_failed(&error))?;
    Ok(SealedAuthority { certificate_pem: certificate.pem(), key_pem: key.serialize_pem(), expires })
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
