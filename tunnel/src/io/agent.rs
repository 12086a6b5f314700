//! The agent's end of a session.

use super::dial::Dial;
use super::end::SessionEnd;
use super::stream::TunnelStream;
use crate::proto::message::{Bind, Bound, Hello, Welcome};
use crate::proto::start::StreamStart;
use postern_api::Error;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Why there is no session.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The server does not want this agent, and says why.
    #[error("the server refused the session: {0}")]
    Refused(Error),
    /// The server could not be reached or spoken to.
    #[error("the server cannot be reached: {0}")]
    Io(#[from] io::Error),
}

/// A running session; clones are the same session. It ends when the last clone is dropped.
#[derive(Clone)]
pub struct AgentSession {
    _private: (),
}

/// What the server sends to the agent.
pub struct Incoming {
    _private: (),
}

/// Something the server sends.
pub enum IncomingEvent {
    /// A visitor.
    Stream(IncomingStream),
    /// A tunnel is no more.
    TunnelClosed {
        /// The tunnel.
        number: u32,
        /// Why.
        error: Error,
    },
    /// The server goes away soon.
    Drain,
}

/// A stream that waits to be served or refused.
pub struct IncomingStream {
    /// What it is for.
    pub start: StreamStart,
}

/// Connects, introduces the agent and waits for the server's answer.
pub async fn connect(_dial: Arc<dyn Dial>, _hello: Hello) -> Result<(AgentSession, Incoming), ConnectError> {
    unimplemented!()
}

impl Incoming {
    /// The next one; `None` once the session is over.
    pub async fn next(&mut self) -> Option<IncomingEvent> {
        unimplemented!()
    }
}

impl IncomingStream {
    /// Serves the stream. The server hears of it with the first byte, flush or read.
    pub async fn accept(self) -> io::Result<TunnelStream> {
        unimplemented!()
    }
    /// Refuses the stream; the server hears why.
    pub async fn refuse(self, _error: Error) {
        unimplemented!()
    }
}

impl AgentSession {
    /// What the server said.
    pub fn welcome(&self) -> &Welcome {
        unimplemented!()
    }
    /// Asks for an address. The number of the request is filled in here.
    pub async fn bind(&self, _bind: Bind) -> Result<Bound, Error> {
        unimplemented!()
    }
    /// Gives a tunnel back.
    pub fn unbind(&self, _number: u32) {}
    /// Leaves on purpose and waits until the server has heard it, two seconds at most.
    pub async fn goodbye(&self) {
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
