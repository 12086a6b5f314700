//! The server's end of a new connection: preamble and handshake.

use super::{
    CLOSE_TIMEOUT, HANDSHAKE_TIMEOUT,
    handshake::{read_message, read_preamble, write_message},
    server::{self, DataConnection, ServerEvents, ServerSession},
    transport::{BoxedTransport, Transport},
};
use crate::proto::{
    message::{FromAgent, FromServer, Hello, Welcome},
    pool_sizing::PoolLimits,
    preamble::{MalformedPreamble, Preamble},
    version::VersionRange,
};
use postern_api::{Code, Error};
use std::io;
use tokio::{io::AsyncWriteExt, time::timeout};

/// A connection failed before its handshake.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    /// The connection broke, or its first message is malformed.
    #[error("the connection broke: {0}")]
    Io(#[from] io::Error),
    /// The peer sent no complete preamble and hello in time.
    #[error("the peer sent no hello in time")]
    TooSlow,
    /// The peer speaks another protocol.
    #[error(transparent)]
    Preamble(#[from] MalformedPreamble),
    /// The peer's first message is not a hello.
    #[error("the agent's first message is not a hello")]
    NoHello,
    /// Agent and server share no message version; the agent was told.
    #[error("the agent shares no protocol version with this server")]
    Version,
}

/// Purpose of an accepted connection.
pub enum Accepted {
    /// An agent that requests a session.
    Control(AgentHandshake),
    /// A data connection of an existing session.
    Data(DataConnection),
}

/// An agent that waits to be welcomed or refused.
pub struct AgentHandshake {
    transport: BoxedTransport,
    hello: Box<Hello>,
    version: u16,
}

/// Reads the preamble of a connection and, on a control connection, the agent's hello.
///
/// ```no_run
/// use postern_api::{Code, Error, Secret};
/// use postern_tunnel::message::{DEFAULT_HEARTBEAT_MS, Welcome};
/// use postern_tunnel::{Accepted, ServerEvent, ServerSession, Transport, accept};
///
/// /// Serves one TLS connection with the ALPN protocol id `postern_tunnel::ALPN`.
/// async fn serve(stream: impl Transport, session_of: impl Fn(&str) -> Option<ServerSession>) -> std::io::Result<()> {
///     match accept(stream).await.map_err(std::io::Error::other)? {
///         Accepted::Control(handshake) if handshake.hello().token != Secret::new("authtoken") => {
///             handshake.refuse(Error::from(Code::TokenUnknown)).await;
///         }
///         Accepted::Control(handshake) => {
///             let (session, mut events) = handshake
///                 .welcome(Welcome {
///                     protocol: 0,
///                     session: "ts_1".to_owned(),
///                     data_secret: Secret::new("random"),
///                     server_version: "0.1.0".to_owned(),
///                     region: "local".to_owned(),
///                     heartbeat: DEFAULT_HEARTBEAT_MS,
///                     answer_timeout: 0,
///                     node: String::new(),
///                     nodes: Vec::new(),
///                 })
///                 .await?;
///             while let Some(event) = events.next().await {
///                 if let ServerEvent::Bind(bind) = event {
///                     session.bind_refused(bind.request, Error::from(Code::Internal));
///                 }
///             }
///         }
///         Accepted::Data(connection) => {
///             if let Some(session) = session_of(connection.session()) {
///                 session.adopt(connection).await.map_err(std::io::Error::other)?;
///             }
///         }
///     }
///     Ok(())
/// }
/// ```
///
/// # Errors
/// [`AcceptError`] if the peer is slower than ten seconds, speaks another protocol or an unsupported version, or the
/// connection breaks.
pub async fn accept<S: Transport>(stream: S) -> Result<Accepted, AcceptError> {
    timeout(HANDSHAKE_TIMEOUT, read_handshake(stream)).await.unwrap_or(Err(AcceptError::TooSlow))
}

async fn read_handshake<S: Transport>(mut stream: S) -> Result<Accepted, AcceptError> {
    match read_preamble(&mut stream).await?? {
        Preamble::Data { session, secret } => {
            Ok(Accepted::Data(DataConnection { transport: Box::new(stream), session, secret }))
        }
        Preamble::Control => {
            let FromAgent::Hello(hello) = read_message(&mut stream).await? else { return Err(AcceptError::NoHello) };
            let shared = VersionRange::SUPPORTED.newest_shared(hello.protocol);
            let handshake = AgentHandshake {
                transport: Box::new(stream),
                hello: Box::new(hello),
                version: shared.unwrap_or_default(),
            };
            if shared.is_none() {
                handshake.refuse(Error::from(Code::AgentTooOld)).await;
                return Err(AcceptError::Version);
            }
            Ok(Accepted::Control(handshake))
        }
    }
}

impl AgentHandshake {
    /// The agent's hello.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Starts the session. Its id and its data secret have at most 255 bytes each.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] if the id or the secret is too long or the secret is empty; any other
    /// [`io::Error`] if the agent does not take the welcome within ten seconds.
    pub async fn welcome(self, welcome: Welcome) -> io::Result<(ServerSession, ServerEvents)> {
        self.welcome_with(welcome, PoolLimits::AGENT).await
    }

    /// Starts the session, with other numbers of data connections.
    ///
    /// # Errors
    /// As [`welcome`](Self::welcome).
    pub async fn welcome_with(
        mut self,
        mut welcome: Welcome,
        limits: PoolLimits,
    ) -> io::Result<(ServerSession, ServerEvents)> {
        if welcome.session.len() > 255 || welcome.data_secret.reveal().len() > 255 || welcome.data_secret.is_empty() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the session's id or secret has an invalid length",
            ));
        }
        welcome.protocol = self.version;
        let message = FromServer::Welcome(welcome.clone());
        timeout(HANDSHAKE_TIMEOUT, write_message(&mut self.transport, &[], &message)).await??;
        Ok(server::start(self.transport, welcome, limits))
    }

    /// Refuses the session and sends the reason, within two seconds.
    pub async fn refuse(mut self, error: Error) {
        let refusal = async {
            write_message(&mut self.transport, &[], &FromServer::Refused { error }).await?;
            self.transport.shutdown().await
        };
        // An agent that does not read the refusal notices the closed connection.
        let _ = timeout(CLOSE_TIMEOUT, refusal).await;
    }
}
