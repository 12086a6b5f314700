//! Validation of uploaded TLS certificates: a chain, leaf first, and the private key of the leaf.

use super::{
    pem_blocks::{Block, blocks},
    x509::{self, CertificateFacts},
};
use postern_api::{Code, Error, KeyType, Result, Secret};
use rustls::{
    crypto::aws_lc_rs::sign::any_supported_type,
    pki_types::{PrivateKeyDer, PrivatePkcs1KeyDer, PrivatePkcs8KeyDer, PrivateSec1KeyDer},
    sign::SigningKey,
};
use x509_parser::{certificate::X509Certificate, prelude::FromDer, x509::SubjectPublicKeyInfo};

/// Longest text of a chain in bytes.
const MAX_CHAIN_BYTES: usize = 64 * 1024;
/// Longest text of a key in bytes; enough for an RSA key of 8192 bits.
const MAX_KEY_BYTES: usize = 16 * 1024;
/// Certificates of a chain.
const MAX_CHAIN_LENGTH: usize = 16;
const CHAIN_FIELD: &str = "certificate_pem";
const KEY_FIELD: &str = "private_key_pem";

/// Properties of a chain and a key that belong together.
pub(crate) struct TlsChain {
    pub(crate) facts: CertificateFacts,
    pub(crate) key_type: KeyType,
}

impl TlsChain {
    /// Parses and validates both.
    ///
    /// # Errors
    /// With the code and the field of the first mistake.
    pub(crate) fn read(certificate_pem: &str, private_key_pem: &Secret) -> Result<Self> {
        let chain = chain(certificate_pem)?;
        let key = private_key(private_key_pem)?;
        let key = key_der(&key)?;
        let parsed: Vec<X509Certificate<'_>> = chain
            .iter()
            .enumerate()
            .map(|(index, block)| x509::parse(&block.bytes).ok_or_else(|| no_certificate(index)))
            .collect::<Result<_>>()?;
        let leaf = parsed.first().ok_or_else(no_chain)?;
        let facts = CertificateFacts::from_certificate(leaf).ok_or_else(|| no_certificate(0))?;
        let signing = any_supported_type(&key).map_err(|_| unsupported_key())?;
        let key_type = belongs(signing.as_ref(), &parsed)?;
        check_order(&parsed)?;
        Ok(TlsChain { facts, key_type })
    }
}

fn chain(text: &str) -> Result<Vec<Block>> {
    if text.trim().is_empty() {
        return Err(no_chain());
    }
    if text.len() > MAX_CHAIN_BYTES {
        let sentence = format!(
            "`{CHAIN_FIELD}` is longer than {MAX_CHAIN_BYTES} bytes. Send the leaf and its intermediates only."
        );
        return Err(refused(Code::CertificateTooLarge, CHAIN_FIELD, &sentence));
    }
    let blocks = blocks(text).ok_or_else(|| unreadable(CHAIN_FIELD))?;
    // Checked first, because this field is shown to every caller who may read the certificate.
    if blocks.iter().any(Block::is_private_key) {
        let sentence =
            "`certificate_pem` holds a private key. Send that in `private_key_pem`, and certificates alone here.";
        return Err(refused(Code::CertificateIsKey, CHAIN_FIELD, sentence));
    }
    if let Some(other) = blocks.iter().find(|block| !block.is_certificate()) {
        let shown: String = other.tag.chars().filter(|letter| !letter.is_control()).take(40).collect();
        let sentence =
            format!("`certificate_pem` holds a block of type `{shown}`. Send blocks of type `CERTIFICATE` only.");
        return Err(refused(Code::CertificateMissing, CHAIN_FIELD, &sentence));
    }
    if blocks.len() > MAX_CHAIN_LENGTH {
        let sentence = format!("The chain has {} certificates; at most {MAX_CHAIN_LENGTH} are allowed.", blocks.len());
        return Err(refused(Code::CertificateTooLarge, CHAIN_FIELD, &sentence));
    }
    if blocks.is_empty() {
        return Err(no_chain());
    }
    Ok(blocks)
}

fn private_key(secret: &Secret) -> Result<Block> {
    let text = secret.reveal();
    let missing = || {
        let sentence = "`private_key_pem` is missing. Send the private key of the first certificate, in PEM.";
        refused(Code::PrivateKeyMissing, KEY_FIELD, sentence)
    };
    if text.trim().is_empty() {
        return Err(missing());
    }
    if text.len() > MAX_KEY_BYTES {
        let sentence = format!("`{KEY_FIELD}` is longer than {MAX_KEY_BYTES} bytes.");
        return Err(refused(Code::CertificateTooLarge, KEY_FIELD, &sentence));
    }
    let blocks = blocks(text).ok_or_else(|| unreadable(KEY_FIELD))?;
    if blocks.is_empty() {
        return Err(missing());
    }
    let has_certificate = blocks.iter().any(Block::is_certificate);
    // Key files often contain the parameters of the curve or the certificate too.
    let mut keys = blocks.into_iter().filter(Block::is_private_key);
    let Some(key) = keys.next() else {
        if has_certificate {
            let sentence = "`private_key_pem` holds a certificate. Send certificates in `certificate_pem`, and the private key here.";
            return Err(refused(Code::KeyIsCertificate, KEY_FIELD, sentence));
        }
        return Err(unsupported_key());
    };
    if keys.next().is_some() {
        let sentence = "`private_key_pem` holds more than one key. Send the one that belongs to the first certificate.";
        return Err(refused(Code::PrivateKeyUnsupported, KEY_FIELD, sentence));
    }
    if key.encrypted {
        let sentence =
            "The private key is encrypted with a passphrase. Decrypt it first, for example with `openssl pkey`.";
        return Err(refused(Code::PrivateKeyEncrypted, KEY_FIELD, sentence));
    }
    Ok(key)
}

/// The key in the form of its label; borrows the bytes, which are wiped with the block.
fn key_der(key: &Block) -> Result<PrivateKeyDer<'_>> {
    let bytes = key.bytes.as_slice();
    match key.tag.as_str() {
        "PRIVATE KEY" => Ok(PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(bytes))),
        "RSA PRIVATE KEY" => Ok(PrivateKeyDer::Pkcs1(PrivatePkcs1KeyDer::from(bytes))),
        "EC PRIVATE KEY" => Ok(PrivateKeyDer::Sec1(PrivateSec1KeyDer::from(bytes))),
        _ => Err(unsupported_key()),
    }
}

/// Checks that the key belongs to the first certificate; gives its type.
fn belongs(key: &dyn SigningKey, chain: &[X509Certificate<'_>]) -> Result<KeyType> {
    let public = key.public_key().ok_or_else(unsupported_key)?;
    let (_, public) = SubjectPublicKeyInfo::from_der(&public).map_err(|_| unsupported_key())?;
    let key_type = x509::key_type(&public).ok_or_else(unsupported_key)?;
    let of_key = |certificate: &X509Certificate<'_>| {
        certificate.public_key().subject_public_key.data == public.subject_public_key.data
            && x509::key_type(certificate.public_key()) == Some(key_type)
    };
    match chain.iter().position(of_key) {
        Some(0) => Ok(key_type),
        Some(index) => {
            let sentence = format!(
                "The private key belongs to certificate {} of the chain, not to the first. Put that certificate first, then the one that signed it, and so on.",
                index + 1
            );
            Err(refused(Code::ChainOrder, CHAIN_FIELD, &sentence))
        }
        None => {
            let sentence = "The private key does not belong to the first certificate. Send the key that the certificate was issued for.";
            Err(refused(Code::PrivateKeyMismatch, KEY_FIELD, sentence))
        }
    }
}

/// Checks that each certificate is the issuer of the one before it.
fn check_order(chain: &[X509Certificate<'_>]) -> Result<()> {
    for (index, pair) in chain.windows(2).enumerate() {
        if let [issued, issuer] = pair
            && issued.issuer().as_raw() != issuer.subject().as_raw()
        {
            let sentence = format!(
                "Certificate {} of the chain did not issue certificate {}. Send the leaf, then the certificate that signed it, and so on.",
                index + 2,
                index + 1
            );
            return Err(refused(Code::ChainOrder, CHAIN_FIELD, &sentence));
        }
    }
    Ok(())
}

fn no_chain() -> Error {
    let sentence =
        "`certificate_pem` holds no certificate. Send the chain in PEM, the certificate of the server first.";
    refused(Code::CertificateMissing, CHAIN_FIELD, sentence)
}

fn no_certificate(index: usize) -> Error {
    let sentence = format!("Certificate {} of the chain could not be read as an X.509 certificate.", index + 1);
    refused(Code::CertificateUnreadable, CHAIN_FIELD, &sentence)
}

fn unreadable(field: &str) -> Error {
    let sentence = format!(
        "`{field}` could not be read as PEM. Each block begins with a line `-----BEGIN …-----`, ends with `-----END …-----`, and is base 64 between them."
    );
    refused(Code::PemUnreadable, field, &sentence)
}

fn unsupported_key() -> Error {
    let sentence = "The private key is of a form that is not supported. Send an RSA key of 2048 to 8192 bits (PKCS#1 or PKCS#8), an ECDSA key on P-256, P-384 or P-521 (SEC 1 or PKCS#8), or an Ed25519 key (PKCS#8).";
    refused(Code::PrivateKeyUnsupported, KEY_FIELD, sentence)
}

fn refused(code: Code, field: &str, sentence: &str) -> Error {
    Error::new(code, sentence).with("field", field)
}

#[cfg(test)]
mod tests;
