//! A tunnel group backend: all live tunnels that carry certain labels.

use crate::{
    id::Kind,
    resource::{Ref, Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Visitors are spread over the tunnels that carry every one of these labels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TunnelGroupBackend {
    /// The labels to look for; a tunnel may carry more.
    pub labels: BTreeMap<String, String>,
}

/// Fields that the server adds to a group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TunnelGroupBackendStatus {
    /// Tunnels that match now.
    pub tunnels: Vec<Ref>,
}

body! {
    /// Body of a create. At least one label is required.
    TunnelGroupBackendCreate {
        needs {}
        may {
            /// The labels to look for. In a change they replace the whole map.
            labels: BTreeMap<String, String>,
        }
    }
}

/// Body of a change.
pub type TunnelGroupBackendUpdate = TunnelGroupBackendCreate;

impl Kind for TunnelGroupBackend {
    const PREFIX: &'static str = "bkdtg";
}
impl Resource for TunnelGroupBackend {
    const KIND: &'static str = "tunnel_group_backend";
    const PATH: &'static str = "/backends/tunnel_group";
    const LIST: &'static str = "backends";
    type Status = TunnelGroupBackendStatus;
    type Create = TunnelGroupBackendCreate;
    type Update = TunnelGroupBackendUpdate;
}
