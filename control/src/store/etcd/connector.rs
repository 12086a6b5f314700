//! Connections to a member: TCP, and TLS above it.

use super::{address::SharedLocation, failure::NotConnected};
use crate::store::{Result, StoreError};
use futures::{FutureExt, future::BoxFuture};
use hyper_util::rt::TokioIo;
use rustls::{ClientConfig, RootCertStore, pki_types::ServerName};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use std::{path::Path, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_rustls::TlsConnector;

/// Shorter than a try of a call, so that it is known that nothing was sent.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(700);

/// A connection with or without TLS.
pub(super) trait Connection: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Connection for T {}

/// Connects to members.
#[derive(Clone)]
pub(super) struct Connector {
    tls: Option<TlsConnector>,
}

impl Connector {
    /// Reads the certificates of a location.
    pub(super) fn new(location: &SharedLocation) -> Result<Self> {
        let tls =
            if location.address.is_encrypted() { Some(TlsConnector::from(client_config(location)?)) } else { None };
        Ok(Connector { tls })
    }

    /// Connects to `host:port`.
    pub(super) fn connect(
        &self,
        member: String,
    ) -> BoxFuture<'static, Result<TokioIo<Box<dyn Connection>>, NotConnected>> {
        let tls = self.tls.clone();
        async move {
            let failed = |error: &dyn std::fmt::Display| NotConnected(format!("{member}: {error}"));
            let connected = tokio::time::timeout(CONNECT_TIMEOUT, connect(tls, &member)).await;
            let connection = connected.map_err(|_| failed(&"no connection within 700 ms"))?;
            connection.map(TokioIo::new).map_err(|error| failed(&error))
        }
        .boxed()
    }
}

async fn connect(tls: Option<TlsConnector>, member: &str) -> std::io::Result<Box<dyn Connection>> {
    let stream = TcpStream::connect(member).await?;
    stream.set_nodelay(true)?;
    let Some(tls) = tls else { return Ok(Box::new(stream)) };
    let host = member.rsplit_once(':').map_or(member, |(host, _)| host).trim_matches(['[', ']']);
    let name = ServerName::try_from(host.to_owned()).map_err(std::io::Error::other)?;
    Ok(Box::new(tls.connect(name, stream).await?))
}

fn client_config(location: &SharedLocation) -> Result<Arc<ClientConfig>> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| StoreError::Broken(format!("TLS: {error}")))?;
    let mut roots = RootCertStore::empty();
    let file = location.authority.as_deref().ok_or_else(|| {
        let reason = "`etcds://` needs the certificates of the authorities that are trusted".to_owned();
        StoreError::Unusable { file: "--store-ca".to_owned(), reason }
    })?;
    for certificate in certificates(file)? {
        roots.add(certificate).map_err(|error| unusable(file, &error))?;
    }
    let builder = builder.with_root_certificates(roots);
    let mut config = match &location.certificate {
        Some((chain, key_file)) => {
            let key = PrivateKeyDer::from_pem_file(key_file).map_err(|error| unusable(key_file, &error))?;
            builder.with_client_auth_cert(certificates(chain)?, key).map_err(|error| unusable(chain, &error))?
        }
        None => builder.with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"h2".to_vec()];
    Ok(Arc::new(config))
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    match read {
        Ok(read) if read.is_empty() => Err(unusable(file, &"it holds no certificate in PEM")),
        read => read.map_err(|error| unusable(file, &error)),
    }
}

fn unusable(file: &Path, error: &dyn std::fmt::Display) -> StoreError {
    StoreError::Unusable { file: file.display().to_string(), reason: error.to_string() }
}
