//! The server's first moments with a connection.

use super::greeting::{read_message, read_preamble, write_message};
use super::server::{self, ServerEvents, ServerSession};
use super::transport::{BoxedTransport, Transport};
use super::{FAREWELL, PATIENCE};
use crate::proto::message::{FromAgent, FromServer, Hello, Welcome};
use crate::proto::preamble::{MalformedPreamble, Preamble};
use crate::proto::version::Versions;
use postern_api::{Code, Error, Secret};
use std::io;
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

/// Why a connection did not get as far as a greeting.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    /// The connection broke, or its first message is no message.
    #[error("the connection broke: {0}")]
    Io(#[from] io::Error),
    /// The peer did not say what it wants in time.
    #[error("the peer did not say what it wants in time")]
    TooSlow,
    /// The peer speaks something else.
    #[error(transparent)]
    Preamble(#[from] MalformedPreamble),
    /// The peer's first message is not a hello.
    #[error("the agent did not introduce itself")]
    NoHello,
    /// No message version is shared; the agent was told.
    #[error("the agent shares no protocol version with this server")]
    Version,
}

/// What a connection turned out to be.
pub enum Accepted {
    /// An agent that wants a session.
    Control(Greeting),
    /// One more data connection of a session.
    Data(DataConnection),
}

/// An agent that waits to be welcomed or refused.
pub struct Greeting {
    transport: BoxedTransport,
    hello: Hello,
    version: u16,
}

/// A data connection that waits to be adopted by its session.
pub struct DataConnection {
    pub(crate) transport: BoxedTransport,
    pub(crate) session: String,
    pub(crate) secret: Secret,
}

/// Finds out what a connection is for. Gives up on a peer that takes longer than ten seconds.
pub async fn accept<S: Transport>(stream: S) -> Result<Accepted, AcceptError> {
    timeout(PATIENCE, listen(stream)).await.unwrap_or(Err(AcceptError::TooSlow))
}

async fn listen<S: Transport>(mut stream: S) -> Result<Accepted, AcceptError> {
    match read_preamble(&mut stream).await?? {
        Preamble::Data { session, secret } => {
            Ok(Accepted::Data(DataConnection { transport: Box::new(stream), session, secret }))
        }
        Preamble::Control => {
            let FromAgent::Hello(hello) = read_message(&mut stream).await? else { return Err(AcceptError::NoHello) };
            let shared = Versions::SUPPORTED.shared_with(hello.protocol);
            let greeting = Greeting { transport: Box::new(stream), hello, version: shared.unwrap_or_default() };
            if shared.is_none() {
                greeting.refuse(Error::from(Code::AgentTooOld)).await;
                return Err(AcceptError::Version);
            }
            Ok(Accepted::Control(greeting))
        }
    }
}

impl Greeting {
    /// What the agent said.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Starts the session. Its id and its data secret are at most 255 bytes each.
    pub async fn welcome(mut self, mut welcome: Welcome) -> io::Result<(ServerSession, ServerEvents)> {
        if welcome.session.len() > 255 || welcome.data_secret.reveal().len() > 255 || welcome.data_secret.is_empty() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the session's id or secret has no fitting length",
            ));
        }
        welcome.protocol = self.version;
        let message = FromServer::Welcome(welcome.clone());
        timeout(PATIENCE, write_message(&mut self.transport, &[], &message)).await??;
        Ok(server::start(self.transport, welcome))
    }

    /// Tells the agent why not.
    pub async fn refuse(mut self, error: Error) {
        let refusal = async {
            write_message(&mut self.transport, &[], &FromServer::Refused { error }).await?;
            self.transport.shutdown().await
        };
        // An agent that does not listen will find out by itself.
        let _ = timeout(FAREWELL, refusal).await;
    }
}

impl DataConnection {
    /// The id of the session it claims to belong to.
    pub fn session(&self) -> &str {
        &self.session
    }
}
