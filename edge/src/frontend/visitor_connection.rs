//! The connection of one visitor and the resources it holds.

use crate::{
    http::{InterimResponses, RequestCounter, Visitor},
    net::{ConnectionPermit, LimitReached},
    telemetry::metrics::ConnectionGauge,
    tls::TlsAdmission,
    upstream::ReachedTunnels,
};
use tokio_util::{sync::CancellationToken, task::task_tracker::TaskTrackerToken};

/// Resources released when the connection ends.
pub(crate) struct ConnectionResources {
    /// Counts it against the connection limits.
    pub(crate) _permit: ConnectionPermit,
    /// Counts it in the metrics.
    pub(crate) _connected: ConnectionGauge,
    /// Keeps a drain waiting for it.
    pub(crate) _open: TaskTrackerToken,
}

/// A connection over a limit: its first request is refused with the reason, then it is closed.
pub(crate) struct OverLimit {
    pub(crate) reason: LimitReached,
    /// Closes the connection.
    pub(crate) close: CancellationToken,
}

/// One connection of a visitor.
pub(crate) struct VisitorConnection {
    pub(crate) visitor: Visitor,
    pub(crate) requests: RequestCounter,
    /// Interim responses of local services that this visitor is sent; HTTP/1.1 only.
    pub(crate) interim: InterimResponses,
    /// Set if the TLS handshake followed the rules of one edge.
    pub(crate) admission: Option<TlsAdmission>,
    /// Set when the connection is over a limit.
    pub(crate) over_limit: Option<OverLimit>,
    /// The tunnels that count the connection.
    pub(crate) reached: ReachedTunnels,
    /// Held until the connection ends, whatever protocol it speaks in the end.
    _presence: Option<ConnectionResources>,
}

impl VisitorConnection {
    pub(crate) fn new(visitor: Visitor, presence: Option<ConnectionResources>) -> Self {
        VisitorConnection {
            visitor,
            requests: RequestCounter::default(),
            interim: InterimResponses::default(),
            admission: None,
            over_limit: None,
            reached: ReachedTunnels::default(),
            _presence: presence,
        }
    }

    /// `https` or `http`.
    pub(crate) fn scheme(&self) -> &'static str {
        if self.visitor.is_tls() { "https" } else { "http" }
    }
}
