//! Published backends.

use crate::resource::{FailoverBackend, HttpResponseBackend, StaticBackend, TunnelGroupBackend, WeightedBackend};

/// A backend of any kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The tunnels that carry certain labels.
    TunnelGroup(TunnelGroupBackend),
    /// One of several backends, by weight.
    Weighted(WeightedBackend),
    /// The first of several backends that can be dialed.
    Failover(FailoverBackend),
    /// A static response of the edge.
    HttpResponse(HttpResponseBackend),
    /// An address that the server dials itself.
    Static(StaticBackend),
}
