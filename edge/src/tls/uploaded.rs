//! Uploaded certificates by name: the one chosen for the name, else the most specific one; of several, the newest
//! valid one.

use arc_swap::ArcSwap;
use postern_api::{
    Timestamp,
    host::HostName,
    published::{Certificate, DomainCertificate, Published},
};
use rustls::{SignatureScheme, crypto::aws_lc_rs::sign::any_supported_type, sign::CertifiedKey};
use rustls_pki_types::{
    CertificateDer, PrivateKeyDer,
    pem::{self, PemObject},
};
use std::{collections::HashMap, net::IpAddr, sync::Arc};

/// The uploaded certificates. Handshakes read them without locks.
#[derive(Default)]
pub(super) struct UploadedCertificates(ArcSwap<CertificateIndex>);

#[derive(Default)]
struct CertificateIndex {
    source: Arc<Vec<Arc<Certificate>>>,
    choices: Arc<HashMap<String, DomainCertificate>>,
    by_id: HashMap<String, Arc<LoadedCertificate>>,
    /// The newest first.
    exact: HashMap<Box<str>, Vec<Arc<LoadedCertificate>>>,
    /// Wildcards by the part after `*.`; a wildcard covers one label (RFC 6125, section 6.4.3).
    below: HashMap<Box<str>, Vec<Arc<LoadedCertificate>>>,
    addresses: HashMap<IpAddr, Vec<Arc<LoadedCertificate>>>,
}

/// A certificate made ready to be shown.
struct LoadedCertificate {
    source: Arc<Certificate>,
    key: Arc<CertifiedKey>,
}

impl UploadedCertificates {
    /// Shows these certificates from now on.
    pub(super) fn follow(&self, published: &Published) {
        let before = self.0.load();
        let same = Arc::ptr_eq(&before.source, &published.certificates)
            && Arc::ptr_eq(&before.choices, &published.domain_certificates);
        if same {
            return;
        }
        let mut index = CertificateIndex {
            source: published.certificates.clone(),
            choices: published.domain_certificates.clone(),
            ..CertificateIndex::default()
        };
        let mut all: Vec<Arc<LoadedCertificate>> = Vec::with_capacity(published.certificates.len());
        for source in published.certificates.iter() {
            let former = before.by_id.get(&source.id).filter(|former| Arc::ptr_eq(&former.source, source));
            match former.cloned().map_or_else(|| LoadedCertificate::of(source).map(Arc::new), Ok) {
                Ok(certificate) => all.push(certificate),
                // It was judged when it was uploaded, so this is a matter of versions.
                Err(error) => tracing::error!(certificate = source.id, error, "a certificate cannot be shown"),
            }
        }
        all.sort_by(|a, b| b.source.age().cmp(&a.source.age()));
        for certificate in all {
            for name in certificate.source.names.iter().filter_map(|name| HostName::parse(name).ok()) {
                let place = match name.wildcard_parent() {
                    Some(parent) => index.below.entry(parent.into()),
                    None => index.exact.entry(name.as_str().into()),
                };
                place.or_default().push(certificate.clone());
            }
            for address in &certificate.source.addresses {
                index.addresses.entry(address.to_canonical()).or_default().push(certificate.clone());
            }
            index.by_id.insert(certificate.source.id.clone(), certificate);
        }
        drop(before);
        self.0.store(Arc::new(index));
    }

    /// The certificate for a name, or for an address that was reached without naming a host. `schemes` are the
    /// signatures that the visitor understands.
    pub(super) fn find(
        &self,
        name: Option<&HostName>,
        local: IpAddr,
        schemes: &[SignatureScheme],
        now: Timestamp,
    ) -> Option<Arc<CertifiedKey>> {
        let index = self.0.load();
        if index.by_id.is_empty() {
            return None;
        }
        let Some(name) = name else {
            return best(index.addresses.get(&local.to_canonical())?, schemes, now);
        };
        if let Some(chosen) = index.chosen(name).filter(|certificate| certificate.valid(now)) {
            return Some(chosen.key.clone());
        }
        let exact = index.exact.get(name.as_str()).and_then(|certificate| best(certificate, schemes, now));
        let wildcard = || index.one_above(name).and_then(|certificate| best(certificate, schemes, now));
        exact.or_else(wildcard)
    }
}

impl CertificateIndex {
    fn one_above(&self, name: &HostName) -> Option<&Vec<Arc<LoadedCertificate>>> {
        let (_, parent) = name.as_str().split_once('.')?;
        self.below.get(parent)
    }

    /// The certificate chosen for the closest reservation of a name, if it covers the name.
    fn chosen(&self, name: &HostName) -> Option<&Arc<LoadedCertificate>> {
        if self.choices.is_empty() {
            return None;
        }
        let choice = |domain: &str| match self.choices.get(domain)? {
            DomainCertificate::Chosen(id) => Some(id),
            DomainCertificate::Managed(_) => None,
        };
        let exact = choice(name.as_str());
        let above = || {
            let mut rest = name.as_str();
            std::iter::from_fn(|| {
                rest = rest.split_once('.')?.1;
                Some(rest)
            })
            .find_map(|parent| choice(&format!("*.{parent}")))
        };
        let certificate = self.by_id.get(exact.or_else(above)?)?;
        let named = |others: Option<&Vec<Arc<LoadedCertificate>>>| {
            others.is_some_and(|others| others.iter().any(|other| Arc::ptr_eq(other, certificate)))
        };
        (named(self.exact.get(name.as_str())) || named(self.one_above(name))).then_some(certificate)
    }
}

/// The first valid certificate that the visitor supports; if it supports none, the first valid one, so that the
/// handshake fails with an alert.
fn best(
    certificate: &[Arc<LoadedCertificate>],
    schemes: &[SignatureScheme],
    now: Timestamp,
) -> Option<Arc<CertifiedKey>> {
    let mut valid = certificate.iter().filter(|certificate| certificate.valid(now));
    let understood = valid.clone().find(|certificate| certificate.key.key.choose_scheme(schemes).is_some());
    understood.or_else(|| valid.next()).map(|certificate| certificate.key.clone())
}

impl LoadedCertificate {
    fn of(source: &Arc<Certificate>) -> Result<Self, String> {
        let message = |error: pem::Error| error.to_string();
        let chain = CertificateDer::pem_slice_iter(source.chain_pem.as_bytes())
            .collect::<Result<Vec<_>, _>>()
            .map_err(message)?;
        let key = PrivateKeyDer::from_pem_slice(source.private_key_pem.reveal().as_bytes()).map_err(message)?;
        let key = any_supported_type(&key).map_err(|error| error.to_string())?;
        Ok(LoadedCertificate { source: source.clone(), key: Arc::new(CertifiedKey::new(chain, key)) })
    }

    fn valid(&self, now: Timestamp) -> bool {
        self.source.not_before <= now && now <= self.source.not_after
    }
}

#[cfg(test)]
mod tests;
