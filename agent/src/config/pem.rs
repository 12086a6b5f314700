//! Certificates in files that a configuration names.

use super::problem::Place;
use postern_api::{Code, Error};
use rustls_pki_types::{CertificateDer, pem::PemObject};
use std::path::{Path, PathBuf};

/// A file larger than this holds no certificates that anybody uses.
const LARGEST: u64 = 1 << 20;

/// Every certificate of a file as PEM of its own. A path that is not absolute begins in the folder of the file it is
/// written in.
pub(super) fn certificates(path: &str, written: &Place) -> Result<Vec<String>, Error> {
    let path = beside(path, written);
    let wrong = |code: Code, why: &str| Error::new(code, format!("{} {why}.", path.display()));
    let bytes = read(&path)?;
    let mut all = Vec::new();
    for certificate in CertificateDer::pem_slice_iter(&bytes) {
        let certificate = certificate.map_err(|_| wrong(Code::PemUnreadable, "is not PEM that can be read"))?;
        all.push(pem(&certificate));
    }
    if all.is_empty() {
        return Err(wrong(Code::CertificateMissing, "holds no certificate in PEM"));
    }
    Ok(all)
}

/// The bytes of a file that is small and really a file: reading anything else might never end.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let wrong = |why: String| Error::new(Code::ConfigInvalid, format!("{} cannot be read: {why}.", path.display()));
    let about = std::fs::metadata(path).map_err(|error| wrong(error.to_string()))?;
    if !about.is_file() {
        return Err(wrong("it is not a file".to_owned()));
    }
    if about.len() > LARGEST {
        return Err(wrong("it is larger than 1 MiB".to_owned()));
    }
    std::fs::read(path).map_err(|error| wrong(error.to_string()))
}

/// Where a path leads that stands in a file.
pub(super) fn beside(path: &str, written: &Place) -> PathBuf {
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

    fn at(folder: &Path) -> Place {
        Place { file: Some(folder.join("postern.yml").display().to_string().into()), line: 1, column: 1 }
    }

    #[test]
    fn every_certificate_of_a_file_is_found_beside_the_configuration() {
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
    fn what_holds_none_is_refused_and_never_shown() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = at(folder.path());
        std::fs::write(folder.path().join("secret"), "planted-secret").expect("written");
        for path in ["secret", "nothing", "."] {
            let error = certificates(path, &place).expect_err(path);
            assert!(!error.to_string().contains("planted"), "{error}");
        }
    }
}
