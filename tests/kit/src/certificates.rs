//! Certificate authorities and the certificates they issue.

use rcgen::{BasicConstraints, Certificate, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::{
    pki_types::{CertificateDer, PrivateKeyDer},
    sign::CertifiedKey,
};
use std::sync::Arc;

/// A certificate authority: a root, or an intermediate below one.
pub struct CertificateAuthority {
    issuer: Issuer<'static, KeyPair>,
    certificate: Certificate,
    /// Certificates between a leaf and the root, the authority's own first; empty for a root.
    intermediates: Vec<CertificateDer<'static>>,
}

/// A certificate with its chain and its key.
pub struct IssuedCertificate {
    /// The certificate.
    pub certificate: Certificate,
    /// The certificate and all intermediates.
    pub chain: Vec<CertificateDer<'static>>,
    /// The key.
    pub key: KeyPair,
}

/// Parameters of a certificate with a common name and without other names.
pub fn named(common_name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, common_name);
    params
}

fn authority(common_name: &str) -> CertificateParams {
    let mut params = named(common_name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params
}

fn new_key() -> KeyPair {
    KeyPair::generate().expect("a key")
}

impl CertificateAuthority {
    /// A root with this common name.
    pub fn root(common_name: &str) -> CertificateAuthority {
        let (key, params) = (new_key(), authority(common_name));
        let certificate = params.self_signed(&key).expect("a certificate");
        CertificateAuthority { certificate, issuer: Issuer::new(params, key), intermediates: Vec::new() }
    }

    /// An intermediate authority below this one.
    pub fn intermediate(&self, common_name: &str) -> CertificateAuthority {
        let (key, params) = (new_key(), authority(common_name));
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        let intermediates = self.chain(&certificate);
        CertificateAuthority { certificate, issuer: Issuer::new(params, key), intermediates }
    }

    /// The authority's own certificate.
    pub fn certificate(&self) -> &CertificateDer<'static> {
        self.certificate.der()
    }

    /// The authority's own certificate in PEM.
    pub fn pem(&self) -> String {
        self.certificate.pem()
    }

    /// Issues a certificate for a new key.
    pub fn issue(&self, params: &CertificateParams) -> IssuedCertificate {
        let key = new_key();
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        IssuedCertificate { chain: self.chain(&certificate), certificate, key }
    }

    fn chain(&self, certificate: &Certificate) -> Vec<CertificateDer<'static>> {
        std::iter::once(certificate.der().clone()).chain(self.intermediates.iter().cloned()).collect()
    }
}

/// A chain and its key as rustls presents them.
pub fn certified_key(chain: Vec<CertificateDer<'static>>, key: &KeyPair) -> Arc<CertifiedKey> {
    let private = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    let signer = rustls::crypto::aws_lc_rs::sign::any_supported_type(&private).expect("a supported key");
    Arc::new(CertifiedKey::new(chain, signer))
}
