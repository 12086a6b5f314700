//! Key pair of a certificate authority, with its certificate, so that they can never be mismatched. It is stored sealed.

use super::{
    issue_error::issue_failed,
    validity::{DAY, set_validity},
};
use jiff::Timestamp;
use postern_api::Result;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    PKCS_ECDSA_P256_SHA256,
};
use serde::{Deserialize, Serialize};
use zeroize::Zeroize;

/// Ten years in seconds.
const LIFETIME: i64 = 3652 * DAY;

#[derive(Serialize, Deserialize)]
pub(super) struct AuthorityPair {
    pub(super) certificate_pem: String,
    key_pem: String,
    /// Seconds since 1970.
    pub(super) expires: i64,
}

impl AuthorityPair {
    /// A new pair for ten years. The name gets a random part, which distinguishes the authorities of several servers.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub(super) fn generate(name: &str, now: Timestamp) -> Result<Self> {
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(|error| issue_failed(&error))?;
        let mut params = CertificateParams::default();
        let mut subject = DistinguishedName::new();
        subject.push(DnType::CommonName, format!("{name} {:04x}", rand::random::<u16>()));
        subject.push(DnType::OrganizationName, "Postern");
        params.distinguished_name = subject;
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let expires = now.as_second() + LIFETIME;
        set_validity(&mut params, now.as_second() - DAY, expires);
        let certificate = params.self_signed(&key).map_err(|error| issue_failed(&error))?;
        Ok(AuthorityPair { certificate_pem: certificate.pem(), key_pem: key.serialize_pem(), expires })
    }

    /// Signs certificates with it.
    ///
    /// # Errors
    /// If the pair was damaged.
    pub(super) fn issuer(&self) -> Result<Issuer<'static, KeyPair>> {
        let key = KeyPair::from_pem(&self.key_pem).map_err(|error| issue_failed(&error))?;
        Issuer::from_ca_cert_pem(&self.certificate_pem, key).map_err(|error| issue_failed(&error))
    }
}

impl Drop for AuthorityPair {
    fn drop(&mut self) {
        self.key_pem.zeroize();
    }
}
