//! An IP policy rule: lets one range of addresses or one country in, or keeps it out.

use crate::{
    Country,
    id::Kind,
    ip_rules::Action,
    resource::{Ref, Resource, body},
};
use ipnet::IpNet;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One rule of a policy. It has either a range of addresses or a country.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IpPolicyRule {
    /// The addresses, in CIDR notation; the empty string in a rule for a country.
    // Published clients read it as a text that is always there.
    #[serde(default, serialize_with = "write_cidr", deserialize_with = "read_cidr")]
    #[schemars(with = "String", required)]
    pub cidr: Option<IpNet>,
    /// The country whose addresses match, ISO 3166-1 alpha-2; absent in a rule for a range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Country")]
    pub country: Option<Country>,
    /// Whether they may pass.
    pub action: Action,
}

fn write_cidr<S: Serializer>(cidr: &Option<IpNet>, serializer: S) -> Result<S::Ok, S::Error> {
    match cidr {
        Some(cidr) => serializer.collect_str(cidr),
        None => serializer.serialize_str(""),
    }
}

fn read_cidr<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<IpNet>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.is_empty() { Ok(None) } else { text.parse().map(Some).map_err(serde::de::Error::custom) }
}

/// Fields that the server adds to a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IpPolicyRuleStatus {
    /// The policy it belongs to.
    pub ip_policy: Ref,
}

body! {
    /// Body of a create. `ip_policy_id`, `action`, and either `cidr` or `country` are required.
    IpPolicyRuleCreate {
        needs {
            /// The policy to add the rule to.
            ip_policy_id: String,
            /// `allow` or `deny`.
            action: String,
        }
        may {
            /// A range in CIDR notation, or one address. Required without `country`.
            cidr: String,
            /// A country by its code of ISO 3166-1 alpha-2, such as `DE`, instead of a range. It needs a server with
            /// `--geoip`.
            country: String,
        }
    }
}

body! {
    /// Body of a change.
    IpPolicyRuleUpdate {
        needs {}
        may {
            /// A range in CIDR notation, or one address. It replaces a country.
            cidr: String,
            /// A country by its code of ISO 3166-1 alpha-2. It replaces a range.
            country: String,
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
