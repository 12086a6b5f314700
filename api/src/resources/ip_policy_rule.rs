//! An IP policy rule: lets one range of addresses in, or keeps it out.

use crate::{
    id::Kind,
    ip_rules::Action,
    resource::{Ref, Resource, body},
};
use ipnet::IpNet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One rule of a policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IpPolicyRule {
    /// The addresses, in CIDR notation.
    #[schemars(with = "String")]
    pub cidr: IpNet,
    /// Whether they may pass.
    pub action: Action,
}

/// Fields that the server adds to a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IpPolicyRuleStatus {
    /// The policy it belongs to.
    pub ip_policy: Ref,
}

body! {
    /// Body of a create. `cidr`, `ip_policy_id` and `action` are required.
    IpPolicyRuleCreate {
        needs {
            /// A range in CIDR notation, or one address.
            cidr: String,
            /// The policy to add the rule to.
            ip_policy_id: String,
            /// `allow` or `deny`.
            action: String,
        }
        may {}
    }
}

body! {
    /// Body of a change.
    IpPolicyRuleUpdate {
        needs {}
        may {
            /// A range in CIDR notation, or one address.
            cidr: String,
        }
    }
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
