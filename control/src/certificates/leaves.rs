//! Certificates for names and addresses, made on demand and kept while they are of use.

use super::authority::{DAY, broken, valid};
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

/// From a day before it is made; browsers take no more than 398 days in all.
const LIFETIME: i64 = 396 * DAY;
/// A certificate with less time left is made anew.
const RENEW: i64 = 30 * DAY;
const CACHED: usize = 1024;
const NAMES: usize = 100;

/// The names of one certificate: canonical, sorted, each once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Names(Vec<String>);

impl Names {
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
            1..=NAMES => Ok(Names(names)),
            _ => Err(Error::new(Code::NameInvalid, format!("A certificate has at most {NAMES} names."))),
        }
    }
}

/// A certificate and the moment to make the next one.
pub(super) struct Leaf {
    key: Arc<CertifiedKey>,
    renew: i64,
}

pub(super) fn make(
    names: &Names,
    issuer: &Issuer<'_, KeyPair>,
    authority_expires: Timestamp,
    now: Timestamp,
) -> Result<Leaf> {
    let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(|error| broken(&error))?;
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
        .map_err(|error| broken(&error))?;
    let now = now.as_second();
    let until = (now + LIFETIME).min(authority_expires.as_second());
    valid(&mut params, now - DAY, until);
    let certificate = params.signed_by(&key, issuer).map_err(|error| broken(&error))?;
    let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let signing = any_ecdsa_type(&private).map_err(|error| broken(&error))?;
    Ok(Leaf {
        key: Arc::new(CertifiedKey::new(vec![certificate.der().clone()], signing)),
        renew: until - RENEW.min((until - now) / 2),
    })
}

/// The certificates used lately, at most [`CACHED`].
#[derive(Default)]
pub(super) struct Leaves(Mutex<Cache>);

#[derive(Default)]
struct Cache {
    leaves: HashMap<Names, (Leaf, u64)>,
    /// By the turn they were last used in.
    turns: BTreeMap<u64, Names>,
    turn: u64,
}

impl Leaves {
    /// Gives a cached certificate that is still good, or makes one; not under the lock, for that takes a while.
    pub(super) fn get(
        &self,
        names: &Names,
        now: Timestamp,
        make: impl FnOnce() -> Result<Leaf>,
    ) -> Result<Arc<CertifiedKey>> {
        if let Some(key) = self.lock().used(names, now.as_second()) {
            return Ok(key);
        }
        let leaf = make()?;
        let mut cache = self.lock();
        // Two callers may have made one each; both get the first.
        if let Some(key) = cache.used(names, now.as_second()) {
            return Ok(key);
        }
        Ok(cache.keep(names.clone(), leaf))
    }

    #[cfg(test)]
    pub(super) fn cached(&self) -> (usize, usize) {
        let cache = self.lock();
        (cache.leaves.len(), cache.turns.len())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Cache> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cache {
    fn used(&mut self, names: &Names, now: i64) -> Option<Arc<CertifiedKey>> {
        let (leaf, turn) = self.leaves.get_mut(names)?;
        if leaf.renew <= now {
            return None;
        }
        self.turn += 1;
        self.turns.remove(turn);
        self.turns.insert(self.turn, names.clone());
        *turn = self.turn;
        Some(leaf.key.clone())
    }

    fn keep(&mut self, names: Names, leaf: Leaf) -> Arc<CertifiedKey> {
        self.turn += 1;
        let key = leaf.key.clone();
        if let Some((_, former)) = self.leaves.insert(names.clone(), (leaf, self.turn)) {
            self.turns.remove(&former);
        }
        self.turns.insert(self.turn, names);
        while self.leaves.len() > CACHED {
            let Some((_, oldest)) = self.turns.pop_first() else { break };
            self.leaves.remove(&oldest);
        }
        key
    }
}

#[cfg(test)]
mod tests;
