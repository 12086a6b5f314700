//! An IP policy: a named set of IP policy rules.

use crate::{
    id::Kind,
    resource::{Nothing, Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A set of rules. It guards nothing until an endpoint or a restriction names it; without rules it lets nobody in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IpPolicy {}

body! {
    /// What is said when a policy is made.
    IpPolicyCreate {
        needs {}
        may {}
    }
}

/// What may be changed.
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
