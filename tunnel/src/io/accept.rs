//! The server's first moments with a connection.

use super::server::{ServerEvents, ServerSession};
use super::transport::Transport;
use crate::proto::message::{Hello, Welcome};
use crate::proto::preamble::MalformedPreamble;
use postern_api::Error;
use std::io;

/// Why a connection did not get as far as a greeting.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    /// The connection broke.
    #[error("the connection broke: {0}")]
    Io(#[from] io::Error),
    /// The peer did not say what it wants in time.
    #[error("the peer did not say what it wants in time")]
    TooSlow,
    /// The peer speaks something else.
    #[error(transparent)]
    Preamble(#[from] MalformedPreamble),
    /// The peer's first message is not a hello.
    #[error("the greeting is malformed: {0}")]
    Greeting(String),
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
    _private: (),
}

/// A data connection that waits to be adopted by its session.
pub struct DataConnection {
    _private: (),
}

/// Finds out what a connection is for. Gives up on a peer that takes longer than ten seconds.
pub async fn accept<S: Transport>(_stream: S) -> Result<Accepted, AcceptError> {
    unimplemented!()
}

impl Greeting {
    /// What the agent said.
    pub fn hello(&self) -> &Hello {
        unimplemented!()
    }

    /// Starts the session. Session id and data secret are at most 255 bytes each.
    pub async fn welcome(self, _welcome: Welcome) -> io::Result<(ServerSession, ServerEvents)> {
        unimplemented!()
    }

    /// Tells the agent why not.
    pub async fn refuse(self, _error: Error) {
        unimplemented!()
    }
}

impl DataConnection {
    /// The id of the session it claims to belong to.
    pub fn session(&self) -> &str {
        unimplemented!()
    }
}
