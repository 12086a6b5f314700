//! The ClientHello (RFC 8446, section 4.1.2), read before any response. Its bytes are kept, because TLS may be
//! terminated elsewhere.

use postern_api::host::HostName;
use postern_tunnel::tls::{self, Negotiated, TlsStream};
use rustls::{
    ServerConfig,
    server::{Accepted, Acceptor},
};
use std::{io, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
};

/// Read at once; most hellos fit.
const READ_BYTES: usize = 4096;
/// The longest hello; handshake messages are no longer anywhere.
const MAX_HELLO_BYTES: usize = 64 * 1024;

/// The error kind of a connection that closed without sending a byte, as port scanners and health checks do.
pub(crate) const SILENT: io::ErrorKind = io::ErrorKind::NotConnected;

/// Time and bytes for which a refused client is still read.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
const MAX_CLOSE_BYTES: usize = 64 * 1024;

/// A received ClientHello.
pub(super) struct ReceivedHello {
    accepted: Accepted,
    bytes: Vec<u8>,
}

impl ReceivedHello {
    /// Reads until the ClientHello is complete. Invalid input gets the matching alert.
    pub(super) async fn read(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) -> io::Result<Self> {
        let mut acceptor = Acceptor::default();
        let mut bytes = Vec::with_capacity(READ_BYTES);
        let mut fed = 0;
        loop {
            if bytes.len() >= MAX_HELLO_BYTES {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "the ClientHello is too long"));
            }
            if stream.read_buf(&mut bytes).await? == 0 {
                let kind = if bytes.is_empty() { SILENT } else { io::ErrorKind::UnexpectedEof };
                return Err(kind.into());
            }
            while fed < bytes.len() {
                let mut rest = &bytes[fed..];
                match acceptor.read_tls(&mut rest)? {
                    0 => break,
                    read => fed += read,
                }
            }
            match acceptor.accept() {
                Ok(Some(accepted)) => return Ok(ReceivedHello { accepted, bytes }),
                Ok(None) => {}
                Err((error, mut alert)) => {
                    let mut alert_bytes = Vec::new();
                    alert.write_all(&mut alert_bytes)?;
                    // A client that does not speak TLS may have left already.
                    let _ = stream.write_all(&alert_bytes).await;
                    let _ = stream.shutdown().await;
                    return Err(io::Error::new(io::ErrorKind::InvalidData, error));
                }
            }
            bytes.reserve(READ_BYTES);
        }
    }

    /// Whether the client offers this application protocol.
    pub(super) fn offers(&self, protocol: &[u8]) -> bool {
        self.accepted.client_hello().alpn().is_some_and(|mut offered| offered.any(|name| name == protocol))
    }

    /// The host the client names.
    pub(super) fn name(&self) -> Option<HostName> {
        HostName::parse(self.accepted.client_hello().server_name()?).ok()
    }

    /// The host the client names, in lower case, whether it is a name of ours or not.
    pub(super) fn server_name(&self) -> Option<String> {
        self.accepted.client_hello().server_name().map(str::to_ascii_lowercase)
    }

    /// Continues the handshake. After a failure the alert has been sent, and the connection stays open long enough
    /// for it to arrive.
    pub(super) async fn finish(
        self,
        stream: TcpStream,
        config: Arc<ServerConfig>,
    ) -> io::Result<(TlsStream<TcpStream>, Negotiated)> {
        match tls::accept(stream, config, self.bytes).await {
            Ok(established) => Ok(established),
            Err((error, mut stream)) => {
                let _ = tokio::time::timeout(CLOSE_TIMEOUT, drain_input(&mut stream)).await;
                Err(error)
            }
        }
    }

    /// All bytes read so far, to be replayed to another TLS server.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Reads pending input: closing with unread bytes would reset the connection and discard the alert.
async fn drain_input(stream: &mut TcpStream) -> io::Result<()> {
    stream.shutdown().await?;
    let (mut rest, mut budget) = ([0; 4096], MAX_CLOSE_BYTES);
    while budget > 0 {
        match stream.read(&mut rest).await? {
            0 => break,
            read => budget = budget.saturating_sub(read),
        }
    }
    Ok(())
}
