//! The certificate and key with which the agent terminates a tunnel's TLS, and the authorities for client certificates.

use super::{
    fields::Fields,
    pem::{self, certificates},
    problem::SourceLocation,
};
use postern_api::{Code, Error, Secret};
use rustls::{RootCertStore, ServerConfig, crypto::aws_lc_rs, server::WebPkiClientVerifier};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use std::sync::Arc;

/// The TLS settings of a tunnel. Two are equal if their files have the same content.
#[derive(Clone)]
pub struct TlsIdentity {
    files: Secret,
    config: Arc<ServerConfig>,
}

impl PartialEq for TlsIdentity {
    fn eq(&self, other: &Self) -> bool {
        self.files == other.files
    }
}

impl std::fmt::Debug for TlsIdentity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TlsIdentity")
    }
}

type KeyError = (&'static str, Error);

impl TlsIdentity {
    /// The settings for handshakes.
    pub fn config(&self) -> &Arc<ServerConfig> {
        &self.config
    }

    /// Reads `crt` and `key`; with `authorities`, visitors must show a client certificate. `None` if the keys are
    /// absent or invalid.
    pub(super) fn read(fields: &mut Fields<'_>, authorities: &[String]) -> Option<TlsIdentity> {
        let (crt, key) = (fields.text("crt")?, fields.text("key")?);
        match TlsIdentity::from_files((&crt.value, crt.location), (&key.value, key.location), authorities) {
            Ok(identity) => Some(identity),
            Err((name, error)) => {
                let location = if name == "key" { key.location } else { crt.location };
                let key = fields.key(name);
                fields.problems.add_coded(error.code, location, &key, error.message);
                None
            }
        }
    }

    fn from_files(
        crt: (&str, &SourceLocation),
        key: (&str, &SourceLocation),
        authorities: &[String],
    ) -> Result<TlsIdentity, KeyError> {
        let chain = certificates(crt.0, crt.1).map_err(|error| ("crt", error))?;
        let bytes = pem::read(&pem::resolve_relative(key.0, key.1)).map_err(|error| ("key", error))?;
        let private = PrivateKeyDer::from_pem_slice(&bytes).map_err(|_| {
            let message = "The file contains no usable PEM private key; encrypted keys are not supported.";
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
        Ok(TlsIdentity { files, config: Arc::new(config) })
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

    fn of(crt: &str, key: &str) -> Result<TlsIdentity, (&'static str, Code)> {
        let location = SourceLocation::default();
        TlsIdentity::from_files((crt, &location), (key, &location), &[]).map_err(|(name, error)| (name, error.code))
    }

    #[test]
    fn a_certificate_needs_its_own_key() {
        let folder = tempfile::tempdir().expect("a folder");
        let ((crt, key), (_, other)) = (written(folder.path(), "a.test"), written(folder.path(), "b.test"));
        assert!(of(&crt, &key).is_ok() && of(&crt, &key) == of(&crt, &key));
        assert_eq!(of(&crt, &other), Err(("key", Code::PrivateKeyMismatch)));
        assert_eq!(of(&key, &key), Err(("crt", Code::CertificateMissing)));
        assert_eq!(of(&crt, &crt), Err(("key", Code::PrivateKeyUnsupported)));
    }
}
