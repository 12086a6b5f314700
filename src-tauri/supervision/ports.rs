//! Finds a free port if the preferred one is in use.

use crate::error::{DesktopError, Result};
use postern_api::Code;
use std::{
    collections::HashSet,
    net::{SocketAddr, TcpListener},
};

/// The number of consecutive ports that are tried.
const MAX_PORT_ATTEMPTS: u16 = 200;

/// Allocates listen addresses, each at most once.
#[derive(Default)]
pub(crate) struct PortAllocator {
    allocated: HashSet<SocketAddr>,
    notices: Vec<String>,
}

impl PortAllocator {
    /// The preferred address, or the next free port after it. Port 0 stays 0: the system chooses.
    ///
    /// # Errors
    ///
    /// Fails if 200 consecutive ports are in use.
    pub(crate) fn allocate(&mut self, what: &str, preferred: SocketAddr) -> Result<SocketAddr> {
        if preferred.port() == 0 {
            return Ok(preferred);
        }
        for step in 0..MAX_PORT_ATTEMPTS {
            let Some(port) = preferred.port().checked_add(step) else { break };
            let address = SocketAddr::new(preferred.ip(), port);
            if self.allocated.contains(&address) || TcpListener::bind(address).is_err() {
                continue;
            }
            self.allocated.insert(address);
            if step > 0 {
                self.notices
                    .push(format!("Port {} is in use by another program, so {what} uses {port}.", preferred.port()));
            }
            return Ok(address);
        }
        let last = preferred.port().saturating_add(MAX_PORT_ATTEMPTS - 1);
        Err(DesktopError::new(
            Code::ListenFailed,
            format!(
                "No port from {} to {last} is free on {} for {what}. Stop a program that uses one of them, then try again.",
                preferred.port(),
                preferred.ip(),
            ),
        ))
    }

    /// The ports that differ from the preferred ones, as one text for the user.
    pub(crate) fn notice(self) -> Option<String> {
        (!self.notices.is_empty()).then(|| self.notices.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_in_use_is_skipped_with_a_notice() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let preferred = listener.local_addr().unwrap();
        let mut ports = PortAllocator::default();
        let first = ports.allocate("HTTPS", preferred).unwrap();
        assert!(first.port() > preferred.port());
        let second = ports.allocate("HTTP", preferred).unwrap();
        assert_ne!(first, second, "an address is allocated once");
        assert!(ports.notice().unwrap().contains(&preferred.port().to_string()));
    }

    #[test]
    fn a_free_port_needs_no_notice() {
        let preferred = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let mut ports = PortAllocator::default();
        assert_eq!(ports.allocate("HTTPS", preferred).unwrap(), preferred);
        assert_eq!(ports.notice(), None);
    }
}
