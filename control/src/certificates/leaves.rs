//! Certificates for names and addresses, issued on demand and cached.

use super::{
    issue_error::issue_failed,
    validity::{DAY, set_validity},
};
use jiff::Timestamp;
use postern_api::{Code, Error, Result, host::HostName};
use rcgen::{
    CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    PKCS_ECDSA_P256_SHA256, SanType,
};
use rustls::{
    crypto::aws_lc_rs::sign::any_ecdsa_type,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
    sign::CertifiedKey,
};
use std::{
    collections::{BTreeMap, HashMap},
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
};

/// Seconds from the time of issue; with the day before it, less than the 398 days that browsers accept.
const LIFETIME: i64 = 396 * DAY;
/// A certificate that expires earlier is replaced; in seconds.
const RENEW_BEFORE: i64 = 30 * DAY;
const MAX_CACHED: usize = 1024;
const MAX_NAMES: usize = 100;

/// CertificateNames of one certificate: canonical, sorted, deduplicated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct CertificateNames(Vec<String>);

impl CertificateNames {
    pub(super) fn new(names: &[&str]) -> Result<Self> {
        let canonical = |name: &&str| match name.parse::<IpAddr>() {
            Ok(address) => Ok(address.to_string()),
            Err(_) => HostName::parse(name).map(|name| name.to_string()),
        };
        let mut names = names.iter().map(canonical).collect::<Result<Vec<_>>>()?;
        names.sort();
        names.dedup();
        match names.len() {
            0 => Err(Error::new(Code::NameInvalid, "A certificate needs at least one name.")),
            1..=MAX_NAMES => Ok(CertificateNames(names)),
            _ => Err(Error::new(Code::NameInvalid, format!("A certificate has at most {MAX_NAMES} names."))),
        }
    }
}

/// A certificate and the time in which it is used.
pub(super) struct LeafCertificate {
    key: Arc<CertifiedKey>,
    valid_from: i64,
    renew_at: i64,
}

pub(super) fn issue_leaf(
    names: &CertificateNames,
    issuer: &Issuer<'_, KeyPair>,
    authority_expires: Timestamp,
    now: Timestamp,
) -> Result<LeafCertificate> {
    let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(|error| issue_failed(&error))?;
    let mut params = CertificateParams::default();
    let mut subject = DistinguishedName::new();
    if let Some(name) = names.0.iter().find(|name| name.len() <= 64) {
        subject.push(DnType::CommonName, name.as_str());
    }
    params.distinguished_name = subject;
    params.is_ca = IsCa::ExplicitNoCa;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = true;
    params.subject_alt_names = names
        .0
        .iter()
        .map(|name| match name.parse() {
            Ok(address) => Ok(SanType::IpAddress(address)),
            Err(_) => name.as_str().try_into().map(SanType::DnsName),
        })
        .collect::<Result<_, rcgen::Error>>()
        .map_err(|error| issue_failed(&error))?;
    let now = now.as_second();
    let until = (now + LIFETIME).min(authority_expires.as_second());
    let valid_from = now - DAY;
    set_validity(&mut params, valid_from, until);
    let certificate = params.signed_by(&key, issuer).map_err(|error| issue_failed(&error))?;
    let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let signing = any_ecdsa_type(&private).map_err(|error| issue_failed(&error))?;
    Ok(LeafCertificate {
        key: Arc::new(CertifiedKey::new(vec![certificate.der().clone()], signing)),
        valid_from,
        renew_at: until - RENEW_BEFORE.min((until - now) / 2),
    })
}

/// Recently used certificates, at most [`MAX_CACHED`].
#[derive(Default)]
pub(super) struct Leaves(Mutex<LeafCache>);

#[derive(Default)]
struct LeafCache {
    leaves: HashMap<CertificateNames, (LeafCertificate, u64)>,
    /// By the tick of their last use.
    by_use: BTreeMap<u64, CertificateNames>,
    tick: u64,
}

impl Leaves {
    /// A cached certificate that is valid and not due, or a new one, issued without holding the lock.
    pub(super) fn get(
        &self,
        names: &CertificateNames,
        now: Timestamp,
        make: impl FnOnce() -> Result<LeafCertificate>,
    ) -> Result<Arc<CertifiedKey>> {
        if let Some(key) = self.lock().touch(names, now.as_second()) {
            return Ok(key);
        }
        let leaf = make()?;
        let mut cache = self.lock();
        // Of two concurrent callers, both get the first certificate.
        if let Some(key) = cache.touch(names, now.as_second()) {
            return Ok(key);
        }
        Ok(cache.insert(names.clone(), leaf))
    }

    #[cfg(test)]
    pub(super) fn cached(&self) -> (usize, usize) {
        let cache = self.lock();
        (cache.leaves.len(), cache.by_use.len())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, LeafCache> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LeafCache {
    fn touch(&mut self, names: &CertificateNames, now: i64) -> Option<Arc<CertifiedKey>> {
        let (leaf, tick) = self.leaves.get_mut(names)?;
        // The clock may have been set back since it was issued: it is not valid yet then.
        if !(leaf.valid_from..leaf.renew_at).contains(&now) {
            return None;
        }
        self.tick += 1;
        self.by_use.remove(tick);
        self.by_use.insert(self.tick, names.clone());
        *tick = self.tick;
        Some(leaf.key.clone())
    }

    fn insert(&mut self, names: CertificateNames, leaf: LeafCertificate) -> Arc<CertifiedKey> {
        self.tick += 1;
        let key = leaf.key.clone();
        if let Some((_, former)) = self.leaves.insert(names.clone(), (leaf, self.tick)) {
            self.by_use.remove(&former);
        }
        self.by_use.insert(self.tick, names);
        while self.leaves.len() > MAX_CACHED {
            let Some((_, oldest)) = self.by_use.pop_first() else { break };
            self.leaves.remove(&oldest);
        }
        key
    }
}

#[cfg(test)]
mod tests;
