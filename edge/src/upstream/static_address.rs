//! Static backends: an address the server dials itself, with or without TLS.

use crate::upstream::H1Pool;
use postern_api::resource::StaticBackend;
use rustls_pki_types::ServerName;
use rustls_platform_verifier::BuilderVerifierExt;
use std::{io, sync::Arc, time::Duration};
use tokio::net::TcpStream;
use tokio_rustls::{TlsConnector, client::TlsStream};

/// From the first packet to the end of the TLS handshake.
const DIAL_TIMEOUT: Duration = Duration::from_secs(10);

/// One address and its idle HTTP connections.
pub(crate) struct StaticAddress {
    pub(crate) id: Arc<str>,
    text: String,
    tls: Option<TlsConnector>,
    pub(crate) pool: H1Pool,
}

impl StaticAddress {
    pub(crate) fn of(id: &str, backend: &StaticBackend, connector: &TlsConnector, idle: usize) -> Self {
        let tls = backend.tls.enabled.then(|| connector.clone());
        StaticAddress { id: id.into(), text: backend.address.clone(), tls, pool: H1Pool::new(idle) }
    }

    /// Dials it.
    pub(crate) async fn dial(&self) -> io::Result<AddressStream> {
        let dial = async {
            let stream = TcpStream::connect(&self.text).await?;
            postern_tunnel::sockets::tune(&stream);
            let Some(tls) = &self.tls else { return Ok(AddressStream::Clear(stream)) };
            let host = self.text.rsplit_once(':').map_or(self.text.as_str(), |(host, _)| host);
            let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
            let name = ServerName::try_from(host).map_err(io::Error::other)?;
            tls.connect(name, stream).await.map(|stream| AddressStream::Tls(Box::new(stream)))
        };
        tokio::time::timeout(DIAL_TIMEOUT, dial)
            .await
            .unwrap_or_else(|_| Err(io::Error::new(io::ErrorKind::TimedOut, "it did not respond in time")))
    }
}

/// A connection to an address.
pub(crate) enum AddressStream {
    Clear(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

/// Trusts the certificate authorities of this machine.
pub(crate) fn connector() -> TlsConnector {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider has suites for these versions")
        .with_platform_verifier()
        .expect("this machine has a store of certificates")
        .with_no_client_auth();
    TlsConnector::from(Arc::new(config))
}
