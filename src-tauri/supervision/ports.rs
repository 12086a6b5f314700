//! Finding an address to listen on when the usual one belongs to somebody else.

use crate::failure::{Failure, Result};
use postern_api::Code;
use std::collections::HashSet;
use std::net::{SocketAddr, TcpListener};

/// How many ports after the wanted one are tried.
const TRIES: u16 = 200;

/// Picks addresses; one that was given away is not given twice.
#[derive(Default)]
pub(crate) struct Chooser {
    given: HashSet<SocketAddr>,
    notices: Vec<String>,
}

impl Chooser {
    /// The wanted address, or the next free port after it. Port 0 stays 0: the system chooses.
    pub(crate) fn choose(&mut self, what: &str, wanted: SocketAddr) -> Result<SocketAddr> {
        if wanted.port() == 0 {
            return Ok(wanted);
        }
        for step in 0..TRIES {
            let Some(port) = wanted.port().checked_add(step) else { break };
            let address = SocketAddr::new(wanted.ip(), port);
            if self.given.contains(&address) || TcpListener::bind(address).is_err() {
                continue;
            }
            self.given.insert(address);
            if step > 0 {
                self.notices.push(format!("Port {} belongs to another program, so {what} uses {port}.", wanted.port()));
            }
            return Ok(address);
        }
        let last = wanted.port().saturating_add(TRIES - 1);
        Err(Failure::new(
            Code::ListenFailed,
            format!(
                "No port from {} to {last} is free on {} for {what}. End a program that uses one, then try again.",
                wanted.port(),
                wanted.ip(),
            ),
        ))
    }

    /// What differs from the wish, as one text for people.
    pub(crate) fn notice(self) -> Option<String> {
        (!self.notices.is_empty()).then(|| self.notices.join(" "))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_taken_port_is_passed_over_and_said() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let wanted = taken.local_addr().unwrap();
        let mut chooser = Chooser::default();
        let chosen = chooser.choose("HTTPS", wanted).unwrap();
        assert!(chosen.port() > wanted.port());
        let second = chooser.choose("HTTP", wanted).unwrap();
        assert_ne!(chosen, second, "an address is given once");
        assert!(chooser.notice().unwrap().contains(&wanted.port().to_string()));
    }

    #[test]
    fn a_free_port_needs_no_word() {
        let wanted = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let mut chooser = Chooser::default();
        assert_eq!(chooser.choose("HTTPS", wanted).unwrap(), wanted);
        assert_eq!(chooser.notice(), None);
    }
}
