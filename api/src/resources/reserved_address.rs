//! A reserved address: a TCP address reserved for its owner.

use crate::{
    id::Kind,
    owner::OwnerId,
    resource::{Nothing, Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Pattern of an address of this server: a name or an IP address, and a port.
const ADDRESS: &str = r"^([0-9A-Za-z.-]+|\[[0-9A-Fa-f:]+\]):[1-9][0-9]{0,4}$|^$";

/// A TCP address that only its owner's agents, and edges, can have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReservedAddress {
    /// The address, `host:port`.
    pub addr: String,
    /// Region; there is a single region, so it has no effect.
    pub region: Region,
    /// The user or bot user whose agents may bind it.
    pub owner_id: OwnerId,
}

/// The name of a place, as clients of larger services send it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Region {
    /// Not specified.
    #[default]
    #[serde(rename = "")]
    Unsaid,
    /// United States.
    #[serde(rename = "us")]
    Us,
    /// Europe.
    #[serde(rename = "eu")]
    Eu,
    /// Asia and the Pacific.
    #[serde(rename = "ap")]
    Ap,
    /// Australia.
    #[serde(rename = "au")]
    Au,
    /// South America.
    #[serde(rename = "sa")]
    Sa,
    /// Japan.
    #[serde(rename = "jp")]
    Jp,
    /// India.
    #[serde(rename = "in")]
    In,
    /// California.
    #[serde(rename = "us-cal-1")]
    UsCal1,
}

body! {
    /// Body of a create.
    ReservedAddressCreate {
        needs {}
        may {
            /// An address of this server; default: a free one.
            #[schemars(length(max = 259), regex(pattern = ADDRESS))]
            addr: String,
            /// Default: `us`.
            region: Region,
            /// Owner; default: the caller. Only administrators may set another owner.
            owner_id: String,
        }
    }
}

body! {
    /// Body of a change.
    ReservedAddressUpdate {
        needs {}
        may {}
    }
}

impl Kind for ReservedAddress {
    const PREFIX: &'static str = "ra";
}
impl Resource for ReservedAddress {
    const KIND: &'static str = "reserved_address";
    const PATH: &'static str = "/reserved_addrs";
    const LIST: &'static str = "reserved_addrs";
    type Status = Nothing;
    type Create = ReservedAddressCreate;
    type Update = ReservedAddressUpdate;
}
