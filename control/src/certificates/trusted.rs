//! Uploaded certificate authorities: one certificate whose signatures on client certificates are trusted.

use super::{
    pem_blocks::blocks,
    x509::{self, Facts},
};
use postern_api::{Code, Error, Result};
use rustls::{RootCertStore, pki_types::CertificateDer};

/// The longest text, in bytes.
const LIMIT: usize = 32 * 1024;

/// Reads and judges an authority. That it has expired is no reason to refuse it.
pub(crate) fn read(ca_pem: &str) -> Result<Facts> {
    if ca_pem.trim().is_empty() {
        return Err(refused(
            Code::AuthorityMissing,
            "`ca_pem` is empty. Send the certificate of the authority in PEM.",
        ));
    }
    if ca_pem.len() > LIMIT {
        let sentence = format!("`ca_pem` is longer than {LIMIT} bytes. Send one certificate only.");
        return Err(refused(Code::CertificateTooLarge, &sentence));
    }
    let unreadable = || {
        let sentence = "`ca_pem` could not be read as PEM. It begins with a line `-----BEGIN CERTIFICATE-----` and ends with `-----END CERTIFICATE-----`.";
        refused(Code::PemUnreadable, sentence)
    };
    let blocks = blocks(ca_pem).ok_or_else(unreadable)?;
    let block = blocks.first().ok_or_else(unreadable)?;
    if !blocks.iter().all(super::pem_blocks::Block::is_certificate) {
        let sentence = "`ca_pem` holds something else than a certificate. Send one block of the kind `CERTIFICATE`.";
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
    let facts = Facts::of(&certificate).ok_or_else(no_certificate)?;
    if !certificate.basic_constraints().ok().flatten().is_some_and(|extension| extension.value.ca) {
        let sentence = "The certificate is not one of an authority: its basic constraints do not say `CA:TRUE`.";
        return Err(refused(Code::NoAuthority, sentence));
    }
    // What judges the visitors must be able to use it.
    RootCertStore::empty().add(CertificateDer::from(block.bytes.to_vec())).map_err(|_| no_certificate())?;
    Ok(facts)
}

fn refused(code: Code, sentence: &str) -> Error {
    Error::new(code, sentence).with("field", "ca_pem")
}

#[cfg(test)]
mod tests;
