//! Names and ports that the management API is about to give away: no agent may bind them in the meantime.

use super::Session;
use postern_api::{Code, Error, host::HostName};
use std::sync::{Arc, Mutex, PoisonError};

/// All pending reservations, each with its number.
#[derive(Clone, Default)]
pub(crate) struct PendingReservations(Arc<Mutex<Vec<(u64, PendingReservation)>>>);

/// Names and ports that are reserved together.
#[derive(Clone, Debug, Default)]
pub struct PendingReservation {
    /// Host names. With an owner, the names below them are reserved too.
    pub names: Vec<HostName>,
    /// TCP ports.
    pub ports: Vec<u16>,
    /// The owner whose agents may still bind them; `None` if they are for an edge.
    pub owner: Option<String>,
}

/// Holds a pending reservation until it is dropped.
pub struct ReservationGuard {
    reservations: PendingReservations,
    number: u64,
}

impl PendingReservations {
    /// Adds a reservation. Must be called under the registry's lock, so that every earlier bind is registered already.
    pub(crate) fn add(&self, reservation: PendingReservation) -> ReservationGuard {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = all.last().map_or(0, |(number, _)| number + 1);
        all.push((number, reservation));
        ReservationGuard { reservations: self.clone(), number }
    }

    /// Refuses a name that is reserved for an edge or another owner.
    pub(crate) fn check_name(&self, session: &Session, name: &HostName) -> Result<(), Error> {
        let covers = |reservation: &PendingReservation| match &reservation.owner {
            None => reservation.names.contains(name),
            Some(_) => name.owned_with().any(|owner| reservation.names.contains(&owner)),
        };
        self.check(session, covers, Code::NameReserved, &format!("The name `{name}`"))
    }

    /// Refuses a port that is reserved for an edge or another owner.
    pub(crate) fn check_port(&self, session: &Session, port: u16) -> Result<(), Error> {
        let covers = |reservation: &PendingReservation| reservation.ports.contains(&port);
        self.check(session, covers, Code::AddressReserved, &format!("Port {port}"))
    }

    fn check(
        &self,
        session: &Session,
        covers: impl Fn(&PendingReservation) -> bool,
        code: Code,
        subject: &str,
    ) -> Result<(), Error> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut others = all
            .iter()
            .map(|(_, reservation)| reservation)
            .filter(|reservation| reservation.owner.as_deref() != Some(session.owner.as_str()));
        let Some(reservation) = others.find(|reservation| covers(reservation)) else { return Ok(()) };
        Err(match reservation.owner {
            None => Error::new(Code::NameOfEdge, format!("{subject} is being given to an edge. Ask for another one.")),
            Some(_) => Error::new(code, format!("{subject} is being reserved for another owner. Ask for another one.")),
        })
    }
}

impl Drop for ReservationGuard {
    fn drop(&mut self) {
        let mut all = self.reservations.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(number, _)| *number != self.number);
    }
}
