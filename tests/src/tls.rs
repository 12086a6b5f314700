//! TLS for local services.

use rcgen::{CertifiedKey, KeyPair};
use rustls::ServerConfig;
use rustls_pki_types::{PrivateKeyDer, pem::PemObject};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;

/// A self-signed certificate for one name.
pub fn certificate(name: &str) -> CertifiedKey<KeyPair> {
    rcgen::generate_simple_self_signed([name.to_owned()]).expect("a certificate")
}

/// Terminates TLS with a certificate and its key.
pub fn acceptor(own: &CertifiedKey<KeyPair>) -> TlsAcceptor {
    let key = PrivateKeyDer::from_pem_slice(own.signing_key.serialize_pem().as_bytes()).expect("a key");
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("suites")
        .with_no_client_auth()
        .with_single_cert(vec![own.cert.der().clone()], key)
        .expect("a pair");
    TlsAcceptor::from(Arc::new(config))
}
