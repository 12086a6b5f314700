//! Key pair and certificate that sign the requests of one route to its identity provider.

use crate::certificates::{DAY, set_validity};
use postern_api::{Code, Error, Result, Secret};
use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair, KeyUsagePurpose, PKCS_RSA_SHA256, RsaKeySize};
use serde::{Deserialize, Serialize};

/// Thirty-five years: such certificates are rarely replaced at an identity provider, which trusts the key itself.
const LIFETIME: i64 = 35 * 365 * DAY + 9 * DAY;

/// A key pair, generated once for a route and retained until its module is removed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SigningPair {
    pub(super) certificate_pem: String,
    key_pem: Secret,
}

impl SigningPair {
    /// Generates a pair for an entity, on a blocking thread because RSA takes long.
    pub(super) async fn make(entity_id: String) -> Result<Self> {
        let context =
            tokio::task::spawn_blocking(move || make(&entity_id, postern_api::clock::now().as_second())).await;
        context.map_err(|error| broken(&error))?.map_err(|error| broken(&error))
    }

    /// Certificate and private key.
    pub(crate) fn into_parts(self) -> (String, Secret) {
        (self.certificate_pem, self.key_pem)
    }

    pub(super) fn is_made(&self) -> bool {
        !self.key_pem.is_empty()
    }
}

fn make(entity_id: &str, now: i64) -> Result<SigningPair, rcgen::Error> {
    let key = KeyPair::generate_rsa_for(&PKCS_RSA_SHA256, RsaKeySize::_2048)?;
    let mut params = CertificateParams::default();
    let mut name = DistinguishedName::new();
    name.push(DnType::OrganizationName, entity_id);
    name.push(DnType::CommonName, entity_id);
    params.distinguished_name = name;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    set_validity(&mut params, now - DAY, now + LIFETIME);
    let certificate = params.self_signed(&key)?;
    Ok(SigningPair { certificate_pem: certificate.pem(), key_pem: Secret::new(key.serialize_pem()) })
}

fn broken(error: &dyn std::fmt::Display) -> Error {
    Error::new(Code::Unavailable, format!("The key that signs SAML requests could not be made: {error}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use x509_parser::{parse_x509_certificate, pem::parse_x509_pem};

    #[tokio::test]
    async fn the_certificate_names_the_entity_and_matches_the_key() {
        let entity = "https://login.tunnels.test:4443/saml/edghtsrt_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
        let pair = SigningPair::make(entity.to_owned()).await.expect("a pair");
        assert!(pair.is_made() && !SigningPair::default().is_made());
        let (rest, pem) = parse_x509_pem(pair.certificate_pem.as_bytes()).expect("PEM");
        assert!(rest.is_empty());
        let (_, certificate) = parse_x509_certificate(&pem.contents).expect("a certificate");
        let subject = certificate.subject();
        let text = |mut found: Box<dyn Iterator<Item = &x509_parser::x509::AttributeTypeAndValue<'_>> + '_>| {
            found.next().expect("there").as_str().expect("text").to_owned()
        };
        assert_eq!(text(Box::new(subject.iter_common_name())), entity);
        assert_eq!(text(Box::new(subject.iter_organization())), entity);
        assert_eq!(subject, certificate.issuer());
        let years =
            (certificate.validity().not_after.timestamp() - postern_api::clock::now().as_second()) / (365 * DAY);
        assert_eq!(years, 35);
        let key = KeyPair::from_pem(pair.key_pem.reveal()).expect("the key");
        assert_eq!(key.public_key_raw(), certificate.public_key().subject_public_key.data.as_ref());
        let bits = match certificate.public_key().parsed().expect("a key") {
            x509_parser::public_key::PublicKey::RSA(key) => key.key_size(),
            other => panic!("{other:?} is not RSA"),
        };
        assert_eq!(bits, 2048);
        assert!(!format!("{pair:?}").contains("PRIVATE"));
    }
}
