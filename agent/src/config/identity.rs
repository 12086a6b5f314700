//! The certificate and key with which the agent ends TLS for a tunnel, and whose certificates it asks visitors for.

use super::{
    fields::Fields,
    pem::{self, certificates},
    problem::Place,
};
use postern_api::{Code, Error, Secret};
use rustls::{RootCertStore, ServerConfig, crypto::aws_lc_rs, server::WebPkiClientVerifier};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use std::sync::Arc;

/// How the agent ends TLS. Two are the same if what was in the files is the same.
#[derive(Clone)]
pub struct Identity {
    files: Secret,
    config: Arc<ServerConfig>,
}

impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        self.files == other.files
    }
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Identity")
    }
}

type Wrong = (&'static str, Error);

impl Identity {
    /// How handshakes are made.
    pub fn config(&self) -> &Arc<ServerConfig> {
        &self.config
    }

    /// Reads `crt` and `key`; visitors are asked for certificates of these authorities, if there are any. `None` if
    /// there are no files or something is wrong.
    pub(super) fn read(fields: &mut Fields<'_>, authorities: &[String]) -> Option<Identity> {
        let (crt, key) = (fields.text("crt")?, fields.text("key")?);
        match Identity::of((&crt.value, crt.place), (&key.value, key.place), authorities) {
            Ok(identity) => Some(identity),
            Err((name, error)) => {
                let place = if name == "key" { key.place } else { crt.place };
                let key = fields.key(name);
                fields.problems.add_coded(error.code, place, &key, error.message);
                None
            }
        }
    }

    fn of(crt: (&str, &Place), key: (&str, &Place), authorities: &[String]) -> Result<Identity, Wrong> {
        let chain = certificates(crt.0, crt.1).map_err(|error| ("crt", error))?;
        let bytes = pem::read(&pem::beside(key.0, key.1)).map_err(|error| ("key", error))?;
        let private = PrivateKeyDer::from_pem_slice(&bytes).map_err(|_| {
            let message = "The file holds no private key in PEM that can be read; an encrypted one cannot.";
            ("key", Error::new(Code::PrivateKeyUnsupported, message))
        })?;
        let mismatch = |error: rustls::Error| {
            let message = format!("The key does not belong to the certificate, or cannot be used: {error}.");
            ("key", Error::new(Code::PrivateKeyMismatch, message))
        };
        let unusable = |why: String| ("mutual_tls_cas", Error::new(Code::NoAuthority, why));
        let der = |text: &String| CertificateDer::from_pem_slice(text.as_bytes()).ok();
        let provider = Arc::new(aws_lc_rs::default_provider());
        let builder = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(mismatch)?;
        let builder = if authorities.is_empty() {
            builder.with_no_client_auth()
        } else {
            let mut roots = RootCertStore::empty();
            for authority in authorities.iter().filter_map(der) {
                roots.add(authority).map_err(|error| unusable(format!("An authority cannot be used: {error}.")))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
            builder.with_client_cert_verifier(verifier.map_err(|error| unusable(format!("{error}.")))?)
        };
        let config = builder.with_single_cert(chain.iter().filter_map(der).collect(), private).map_err(mismatch)?;
        let key = String::from_utf8_lossy(&bytes);
        let files = Secret::new(format!("{}{key}{}", chain.concat(), authorities.concat()));
        Ok(Identity { files, config: Arc::new(config) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn written(folder: &Path, name: &str) -> (String, String) {
        let made = rcgen::generate_simple_self_signed([name.to_owned()]).expect("a certificate");
        let (crt, key) = (folder.join(format!("{name}.crt")), folder.join(format!("{name}.key")));
        std::fs::write(&crt, made.cert.pem()).expect("written");
        std::fs::write(&key, made.signing_key.serialize_pem()).expect("written");
        (crt.display().to_string(), key.display().to_string())
    }

    fn of(crt: &str, key: &str) -> Result<Identity, (&'static str, Code)> {
        let place = Place::default();
        Identity::of((crt, &place), (key, &place), &[]).map_err(|(name, error)| (name, error.code))
    }

    #[test]
    fn a_certificate_and_its_key_belong_together() {
        let folder = tempfile::tempdir().expect("a folder");
        let ((crt, key), (_, other)) = (written(folder.path(), "a.test"), written(folder.path(), "b.test"));
        assert!(of(&crt, &key).is_ok() && of(&crt, &key) == of(&crt, &key));
        assert_eq!(of(&crt, &other), Err(("key", Code::PrivateKeyMismatch)));
        assert_eq!(of(&key, &key), Err(("crt", Code::CertificateMissing)));
        assert_eq!(of(&crt, &crt), Err(("key", Code::PrivateKeyUnsupported)));
    }
}
