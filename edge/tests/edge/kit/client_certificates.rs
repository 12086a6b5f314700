//! Certificate authorities of visitors, their certificates, and visitors who present them.

use super::{WAIT_TIMEOUT, World, visitor::Visitor};
use rcgen::{BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, SanType};
use rustls::{
    AlertDescription, ClientConfig, RootCertStore, SupportedProtocolVersion,
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName},
};
use std::{io, sync::Arc};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

/// A certificate authority.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    /// Certificates between its own and the root, its own first; empty for a root.
    between: Vec<CertificateDer<'static>>,
    pub(crate) pem: Arc<str>,
}

/// A certificate chain and its key.
pub(crate) struct Holder {
    chain: Vec<CertificateDer<'static>>,
    key: Vec<u8>,
}

fn params(name: &str) -> CertificateParams {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params
}

fn authority(name: &str) -> CertificateParams {
    let mut params = params(name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params
}

impl Authority {
    pub(crate) fn root(name: &str) -> Self {
        let (key, params) = (KeyPair::generate().unwrap(), authority(name));
        let made = params.self_signed(&key).unwrap();
        Authority { pem: made.pem().into(), issuer: Issuer::new(params, key), between: Vec::new() }
    }

    /// An intermediate authority.
    pub(crate) fn intermediate(&self, name: &str) -> Self {
        let (key, params) = (KeyPair::generate().unwrap(), authority(name));
        let made = params.signed_by(&key, &self.issuer).unwrap();
        let between = std::iter::once(made.der().clone()).chain(self.between.iter().cloned()).collect();
        Authority { pem: made.pem().into(), issuer: Issuer::new(params, key), between }
    }

    pub(crate) fn issue(&self, name: &str) -> Holder {
        self.issue_with(name, |_| {})
    }

    pub(crate) fn issue_with(&self, name: &str, change: impl FnOnce(&mut CertificateParams)) -> Holder {
        let (key, mut params) = (KeyPair::generate().unwrap(), params(name));
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        params.subject_alt_names = vec![
            SanType::DnsName(format!("{name}.test").try_into().unwrap()),
            SanType::Rfc822Name(format!("{name}@people.test").try_into().unwrap()),
        ];
        params.serial_number = Some(rcgen::SerialNumber::from_slice(&[0x0a, 0xbc]));
        change(&mut params);
        let made = params.signed_by(&key, &self.issuer).unwrap();
        let chain = std::iter::once(made.der().clone()).chain(self.between.iter().cloned()).collect();
        Holder { chain, key: key.serialize_der() }
    }
}

/// The TLS client of a visitor; connections of the same client resume sessions.
pub(crate) fn side(
    world: &World,
    holder: Option<&Holder>,
    version: &'static SupportedProtocolVersion,
) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(world.authority.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[version])
        .unwrap()
        .with_root_certificates(roots);
    let mut config = match holder {
        None => builder.with_no_client_auth(),
        Some(Holder { chain, key }) => {
            let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.clone()));
            builder.with_client_auth_cert(chain.clone(), key).unwrap()
        }
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Arc::new(config)
}

pub(crate) async fn connect(world: &World, side: &Arc<ClientConfig>, name: &str) -> io::Result<TlsStream<TcpStream>> {
    let stream = TcpStream::connect(world.edge.https_addr()).await?;
    let name = ServerName::try_from(name.to_owned()).unwrap();
    TlsConnector::from(side.clone()).connect(name, stream).await
}

/// An accepted visitor.
pub(crate) async fn comes_in(world: &World, side: &Arc<ClientConfig>, name: &str) -> Visitor<TlsStream<TcpStream>> {
    Visitor::on(connect(world, side, name).await.unwrap_or_else(|error| panic!("{name}: {error}")))
}

/// The alert with which a visitor is refused who has sent data before receiving it.
pub(crate) async fn turned_away(world: &World, side: &Arc<ClientConfig>, name: &str) -> AlertDescription {
    let failed = match connect(world, side, name).await {
        Err(error) => error,
        Ok(mut stream) => {
            // In TLS 1.3, the client finishes its handshake before the edge verifies the certificate.
            let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n").await;
            let mut heard = Vec::new();
            let read = timeout(WAIT_TIMEOUT, stream.read_to_end(&mut heard)).await.expect("in time");
            assert_eq!(String::from_utf8_lossy(&heard), "", "nothing is said but the alert");
            read.expect_err("an alert, not a quiet end")
        }
    };
    match failed.get_ref().and_then(|error| error.downcast_ref::<rustls::Error>()) {
        Some(rustls::Error::AlertReceived(alert)) => *alert,
        _ => panic!("no alert: {failed:?}"),
    }
}
