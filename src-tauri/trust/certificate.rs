//! The authority's certificate and the names under which the stores know it.

use crate::failure::{Failure, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use postern_api::Code;
use std::path::{Path, PathBuf};

/// No certificate is larger.
const LARGEST: u64 = 64 * 1024;

/// A certificate as file and content.
#[derive(Clone, Debug)]
pub(super) struct Certificate {
    pub(super) path: PathBuf,
    pub(super) pem: String,
    der: Vec<u8>,
}

impl Certificate {
    /// Reads it. Fails while the local server has not made it yet.
    pub(super) fn read(path: &Path) -> Result<Certificate> {
        let missing = |why: &dyn std::fmt::Display| {
            Failure::new(
                Code::Unavailable,
                format!(
                    "The local authority's certificate {} cannot be read: {why}. It is made when the server starts.",
                    path.display()
                ),
            )
        };
        let facts = std::fs::metadata(path).map_err(|error| missing(&error))?;
        if facts.len() > LARGEST {
            return Err(missing(&"it is too large"));
        }
        let pem = std::fs::read_to_string(path).map_err(|error| missing(&error))?;
        let der = content_of(&pem).ok_or_else(|| missing(&"it is not a certificate"))?;
        Ok(Certificate { path: path.to_owned(), pem, der })
    }

    /// Eight digits that tell this authority from another one's.
    fn short_fingerprint(&self) -> String {
        let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, &self.der);
        digest.as_ref().iter().take(4).map(|byte| format!("{byte:02x}")).collect()
    }

    /// What a person reads in a list of authorities.
    pub(super) fn nickname(&self) -> String {
        format!("Postern local authority {}", self.short_fingerprint())
    }

    /// The name of its file in the system's store.
    pub(super) fn file_name(&self) -> String {
        format!("postern-local-authority-{}.crt", self.short_fingerprint())
    }

    /// Whether a text holds the same certificate, however its lines are broken.
    pub(super) fn is_in(&self, pem: &str) -> bool {
        content_of(pem).is_some_and(|der| der == self.der)
    }
}

/// The content of the first certificate of a PEM text.
fn content_of(pem: &str) -> Option<Vec<u8>> {
    let (_, rest) = pem.split_once("-----BEGIN CERTIFICATE-----")?;
    let (body, _) = rest.split_once("-----END CERTIFICATE-----")?;
    let body: String = body.chars().filter(|letter| !letter.is_whitespace()).collect();
    STANDARD.decode(body).ok().filter(|der| !der.is_empty())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_same_certificate_is_known_however_its_lines_are_broken() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.pem");
        std::fs::write(&path, "-----BEGIN CERTIFICATE-----\nAAEC\nAwQF\n-----END CERTIFICATE-----\n").unwrap();
        let certificate = Certificate::read(&path).unwrap();
        assert!(certificate.is_in("x\r\n-----BEGIN CERTIFICATE-----\r\nAAECAwQF\r\n-----END CERTIFICATE-----"));
        assert!(!certificate.is_in("-----BEGIN CERTIFICATE-----\nAAEC\n-----END CERTIFICATE-----"));
        assert_eq!(certificate.nickname().len(), "Postern local authority 00000000".len());
    }

    #[test]
    fn what_is_no_certificate_is_said_to_be_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.pem");
        assert!(Certificate::read(&path).unwrap_err().message.contains("made when the server starts"));
        std::fs::write(&path, "hello").unwrap();
        assert!(Certificate::read(&path).is_err());
    }
}
