//! Where visitors go.

use crate::resource::{FailoverBackend, HttpResponseBackend, StaticBackend, TunnelGroupBackend, WeightedBackend};

/// A backend of any kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The tunnels that carry certain labels.
    TunnelGroup(TunnelGroupBackend),
    /// One of several, by weight.
    Weighted(WeightedBackend),
    /// The first of several that can be dialled.
    Failover(FailoverBackend),
    /// An answer of the edge's own.
    HttpResponse(HttpResponseBackend),
    /// An address that the server dials itself.
    Static(StaticBackend),
}
