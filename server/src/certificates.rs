//! Certificates for names without an uploaded one: that of `--certificate` if it is valid for the name, else one issued
//! by the server's certificate authority.

use crate::{io_error::reason, live_edge::LiveEdge};
use arc_swap::ArcSwapOption;
use postern_api::{Code, Error, host::HostName};
use postern_control::certificates::Authority;
use postern_edge::Certificates;
use rustls::{
    client::verify_server_name, crypto::aws_lc_rs::sign::any_supported_type, server::ParsedCertificate,
    sign::CertifiedKey,
};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject};
use std::{net::IpAddr, path::Path, sync::Arc};

/// Certificates of this server.
pub(crate) struct ServerCertificates {
    /// From `--certificate`; replaced when the settings are read again.
    pub(crate) given: ArcSwapOption<CertifiedKey>,
    pub(crate) authority: Authority,
    pub(crate) domain: HostName,
    /// Further names that the server itself serves.
    pub(crate) own_names: Vec<HostName>,
    pub(crate) live: LiveEdge,
}

impl ServerCertificates {
    /// Whether the name is served. Certificates are issued only for such names, because clients may request any name.
    fn serves(&self, name: &HostName) -> bool {
        let below =
            name.as_str().strip_suffix(self.domain.as_str()).is_some_and(|head| head.is_empty() || head.ends_with('.'));
        below || self.own_names.contains(name) || self.live.edge().is_some_and(|edge| edge.serves(name))
    }
}

impl Certificates for ServerCertificates {
    fn resolve(&self, name: Option<&HostName>, local: IpAddr) -> Option<Arc<CertifiedKey>> {
        if let (Some(given), Some(name)) = (&*self.given.load(), name)
            && is_valid_for(given, name)
        {
            return Some(given.clone());
        }
        let own = local.to_canonical().to_string();
        let names: Vec<&str> = match name {
            Some(name) if self.serves(name) => vec![name.as_str()],
            _ if self.domain.as_str() == "localhost" => vec!["localhost", &own],
            _ => vec![self.domain.as_str(), "localhost", &own],
        };
        match self.authority.leaf(&names) {
            Ok(leaf) => Some(leaf),
            Err(error) => {
                tracing::error!(%error, ?names, "no certificate can be issued");
                None
            }
        }
    }
}

/// Whether the certificate is valid for the name, wildcards included.
fn is_valid_for(key: &CertifiedKey, name: &HostName) -> bool {
    let Some(leaf) = key.cert.first() else { return false };
    let (Ok(leaf), Ok(name)) = (ParsedCertificate::try_from(leaf), ServerName::try_from(name.as_str())) else {
        return false;
    };
    verify_server_name(&leaf, &name).is_ok()
}

/// Reads the chain and the key of `--certificate` and `--certificate-key`.
pub(crate) fn read(chain: &Path, key: &Path) -> Result<Arc<CertifiedKey>, Error> {
    let refuse = |message: String| Error::new(Code::ConfigInvalid, message);
    let unreadable = |flag: &str, path: &Path, error: rustls_pki_types::pem::Error| {
        let why = match &error {
            rustls_pki_types::pem::Error::Io(error) => reason(error),
            rustls_pki_types::pem::Error::NoItemsFound => "it contains none; PEM is expected".to_owned(),
            _ => "it is not valid PEM".to_owned(),
        };
        refuse(format!("{flag}: {} cannot be used: {why}.", path.display()))
    };
    let certificates = CertificateDer::pem_file_iter(chain)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| unreadable("--certificate", chain, error))?;
    if certificates.is_empty() {
        return Err(unreadable("--certificate", chain, rustls_pki_types::pem::Error::NoItemsFound));
    }
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| unreadable("--certificate-key", key, error))?;
    let private = any_supported_type(&private).map_err(|_| {
        refuse(format!(
            "--certificate-key: {} has an unsupported type of key; use RSA, ECDSA or Ed25519.",
            key.display()
        ))
    })?;
    let certified = CertifiedKey::new(certificates, private);
    match certified.keys_match() {
        Ok(()) | Err(rustls::Error::InconsistentKeys(rustls::InconsistentKeys::Unknown)) => Ok(Arc::new(certified)),
        Err(rustls::Error::InconsistentKeys(_)) => Err(refuse(format!(
            "The key in {} does not belong to the first certificate in {}. The chain must begin with the server's own certificate.",
            key.display(),
            chain.display()
        ))),
        Err(_) => Err(refuse(format!("--certificate: the first certificate in {} cannot be read.", chain.display()))),
    }
}
