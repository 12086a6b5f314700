//! Both sides of TLS, with the one provider that the products use.

use rcgen::{CertifiedKey, KeyPair};
use rustls::{
    ClientConfig, RootCertStore, ServerConfig,
    crypto::{CryptoProvider, aws_lc_rs},
    pki_types::{CertificateDer, PrivateKeyDer},
};
use std::sync::Arc;
use tokio_rustls::{TlsAcceptor, TlsConnector};

/// A self-signed certificate for one name.
pub fn self_signed(name: &str) -> CertifiedKey<KeyPair> {
    rcgen::generate_simple_self_signed([name.to_owned()]).expect("a certificate")
}

/// The server side with a certificate and its key; an empty `alpn` accepts every protocol.
pub fn server_config(own: &CertifiedKey<KeyPair>, alpn: &[&[u8]]) -> ServerConfig {
    let key = PrivateKeyDer::Pkcs8(own.signing_key.serialize_der().into());
    let mut config = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .expect("the provider has suites")
        .with_no_client_auth()
        .with_single_cert(vec![own.cert.der().clone()], key)
        .expect("a certificate and its key");
    config.alpn_protocols = protocols(alpn);
    config
}

/// The client side that trusts these certificates and offers these protocols.
pub fn client_config<'a>(
    trusted: impl IntoIterator<Item = &'a CertificateDer<'static>>,
    alpn: &[&[u8]],
) -> ClientConfig {
    let mut config = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .expect("the provider has suites")
        .with_root_certificates(roots(trusted))
        .with_no_client_auth();
    config.alpn_protocols = protocols(alpn);
    config
}

/// Terminates TLS with a certificate and its key.
pub fn acceptor(own: &CertifiedKey<KeyPair>, alpn: &[&[u8]]) -> TlsAcceptor {
    TlsAcceptor::from(Arc::new(server_config(own, alpn)))
}

/// Connects to servers that these certificates vouch for.
pub fn connector<'a>(trusted: impl IntoIterator<Item = &'a CertificateDer<'static>>, alpn: &[&[u8]]) -> TlsConnector {
    TlsConnector::from(Arc::new(client_config(trusted, alpn)))
}

/// A store of trusted certificates.
pub fn roots<'a>(trusted: impl IntoIterator<Item = &'a CertificateDer<'static>>) -> RootCertStore {
    let mut roots = RootCertStore::empty();
    for certificate in trusted {
        roots.add(certificate.clone()).expect("a certificate");
    }
    roots
}

/// The provider of every configuration.
pub fn provider() -> Arc<CryptoProvider> {
    Arc::new(aws_lc_rs::default_provider())
}

fn protocols(alpn: &[&[u8]]) -> Vec<Vec<u8>> {
    alpn.iter().map(|protocol| protocol.to_vec()).collect()
}
