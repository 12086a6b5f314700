//! Certificates in files that a configuration names.

use super::problem::SourceLocation;
use postern_api::{Code, Error};
use rustls_pki_types::{CertificateDer, pem::PemObject};
use std::path::{Path, PathBuf};

/// Maximum size of a PEM file, in bytes.
const MAX_PEM_BYTES: u64 = 1 << 20;

/// All certificates of a file, each as PEM. A relative path is resolved against the folder of the configuration file.
pub(super) fn certificates(path: &str, written: &SourceLocation) -> Result<Vec<String>, Error> {
    let path = resolve_relative(path, written);
    let wrong = |code: Code, why: &str| Error::new(code, format!("{} {why}.", path.display()));
    let bytes = read(&path)?;
    let mut all = Vec::new();
    for certificate in CertificateDer::pem_slice_iter(&bytes) {
        let certificate = certificate.map_err(|_| wrong(Code::PemUnreadable, "is not valid PEM"))?;
        all.push(pem(&certificate));
    }
    if all.is_empty() {
        return Err(wrong(Code::CertificateMissing, "contains no PEM certificate"));
    }
    Ok(all)
}

/// Reads a small regular file: reading anything else may never end.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let wrong = |why: String| Error::new(Code::ConfigInvalid, format!("{} cannot be read: {why}.", path.display()));
    let about = std::fs::metadata(path).map_err(|error| wrong(error.to_string()))?;
    if !about.is_file() {
        return Err(wrong("it is not a file".to_owned()));
    }
    if about.len() > MAX_PEM_BYTES {
        return Err(wrong("it is larger than 1 MiB".to_owned()));
    }
    std::fs::read(path).map_err(|error| wrong(error.to_string()))
}

/// Resolves a path that is written in a configuration file.
pub(super) fn resolve_relative(path: &str, written: &SourceLocation) -> PathBuf {
    let folder = written.file.as_deref().and_then(|file| Path::new(file).parent());
    folder.map_or_else(|| PathBuf::from(path), |folder| folder.join(path))
}

fn pem(certificate: &CertificateDer<'_>) -> String {
    use base64::{Engine, prelude::BASE64_STANDARD};
    let text = BASE64_STANDARD.encode(certificate);
    let mut pem = String::from("-----BEGIN CERTIFICATE-----\n");
    for line in text.as_bytes().chunks(64) {
        pem.push_str(&String::from_utf8_lossy(line));
        pem.push('\n');
    }
    pem.push_str("-----END CERTIFICATE-----\n");
    pem
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(folder: &Path) -> SourceLocation {
        SourceLocation { file: Some(folder.join("postern.yml").display().to_string().into()), line: 1, column: 1 }
    }

    #[test]
    fn all_certificates_of_a_file_next_to_the_configuration_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let made = |name: &str| rcgen::generate_simple_self_signed([name.to_owned()]).expect("a certificate").cert;
        let (first, second) = (made("a.test"), made("b.test"));
        std::fs::write(folder.path().join("cas.pem"), format!("text\n{}{}", first.pem(), second.pem()))
            .expect("written");
        let found = certificates("cas.pem", &at(folder.path())).expect("two");
        let der = |pem: &String| CertificateDer::from_pem_slice(pem.as_bytes()).expect("PEM");
        assert_eq!(found.iter().map(der).collect::<Vec<_>>(), [first.der().clone(), second.der().clone()]);
    }

    #[test]
    fn files_without_certificates_are_rejected_without_showing_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let location = at(folder.path());
        std::fs::write(folder.path().join("secret"), "planted-secret").expect("written");
        for path in ["secret", "nothing", "."] {
            let error = certificates(path, &location).expect_err(path);
            assert!(!error.to_string().contains("planted"), "{error}");
        }
    }
}
