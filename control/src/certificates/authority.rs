//! The authority: one key pair for ten years, its certificate public, its key sealed.

use super::leaves::{Leaves, Names};
use crate::{files, sealing::Seal, store::StoreError};
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
    time::Duration,
};
use zeroize::Zeroize;

const CERTIFICATE: &str = "ca.pem";
const SEALED: &str = "authority.sealed";
const PURPOSE: &str = "certificate authority";
pub(super) const DAY: i64 = 24 * 3600;
/// Ten years.
const LIFETIME: i64 = 3652 * DAY;

/// A certificate authority of this server's own. Who trusts its certificate trusts every name this server serves.
pub struct Authority {
    certificate_pem: String,
    path: PathBuf,
    expires: Timestamp,
    issuer: Issuer<'static, KeyPair>,
    leaves: Leaves,
    clock: Clock,
}

/// Where the authority takes the time from.
pub(super) type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// What is sealed: both halves, so that they can never be mismatched.
#[derive(Serialize, Deserialize)]
struct Pair {
    certificate_pem: String,
    key_pem: String,
    /// Seconds since 1970.
    expires: i64,
}

impl Drop for Pair {
    fn drop(&mut self) {
        self.key_pem.zeroize();
    }
}

impl Authority {
    /// Opens the authority of a data folder, making it the first time. The certificate is in `ca.pem`,
    /// readable by everybody; the key is sealed. An authority that cannot be opened is never replaced.
    pub fn open(data_dir: &Path) -> Result<Self> {
        Self::open_at(data_dir, Arc::new(Timestamp::now))
    }

    pub(super) fn open_at(data_dir: &Path, clock: Clock) -> Result<Self> {
        files::private_folder(data_dir)?;
        let seal = Seal::open(data_dir)?;
        let sealed = data_dir.join(SEALED);
        let pair = match files::read(&sealed)? {
            Some(bytes) => {
                let opened = seal.unseal(&bytes, PURPOSE).ok_or_else(|| unreadable(&sealed))?;
                serde_json::from_slice(&opened).map_err(|_| unreadable(&sealed))?
            }
            None => {
                let pair = make(clock())?;
                let mut text = serde_json::to_vec(&pair).map_err(|error| broken(&error))?;
                files::write_whole(&sealed, &seal.seal(&text, PURPOSE)?, files::PRIVATE)?;
                text.zeroize();
                pair
            }
        };
        let path = data_dir.join(CERTIFICATE);
        if files::read(&path)?.as_deref() != Some(pair.certificate_pem.as_bytes()) {
            files::write_whole(&path, pair.certificate_pem.as_bytes(), files::PUBLIC)?;
        }
        let key = KeyPair::from_pem(&pair.key_pem).map_err(|error| broken(&error))?;
        let issuer = Issuer::from_ca_cert_pem(&pair.certificate_pem, key).map_err(|error| broken(&error))?;
        Ok(Authority {
            certificate_pem: pair.certificate_pem.clone(),
            path,
            expires: Timestamp::from_second(pair.expires).map_err(|error| broken(&error))?,
            issuer,
            leaves: Leaves::default(),
            clock,
        })
    }

    /// The authority's certificate, in PEM: what visitors must trust.
    pub fn certificate_pem(&self) -> &str {
        &self.certificate_pem
    }

    /// Where that certificate is.
    pub fn certificate_path(&self) -> &Path {
        &self.path
    }

    /// A certificate for these host names (wildcards included) and IP addresses, from the cache or made now.
    ///
    /// Names are taken in canonical form; their order does not matter. Fails if there is no name, or one that
    /// cannot stand in a certificate.
    pub fn leaf(&self, names: &[&str]) -> Result<Arc<CertifiedKey>> {
        let names = Names::new(names)?;
        self.leaves
            .get(&names, (self.clock)(), || super::leaves::make(&names, &self.issuer, self.expires, (self.clock)()))
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

fn make(now: Timestamp) -> Result<Pair> {
    let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(|error| broken(&error))?;
    let mut params = CertificateParams::default();
    let mut name = DistinguishedName::new();
    // The random part tells the authorities of two servers apart in a trust store.
    name.push(DnType::CommonName, format!("Postern local authority {:04x}", rand::random::<u16>()));
    name.push(DnType::OrganizationName, "Postern");
    params.distinguished_name = name;
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let expires = now.as_second() + LIFETIME;
    valid(&mut params, now.as_second() - DAY, expires);
    let certificate = params.self_signed(&key).map_err(|error| broken(&error))?;
    Ok(Pair { certificate_pem: certificate.pem(), key_pem: key.serialize_pem(), expires })
}

/// Sets the time a certificate is valid, in seconds since 1970.
pub(crate) fn valid(params: &mut CertificateParams, from: i64, until: i64) {
    let at = |seconds: i64| rcgen::date_time_ymd(1970, 1, 1) + Duration::from_secs(seconds.max(0).unsigned_abs());
    params.not_before = at(from);
    params.not_after = at(until);
}

fn unreadable(path: &Path) -> Error {
    Error::new(
        Code::Unavailable,
        format!(
            "`{}` cannot be opened with the key in `seal.key`. Restore both from a backup; or remove `{SEALED}` to get a new authority, which visitors must trust anew.",
            path.display()
        ),
    )
}

pub(super) fn broken(error: &dyn std::fmt::Display) -> Error {
    StoreError::Broken(format!("a certificate could not be made: {error}")).into()
}
