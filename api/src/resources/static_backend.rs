//! A static backend: an address that the server itself connects to.

use crate::{
    id::Kind,
    module::{enabled, yes},
    resource::{Nothing, Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Pattern of an address: a name, an IPv4 address or an IPv6 address in brackets, and a port.
const ADDRESS: &str = concat!(
    r"^(",
    r"([0-9A-Za-z_]([0-9A-Za-z_-]{0,61}[0-9A-Za-z_])?\.)*[A-Za-z_]([0-9A-Za-z_-]{0,61}[0-9A-Za-z_])?",
    r"|((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\.){3}(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])",
    r"|\[(([0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}|([0-9A-Fa-f]{1,4}:){1,7}:|([0-9A-Fa-f]{1,4}:){1,6}:[0-9A-Fa-f]{1,4}",
    r"|([0-9A-Fa-f]{1,4}:){1,5}(:[0-9A-Fa-f]{1,4}){2}|([0-9A-Fa-f]{1,4}:){1,4}(:[0-9A-Fa-f]{1,4}){3}",
    r"|([0-9A-Fa-f]{1,4}:){1,3}(:[0-9A-Fa-f]{1,4}){4}|([0-9A-Fa-f]{1,4}:){1,2}(:[0-9A-Fa-f]{1,4}){5}",
    r"|[0-9A-Fa-f]{1,4}:(:[0-9A-Fa-f]{1,4}){6}|:((:[0-9A-Fa-f]{1,4}){1,7}|:))\]",
    r"):([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])$",
);
/// The longest address, in bytes: a name of 253, a colon, a port.
pub const ADDRESS_LIMIT: usize = 259;

/// Routes visitors to an address that the server dials itself, without an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StaticBackend {
    /// Address, `host:port`.
    pub address: String,
    /// Whether the server connects to it over TLS.
    pub tls: BackendTls,
}

/// TLS settings of a static backend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BackendTls {
    /// Over TLS if true, in clear if false.
    #[serde(default = "yes", deserialize_with = "enabled")]
    pub enabled: bool,
}

body! {
    /// Body of a create. The address is required.
    StaticBackendCreate {
        needs {
            /// A host name, an IPv4 address or an IPv6 address in brackets, a colon and a port.
            #[schemars(length(max = ADDRESS_LIMIT), regex(pattern = ADDRESS))]
            address: String,
        }
        may {
            /// Default: off.
            tls: BackendTls,
        }
    }
}

body! {
    /// Body of a change.
    StaticBackendUpdate {
        needs {}
        may {
            /// A host name, an IPv4 address or an IPv6 address in brackets, a colon and a port.
            #[schemars(length(max = ADDRESS_LIMIT), regex(pattern = ADDRESS))]
            address: String,
            /// Replaced whole.
            tls: BackendTls,
        }
    }
}

impl Kind for StaticBackend {
    const PREFIX: &'static str = "bkdsc";
}
impl Resource for StaticBackend {
    const KIND: &'static str = "static_backend";
    const PATH: &'static str = "/backends/static";
    const LIST: &'static str = "backends";
    type Status = Nothing;
    type Create = StaticBackendCreate;
    type Update = StaticBackendUpdate;
}
