//! Validation of uploaded certificate authorities, which are trusted to sign client certificates.

use super::{
    pem_blocks::blocks,
    x509::{self, CertificateFacts},
};
use postern_api::{Code, Error, Result};
use rustls::{RootCertStore, pki_types::CertificateDer};

/// Longest text in bytes.
const MAX_BYTES: usize = 32 * 1024;

/// Parses and validates an authority. An expired one is accepted.
///
/// # Errors
/// With the code of the first mistake.
pub(crate) fn read(ca_pem: &str) -> Result<CertificateFacts> {
    if ca_pem.trim().is_empty() {
        return Err(refused(
            Code::AuthorityMissing,
            "`ca_pem` is empty. Send the certificate of the authority in PEM.",
        ));
    }
    if ca_pem.len() > MAX_BYTES {
        let sentence = format!("`ca_pem` is longer than {MAX_BYTES} bytes. Send one certificate only.");
        return Err(refused(Code::CertificateTooLarge, &sentence));
    }
    let unreadable = || {
        let sentence = "`ca_pem` could not be read as PEM. It begins with a line `-----BEGIN CERTIFICATE-----` and ends with `-----END CERTIFICATE-----`.";
        refused(Code::PemUnreadable, sentence)
    };
    let blocks = blocks(ca_pem).ok_or_else(unreadable)?;
    let block = blocks.first().ok_or_else(unreadable)?;
    if !blocks.iter().all(super::pem_blocks::Block::is_certificate) {
        let sentence = "`ca_pem` holds something other than a certificate. Send one block of type `CERTIFICATE`.";
        return Err(refused(Code::AuthorityBlockType, sentence));
    }
    if blocks.len() > 1 {
        let sentence = format!("`ca_pem` holds {} certificates. Upload each authority on its own.", blocks.len());
        return Err(refused(Code::AuthorityCount, &sentence));
    }
    if block.headers {
        let sentence = "The block in `ca_pem` has headers. Send it without the lines before the base 64.";
        return Err(refused(Code::AuthorityHeaders, sentence));
    }
    let no_certificate = || refused(Code::CertificateUnreadable, "`ca_pem` could not be read as an X.509 certificate.");
    let certificate = x509::parse(&block.bytes).ok_or_else(no_certificate)?;
    let facts = CertificateFacts::from_certificate(&certificate).ok_or_else(no_certificate)?;
    if !certificate.basic_constraints().ok().flatten().is_some_and(|extension| extension.value.ca) {
        let sentence = "The certificate is not one of an authority: its basic constraints do not say `CA:TRUE`.";
        return Err(refused(Code::NoAuthority, sentence));
    }
    // The verifier of client certificates must accept it.
    RootCertStore::empty().add(CertificateDer::from(block.bytes.to_vec())).map_err(|_| no_certificate())?;
    Ok(facts)
}

fn refused(code: Code, sentence: &str) -> Error {
    Error::new(code, sentence).with("field", "ca_pem")
}

#[cfg(test)]
mod tests;
