//! The protocol driven by tokio.

pub mod accept;
pub mod agent;
mod buffers;
mod cancellation;
mod cork;
mod data_connections;
pub mod dial;
pub mod forward;
mod handshake;
pub mod incoming;
mod last_received;
mod multiplexer;
mod overflow_credit;
mod pool;
mod questions;
pub mod relay;
pub mod server;
mod session;
pub mod session_end;
mod shared_connections;
mod shared_driver;
mod shrinking;
pub mod sockets;
pub mod stream;
pub mod stream_metadata;
mod stream_transport;
pub mod tls;
pub mod transport;
pub mod visitor_counts;

use std::time::Duration;

/// Time limit of a peer for its preamble, its handshake, a dial or the start of a stream.
pub(crate) const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// Time limit for sending the last message of a session or stream.
pub(crate) const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
