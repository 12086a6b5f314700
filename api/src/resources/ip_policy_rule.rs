//! An IP policy rule: lets one range of addresses in, or keeps it out.

use crate::{
    id::Kind,
    ip_rules::Action,
    resource::{Ref, Resource, bodies},
};
use ipnet::IpNet;
use serde::{Deserialize, Serialize};

/// One rule of a policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IpPolicyRule {
    /// The addresses, in CIDR notation.
    pub cidr: IpNet,
    /// Whether they may pass.
    pub action: Action,
}

/// What the server adds to a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IpPolicyRuleStatus {
    /// The policy it belongs to.
    pub ip_policy: Ref,
}

/// What is said when a rule is made. `cidr`, `ip_policy_id` and `action` are needed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IpPolicyRuleCreate {
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// For programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<String>,
    /// A range in CIDR notation, or one address.
    pub cidr: String,
    /// The policy to add the rule to.
    pub ip_policy_id: String,
    /// `allow` or `deny`.
    pub action: String,
}

/// What may be changed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IpPolicyRuleUpdate {
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// For programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<String>,
    /// A range in CIDR notation, or one address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cidr: Option<String>,
}

impl Kind for IpPolicyRule {
    const PREFIX: &'static str = "ipr";
}
impl Resource for IpPolicyRule {
    const KIND: &'static str = "ip_policy_rule";
    const PATH: &'static str = "/ip_policy_rules";
    const LIST: &'static str = "ip_policy_rules";
    type Status = IpPolicyRuleStatus;
    type Create = IpPolicyRuleCreate;
    type Update = IpPolicyRuleUpdate;
}
bodies!(IpPolicyRuleCreate, IpPolicyRuleUpdate);
