//! TCP tunnels and TCP edges: a listener for each port, one stream for each connection.

mod carry;
mod ports;

pub(crate) use carry::{PortTarget, join};
pub(crate) use ports::Ports;
