//! The connection of one visitor and the resources it holds.

use crate::{
    http::{Busy, Visitor},
    net::{Full, Place},
    telemetry::metrics::Connected,
    tls::Admission,
};
use tokio_util::{sync::CancellationToken, task::task_tracker::TaskTrackerToken};

/// Given back when the connection has ended.
pub(crate) struct Presence {
    /// Its place among all connections.
    pub(crate) _place: Place,
    /// It is counted.
    pub(crate) _connected: Connected,
    /// Who drains waits for it.
    pub(crate) _open: TaskTrackerToken,
}

/// A connection that is told why there is no place for it, and nothing else.
pub(crate) struct Door {
    pub(crate) full: Full,
    /// Ends it.
    pub(crate) leave: CancellationToken,
}

/// One connection of a visitor.
pub(crate) struct VisitorConnection {
    pub(crate) visitor: Visitor,
    pub(crate) busy: Busy,
    /// The edge whose rules the TLS handshake was made by, if it has rules of its own.
    pub(crate) admission: Option<Admission>,
    /// Set when the connection is over a limit.
    pub(crate) door: Option<Door>,
    /// Held until the connection ends, whatever protocol it speaks in the end.
    _presence: Option<Presence>,
}

impl VisitorConnection {
    pub(crate) fn new(visitor: Visitor, presence: Option<Presence>) -> Self {
        VisitorConnection { visitor, busy: Busy::default(), admission: None, door: None, _presence: presence }
    }
}
