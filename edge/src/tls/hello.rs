//! The ClientHello, read before anything is answered, with its bytes kept: TLS may end elsewhere.

use postern_api::host::HostName;
use rustls::{
    ServerConfig,
    server::{Accepted, Acceptor},
};
use std::{io, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
};
use tokio_rustls::{StartHandshake, server::TlsStream};

/// Read at once; most hellos fit.
const STEP: usize = 4096;
/// The longest hello; handshake messages are no longer anywhere.
const LIMIT: usize = 64 * 1024;

/// What the error of somebody is who left without a word, as those do who only look whether anybody listens.
pub(crate) const SILENT: io::ErrorKind = io::ErrorKind::NotConnected;

/// How long, and for how many bytes, one who is turned away is listened to.
const FAREWELL: Duration = Duration::from_secs(2);
const LAST_BYTES: usize = 64 * 1024;

/// What a client said first.
pub(super) struct Hello {
    accepted: Accepted,
    bytes: Vec<u8>,
}

impl Hello {
    /// Reads until the hello is whole. What is none is answered with the alert that fits.
    pub(super) async fn read(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) -> io::Result<Self> {
        let mut acceptor = Acceptor::default();
        let mut bytes = Vec::with_capacity(STEP);
        let mut fed = 0;
        loop {
            if bytes.len() >= LIMIT {
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
                Ok(Some(accepted)) => return Ok(Hello { accepted, bytes }),
                Ok(None) => {}
                Err((error, mut alert)) => {
                    let mut words = Vec::new();
                    alert.write_all(&mut words)?;
                    // Whoever does not speak TLS may have left already.
                    let _ = stream.write_all(&words).await;
                    let _ = stream.shutdown().await;
                    return Err(io::Error::new(io::ErrorKind::InvalidData, error));
                }
            }
            bytes.reserve(STEP);
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

    /// Goes on with the handshake. Who does not come in hears why: the alert has been sent, and the connection is not
    /// torn down before it had a chance to arrive.
    pub(super) async fn finish(self, stream: TcpStream, config: Arc<ServerConfig>) -> io::Result<TlsStream<TcpStream>> {
        drop(self.bytes);
        let handshake = StartHandshake::from_parts(self.accepted, stream).into_stream(config);
        match handshake.into_fallible().await {
            Ok(stream) => Ok(stream),
            Err((error, mut stream)) => {
                let _ = tokio::time::timeout(FAREWELL, farewell(&mut stream)).await;
                Err(error)
            }
        }
    }

    /// Everything that was read so far, for who goes on with it instead.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Reads what is under way: to close with bytes unread would take the alert back.
async fn farewell(stream: &mut TcpStream) -> io::Result<()> {
    stream.shutdown().await?;
    let (mut rest, mut budget) = ([0; 4096], LAST_BYTES);
    while budget > 0 {
        match stream.read(&mut rest).await? {
            0 => break,
            read => budget = budget.saturating_sub(read),
        }
    }
    Ok(())
}
