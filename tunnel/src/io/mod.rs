//! The protocol driven by tokio.

pub mod accept;
pub mod agent;
pub mod dial;
pub mod end;
pub mod relay;
pub mod server;
pub mod sockets;
pub mod stream;
pub mod transport;
