//! TLS verification of local services.

use super::{fields::Fields, pem::certificates};
use rustls::{ClientConfig, RootCertStore, crypto::aws_lc_rs};
use rustls_pki_types::{CertificateDer, pem::PemObject};
use std::sync::Arc;

/// The certificates that are accepted from a local service.
#[derive(Clone, Debug, Default)]
pub enum UpstreamTrust {
    /// Any on this machine: the connection crosses no network, and development servers use self-signed certificates.
    /// Elsewhere, those the system trusts.
    #[default]
    Default,
    /// Those the system trusts, on this machine too.
    System,
    /// Those issued by these authorities.
    Authorities(Arc<Authorities>),
    /// Any.
    Any,
}

/// Authorities from a file.
#[derive(Debug)]
pub struct Authorities {
    files: Vec<String>,
    /// A TLS configuration that trusts only these authorities.
    pub config: Arc<ClientConfig>,
}

impl PartialEq for UpstreamTrust {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (UpstreamTrust::Authorities(mine), UpstreamTrust::Authorities(theirs)) => mine.files == theirs.files,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

impl UpstreamTrust {
    /// Reads `verify_upstream_tls` and `verify_upstream_tls_cas`. `None` if there are problems.
    pub(super) fn read(fields: &mut Fields<'_>) -> Option<UpstreamTrust> {
        let verify = match fields.pair("verify_upstream_tls") {
            Some(_) => Some(fields.flag("verify_upstream_tls")?),
            None => None,
        };
        let Some(path) = fields.text("verify_upstream_tls_cas") else {
            return Some(match verify {
                None => UpstreamTrust::Default,
                Some(true) => UpstreamTrust::System,
                Some(false) => UpstreamTrust::Any,
            });
        };
        if verify == Some(false) {
            let message = "Authorities have no effect with `verify_upstream_tls: false`: remove one of the two.";
            fields.reject("verify_upstream_tls_cas", path.location, message);
            return None;
        }
        match certificates(&path.value, path.location).and_then(Authorities::from_pem) {
            Ok(authorities) => Some(UpstreamTrust::Authorities(Arc::new(authorities))),
            Err(error) => {
                let key = fields.key("verify_upstream_tls_cas");
                fields.problems.add_coded(error.code, path.location, &key, error.message);
                None
            }
        }
    }
}

impl Authorities {
    fn from_pem(files: Vec<String>) -> postern_api::Result<Self> {
        let unusable = |error: rustls::Error| {
            let message = format!("An authority of the file cannot be used: {error}.");
            postern_api::Error::new(postern_api::Code::NoAuthority, message)
        };
        let mut roots = RootCertStore::empty();
        for certificate in files.iter().filter_map(|text| CertificateDer::from_pem_slice(text.as_bytes()).ok()) {
            roots.add(certificate).map_err(unusable)?;
        }
        let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(unusable)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Authorities { files, config: Arc::new(config) })
    }
}
