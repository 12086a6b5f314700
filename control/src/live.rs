//! What the control side asks about tunnels that are up.

use postern_api::{AnyId, host::HostName};
use std::collections::BTreeMap;

/// A view of the live tunnels. Answers at once, from memory.
pub trait Live: Send + Sync {
    /// The tunnels that carry all of these labels.
    fn tunnels_with(&self, labels: &BTreeMap<String, String>) -> Vec<AnyId>;
    /// Whether an agent's tunnel holds this TCP port. Ports of TCP edges do not count.
    fn port_in_use(&self, port: u16) -> bool;
    /// Whether an agent's tunnel holds exactly this name.
    fn host_in_use(&self, host: &HostName) -> bool;
    /// The port on which visitors with HTTPS are served.
    fn https_port(&self) -> u16;
}

/// Nothing is up: for commands that work without an edge.
#[derive(Clone, Copy, Debug, Default)]
pub struct NothingLive;

impl Live for NothingLive {
    fn tunnels_with(&self, _labels: &BTreeMap<String, String>) -> Vec<AnyId> {
        Vec::new()
    }
    fn port_in_use(&self, _port: u16) -> bool {
        false
    }
    fn host_in_use(&self, _host: &HostName) -> bool {
        false
    }
    fn https_port(&self) -> u16 {
        443
    }
}
