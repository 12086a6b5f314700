//! The certificate of the local authority and its names in the stores.

use crate::error::{DesktopError, Result};
use base64::{Engine, engine::general_purpose::STANDARD};
use postern_api::Code;
use std::path::{Path, PathBuf};

/// Far more than a certificate.
const MAX_CERTIFICATE_BYTES: u64 = 64 * 1024;

/// The certificate of the local authority, as a file and as its content.
#[derive(Clone, Debug)]
pub(super) struct AuthorityCertificate {
    pub(super) path: PathBuf,
    pub(super) pem: String,
    der: Vec<u8>,
}

impl AuthorityCertificate {
    /// Reads the certificate.
    ///
    /// # Errors
    ///
    /// Fails if the local server has not created it yet.
    pub(super) fn read(path: &Path) -> Result<AuthorityCertificate> {
        let missing = |reason: &dyn std::fmt::Display| {
            DesktopError::new(
                Code::Unavailable,
                format!(
                    "The local authority's certificate {} cannot be read: {reason}. It is created when the server starts.",
                    path.display()
                ),
            )
        };
        let metadata = std::fs::metadata(path).map_err(|error| missing(&error))?;
        if metadata.len() > MAX_CERTIFICATE_BYTES {
            return Err(missing(&"it is too large"));
        }
        let pem = std::fs::read_to_string(path).map_err(|error| missing(&error))?;
        let der = decode_pem(&pem).ok_or_else(|| missing(&"it is not a certificate"))?;
        Ok(AuthorityCertificate { path: path.to_owned(), pem, der })
    }

    /// The first eight hexadecimal digits of the SHA-256 fingerprint, which identify this authority.
    fn short_fingerprint(&self) -> String {
        let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, &self.der);
        digest.as_ref().iter().take(4).map(|byte| format!("{byte:02x}")).collect()
    }

    /// The name in a list of authorities.
    pub(super) fn nickname(&self) -> String {
        format!("Postern local authority {}", self.short_fingerprint())
    }

    /// The name of its file in the system's store.
    pub(super) fn file_name(&self) -> String {
        format!("postern-local-authority-{}.crt", self.short_fingerprint())
    }

    /// Whether a PEM text begins with the same certificate, whatever its line breaks.
    pub(super) fn is_in(&self, pem: &str) -> bool {
        decode_pem(pem).is_some_and(|der| der == self.der)
    }
}

/// The DER encoding of the first certificate in a PEM text (RFC 7468).
fn decode_pem(pem: &str) -> Option<Vec<u8>> {
    let (_, rest) = pem.split_once("-----BEGIN CERTIFICATE-----")?;
    let (body, _) = rest.split_once("-----END CERTIFICATE-----")?;
    let body: String = body.chars().filter(|letter| !letter.is_whitespace()).collect();
    STANDARD.decode(body).ok().filter(|der| !der.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_do_not_matter_when_certificates_are_compared() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.pem");
        std::fs::write(&path, "-----BEGIN CERTIFICATE-----\nAAEC\nAwQF\n-----END CERTIFICATE-----\n").unwrap();
        let certificate = AuthorityCertificate::read(&path).unwrap();
        assert!(certificate.is_in("x\r\n-----BEGIN CERTIFICATE-----\r\nAAECAwQF\r\n-----END CERTIFICATE-----"));
        assert!(!certificate.is_in("-----BEGIN CERTIFICATE-----\nAAEC\n-----END CERTIFICATE-----"));
        assert_eq!(certificate.nickname().len(), "Postern local authority 00000000".len());
    }

    #[test]
    fn a_missing_or_invalid_certificate_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.pem");
        assert!(AuthorityCertificate::read(&path).unwrap_err().message.contains("created when the server starts"));
        std::fs::write(&path, "hello").unwrap();
        assert!(AuthorityCertificate::read(&path).is_err());
    }
}
