//! Names and ports that the management API is about to give away: no agent takes them in that moment.

use crate::tunnels::Session;
use postern_api::{Code, Error, host::HostName};
use std::sync::{Arc, Mutex, PoisonError};

/// All that are pledged.
#[derive(Clone, Default)]
pub(crate) struct Pledges(Arc<Mutex<Vec<(u64, Pledge)>>>);

/// What is pledged together.
#[derive(Clone, Debug, Default)]
pub struct Pledge {
    /// Host names. For an owner, what lies below them is pledged too.
    pub names: Vec<HostName>,
    /// TCP ports.
    pub ports: Vec<u16>,
    /// Whose agents may go on taking them; nobody's if they are for an edge.
    pub owner: Option<String>,
}

/// Keeps a pledge until it is dropped.
pub struct Pledged {
    pledges: Pledges,
    number: u64,
}

impl Pledges {
    /// Pledges something. Binds that came before are entered already; to be called under the book's lock.
    pub(crate) fn add(&self, pledge: Pledge) -> Pledged {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = all.last().map_or(0, |(number, _)| number + 1);
        all.push((number, pledge));
        Pledged { pledges: self.clone(), number }
    }

    /// Whether an agent may take a name that is pledged perhaps.
    pub(crate) fn check_name(&self, session: &Session, name: &HostName) -> Result<(), Error> {
        let pledged = |pledge: &Pledge| match &pledge.owner {
            None => pledge.names.contains(name),
            Some(_) => name.owned_with().any(|owner| pledge.names.contains(&owner)),
        };
        self.check(session, pledged, Code::NameReserved, &format!("The name `{name}`"))
    }

    /// The same for a port.
    pub(crate) fn check_port(&self, session: &Session, port: u16) -> Result<(), Error> {
        self.check(session, |pledge| pledge.ports.contains(&port), Code::AddressReserved, &format!("Port {port}"))
    }

    fn check(
        &self,
        session: &Session,
        pledged: impl Fn(&Pledge) -> bool,
        reserved: Code,
        what: &str,
    ) -> Result<(), Error> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let others = |pledge: &&Pledge| pledge.owner.as_deref() != Some(session.owner.as_str());
        let Some(pledge) = all.iter().map(|(_, pledge)| pledge).filter(others).find(|pledge| pledged(pledge)) else {
            return Ok(());
        };
        Err(match pledge.owner {
            None => Error::new(Code::NameOfEdge, format!("{what} is being given to an edge. Ask for another one.")),
            Some(_) => {
                Error::new(reserved, format!("{what} is being reserved for another owner. Ask for another one."))
            }
        })
    }
}

impl Drop for Pledged {
    fn drop(&mut self) {
        let mut all = self.pledges.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(number, _)| *number != self.number);
    }
}
