//! Secrets and key pairs in the formats of the providers.

use super::b64;
use aws_lc_rs::{
    encoding::{AsDer, PublicKeyX509Der},
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair, RsaKeyPair},
};
use postern_api::webhooks::Provider;
use std::sync::LazyLock;

/// A secret in the provider's format, different for each text.
pub(crate) fn secret_of(provider: Provider, text: &str) -> String {
    match provider {
        Provider::Svix | Provider::Clerk | Provider::Brex => format!("whsec_{}", b64(format!("0123456789 {text}"))),
        Provider::MicrosoftTeams => b64(format!("0123456789 {text}")),
        Provider::VMware => format!("{text}::p:ssword"),
        Provider::SendGrid => b64(public_key(curve(text))),
        Provider::Sns => String::new(),
        _ => text.to_owned(),
    }
}

/// The public key in the provider's format.
pub(super) fn public_key(pair: &EcdsaKeyPair) -> Vec<u8> {
    AsDer::<PublicKeyX509Der<'_>>::as_der(pair.public_key()).unwrap().as_ref().to_vec()
}

/// The key pairs of the two texts that tests use.
pub(super) fn curve(text: &str) -> &'static EcdsaKeyPair {
    fn make() -> EcdsaKeyPair {
        EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).unwrap()
    }
    static RIGHT: LazyLock<EcdsaKeyPair> = LazyLock::new(make);
    static WRONG: LazyLock<EcdsaKeyPair> = LazyLock::new(make);
    if text == "right" { &RIGHT } else { &WRONG }
}

/// The key of the topic's certificate, and the certificate.
pub(crate) static TOPIC: LazyLock<(RsaKeyPair, String)> = LazyLock::new(|| {
    let key = rcgen::KeyPair::generate_for(&rcgen::PKCS_RSA_SHA256).unwrap();
    let certificate = rcgen::CertificateParams::new(vec!["sns.amazonaws.com".to_owned()]).unwrap();
    (RsaKeyPair::from_pkcs8(&key.serialize_der()).unwrap(), certificate.self_signed(&key).unwrap().pem())
});
pub(super) static OTHER: LazyLock<RsaKeyPair> = LazyLock::new(|| {
    let key = rcgen::KeyPair::generate_for(&rcgen::PKCS_RSA_SHA256).unwrap();
    RsaKeyPair::from_pkcs8(&key.serialize_der()).unwrap()
});
