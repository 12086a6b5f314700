//! The handshake, which rustls does.

use super::{
    incoming::Incoming,
    invalid_data,
    post_handshake::{Secrets, Session},
    record_length,
    stream::TlsStream,
};
use rustls::{
    ClientConfig, Error, ExtractedSecrets, InvalidMessage, ProtocolVersion, ServerConfig, SupportedCipherSuite,
    client::{ClientConnectionData, UnbufferedClientConnection},
    server::{ServerConnectionData, UnbufferedServerConnection},
    unbuffered::{ConnectionState, EncodeError, EncodeTlsData, UnbufferedStatus},
};
use rustls_pki_types::{CertificateDer, ServerName};
use std::{io, sync::Arc};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Bytes read at a time; most flights of a client fit.
const READ_BYTES: usize = 4096;
/// The most that is kept of a message that is not whole, with its records; as in rustls.
const MAX_RECEIVED: usize = 64 * 1024;

/// What the two ends agreed upon.
#[derive(Debug)]
pub struct Negotiated {
    /// The application protocol (ALPN).
    pub protocol: Option<Vec<u8>>,
    /// The version of TLS.
    pub version: ProtocolVersion,
    /// The cipher suite.
    pub suite: SupportedCipherSuite,
    /// The peer's certificate, without its chain.
    pub peer_certificate: Option<CertificateDer<'static>>,
}

/// Completes the handshake as the server, of which `received` has been read already. The configuration must have
/// `enable_secret_extraction`.
///
/// # Errors
/// The error of the connection, or one of rustls as its inner error, of which the peer has been told by an alert. The connection comes
/// back.
pub async fn accept<S: AsyncRead + AsyncWrite + Unpin>(
    io: S,
    config: Arc<ServerConfig>,
    received: Vec<u8>,
) -> Result<(TlsStream<S>, Negotiated), (io::Error, S)> {
    establish(io, UnbufferedServerConnection::new(config), received).await
}

/// Completes the handshake as the client. The configuration must have `enable_secret_extraction`.
///
/// # Errors
/// The error of the connection, or one of rustls as its inner error, of which the peer has been told by an alert.
pub async fn connect<S: AsyncRead + AsyncWrite + Unpin>(
    io: S,
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
) -> io::Result<(TlsStream<S>, Negotiated)> {
    let connection = UnbufferedClientConnection::new(config, name);
    establish(io, connection, Vec::new()).await.map_err(|(error, _)| error)
}

/// One of the two ends during the handshake.
trait Handshake: Sized {
    type Data;

    fn process<'c, 'i>(&'c mut self, received: &'i mut [u8]) -> UnbufferedStatus<'c, 'i, Self::Data>;
    /// Whether there are messages to encode.
    fn has_to_send(&self) -> bool;
    fn negotiated(&self) -> Result<Negotiated, Error>;
    fn into_secrets(self) -> Result<(ExtractedSecrets, Secrets), Error>;
}

macro_rules! handshake {
    ($connection:ty, $data:ty, $secrets:path) => {
        impl Handshake for $connection {
            type Data = $data;

            fn process<'c, 'i>(&'c mut self, received: &'i mut [u8]) -> UnbufferedStatus<'c, 'i, Self::Data> {
                self.process_tls_records(received)
            }

            fn has_to_send(&self) -> bool {
                self.wants_write()
            }

            fn negotiated(&self) -> Result<Negotiated, Error> {
                Ok(Negotiated {
                    protocol: self.alpn_protocol().map(<[u8]>::to_vec),
                    version: self.protocol_version().ok_or(Error::HandshakeNotComplete)?,
                    suite: self.negotiated_cipher_suite().ok_or(Error::HandshakeNotComplete)?,
                    peer_certificate: self.peer_certificates().and_then(|chain| chain.first()).cloned(),
                })
            }

            fn into_secrets(self) -> Result<(ExtractedSecrets, Secrets), Error> {
                let (extracted, connection) = self.dangerous_into_kernel_connection()?;
                Ok((extracted, $secrets(connection)))
            }
        }
    };
}

handshake!(UnbufferedServerConnection, ServerConnectionData, Secrets::Server);
handshake!(UnbufferedClientConnection, ClientConnectionData, Secrets::Client);

async fn establish<S: AsyncRead + AsyncWrite + Unpin, H: Handshake>(
    mut io: S,
    connection: Result<H, Error>,
    received: Vec<u8>,
) -> Result<(TlsStream<S>, Negotiated), (io::Error, S)> {
    let run = async || Exchange::new(connection.map_err(invalid_data)?, received).run(&mut io).await;
    match run().await {
        Ok((session, incoming, negotiated)) => Ok((TlsStream::new(io, session, incoming), negotiated)),
        Err(error) => Err((error, io)),
    }
}

/// A handshake that is under way.
struct Exchange<H> {
    connection: H,
    received: Vec<u8>,
    /// Bytes of `received` that rustls may process: whole records, one by one, because those that follow the handshake are not its own.
    passed: usize,
    /// What has to be sent.
    flight: Vec<u8>,
}

/// What a handshake needs to go on.
enum Next {
    /// Nothing: rustls has more to process.
    Process,
    Send,
    Receive,
    /// It is complete.
    Established,
    Failed(Error),
}

impl<H: Handshake> Exchange<H> {
    fn new(connection: H, received: Vec<u8>) -> Self {
        Exchange { connection, received, passed: 0, flight: Vec::new() }
    }

    async fn run(
        mut self,
        io: &mut (impl AsyncRead + AsyncWrite + Unpin),
    ) -> io::Result<(Session, Incoming, Negotiated)> {
        loop {
            match self.advance() {
                Next::Process => {}
                Next::Send => {
                    io.write_all(&self.flight).await?;
                    io.flush().await?;
                    self.flight.clear();
                }
                Next::Receive => {
                    if self.received.len() >= MAX_RECEIVED {
                        return Err(invalid_data(InvalidMessage::HandshakePayloadTooLarge.into()));
                    }
                    self.received.reserve(READ_BYTES);
                    if io.read_buf(&mut self.received).await? == 0 {
                        return Err(io::Error::new(
                            io::ErrorKind::UnexpectedEof,
                            "the peer left during the TLS handshake",
                        ));
                    }
                }
                Next::Established => break,
                Next::Failed(error) => {
                    // The alert may not arrive any more; the failure is what counts.
                    let _ = io.write_all(&self.flight).await;
                    let _ = io.flush().await;
                    return Err(invalid_data(error));
                }
            }
        }
        self.finish().map_err(invalid_data)
    }

    /// Has rustls process what is there, up to the next thing to do.
    fn advance(&mut self) -> Next {
        let UnbufferedStatus { discard, state } = self.connection.process(&mut self.received[..self.passed]);
        let next = match state {
            Ok(ConnectionState::EncodeTlsData(message)) => {
                encode(message, &mut self.flight);
                Next::Process
            }
            Ok(ConnectionState::TransmitTlsData(flight)) => {
                flight.done();
                Next::Send
            }
            Ok(ConnectionState::BlockedHandshake) => Next::Receive,
            Ok(ConnectionState::WriteTraffic(_)) => Next::Established,
            // The peer closes the connection, or sends data, before the handshake is complete.
            Ok(_) => Next::Failed(Error::HandshakeNotComplete),
            Err(error) => Next::Failed(error),
        };
        self.received.drain(..discard);
        self.passed -= discard;
        match next {
            Next::Receive if self.pass_record() => Next::Process,
            Next::Failed(error) => {
                self.encode_alert();
                Next::Failed(error)
            }
            next => next,
        }
    }

    /// Has rustls process one more record. What is none is for rustls to refuse. `false` if the rest of it must be received first.
    fn pass_record(&mut self) -> bool {
        let rest = &self.received[self.passed..];
        let passed = match record_length(rest) {
            Ok(Some(length)) if matches!(rest[0], 20..=24) => length,
            Ok(None) => return false,
            _ => rest.len(),
        };
        let is_whole = passed <= rest.len();
        if is_whole {
            self.passed += passed;
        }
        is_whole
    }

    /// The alert that says why the handshake failed. What was received must not be processed once more.
    fn encode_alert(&mut self) {
        while self.connection.has_to_send() {
            match self.connection.process(&mut []).state {
                Ok(ConnectionState::EncodeTlsData(message)) => encode(message, &mut self.flight),
                _ => break,
            }
        }
    }

    fn finish(self) -> Result<(Session, Incoming, Negotiated), Error> {
        let negotiated = self.connection.negotiated()?;
        let (extracted, secrets) = self.connection.into_secrets()?;
        Ok((Session::new(secrets, extracted)?, Incoming::new(self.received), negotiated))
    }
}

fn encode<Data>(mut message: EncodeTlsData<'_, Data>, flight: &mut Vec<u8>) {
    let from = flight.len();
    if let Err(EncodeError::InsufficientSize(needed)) = message.encode(&mut []) {
        flight.resize(from + needed.required_size, 0);
        if message.encode(&mut flight[from..]).is_err() {
            flight.truncate(from);
        }
    }
}
