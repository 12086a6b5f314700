//! An IP policy: a named set of IP policy rules.

use crate::{
    id::Kind,
    resource::{Nothing, Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A set of IP rules. It has no effect until an endpoint or a restriction refers to it; without rules it allows no address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IpPolicy {}

body! {
    /// Body of a create.
    IpPolicyCreate {
        needs {}
        may {}
    }
}

/// Body of a change.
pub type IpPolicyUpdate = IpPolicyCreate;

impl Kind for IpPolicy {
    const PREFIX: &'static str = "ipp";
}
impl Resource for IpPolicy {
    const KIND: &'static str = "ip_policy";
    const PATH: &'static str = "/ip_policies";
    const LIST: &'static str = "ip_policies";
    type Status = Nothing;
    type Create = IpPolicyCreate;
    type Update = IpPolicyUpdate;
}
