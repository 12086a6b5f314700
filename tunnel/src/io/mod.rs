//! The protocol driven by tokio.

pub mod accept;
pub mod agent;
mod buffers;
mod carrier;
mod cork;
pub mod dial;
mod dials;
pub mod end;
mod greeting;
mod life;
mod mux;
pub(crate) mod notes;
mod pool;
pub mod relay;
pub mod server;
mod session;
pub mod sockets;
pub mod stream;
pub mod transport;

use std::time::Duration;

/// How long a peer may take for its preamble, its greeting, a dial or the start of a stream.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// How long a farewell may take to leave.
pub(crate) const FAREWELL: Duration = Duration::from_secs(2);
