//! The server's end of a session.

use super::accept::DataConnection;
use super::end::SessionEnd;
use super::stream::TunnelStream;
use crate::proto::message::{Bind, Bound};
use crate::proto::start::StreamStart;
use postern_api::Error;
use std::io;
use std::time::Duration;

/// Why a stream could not be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The session is over.
    #[error("the session is over")]
    Ended,
    /// The session carries as many streams as it may.
    #[error("the session carries as many streams as it may")]
    Exhausted,
}

impl From<OpenError> for io::Error {
    fn from(error: OpenError) -> Self {
        io::Error::new(io::ErrorKind::NotConnected, error)
    }
}

/// Why a data connection was turned away.
#[derive(Debug, thiserror::Error)]
pub enum AdoptError {
    /// It does not know the secret of the session.
    #[error("the data connection does not know the secret of the session")]
    Denied,
    /// The session is over.
    #[error("the session is over")]
    Ended,
    /// The session has as many data connections as it may.
    #[error("the session has as many data connections as it may")]
    Full,
    /// The connection broke.
    #[error("the connection broke: {0}")]
    Io(#[from] io::Error),
}

/// A running session; clones are the same session. It ends when the last clone is dropped.
#[derive(Clone)]
pub struct ServerSession {
    _private: (),
}

/// What the agent asks for.
pub struct ServerEvents {
    _private: (),
}

/// Something the agent asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerEvent {
    /// An address; answer with `bound` or `bind_refused`.
    Bind(Bind),
    /// The agent no longer serves the tunnel.
    Unbind {
        /// The tunnel.
        number: u32,
    },
    /// The agent leaves on purpose; the session ends cleanly right after.
    Goodbye,
}

impl ServerEvents {
    /// The next one; `None` once the session is over.
    pub async fn next(&mut self) -> Option<ServerEvent> {
        unimplemented!()
    }
}

impl ServerSession {
    /// The id of the session.
    pub fn id(&self) -> &str {
        unimplemented!()
    }
    /// Opens a stream: on a warm data connection if one is idle, on the control connection otherwise.
    pub async fn open_stream(&self, _start: StreamStart) -> Result<TunnelStream, OpenError> {
        unimplemented!()
    }
    /// Answers a `Bind`.
    pub fn bound(&self, _bound: Bound) {}
    /// Answers a `Bind`.
    pub fn bind_refused(&self, _request: u64, _error: Error) {}
    /// Tells the agent that the tunnel is no more.
    pub fn tunnel_closed(&self, _number: u32, _error: Error) {}
    /// Ends the session and tells the agent why.
    pub fn end(&self, _error: Error) {}
    /// Tells the agent that the server goes away soon.
    pub fn drain(&self) {}
    /// Takes one more data connection into the pool.
    pub async fn adopt(&self, _connection: DataConnection) -> Result<(), AdoptError> {
        unimplemented!()
    }
    /// The latest measured way there and back, if there is one yet.
    pub fn latency(&self) -> Option<Duration> {
        unimplemented!()
    }
    /// Waits for the end.
    pub async fn closed(&self) -> SessionEnd {
        unimplemented!()
    }
}
