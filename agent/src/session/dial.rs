//! TLS connections to the server.

use crate::config::{Settings, settings::ServerAddress};
use futures::future::BoxFuture;
use postern_api::{Code, Error};
use postern_tunnel::{BoxedTransport, Dial};
use rustls_pki_types::ServerName;
use std::{io, sync::Arc, time::Duration};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// Makes the connections of one session: the control connection and every data connection.
pub(super) struct ServerDial {
    address: ServerAddress,
    name: ServerName<'static>,
    connector: TlsConnector,
    patience: Duration,
}

impl ServerDial {
    /// A dial for these settings.
    ///
    /// # Errors
    /// `ServerUntrusted` if the authorities cannot be read or the server's name cannot stand in a certificate.
    pub(super) fn new(settings: &Settings) -> Result<Self, Error> {
        let name = settings.server_name.as_ref().unwrap_or(&settings.server.host);
        let name = ServerName::try_from(name.clone()).map_err(|_| {
            Error::new(
                Code::ServerUntrusted,
                format!(
                    "`{name}` cannot stand in a certificate. Set server_name to the name in the server's certificate."
                ),
            )
        })?;
        let config = super::trust::client_config(&settings.root_cas)?;
        Ok(ServerDial {
            address: settings.server.clone(),
            name,
            connector: TlsConnector::from(Arc::new(config)),
            patience: settings.connect_timeout,
        })
    }

    async fn connect(&self) -> io::Result<BoxedTransport> {
        let stream = TcpStream::connect((self.address.host.as_str(), self.address.port)).await?;
        postern_tunnel::sockets::tune(&stream);
        let mut stream = self.connector.connect(self.name.clone(), stream).await?;
        if stream.get_ref().1.alpn_protocol() != Some(postern_tunnel::ALPN) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "what listens there is not a Postern server"));
        }
        postern_tunnel::io::transport::limit_buffers(stream.get_mut().1);
        Ok(Box::new(stream))
    }
}

impl Dial for ServerDial {
    fn dial(&self) -> BoxFuture<'_, io::Result<BoxedTransport>> {
        Box::pin(async move {
            match tokio::time::timeout(self.patience, self.connect()).await {
                Ok(connected) => connected,
                Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "it does not answer")),
            }
        })
    }
}

/// A failed dial as a sentence with a fix.
pub(super) fn explain(address: &ServerAddress, error: &io::Error) -> Error {
    let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    if let Some(rustls::Error::InvalidCertificate(why)) = tls {
        return Error::new(
            Code::ServerUntrusted,
            format!(
                "The certificate of the server at {address} is not trusted ({why}). Set root_cas to the server's ca.pem, or server_name to the name in its certificate."
            ),
        );
    }
    let why = match error.kind() {
        io::ErrorKind::ConnectionRefused => "nothing listens there".to_owned(),
        _ => error.to_string(),
    };
    Error::new(
        Code::ServerUnreachable,
        format!("The server at {address} cannot be reached: {why}. Is it running, and is server_addr right?"),
    )
}
