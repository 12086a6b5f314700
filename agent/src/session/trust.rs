//! Whom the agent trusts when it connects to its server.

use crate::config::{paths, settings::RootCas};
use postern_api::{Code, Error};
use rustls::{
    CipherSuite, ClientConfig, RootCertStore, client::WebPkiServerVerifier, client::danger::ServerCertVerifier,
    crypto::CryptoProvider,
};
use rustls_pki_types::{CertificateDer, pem::PemObject};
use std::{path::Path, sync::Arc};

/// The TLS settings of all connections to a server: TLS 1.3, the protocol's own name, and the chosen authorities.
///
/// # Errors
/// `ServerUntrusted` if the authorities cannot be read.
pub fn client_config(root_cas: &RootCas) -> Result<ClientConfig, Error> {
    let provider = Arc::new(provider());
    let verifier = verifier(root_cas, &provider)?;
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .expect("the provider has suites for TLS 1.3")
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    config.alpn_protocols = vec![postern_tunnel::ALPN.to_vec()];
    Ok(config)
}

/// AES-128 first: the cheapest where the processor knows AES.
fn provider() -> CryptoProvider {
    let mut provider = rustls::crypto::aws_lc_rs::default_provider();
    provider.cipher_suites.sort_by_key(|suite| suite.suite() != CipherSuite::TLS13_AES_128_GCM_SHA256);
    provider
}

fn verifier(root_cas: &RootCas, provider: &Arc<CryptoProvider>) -> Result<Arc<dyn ServerCertVerifier>, Error> {
    let local = match root_cas {
        RootCas::Default => paths::local_authority(),
        RootCas::Host => None,
        RootCas::File(path) => Some(path.clone()),
    };
    match local {
        Some(path) => from_file(&path, provider),
        None => {
            let verifier = rustls_platform_verifier::Verifier::new(provider.clone()).map_err(|error| {
                Error::new(Code::ServerUntrusted, format!("The system's certificate store cannot be read: {error}."))
            })?;
            Ok(Arc::new(verifier))
        }
    }
}

fn from_file(path: &Path, provider: &Arc<CryptoProvider>) -> Result<Arc<dyn ServerCertVerifier>, Error> {
    let shown = path.display();
    let refuse = |why: &str| {
        Error::new(
            Code::ServerUntrusted,
            format!("root_cas `{shown}` cannot be used: {why}. Give a PEM file with the server's authority."),
        )
    };
    let certificates = CertificateDer::pem_file_iter(path).map_err(|error| refuse(&error.to_string()))?;
    let mut roots = RootCertStore::empty();
    for certificate in certificates {
        let certificate = certificate.map_err(|error| refuse(&error.to_string()))?;
        roots.add(certificate).map_err(|error| refuse(&error.to_string()))?;
    }
    if roots.is_empty() {
        return Err(refuse("there is no certificate in it"));
    }
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone())
        .build()
        .map_err(|error| refuse(&error.to_string()))?;
    Ok(verifier)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_a_certificate_is_refused_with_its_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ca.pem");
        std::fs::write(&path, "nothing here\n").expect("written");
        let error = client_config(&RootCas::File(path.clone())).expect_err("refused");
        assert_eq!(error.code, Code::ServerUntrusted);
        assert!(error.message.contains("ca.pem"));
    }
}
