//! TCP tunnels and TCP edges: a listener for each port, one stream for each connection.

mod ports;
mod relay;

pub(crate) use ports::Ports;
pub(crate) use relay::{PortTarget, relay_stream};
