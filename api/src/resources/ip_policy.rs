//! An IP policy: a named set of IP policy rules.

use crate::{
    id::Kind,
    resource::{Nothing, Resource, bodies},
};
use serde::{Deserialize, Serialize};

/// A set of rules. It guards nothing until an endpoint or a restriction names it; without rules it lets nobody in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IpPolicy {}

/// What is said when a policy is made.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IpPolicyCreate {
    /// Describes the source addresses of the policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// For programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<String>,
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
bodies!(IpPolicyCreate);
