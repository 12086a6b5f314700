//! Certificates of visitors, and visitors who present them.

use super::{Http1Client, World, in_time};
use postern_test_kit::{
    certificates::{CertificateAuthority, named},
    tls,
};
use rcgen::{CertificateParams, ExtendedKeyUsagePurpose, SanType};
use rustls::{
    AlertDescription, ClientConfig, SupportedProtocolVersion,
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName},
};
use std::{io, sync::Arc};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

/// A certificate chain and its key.
pub(crate) struct Holder {
    chain: Vec<CertificateDer<'static>>,
    key: Vec<u8>,
}

/// Issues a certificate for a visitor.
pub(crate) fn issue(authority: &CertificateAuthority, name: &str) -> Holder {
    issue_with(authority, name, |_| {})
}

/// Issues a certificate with modified parameters.
pub(crate) fn issue_with(
    authority: &CertificateAuthority,
    name: &str,
    change: impl FnOnce(&mut CertificateParams),
) -> Holder {
    let mut params = named(name);
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    params.subject_alt_names = vec![
        SanType::DnsName(format!("{name}.test").try_into().unwrap()),
        SanType::Rfc822Name(format!("{name}@people.test").try_into().unwrap()),
    ];
    params.serial_number = Some(rcgen::SerialNumber::from_slice(&[0x0a, 0xbc]));
    change(&mut params);
    let issued = authority.issue(&params);
    Holder { chain: issued.chain, key: issued.key.serialize_der() }
}

/// The TLS client of a visitor; connections of the same client resume sessions.
pub(crate) fn side(
    world: &World,
    holder: Option<&Holder>,
    version: &'static SupportedProtocolVersion,
) -> Arc<ClientConfig> {
    let builder = ClientConfig::builder_with_provider(tls::provider())
        .with_protocol_versions(&[version])
        .unwrap()
        .with_root_certificates(tls::roots([&world.authority]));
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
pub(crate) async fn comes_in(world: &World, side: &Arc<ClientConfig>, name: &str) -> Http1Client<TlsStream<TcpStream>> {
    Http1Client::new(connect(world, side, name).await.unwrap_or_else(|error| panic!("{name}: {error}")))
}

/// The alert with which a visitor is refused who has sent data before receiving it.
pub(crate) async fn turned_away(world: &World, side: &Arc<ClientConfig>, name: &str) -> AlertDescription {
    let failed = match connect(world, side, name).await {
        Err(error) => error,
        Ok(mut stream) => {
            // In TLS 1.3, the client finishes its handshake before the edge verifies the certificate.
            let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n").await;
            let mut received = Vec::new();
            let read = in_time(stream.read_to_end(&mut received)).await;
            assert_eq!(String::from_utf8_lossy(&received), "", "nothing is sent but the alert");
            read.expect_err("an alert, not a quiet end")
        }
    };
    match failed.get_ref().and_then(|error| error.downcast_ref::<rustls::Error>()) {
        Some(rustls::Error::AlertReceived(alert)) => *alert,
        _ => panic!("no alert: {failed:?}"),
    }
}
