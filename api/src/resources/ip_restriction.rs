//! An IP restriction: guards a part of the service with IP policies.

use crate::{
    id::Kind,
    module::POLICY_LIMIT,
    resource::{Ref, Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The part of the service that a restriction guards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RestrictionType {
    /// The console's pages.
    Dashboard,
    /// The management API.
    Api,
    /// Agents that start sessions.
    Agent,
    /// Visitors of everything that is published.
    Endpoints,
}

impl RestrictionType {
    /// All of them.
    pub const ALL: [RestrictionType; 4] =
        [RestrictionType::Dashboard, RestrictionType::Api, RestrictionType::Agent, RestrictionType::Endpoints];

    /// How it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            RestrictionType::Dashboard => "dashboard",
            RestrictionType::Api => "api",
            RestrictionType::Agent => "agent",
            RestrictionType::Endpoints => "endpoints",
        }
    }
}

/// Who may use a part of the service. Each enforced restriction of a type must let an address pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IpRestriction {
    /// Whether it turns anybody away; if not, there are only warnings.
    pub enforced: bool,
    /// What it guards.
    #[serde(rename = "type")]
    pub kind: RestrictionType,
}

/// What the server adds to a restriction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IpRestrictionStatus {
    /// The policies an address is judged by, all their rules together. One that was deleted stays listed and counts
    /// as one without rules.
    pub ip_policies: Vec<Ref>,
}

body! {
    /// What is said when a restriction is made. Its type and at least one policy are needed.
    IpRestrictionCreate {
        needs {
            /// `dashboard`, `api`, `agent` or `endpoints`.
            #[serde(rename = "type")]
            #[schemars(extend("enum" = RestrictionType::ALL))]
            kind: String,
            /// The ids of the policies.
            #[schemars(length(min = 1, max = POLICY_LIMIT), inner(regex(pattern = "^ipp_[0-9A-Za-z]{27}$")))]
            ip_policy_ids: Vec<String>,
        }
        may {
            /// Off unless said otherwise.
            enforced: bool,
        }
    }
}

body! {
    /// What may be changed.
    IpRestrictionUpdate {
        needs {}
        may {
            /// Whether it turns anybody away.
            enforced: bool,
            /// The ids of the policies, replacing all former ones.
            #[schemars(length(min = 1, max = POLICY_LIMIT), inner(regex(pattern = "^ipp_[0-9A-Za-z]{27}$")))]
            ip_policy_ids: Vec<String>,
        }
    }
}

impl Kind for IpRestriction {
    const PREFIX: &'static str = "ipx";
}
impl Resource for IpRestriction {
    const KIND: &'static str = "ip_restriction";
    const PATH: &'static str = "/ip_restrictions";
    const LIST: &'static str = "ip_restrictions";
    type Status = IpRestrictionStatus;
    type Create = IpRestrictionCreate;
    type Update = IpRestrictionUpdate;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_is_written_in_one_way() {
        for kind in RestrictionType::ALL {
            assert_eq!(serde_json::to_value(kind).expect("JSON"), kind.as_str());
        }
    }
}
