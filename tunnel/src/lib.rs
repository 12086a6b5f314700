//! The session between agent and edge.
//!
//! [`proto`] is bytes in, values out: no sockets, no clock. [`io`] drives it with tokio over any
//! [`Transport`], usually TLS with the protocol name [`ALPN`].
//!
//! One session is one control connection (a greeting, then yamux) and a pool of warm data connections that the
//! agent keeps open. A stream of a visitor leases a data connection; when none is idle it travels as a yamux
//! stream on the control connection, so that nobody waits for a dial.

/// What fuzzing checks, and the replay of what it found: never part of a program.
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
pub mod io;
pub mod proto;

pub use io::accept::{AcceptError, Accepted, DataConnection, Greeting, accept};
pub use io::agent::{AgentSession, ConnectError, Incoming, IncomingEvent, IncomingStream, connect};
pub use io::dial::Dial;
pub use io::end::{EndReason, SessionEnd};
pub use io::notes::Notes;
pub use io::relay::{RelayEnd, Tap, relay, relay_tapped};
pub use io::server::{AdoptError, OpenError, PoolCounts, ServerEvent, ServerEvents, ServerSession};
pub use io::sockets;
pub use io::stream::{Refused, TunnelStream};
pub use io::transport::{BoxedTransport, Transport, limit_buffers};
pub use proto::modules::Modules;
pub use proto::start::{StreamKind, StreamStart};
pub use proto::{backoff, message, proxy};

/// The protocol name that agents offer in their TLS handshake.
pub const ALPN: &[u8] = b"postern/1";
