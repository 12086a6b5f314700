//! Whose certificates a local service may show when it is spoken to over TLS.

use super::{fields::Fields, pem::certificates};
use rustls::{ClientConfig, RootCertStore, crypto::aws_lc_rs};
use rustls_pki_types::{CertificateDer, pem::PemObject};
use std::sync::Arc;

/// What must be true of a local service's certificate.
#[derive(Clone, Debug, Default)]
pub enum Trust {
    /// On this machine anything: the way passes no network, and development servers sign their own. Elsewhere it must be
    /// good for the system.
    #[default]
    Usual,
    /// It must be good for the system, wherever it is.
    System,
    /// It must come from one of these authorities.
    Authorities(Arc<Authorities>),
    /// Anything.
    Anybody,
}

/// Authorities of one's own.
#[derive(Debug)]
pub struct Authorities {
    files: Vec<String>,
    /// How connections are made that trust them and nobody else.
    pub config: Arc<ClientConfig>,
}

impl PartialEq for Trust {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Trust::Authorities(mine), Trust::Authorities(theirs)) => mine.files == theirs.files,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

impl Trust {
    /// Reads `verify_upstream_tls` and `verify_upstream_tls_cas`. `None` if anything is wrong.
    pub(super) fn read(fields: &mut Fields<'_>) -> Option<Trust> {
        let verify = match fields.pair("verify_upstream_tls") {
            Some(_) => Some(fields.flag("verify_upstream_tls")?),
            None => None,
        };
        let Some(path) = fields.text("verify_upstream_tls_cas") else {
            return Some(match verify {
                None => Trust::Usual,
                Some(true) => Trust::System,
                Some(false) => Trust::Anybody,
            });
        };
        if verify == Some(false) {
            let message = "Authorities are of no use with `verify_upstream_tls: false`: take one of the two out.";
            fields.wrong("verify_upstream_tls_cas", path.place, message);
            return None;
        }
        match certificates(&path.value, path.place).and_then(Authorities::of) {
            Ok(authorities) => Some(Trust::Authorities(Arc::new(authorities))),
            Err(error) => {
                let key = fields.key("verify_upstream_tls_cas");
                fields.problems.add_coded(error.code, path.place, &key, error.message);
                None
            }
        }
    }
}

impl Authorities {
    fn of(files: Vec<String>) -> postern_api::Result<Self> {
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
